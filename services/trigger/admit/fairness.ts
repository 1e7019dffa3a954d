import { competingIn, type ProgressingFeed } from './feed-progress.ts';
import type { ShardSum } from './shard-sums.ts';

/**
 * Divides the room in shards among feeds. The ready batches of a shard stay under a few seconds of work. So small
 * campaigns pass at once, and unpublished batches expire or cancel at no cost. Waiting batches (for a retry, for a
 * person) count only against their own feed. Each feed has a floor of its own. All counts are batches.
 */

export const priorityWeights = { low: 1, normal: 2, high: 4 } as const;

/**
 * Bounds the ready batches beyond the floors to this multiple of the shard's bound, or of the bound of a new shard.
 * Stuck batches take no room from other feeds, but they still lie on the topics.
 */
const mostBounds = 5;

/** Bound of an unmeasured shard and step: enough to keep a few workers busy. */
const firstBoundBatches = 300;
const boundSeconds = 3;
/** A grant has to last until the next look. Twice that time covers a late look. */
const looksAhead = 2;
/** Time after which a shard's measured rate replaces the first bound. */
const measuredAfterMs = 5000;
/**
 * Lower limit of the bound of a measured shard. The bound also covers 1.5 times the calls in flight of one worker,
 * because calls that take longer than the bound would starve the worker.
 */
const leastBoundBatches = 20;
const roundsOfCalls = 1.5;

/** Batches per visit of the round and unit of the feed's weight, about a page. The floor is the same number. */
const quantumBatches = 10;

export interface SharingFeed extends ProgressingFeed {
  feedId: string;
  /** Run of the feed, and batches that its pace allows all its feeds here now. Null if the run has no pace. */
  pace: { runId: string; batches: number } | null;
  weight: number;
  /** True if a step waits for a person: batches beyond the floor would wait too. */
  held: boolean;
  /** Batches that the pager could use beyond its grant until the next look. */
  wants: number;
}

export interface ShardPace {
  handledPerSecond: number;
  /** Latest step, from 1, in which a chain uses the shard. Batches need to pass all steps up to it within the bound. */
  depth: number;
  busyForMs: number;
  /** Calls of one worker in flight at once. */
  concurrency: number;
  untilNextLookMs: number;
}

/** Returns the bound on batches that are ready in a shard or on their way there. */
export function readyBound(pace: ShardPace): number {
  const { handledPerSecond, depth, busyForMs, concurrency, untilNextLookMs } = pace;
  const least = busyForMs < measuredAfterMs ? firstBoundBatches : leastBound(concurrency);
  const seconds = Math.max(boundSeconds, (looksAhead * untilNextLookMs) / 1000);
  return Math.max(least, Math.ceil(handledPerSecond * seconds)) * depth;
}

/**
 * Returns the bound of a slow shard per step of its depth.
 * @param concurrency calls of one worker in flight at once
 */
export function leastBound(concurrency: number): number {
  return Math.min(firstBoundBatches, Math.max(leastBoundBatches, Math.ceil(concurrency * roundsOfCalls)));
}

/** Returns the ready batches that a feed may have regardless of other feeds. */
export function floorBatches(weight: number): number {
  return quantumBatches * weight;
}

/** Returns whether the rate of an idle shard allows more batches than the bound of an unmeasured shard. */
export function saysMore(handledPerSecond: number): boolean {
  return handledPerSecond * boundSeconds > firstBoundBatches;
}

export interface Admitted {
  /** Batches by feed, without the feeds that get none. */
  grants: Map<string, number>;
  /** Turn in which each feed was served last, input of the next round. */
  turns: Map<string, number>;
}

/**
 * Grants room to the feeds that this trigger pages. Each feed first gets its floor. Then deficit round robin serves the
 * feed that was served longest ago, while all shards of its chain have room. Batches are small compared with a quantum,
 * so each visit grants a whole quantum: the last one may exceed the room by less than a quantum.
 *
 * @param roomsBefore by shard, result of `roomsIn`
 * @param bounds by shard, for every shard of any chain
 * @param turns result of the round before
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

/** Returns the ready batches of all steps of a feed, which is the load of the last shard of its chain. */
function readyOf({ loads }: SharingFeed): number {
  return Math.max(0, ...loads.values());
}

/** Returns the rest of a feed's floor. If the feed waits for a person, its waiting batches count. */
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
    // A stuck feed gets no part of the room that moving feeds divide.
    if (load > 0 && competing === 0) return ofAll > 0;
    // If workers do not handle the feed, or its ready batches exceed what they handle in time, more grants only add to
    // the backlog.
    const isHandled = feed.progress.get(shard)?.isServed === true && competing >= load;
    return ofCompeting > 0 && (isHandled || ofAll > 0);
  };
  return [...feed.loads].every(hasRoomIn) && isWithinItsOwn(feed, bounds, granted);
}

/** Returns whether a feed is below every bound of its chain. Waiting batches count, or it could grow without end. */
function isWithinItsOwn(feed: SharingFeed, bounds: ReadonlyMap<string, number>, granted: number): boolean {
  return [...feed.loads].every(([shard, load]) => load + feed.waiting + granted < (bounds.get(shard) ?? 0));
}

/** Room of this trigger's feeds in a shard, in batches. */
export interface ShardRoom {
  /** Room beside all ready batches. */
  ofAll: number;
  /** Room beside the batches that compete for it. */
  ofCompeting: number;
}

const noRoom: ShardRoom = { ofAll: 0, ofCompeting: 0 };

/**
 * Returns the room of this trigger by shard. Triggers divide the bound by the weights of the incomplete feeds that they
 * page, so that frequent looks cannot starve others. Stuck feeds get none of the room beside competing batches.
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
