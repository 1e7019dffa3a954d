import { competingIn, type ProgressingFeed } from './feed-progress.ts';
import type { ShardSum } from './shard-sums.ts';

/**
 * How feeds share the room in the shards of their chains. What is ready in a shard, or on its way there, stays under a
 * few seconds of work, so that a small campaign passes at once, and what is not published yet costs nothing to expire
 * or cancel. What waits (for a retry, for a person) takes no room but its own feed's, and every feed has a floor that
 * no neighbour's backlog can take. All counts are batches.
 */

/** Shares of the room, relative to each other. */
export const priorityWeights = { low: 1, normal: 2, high: 4 } as const;

/**
 * Beyond the floors, no more is ready in a shard than this times its bound, or times the bound of a new shard. What
 * stands still takes no room from others, and is on the topics all the same.
 */
const mostBounds = 5;

/** Enough to keep a few workers busy before anything was measured. */
const firstBoundBatches = 300;
const boundSeconds = 3;
/** What is granted lasts until the next look, and as long again: a look may come late. */
const looksAhead = 2;
/** So long after work came into a shard, its rate says more than a guess. */
const measuredAfterMs = 5000;
/**
 * After that: never less than what one worker has in flight and some more, or calls that take longer than the bound
 * would starve it.
 */
const leastBoundBatches = 20;
const roundsOfCalls = 1.5;

/** One visit of the round gives this times the feed's weight: about a page. It is the floor, too. */
const quantumBatches = 10;

export interface SharingFeed extends ProgressingFeed {
  feedId: string;
  /**
   * Its run, with the batches that its pace allows this trigger now, over all of the run's feeds; null where the run
   * has no pace.
   */
  pace: { runId: string; batches: number } | null;
  weight: number;
  /** A step waits for a person: more than the floor would only wait as well. */
  held: boolean;
  /** How many more batches its pager could use until the next look. */
  wants: number;
}

/** How quickly a shard handles batches. */
export interface ShardPace {
  handledPerSecond: number;
  /**
   * The latest step, from 1, in which any chain comes through the shard: its batches come the whole way within the
   * bound.
   */
  depth: number;
  /** For how long there has been work for it. */
  busyForMs: number;
  /** Calls of one worker in flight at once. */
  concurrency: number;
  untilNextLookMs: number;
}

/**
 * How much may be ready in a shard or on its way there.
 */
export function readyBound(pace: ShardPace): number {
  const { handledPerSecond, depth, busyForMs, concurrency, untilNextLookMs } = pace;
  const least = busyForMs < measuredAfterMs ? firstBoundBatches : leastBound(concurrency);
  const seconds = Math.max(boundSeconds, (looksAhead * untilNextLookMs) / 1000);
  return Math.max(least, Math.ceil(handledPerSecond * seconds)) * depth;
}

/** The bound of a slow shard for each step on the way. @param concurrency calls of one worker in flight at once */
export function leastBound(concurrency: number): number {
  return Math.min(firstBoundBatches, Math.max(leastBoundBatches, Math.ceil(concurrency * roundsOfCalls)));
}

/** Batches that a feed may have ready whatever others have. */
export function floorBatches(weight: number): number {
  return quantumBatches * weight;
}

/** Whether a rate says more of an idle shard than what is granted before anything is measured. */
export function saysMore(handledPerSecond: number): boolean {
  return handledPerSecond * boundSeconds > firstBoundBatches;
}

export interface Admitted {
  /** Batches by feed; feeds that get none are left out. */
  grants: Map<string, number>;
  /** Whose turn it was when, for the next round. */
  turns: Map<string, number>;
}

/**
 * What this trigger may grant the feeds that it pages: first everybody's floor, then deficit round robin while there is
 * room in all shards of a feed's chain, the feed that was served longest ago first. Batches are small beside a quantum,
 * so a visit serves its quantum whole: the last one may exceed the room by less than a quantum.
 *
 * @param roomsBefore by shard, as `roomsIn` says
 * @param bounds by shard, of every shard that a chain comes through
 * @param turns as they came back from the round before
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

/** Of a feed, what all steps together have ready: what is on its way to the last shard of its chain. */
function readyOf({ loads }: SharingFeed): number {
  return Math.max(0, ...loads.values());
}

/**
 * What a feed may have whatever others have. A feed that waits for a person has no more than that, what waits included.
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
    // A feed that stands still has no part in the room that the others divide.
    if (load > 0 && competing === 0) return ofAll > 0;
    // A feed that is not handled, or has more ready than is handled in time, would only have more of it.
    const isHandled = feed.progress.get(shard)?.isServed === true && competing >= load;
    return ofCompeting > 0 && (isHandled || ofAll > 0);
  };
  return [...feed.loads].every(hasRoomIn) && isWithinItsOwn(feed, bounds, granted);
}

/** What waits is no reason to feed without end: with it, a feed stays under the bound of every shard of its chain. */
function isWithinItsOwn(feed: SharingFeed, bounds: ReadonlyMap<string, number>, granted: number): boolean {
  return [...feed.loads].every(([shard, load]) => load + feed.waiting + granted < (bounds.get(shard) ?? 0));
}

/** Batches for which there is room in a shard. */
export interface ShardRoom {
  /** Beside all that is ready. */
  ofAll: number;
  /** Beside what competes for it. */
  ofCompeting: number;
}

const noRoom: ShardRoom = { ofAll: 0, ofCompeting: 0 };

/**
 * Returns by shard what all feeds leave under the bound. Triggers divide it by the weights of the incomplete feeds that
 * they page, so that a trigger which is quick to look cannot keep the others out. Feeds that stand still do not count
 * where triggers divide what is left beside the competing batches: their trigger could not use its part.
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
