import type { JobReference } from '../../../shared/domain/job/job-key.ts';
import { bandOf, type PriorityTurns, type StoredPriority } from '../../../shared/domain/job/priority-bands.ts';
import type { ClientCredit } from './client-credit.ts';
import { createClientsInTurn, type BandOfClient } from './clients-in-turn.ts';
import { partitionBit, type BandSpan, type Mark, type SkippedBands } from '../ports/due-references.ts';
import { addSpan, isWithin, takeRead, type WaitingSpan, type WaitingSpans } from './waiting-spans.ts';

/**
 * Maximum number of spans in memory. Each span takes about 150 bytes. If there are more, a new span is merged into the
 * previous span of the same band and partition, and a read of this span then includes rows of other clients.
 */
const mostSpans = 200_000;

export interface ClientBacklog {
  clientId: string;
  priority?: StoredPriority | undefined;
  waiting: ReadonlyMap<number, readonly WaitingSpan[]>;
}

interface PartitionBacklog {
  waiting: WaitingSpans;
  /**
   * Number of scans (reads of due jobs) that had begun when the band caught up. Scans that begin later read the rows of
   * the band again. Undefined while scans skip the rows of the band.
   */
  caughtUpAt?: number | undefined;
}

interface BandBacklog extends BandOfClient {
  /** Waiting spans of the band by partition. */
  from: Map<number, PartitionBacklog>;
  /**
   * Partitions, as bits, in which scans skip the rows of this band. Undefined after a change, until it is computed
   * again.
   */
  bits: bigint | undefined;
}

/**
 * Clients with a backlog, which means that they have more due jobs than credit. A backlog belongs to a band, which is a
 * client with a priority (`bandOf`), so that a backlog of normal jobs does not delay urgent jobs.
 *
 * A scan is the statement that reads due jobs for all clients. It skips the rows of these bands, and returns the ranges
 * of keys that contain the skipped rows (spans). When a client has credit again, its spans are read separately.
 */
export interface BackloggedClients {
  /** Number of bands with a backlog. */
  readonly size: number;
  has(band: string, partition: number): boolean;
  /** Called when a scan begins. The scan skips the bands that have a backlog at this time. */
  beginScan(): void;
  endScan(): void;
  /** Returns true if the job lies in a span that will be read separately. */
  covers(reference: JobReference): boolean;
  /** Returns the bands whose rows a scan that begins now skips, with their partitions. */
  skippedBands(): SkippedBands;
  /** Returns the partitions, as bits, in which scans skip rows of any band. */
  skippedPartitions(): bigint;
  isSkipped(band: string, partition: number): boolean;
  /**
   * Makes later scans read the rows of the band again. Called when the spans of the band have been read. Scans that
   * have already begun may still add spans.
   */
  stopSkipping(band: string, partition: number): void;
  /**
   * Removes the band from the partition if none of its jobs wait there. A scan that has already begun may still skip
   * rows of the band. In this case, the band is removed after that scan.
   * @returns true if the band was removed
   */
  settle(band: string, partition: number): boolean;
  /** Adds consecutive waiting jobs. Scans that begin later skip the rows of their band in their partition. */
  add(jobs: readonly JobReference[]): void;
  /**
   * Adds a span of jobs that a scan has skipped.
   * @param after mark at which the scan began, if the span directly follows it; undefined if other jobs lie in between
   */
  pass(span: BandSpan, after?: Mark): void;
  /**
   * Adds a span of jobs that the sweep found in a band that scans skip. All these jobs may have been offered before. A
   * read therefore expects only one job in the span, and takes further jobs from later spans.
   */
  list(span: BandSpan): void;
  /**
   * Returns at most `most` clients that have credit, with their spans. Each client gets one turn with all its bands
   * before any client gets a second turn. A client that waits for its rate limit is checked twice a second.
   */
  next(most: number, credit: Pick<ClientCredit, 'left' | 'untilRateAllowsMs'>, nowMs: number): ClientBacklog[];
  readonly isMidTurn: boolean;
  /**
   * Returns the state that distributes offers among the bands of a client. The state is kept while any of the bands has
   * a backlog.
   */
  turnsOf(clientId: string): PriorityTurns;
  take(band: string, partition: number, span: WaitingSpan, readUpTo: Mark, rows: number): void;
  keepOnly(partitions: ReadonlySet<number>): void;
  /**
   * Returns the number of clients with waiting jobs. Jobs that only the sweep found do not count. Takes time
   * proportional to the number of clients.
   */
  count(): number;
  /**
   * Returns the due time of the oldest waiting job, by client. Takes time proportional to the number of partitions with
   * waiting jobs, over all bands.
   */
  oldest(): Map<string, number>;
}

export function createBackloggedClients(): BackloggedClients {
  const backlogged = new Map<string, BandBacklog>();
  const clients = createClientsInTurn<BandBacklog>();
  /**
   * Cached result of `skippedBands` and `skippedPartitions`; undefined after a change. Without the cache, forty scans
   * per second would each compute the result for up to 1,000 bands.
   */
  let passed: { over: SkippedBands; in: bigint } | undefined;
  let [begun, ended] = [0, 0];
  let spans = 0;

  const find = (band: string, partition: number) => backlogged.get(band)?.from.get(partition);
  function change(waiting: WaitingSpans, by: () => void): void {
    const before = waiting.length;
    by();
    spans += waiting.length - before;
  }

  function forgetBits(known: BandBacklog): void {
    known.bits = undefined;
    passed = undefined;
  }

  function markCaughtUp(known: BandBacklog, place: PartitionBacklog, caughtUpAt: number | undefined): void {
    if (place.caughtUpAt !== caughtUpAt) forgetBits(known);
    place.caughtUpAt = caughtUpAt;
  }

  function end(band: string, partition: number): void {
    const known = backlogged.get(band);
    if (known === undefined) return;
    spans -= known.from.get(partition)?.waiting.length ?? 0;
    known.from.delete(partition);
    forgetBits(known);
    if (known.from.size !== 0) return;
    backlogged.delete(band);
    clients.remove(known);
  }

  function settle(band: string, partition: number): boolean {
    const known = backlogged.get(band);
    const place = known?.from.get(partition);
    if (!known || !place || place.waiting.length > 0) return false;
    if (begun === ended || (place.caughtUpAt !== undefined && ended >= place.caughtUpAt)) {
      end(band, partition);
      return true;
    }
    stopSkipping(band, partition);
    return false;
  }

  function stopSkipping(band: string, partition: number): void {
    const known = backlogged.get(band);
    const place = known?.from.get(partition);
    if (known && place) markCaughtUp(known, place, place.caughtUpAt ?? begun);
  }

  function addTo(place: PartitionBacklog, span: WaitingSpan, after?: Mark): void {
    change(place.waiting, () => addSpan(place.waiting, span, spans >= mostSpans, after));
  }

  function startOf({ clientId, priority, partition }: BandSpan | JobReference): [BandBacklog, PartitionBacklog] {
    const known = backlogged.get(bandOf(clientId, priority)) ?? begin(clientId, priority);
    const place = known.from.get(partition) ?? { waiting: [] };
    if (!known.from.has(partition)) {
      known.from.set(partition, place);
      forgetBits(known);
    }
    return [known, place];
  }

  function begin(clientId: string, priority: StoredPriority | undefined): BandBacklog {
    const begun = { clientId, priority, from: new Map<number, PartitionBacklog>(), bits: undefined };
    backlogged.set(bandOf(clientId, priority), begun);
    clients.add(begun);
    return begun;
  }

  return {
    get size() {
      return backlogged.size;
    },
    get isMidTurn() {
      return clients.isMidTurn;
    },
    has: (band, partition) => find(band, partition) !== undefined,
    beginScan: () => {
      begun++;
    },
    endScan: () => {
      ended = begun;
    },
    isSkipped: (band, partition) => isSkippedIn(find(band, partition)),
    stopSkipping,
    settle,
    covers: (reference) => {
      const known = find(bandOf(reference.clientId, reference.priority), reference.partition);
      return known !== undefined && isWithin(known.waiting, reference);
    },
    skippedBands: () => (passed ??= skippedOf(backlogged)).over,
    skippedPartitions: () => (passed ??= skippedOf(backlogged)).in,
    add: (jobs) => {
      const [oldest, newest] = [jobs[0], jobs.at(-1)];
      if (!oldest || !newest) return;
      const [known, place] = startOf(oldest);
      markCaughtUp(known, place, undefined);
      const first = { dueUs: oldest.dueUs, jobId: oldest.jobId };
      const last = jobs.length === 1 ? first : { dueUs: newest.dueUs, jobId: newest.jobId };
      addTo(place, { first, last, rows: jobs.length });
    },
    pass: (span, after) => {
      const { first, last, rows } = span;
      addTo(startOf(span)[1], { first, last, rows }, after);
    },
    list: ({ clientId, priority, partition, first, last }) => {
      const place = find(bandOf(clientId, priority), partition);
      if (place) addTo(place, { first, last, rows: 1, isListed: true });
    },
    next: (most, credit, nowMs) =>
      clients.next(most, credit, nowMs).map(({ clientId, priority, from }) => {
        const waiting = Array.from(from, ([partition, place]) => [partition, place.waiting] as const);
        return { clientId, priority, waiting: new Map(waiting) };
      }),
    turnsOf: (clientId) => clients.turnsOf(clientId),
    take: (band, partition, span, readUpTo, rows) => {
      const waiting = find(band, partition)?.waiting;
      if (waiting) change(waiting, () => takeRead(waiting, span, readUpTo, rows));
    },
    keepOnly: (partitions) => {
      for (const [band, { from }] of [...backlogged]) {
        for (const partition of [...from.keys()]) if (!partitions.has(partition)) end(band, partition);
      }
    },
    count: () => {
      let count = 0;
      for (const bands of clients.bands()) if (bands.some(isWaiting)) count++;
      return count;
    },
    oldest: () => {
      const oldest = new Map<string, number>();
      for (const { clientId, from } of backlogged.values()) {
        for (const { waiting } of from.values()) {
          const dueUs = waiting.find(({ isListed }) => !isListed)?.first.dueUs ?? Infinity;
          if (dueUs < (oldest.get(clientId) ?? Infinity)) oldest.set(clientId, dueUs);
        }
      }
      return oldest;
    },
  };
}

function isWaiting({ from }: BandBacklog): boolean {
  for (const { waiting } of from.values()) if (waiting.some(({ isListed }) => !isListed)) return true;
  return false;
}

function isSkippedIn(known: PartitionBacklog | undefined): boolean {
  return known !== undefined && known.caughtUpAt === undefined;
}

function skippedOf(backlogged: ReadonlyMap<string, BandBacklog>): { over: SkippedBands; in: bigint } {
  const over = new Map<string, bigint>();
  let bits = 0n;
  for (const [band, known] of backlogged) {
    known.bits ??= bitsOf(known.from);
    if (known.bits === 0n) continue;
    over.set(band, known.bits);
    bits |= known.bits;
  }
  return { over, in: bits };
}

function bitsOf(from: ReadonlyMap<number, PartitionBacklog>): bigint {
  let bits = 0n;
  for (const [partition, place] of from) if (isSkippedIn(place)) bits |= partitionBit(partition);
  return bits;
}
