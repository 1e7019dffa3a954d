import {
  admitBatches,
  floorBatches,
  roomsIn,
  type Admitted,
  type SharingFeed,
} from '../../services/trigger/admit/fairness.ts';
import { unmeasured } from '../../services/trigger/admit/measured-rate.ts';
import { createShardSums } from '../../services/trigger/admit/shard-sums.ts';

/** Batches that one visit of the round grants to a feed of weight 1. */
export const quantum = 10;
export const shard = 'award-reward/SG';
export const later = 'send-message/SG';
export const shardBounds: ReadonlyMap<string, number> = new Map([
  [shard, 300],
  [later, 600],
]);
export const noTurns: ReadonlyMap<string, number> = new Map();

/** A feed of any trigger. `wants` is null if another trigger pages the feed. */
export interface AnyFeed extends Omit<SharingFeed, 'wants'> {
  complete: boolean;
  wants: number | null;
}

const noProgress = { readySinceMs: 0, movedAtMs: 0, isServed: true, rate: unmeasured };

interface Changes extends Partial<Omit<AnyFeed, 'loads' | 'progress'>> {
  feedId: string;
  ready?: number;
  readyLater?: number;
  /** Share of the ready batches that competes for the room of others; 1 by default. */
  competes?: number;
  /** False if no batch has been handled yet. */
  isServed?: boolean;
  /** True if the feed had no ready batch for a second. */
  isIdle?: boolean;
}

/** Returns a feed of two steps with this many ready batches in each step. */
export function feedOf(changes: Changes): AnyFeed {
  const { ready = 0, readyLater = 0, competes = 1, isServed = true, isIdle = false, ...rest } = changes;
  const loads = new Map([
    [shard, ready],
    [later, ready + readyLater],
  ]);
  const moving = [...loads].map(
    ([name, load]) => [name, { ...noProgress, isServed, competing: Math.floor(competes * load) }] as const,
  );
  const progress = new Map(isIdle ? [] : moving);
  return { pace: null, weight: 2, loads, progress, waiting: 0, held: false, complete: false, wants: 0, ...rest };
}

/** Returns what one trigger grants to its own feeds. */
export function admit(
  feeds: readonly AnyFeed[],
  bounds: ReadonlyMap<string, number>,
  turns: ReadonlyMap<string, number>,
): Admitted {
  const sums = createShardSums();
  for (const feed of feeds) {
    sums.add({ ...feed, floor: floorBatches(feed.weight), depths: new Map(), isOwn: feed.wants !== null });
  }
  const own = feeds.flatMap(({ wants, ...feed }) => (wants === null ? [] : [{ ...feed, wants }]));
  return admitBatches(own, roomsIn(sums.shards(), bounds), bounds, turns);
}

export function total(grants: ReadonlyMap<string, number>): number {
  return [...grants.values()].reduce((sum, batches) => sum + batches, 0);
}
