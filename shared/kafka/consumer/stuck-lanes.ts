import type { LaneView } from './lanes.ts';
import type { PartitionOffsets } from '../cluster/offset-reader.ts';

export interface StandingLane {
  topic: string;
  partition: number;
  /** Number of messages that the lane has not taken yet. */
  lag: number;
  stuckForMs: number;
}

/** Detection of stuck lanes: they have room and messages to take, and take none. */
export interface StuckLanes {
  /**
   * Checks the lanes; must be called at even intervals. Time is counted in calls and not by the clock, so that a
   * process that was frozen continues. A lane without known offsets, because its partition has no leader, does not
   * count.
   */
  observe(lanes: readonly LaneView[], offsets: ReadonlyMap<string, readonly PartitionOffsets[]>): void;
  /** Returns the lane that has made no progress for the longest time. */
  longest(): StandingLane | undefined;
}

export function createStuckLanes(intervalMs: number): StuckLanes {
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
        now.set(key, { topic, partition, lag, at, stuckForMs: before?.at === at ? before.stuckForMs + intervalMs : 0 });
      }
      standing = now;
    },
    longest: () => [...standing.values()].reduce<StandingLane | undefined>(longer, undefined),
  };
}

function longer(a: StandingLane | undefined, b: StandingLane): StandingLane {
  return a && a.stuckForMs >= b.stuckForMs ? a : b;
}
