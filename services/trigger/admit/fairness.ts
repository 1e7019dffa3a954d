import { competingIn, type ProgressingFeed } from './feed-progress.ts';
import type { ShardSum } from './shard-sums.ts';

/**
 * Divides the capacity of shards among feeds. A shard is an action type in a country; a feed is the paging of one
 * country of a run. Batches that are ready in a shard are limited to a few seconds of work. New small campaigns
 * therefore pass at once, and the many unpublished batches can expire or be cancelled at no cost. Batches that wait for
 * a retry or for a person count only against their own feed. Each feed has a guaranteed minimum, its floor. All counts
 * are in batches.
 */

export const priorityWeights = { low: 1, normal: 2, high: 4 } as const;

/**
 * Limits the ready batches beyond the floors to this multiple of the shard's bound (at least that of a new shard).
 * Stuck batches do not reduce the capacity for other feeds, but they still occupy the topics.
 */
const mostBounds = 5;

/** Bound in batches of a shard without measurements, per step. It suffices to keep a few workers busy. */
const firstBoundBatches = 300;
const boundSeconds = 3;
/** A grant has to last until the next look. The factor two allows for a look that is late. */
const looksAhead = 2;
/** Time in milliseconds after which the measured rate of a shard replaces the first bound. */
const measuredAfterMs = 5000;
/**
 * Minimum bound in batches of a measured shard. The bound is also at least 1.5 times the concurrent calls of one
 * worker. Otherwise, a worker whose calls take long would run out of work.
 */
const leastBoundBatches = 20;
const roundsOfCalls = 1.5;

/**
 * Number of batches granted per visit of the round robin and unit of the feed's weight; about one page. The floor is
 * the same number.
 */
const quantumBatches = 10;

export interface SharingFeed extends ProgressingFeed {
  feedId: string;
  /**
   * Run of the feed, and the number of batches that the pace of this run currently allows to all its feeds on this
   * trigger together. Null if the run has no pace.
   */
  pace: { runId: string; batches: number } | null;
  weight: number;
  /** True if a step waits for a person. The feed then gets only its floor, because further batches would wait too. */
  held: boolean;
  /** Number of batches that the pager could use until the next look, in addition to its current grant. */
  wants: number;
}

export interface ShardPace {
  handledPerSecond: number;
  /**
   * Latest step, from 1, in which any chain uses the shard. Batches must pass all steps up to this one, so the bound is
   * multiplied by it.
   */
  depth: number;
  busyForMs: number;
  /** Calls of one worker in flight at once. */
  concurrency: number;
  untilNextLookMs: number;
}

/** Returns the bound: the maximum number of batches that are ready in a shard or on their way there. */
export function readyBound(pace: ShardPace): number {
  const { handledPerSecond, depth, busyForMs, concurrency, untilNextLookMs } = pace;
  const least = busyForMs < measuredAfterMs ? firstBoundBatches : leastBound(concurrency);
  const seconds = Math.max(boundSeconds, (looksAhead * untilNextLookMs) / 1000);
  return Math.max(least, Math.ceil(handledPerSecond * seconds)) * depth;
}

/**
 * Returns the minimum bound of a measured shard, per step.
 * @param concurrency number of calls that one worker may have in flight at once
 */
export function leastBound(concurrency: number): number {
  return Math.min(firstBoundBatches, Math.max(leastBoundBatches, Math.ceil(concurrency * roundsOfCalls)));
}

/** Returns the floor of a feed: the number of ready batches that it may have regardless of other feeds. */
export function floorBatches(weight: number): number {
  return quantumBatches * weight;
}

/**
 * Returns true if the measured rate of an idle shard permits more batches than the bound of a shard without
 * measurements.
 */
export function exceedsFirstBound(handledPerSecond: number): boolean {
  return handledPerSecond * boundSeconds > firstBoundBatches;
}

export interface Admitted {
  /** Granted batches by feed. Feeds that get none are not included. */
  grants: Map<string, number>;
  /** Number of the turn in which each feed was last served. Input of the next round. */
  turns: Map<string, number>;
}

/**
 * Grants batches to the feeds that this trigger pages. Each feed first gets its floor. Then deficit round robin serves
 * the feed that was served longest ago, as long as all shards of its chain have capacity. Batches are small compared
 * with a quantum, so each visit grants a whole quantum. The last visit may therefore exceed the capacity by less than a
 * quantum.
 *
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
      give(feed, Math.min(left(feed), quantumBatches * feed.weight));
      servedAny = true;
    }
  }
  return { grants, turns: served };
}

/** Returns the number of ready batches of a feed in all steps. This equals the load of the last shard of its chain. */
function readyOf({ loads }: SharingFeed): number {
  return Math.max(0, ...loads.values());
}

/**
 * Returns how many batches are left of a feed's floor. If the feed waits for a person, its waiting batches count too.
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
    // A stuck feed gets none of the capacity that the other feeds divide.
    if (load > 0 && competing === 0) return ofAll > 0;
    // If workers do not handle the feed, or its ready batches exceed what they handle in time, more grants only add to
    // the backlog.
    const isHandled = feed.progress.get(shard)?.isServed === true && competing >= load;
    return ofCompeting > 0 && (isHandled || ofAll > 0);
  };
  return [...feed.loads].every(hasRoomIn) && isWithinItsOwn(feed, bounds, granted);
}

/**
 * Returns true if a feed is below the bound of every shard of its chain. Waiting batches count too, because the feed
 * could otherwise grow without limit.
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
 * Returns the capacity of shards for this trigger. Triggers divide the bound by the weights of the incomplete feeds
 * that they page, so that more frequent looks do not give a trigger more than its share. Stuck feeds get no share of
 * the capacity that only competing batches reduce.
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
