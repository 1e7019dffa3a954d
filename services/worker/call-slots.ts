import type { EngineConfig } from '../../shared/contracts/engine-config.ts';
import type { Work } from './work.ts';

/** Claimed ahead of the calls of an action type, so that a free slot never waits for the database. */
const claimedAhead = 300;
/** Claims ahead are leases running down: no more are made than will be called within this part of a lease. */
const partOfLease = 1 / 3;
/** Weight of the newest call in the mean. */
const newestWeight = 0.02;

export interface CallSlotsDeps {
  actionTypes: EngineConfig['actionTypes'];
  /** Calls in flight over all action types. */
  concurrency: number;
  leaseMs: number;
  /** Makes the call and records it; resolves when the slot is free again. */
  serve: (work: Work) => Promise<void>;
  /** Takes back what was claimed and will not be called any more. */
  release: (works: readonly Work[]) => void;
  monotonicMs: () => number;
}

/** Claimed steps wait here for a call slot of their action type; a slow endpoint takes only its own. */
export interface CallSlots {
  /** How many more steps of the action type may be claimed now. */
  room(actionType: string): number;
  add(works: readonly Work[]): void;
  /** No more calls begin: what waits for one, and what is still added, is released. */
  close(): void;
  /** Resolves when no call is in flight. */
  idle(): Promise<void>;
}

interface Lane {
  waiting: Work[];
  inFlight: number;
  concurrency: number;
  /** Of its calls, exponentially weighted. */
  meanMs: number;
}

export function createCallSlots(deps: CallSlotsDeps): CallSlots {
  const { actionTypes, concurrency, leaseMs, serve, release, monotonicMs } = deps;
  const lanes = new Map<string, Lane>();
  for (const [name, type] of Object.entries(actionTypes)) {
    lanes.set(name, { waiting: [], inFlight: 0, concurrency: Math.min(type.concurrency, concurrency), meanMs: 0 });
  }
  /** In the order of their turns. */
  const ring = [...lanes.values()];
  let inFlight = 0;
  let closed = false;
  let whenIdle = Promise.withResolvers<null>();

  /** The next lane with something to call and a slot of its own. It goes to the end, so that none takes all the slots. */
  function nextLane(): Lane | undefined {
    const next = ring.findIndex((lane) => lane.waiting.length > 0 && lane.inFlight < lane.concurrency);
    const [lane] = next < 0 ? [] : ring.splice(next, 1);
    if (lane) ring.push(lane);
    return lane;
  }

  function start(): void {
    while (inFlight < concurrency) {
      const lane = nextLane();
      const work = lane?.waiting.shift();
      if (!lane || !work) return;
      void call(lane, work);
    }
  }

  async function call(lane: Lane, work: Work): Promise<void> {
    inFlight++;
    lane.inFlight++;
    const startedMs = monotonicMs();
    await serve(work);
    const tookMs = monotonicMs() - startedMs;
    lane.meanMs = lane.meanMs === 0 ? tookMs : lane.meanMs + newestWeight * (tookMs - lane.meanMs);
    lane.inFlight--;
    inFlight--;
    if (!closed) start();
    if (inFlight === 0) whenIdle.resolve(null);
  }

  return {
    room: (actionType) => {
      const lane = lanes.get(actionType);
      if (!lane || closed) return 0;
      const { concurrency: slots, meanMs } = lane;
      // Before anything was measured: one more round.
      const callable = meanMs === 0 ? slots : (slots * leaseMs * partOfLease) / meanMs;
      const ahead = Math.min(claimedAhead, Math.floor(callable));
      return Math.max(0, slots + ahead - lane.waiting.length - lane.inFlight);
    },
    add: (works) => {
      // A flush that was under way when the slots closed may still bring claims.
      if (closed) {
        release(works);
        return;
      }
      for (const work of works) lanes.get(work.actionType)?.waiting.push(work);
      start();
    },
    close: () => {
      closed = true;
      for (const lane of lanes.values()) release(lane.waiting.splice(0));
    },
    idle: async () => {
      if (inFlight === 0) return;
      whenIdle = Promise.withResolvers();
      await whenIdle.promise;
    },
  };
}
