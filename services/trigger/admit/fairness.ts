import type { FeedLoad } from '../ports/feed-store.ts';
import { competingIn, type ProgressingFeed } from './feed-progress.ts';
import type { ShardSum } from './shard-sums.ts';

/**
 * Divides the capacity of shards among feeds. A shard is an action type in a country; a feed is the paging of one
 * country of a run. The number of batches that are ready in a shard is limited to the work of a few seconds. So a new
 * small campaign does not wait behind a large one, and most batches of a large campaign are not published yet when it
 * expires or is cancelled. Batches that wait for a retry or for a person count only against their own feed. Each feed
 * has a guaranteed minimum, its floor. All counts are in batches.
 */

const priorityWeights = { low: 1, normal: 2, high: 4 } as const;

/**
 * Returns the weight of a feed. The feeds of a run's variants in a country divide the weight of one feed by the shares
 * of the variants, so that a run gets the same capacity with and without variants.
 */
export function weightOf({ priority, share }: Pick<FeedLoad, 'priority' | 'share'>): number {
  return priorityWeights[priority] * share;
}

/**
 * Upper bound on the ready batches beyond the floors, as a multiple of the shard's bound (at least of the bound of a
 * new shard). Stuck batches do not reduce the capacity for other feeds, but they still take up space on the topics.
 */
const mostBounds = 5;

/** Bound in batches, per step, of a shard whose rate is not measured yet. It suffices to keep a few workers busy. */
const firstBoundBatches = 300;
const boundSeconds = 3;
/**
 * Number of intervals between scans for which a grant must last. Two instead of one, because the next scan may be late.
 */
const pollsAhead = 2;
/** Time in milliseconds after which the measured rate of a shard replaces the first bound. */
const measuredAfterMs = 5000;
/**
 * Minimum bound in batches of a measured shard. The bound is also at least `roundsOfCalls` times the concurrent calls
 * of one worker. Otherwise, a worker whose calls take long would have no work in between.
 */
const leastBoundBatches = 20;
const roundsOfCalls = 1.5;

/**
 * Number of batches, per unit of a feed's weight, that one visit of the round robin grants. It is about one page. The
 * floor of a feed is the same number.
 */
const quantumBatches = 10;

export interface SharingFeed extends ProgressingFeed {
  feedId: string;
  /**
   * Run of the feed, and the number of batches that the run's pace allows now, for all its feeds on this trigger
   * together. Null if the run has no pace.
   */
  pace: { runId: string; batches: number } | null;
  weight: number;
  /**
   * True if a step waits for a person. The feed then gets only its floor, because further batches would wait as well.
   */
  held: boolean;
  /** Number of batches that the pager could use until the next scan, beyond its current grant. */
  wants: number;
}

export interface ShardPace {
  handledPerSecond: number;
  /**
   * Latest step, from 1, in which a chain uses the shard. Batches must pass all steps up to this one, so the bound is
   * multiplied by this number.
   */
  depth: number;
  busyForMs: number;
  /** Number of calls that one worker may have in flight at once. */
  concurrency: number;
  untilNextPollMs: number;
}

/** Returns the bound: the maximum number of batches that are ready in a shard or on their way there. */
export function readyBound(pace: ShardPace): number {
  const { handledPerSecond, depth, busyForMs, concurrency, untilNextPollMs } = pace;
  const least = busyForMs < measuredAfterMs ? firstBoundBatches : leastBound(concurrency);
  const seconds = Math.max(boundSeconds, (pollsAhead * untilNextPollMs) / 1000);
  return Math.max(least, Math.ceil(handledPerSecond * seconds)) * depth;
}

/**
 * Returns the minimum bound of a measured shard, per step.
 * @param concurrency number of calls that one worker may have in flight at once
 */
export function leastBound(concurrency: number): number {
  return Math.min(firstBoundBatches, Math.max(leastBoundBatches, Math.ceil(concurrency * roundsOfCalls)));
}

/** Returns the floor of a feed: the number of ready batches that it may always have. */
export function floorBatches(weight: number): number {
  return quantumOf(weight);
}

/** Returns the batches of a visit or a floor, at least one: a variant with a small share must be served, too. */
function quantumOf(weight: number): number {
  return Math.max(1, Math.floor(quantumBatches * weight));
}

/** Returns true if the measured rate of an idle shard permits more ready batches than an unmeasured shard may have. */
export function exceedsFirstBound(handledPerSecond: number): boolean {
  return handledPerSecond * boundSeconds > firstBoundBatches;
}

export interface Admitted {
  /** Granted batches by feed. Feeds that were granted no batches are missing. */
  grants: Map<string, number>;
  /** Number of the turn in which each feed was last served. The next call gets this map as `turns`. */
  turns: Map<string, number>;
}

/**
 * Grants batches to the feeds that this trigger pages. Each feed first gets its floor. Then a deficit round robin
 * serves the feed that was served longest ago, as long as all shards of its chain have capacity. A quantum is large
 * compared with a batch, so each visit grants a whole quantum, and the last visit may exceed the capacity by less than
 * a quantum.
 * @param roomsBefore capacity by shard, the result of `roomsIn`
 * @param bounds bound by shard, for every shard of any chain
 * @param turns result of the previous round
 */
export function admitBatches(
  feeds: readonly SharingFeed[],
  roomsBefore: ReadonlyMap<string, ShardRoom>,
  bounds: ReadonlyMap<string, number>,
  turns: ReadonlyMap<string, number>,
): Admitted {
  const rooms = new Map(roomsBefore);
  const grants = new Map<string, number>();
  const present = new Set(feeds.map(({ feedId }) => feedId));
  const served = new Map([...turns].filter(([feedId]) => present.has(feedId)));
  let turn = Math.max(0, ...served.values());

  const paced = new Map(feeds.flatMap(({ pace }) => (pace ? [[pace.runId, pace.batches] as const] : [])));
  const paceOf = ({ pace }: SharingFeed) => (pace ? (paced.get(pace.runId) ?? 0) : Number.POSITIVE_INFINITY);
  const left = (feed: SharingFeed) => Math.min(paceOf(feed), feed.wants - (grants.get(feed.feedId) ?? 0));
  function give(feed: SharingFeed, batches: number): void {
    if (batches <= 0) return;
    if (feed.pace) paced.set(feed.pace.runId, paceOf(feed) - batches);
    grants.set(feed.feedId, (grants.get(feed.feedId) ?? 0) + batches);
    for (const shard of feed.loads.keys()) {
      const room = rooms.get(shard) ?? noRoom;
      rooms.set(shard, { ofAll: room.ofAll - batches, ofCompeting: room.ofCompeting - batches });
    }
    served.set(feed.feedId, ++turn);
  }

  const inTurn = feeds
    .filter((feed) => left(feed) > 0)
    .toSorted((a, b) => (turns.get(a.feedId) ?? 0) - (turns.get(b.feedId) ?? 0) || (a.feedId < b.feedId ? -1 : 1));
  for (const feed of inTurn) give(feed, Math.min(left(feed), floorOf(feed, bounds)));

  const sharing = inTurn.filter((feed) => !feed.held);
  let servedAny = true;
  while (servedAny) {
    servedAny = false;
    for (const feed of sharing) {
      if (left(feed) <= 0 || !hasRoom(feed, rooms, bounds, grants.get(feed.feedId) ?? 0)) continue;
      give(feed, Math.min(left(feed), quantumOf(feed.weight)));
      servedAny = true;
    }
  }
  return { grants, turns: served };
}

/** Returns the number of ready batches of a feed in all steps, which is the load of the last shard of its chain. */
function readyOf({ loads }: SharingFeed): number {
  return Math.max(0, ...loads.values());
}

/**
 * Returns how many batches of a feed's floor are not used yet. If the feed waits for a person, its waiting batches use
 * the floor too.
 */
function floorOf(feed: SharingFeed, bounds: ReadonlyMap<string, number>): number {
  const own = readyOf(feed) + (feed.held || !isWithinItsOwn(feed, bounds, 0) ? feed.waiting : 0);
  return floorBatches(feed.weight) - own;
}

function hasRoom(
  feed: SharingFeed,
  rooms: ReadonlyMap<string, ShardRoom>,
  bounds: ReadonlyMap<string, number>,
  granted: number,
): boolean {
  const hasRoomIn = ([shard, load]: readonly [string, number]) => {
    const { ofAll, ofCompeting } = rooms.get(shard) ?? noRoom;
    const competing = competingIn(feed, shard);
    // A stuck feed gets no part of the capacity that the moving feeds divide among each other.
    if (load > 0 && competing === 0) return ofAll > 0;
    // If workers do not handle the feed at all, or not all its ready batches in time, more grants would only add to the
    // backlog.
    const isHandled = feed.progress.get(shard)?.isServed === true && competing >= load;
    return ofCompeting > 0 && (isHandled || ofAll > 0);
  };
  return [...feed.loads].every(hasRoomIn) && isWithinItsOwn(feed, bounds, granted);
}

/**
 * Returns true if a feed is below the bound of every shard of its chain. Its waiting batches count too; otherwise their
 * number could grow without limit.
 */
function isWithinItsOwn(feed: SharingFeed, bounds: ReadonlyMap<string, number>, granted: number): boolean {
  return [...feed.loads].every(([shard, load]) => load + feed.waiting + granted < (bounds.get(shard) ?? 0));
}

/** Capacity that a shard still has for the feeds of this trigger, in batches. */
export interface ShardRoom {
  /** Capacity if all ready batches count. */
  ofAll: number;
  /** Capacity if only competing batches count, and stuck batches do not. */
  ofCompeting: number;
}

const noRoom: ShardRoom = { ofAll: 0, ofCompeting: 0 };

/**
 * Returns the capacity of each shard for this trigger. Each trigger gets a part of the bound, by the weights of the
 * incomplete feeds that it pages, so a trigger that polls more often does not get more. `ofCompeting` is divided only
 * among feeds that are not stuck.
 */
export function roomsIn(
  sums: ReadonlyMap<string, ShardSum>,
  bounds: ReadonlyMap<string, number>,
): Map<string, ShardRoom> {
  return new Map(
    [...sums].map(([shard, sum]) => {
      const bound = bounds.get(shard) ?? 0;
      const shareOfAll = sum.weight === 0 ? 0 : sum.ownWeight / sum.weight;
      const share = sum.movingWeight === 0 ? shareOfAll : sum.ownMovingWeight / sum.movingWeight;
      const most = mostBounds * Math.max(bound, firstBoundBatches * sum.depth);
      const ofAll = Math.min(bound - sum.load, bound * shareOfAll - sum.ownLoad);
      const ofCompeting = Math.min(bound - sum.competing, bound * share - sum.ownCompeting);
      return [shard, { ofAll, ofCompeting: Math.min(ofCompeting, (most - sum.beyondFloors) * share) }];
    }),
  );
}
