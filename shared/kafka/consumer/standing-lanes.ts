import type { LaneView } from './lanes.ts';
import type { PartitionOffsets } from '../cluster/offset-look.ts';

export interface StandingLane {
  topic: string;
  partition: number;
  /** Messages that lie before it. */
  lag: number;
  standsMs: number;
}

/** Finds lanes that could take messages, have some before them, and take none. */
export interface StandingLanes {
  /**
   * To be called at even intervals. Time is counted in looks and not by the clock: a process that was frozen should go
   * on, not end. A lane of which nothing is known, as its partition has no leader, does not stand.
   */
  observe(lanes: readonly LaneView[], offsets: ReadonlyMap<string, readonly PartitionOffsets[]>): void;
  /** The one that has stood longest. */
  longest(): StandingLane | undefined;
}

export function createStandingLanes(intervalMs: number): StandingLanes {
  let standing = new Map<string, StandingLane & { at: number }>();

  return {
    observe: (lanes, offsets) => {
      const now = new Map<string, StandingLane & { at: number }>();
      for (const { lane, next, full } of lanes) {
        const { topic, partition } = lane;
        const known = offsets.get(topic)?.find((entry) => entry.partition === partition);
        if (full || !known) continue;
        const at = next ?? known.committed;
        const lag = known.end - at;
        if (lag <= 0) continue;
        const key = `${topic}/${partition}`;
        const before = standing.get(key);
        now.set(key, { topic, partition, lag, at, standsMs: before?.at === at ? before.standsMs + intervalMs : 0 });
      }
      standing = now;
    },
    longest: () => [...standing.values()].reduce<StandingLane | undefined>(longer, undefined),
  };
}

function longer(a: StandingLane | undefined, b: StandingLane): StandingLane {
  return a && a.standsMs >= b.standsMs ? a : b;
}
