import type { JobReference } from '../../shared/domain/job/job-key.ts';
import { createTokenBucket, type TokenBucket } from './token-bucket.ts';

/** What a client may be given before the next has its turn: as much as one message carries. */
export const quantum = 50;

export interface FairOffersDeps {
  /** Jobs per second that may be offered for the client from here; undefined: no limit. */
  rateOf: (clientId: string) => number | undefined;
  /** References that wait here at most, of one client and of all. Their rows know of the rest. */
  maxPerClient: number;
  maxInAll: number;
}

/** Looked at and not offered yet. Round by round each client has the same turn, so nobody waits behind another's crowd. */
export interface FairOffers {
  readonly size: number;
  isFull(clientId: string): boolean;
  /** Whether so little of it is left that more may be read. */
  hasRoom(clientId: string): boolean;
  has(reference: JobReference): boolean;
  /** One that is here already is not added again. */
  add(reference: JobReference): void;
  /** In front of what waits; they have paid for their turn. */
  putBack(references: readonly JobReference[]): void;
  take(max: number, nowMs: number): JobReference[];
  /** Until something may be taken, in milliseconds; infinite while nothing waits. */
  waitMs(nowMs: number): number;
  /** Forgets what lies in other partitions than these. */
  keepOnly(partitions: ReadonlySet<number>): void;
}

interface Line {
  references: JobReference[];
  /** So many at the front are taken already. */
  taken: number;
  bucket: TokenBucket;
}

export function createFairOffers({ rateOf, maxPerClient, maxInAll }: FairOffersDeps): FairOffers {
  /** In the order of their turns. */
  const lines = new Map<string, Line>();
  /** Buckets outlive their lines: a client must not get a full one by being through now and then. */
  const buckets = new Map<string, TokenBucket>();
  const waiting = new Set<string>();
  let prepaid: JobReference[] = [];

  function bucketOf(clientId: string): TokenBucket {
    const bucket = buckets.get(clientId) ?? createTokenBucket();
    buckets.set(clientId, bucket);
    return bucket;
  }

  function lineOf(clientId: string): Line {
    const line = lines.get(clientId) ?? { references: [], taken: 0, bucket: bucketOf(clientId) };
    lines.set(clientId, line);
    return line;
  }

  const lengthOf = (line: Line | undefined) => (line ? line.references.length - line.taken : 0);

  function takeTurn(clientId: string, line: Line, most: number, nowMs: number): JobReference[] {
    const wanted = Math.min(quantum, most, lengthOf(line));
    const count = line.bucket.take(wanted, rateOf(clientId), nowMs);
    const taken = line.references.slice(line.taken, line.taken + count);
    line.taken += count;
    if (line.taken >= 1000) {
      line.references = line.references.slice(line.taken);
      line.taken = 0;
    }
    // Behind all others; who has nothing left has no turn.
    lines.delete(clientId);
    if (lengthOf(line) > 0) lines.set(clientId, line);
    return taken;
  }

  return {
    get size() {
      return waiting.size;
    },
    isFull: (clientId) => lengthOf(lines.get(clientId)) >= maxPerClient || waiting.size >= maxInAll,
    hasRoom: (clientId) => lengthOf(lines.get(clientId)) <= maxPerClient / 2 && waiting.size <= maxInAll / 2,
    has: (reference) => waiting.has(keyOf(reference)),
    add: (reference) => {
      if (waiting.has(keyOf(reference))) return;
      waiting.add(keyOf(reference));
      lineOf(reference.clientId).references.push(reference);
    },
    putBack: (references) => {
      prepaid = [...references, ...prepaid];
      for (const reference of references) waiting.add(keyOf(reference));
    },
    take: (max, nowMs) => {
      const taken = prepaid.splice(0, max);
      let isProgress = true;
      while (taken.length < max && isProgress) {
        isProgress = false;
        for (const [clientId, line] of [...lines]) {
          const turn = takeTurn(clientId, line, max - taken.length, nowMs);
          taken.push(...turn);
          isProgress ||= turn.length > 0;
          if (taken.length >= max) break;
        }
      }
      for (const reference of taken) waiting.delete(keyOf(reference));
      return taken;
    },
    waitMs: (nowMs) => {
      if (prepaid.length > 0) return 0;
      let leastMs = Infinity;
      for (const [clientId, { bucket }] of lines) leastMs = Math.min(leastMs, bucket.waitMs(rateOf(clientId), nowMs));
      return leastMs;
    },
    keepOnly: (partitions) => {
      const isKept = ({ partition }: JobReference) => partitions.has(partition);
      for (const [clientId, line] of [...lines]) {
        line.references = line.references.slice(line.taken).filter(isKept);
        line.taken = 0;
        if (line.references.length === 0) lines.delete(clientId);
      }
      prepaid = prepaid.filter(isKept);
      waiting.clear();
      for (const { references } of lines.values()) for (const reference of references) waiting.add(keyOf(reference));
      for (const reference of prepaid) waiting.add(keyOf(reference));
    },
  };
}

function keyOf({ jobId, dueUs }: JobReference): string {
  return `${jobId}/${dueUs}`;
}
