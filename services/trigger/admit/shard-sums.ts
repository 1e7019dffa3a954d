import { competingIn, isMovingIn, type ProgressingFeed } from './feed-progress.ts';

export interface SharedLoad extends ProgressingFeed {
  /** Number of batches that the feed may always have ready (its floor). */
  floor: number;
  /** Latest step, from 1, that uses the shard, keyed by shard. */
  depths: ReadonlyMap<string, number>;
  weight: number;
  /**
   * True if the last page of the feed was fed. The feed then needs no more capacity, but its ready batches still use
   * some.
   */
  complete: boolean;
  /** True if this trigger pages the feed. */
  isOwn: boolean;
}

/**
 * Sums over all feeds whose chains use a shard. Fields that begin with `own` cover only the feeds that this trigger
 * pages.
 */
export interface ShardSum {
  load: number;
  ownLoad: number;
  /** Part of `load` that reduces the capacity for other feeds. */
  competing: number;
  ownCompeting: number;
  /** Part of `load` that exceeds the floors of the feeds. */
  beyondFloors: number;
  /** Sum of the weights of the incomplete feeds. */
  weight: number;
  ownWeight: number;
  /** Sum of the weights of the incomplete feeds that are not stuck in the shard. */
  movingWeight: number;
  ownMovingWeight: number;
  depth: number;
}

/** Sums by shard. A change of one feed updates the sums of its shards only, so unchanged feeds cause no work. */
export interface ShardSums {
  add(feed: SharedLoad): void;
  /** Removes a feed. `feed` must have the same values as when it was added. */
  remove(feed: SharedLoad): void;
  shards(): Map<string, ShardSum>;
}

interface CountedSum extends Omit<ShardSum, 'depth'> {
  /** Number of feeds by the latest step in which they use the shard. Index 0 is step 1. */
  feedsOfDepth: number[];
}

export function createShardSums(): ShardSums {
  const sums = new Map<string, CountedSum>();

  function change(feed: SharedLoad, sign: 1 | -1): void {
    const { loads, floor, depths, complete, isOwn } = feed;
    const weight = complete ? 0 : sign * feed.weight;
    for (const [shard, load] of loads) {
      const sum = sums.get(shard) ?? emptySum();
      const competes = sign * competingIn(feed, shard);
      const movingWeight = isMovingIn(feed, shard) ? weight : 0;
      sum.load += sign * load;
      sum.competing += competes;
      sum.beyondFloors += sign * Math.max(0, load - floor);
      sum.weight += weight;
      sum.movingWeight += movingWeight;
      if (isOwn) {
        sum.ownLoad += sign * load;
        sum.ownCompeting += competes;
        sum.ownWeight += weight;
        sum.ownMovingWeight += movingWeight;
      }
      const place = (depths.get(shard) ?? 1) - 1;
      sum.feedsOfDepth[place] = (sum.feedsOfDepth[place] ?? 0) + sign;
      if (depthOf(sum) === 0) sums.delete(shard);
      else sums.set(shard, sum);
    }
  }

  return {
    add: (feed) => change(feed, 1),
    remove: (feed) => change(feed, -1),
    shards: () =>
      new Map(
        [...sums].map(([shard, sum]) => {
          const { feedsOfDepth: _, ...counts } = sum;
          return [shard, { ...counts, depth: depthOf(sum) }];
        }),
      ),
  };
}

function emptySum(): CountedSum {
  const loads = { load: 0, ownLoad: 0, competing: 0, ownCompeting: 0, beyondFloors: 0 };
  const weights = { weight: 0, ownWeight: 0, movingWeight: 0, ownMovingWeight: 0 };
  return { ...loads, ...weights, feedsOfDepth: [] };
}

function depthOf({ feedsOfDepth }: CountedSum): number {
  return feedsOfDepth.findLastIndex((feeds) => feeds > 0) + 1;
}
