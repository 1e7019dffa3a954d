import type { HeardReference } from './heard-reference.ts';
import type { HeldJob } from './held-job.ts';

/** How much a new measurement counts: ends that fall together, as those of slow calls do, are no rate. */
const newWeight = 0.2;
/** The same of a moment in which nothing was here to be called: it says next to nothing of how quick calls are. */
const idleWeight = 0.03;
/** One that is slower has no more credit than a client that is new here, and need not be remembered. */
const rememberedPerSecond = 50;

/** What a dispatcher has of one client. */
export interface ClientQueue {
  /** Whose endpoint it is; its own where it is none. */
  readonly ownerId: string;
  /** References that wait for their claim. */
  readonly length: number;
  /** Claimed, without a slot. */
  readonly claimed: HeldJob[];
  inFlight: number;
  /** Calls that ended since the last measurement. */
  ended: number;
  /** Calls that end, as measured over the last second or so. */
  readonly perSecond: number;
  /** There is nothing of it here, and nothing to remember of it. */
  readonly isIdle: boolean;
  /** @returns false when it is here already */
  add(reference: HeardReference): boolean;
  /** The oldest. */
  take(count: number): HeardReference[];
  /** In front. @returns how many were not here */
  putBack(references: readonly HeardReference[]): number;
  measure(sinceMs: number): void;
}

export function createClientQueue(ownerId: string): ClientQueue {
  /** The first `taken` are gone already: cutting them off one by one would cost as much as there are. */
  let references: HeardReference[] = [];
  let taken = 0;
  const known = new Set<string>();
  let perSecond = 0;

  const isEmpty = () => queue.length === 0 && queue.claimed.length === 0 && queue.inFlight === 0;

  const queue: ClientQueue = {
    ownerId,
    get length() {
      return references.length - taken;
    },
    claimed: [],
    inFlight: 0,
    ended: 0,
    get perSecond() {
      return perSecond;
    },
    get isIdle() {
      return isEmpty() && perSecond < rememberedPerSecond;
    },
    add: (reference) => {
      const key = keyOf(reference);
      if (known.has(key)) return false;
      known.add(key);
      references.push(reference);
      return true;
    },
    take: (count) => {
      const got = references.slice(taken, taken + count);
      for (const reference of got) known.delete(keyOf(reference));
      taken += got.length;
      if (taken > 1000 && taken * 2 > references.length) {
        references = references.slice(taken);
        taken = 0;
      }
      return got;
    },
    putBack: (back) => {
      const missing = back.filter((reference) => !known.has(keyOf(reference)));
      for (const reference of missing) known.add(keyOf(reference));
      references = [...missing, ...references.slice(taken)];
      taken = 0;
      return missing.length;
    },
    measure: (sinceMs) => {
      const weight = isEmpty() && queue.ended === 0 ? idleWeight : newWeight;
      perSecond += weight * ((queue.ended * 1000) / sinceMs - perSecond);
      queue.ended = 0;
    },
  };
  return queue;
}

function keyOf({ jobId, dueUs }: HeardReference): string {
  return `${jobId}/${dueUs}`;
}
