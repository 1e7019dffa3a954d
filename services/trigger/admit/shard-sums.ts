/** What a feed adds to the shards of its chain. */
export interface SharedLoad {
  /** By shard of its chain: what is ready there or on its way there, and what is granted and not fed yet. */
  loads: ReadonlyMap<string, number>;
  /** By shard: the latest step, from 1, that comes through it. */
  depths: ReadonlyMap<string, number>;
  weight: number;
  /** Its last page has been fed: it needs no more room, but what is ready takes some. */
  complete: boolean;
  /** This trigger pages it. */
  isOwn: boolean;
}

/** Of all feeds whose chains come through a shard. */
export interface ShardSum {
  load: number;
  ownLoad: number;
  /** Of the feeds that are not complete. */
  weight: number;
  ownWeight: number;
  depth: number;
}

/** Kept up to date feed by feed, so that what has not changed costs nothing. */
export interface ShardSums {
  add(feed: SharedLoad): void;
  /** What was added before, as it was then. */
  remove(feed: SharedLoad): void;
  shards(): Map<string, ShardSum>;
}

interface CountedSum extends Omit<ShardSum, 'depth'> {
  /** Feeds by the latest step that comes through: place 0 for step 1. */
  feedsOfDepth: number[];
}

export function createShardSums(): ShardSums {
  const sums = new Map<string, CountedSum>();

  function change({ loads, depths, weight, complete, isOwn }: SharedLoad, sign: 1 | -1): void {
    const counted = complete ? 0 : sign * weight;
    for (const [shard, load] of loads) {
      const sum = sums.get(shard) ?? { load: 0, ownLoad: 0, weight: 0, ownWeight: 0, feedsOfDepth: [] };
      sum.load += sign * load;
      sum.weight += counted;
      if (isOwn) {
        sum.ownLoad += sign * load;
        sum.ownWeight += counted;
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
          const { load, ownLoad, weight, ownWeight } = sum;
          return [shard, { load, ownLoad, weight, ownWeight, depth: depthOf(sum) }];
        }),
      ),
  };
}

function depthOf({ feedsOfDepth }: CountedSum): number {
  return feedsOfDepth.findLastIndex((feeds) => feeds > 0) + 1;
}
