import type { LaneView } from './lanes.ts';
import type { PartitionOffsets } from '../cluster/offset-look.ts';

export interface StandingLane {
  topic: string;
  partition: number;
  /** Messages ahead of the lane. */
  lag: number;
  standsMs: number;
}

/** Detection of lanes that could take messages, have some ahead, and take none. */
export interface StandingLanes {
  /**
   * Checks the lanes; must be called at even intervals. Time is counted in calls and not by the clock, so that a
   * process that was frozen continues. A lane without known offsets, because its partition has no leader, does not
   * count.
   */
  observe(lanes: readonly LaneView[], offsets: ReadonlyMap<string, readonly PartitionOffsets[]>): void;
  /** Returns the lane that has made no progress for the longest time. */
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
