import type { Clock } from '../../../shared/ports/clock.ts';
import { alternately } from '../keep/alternately.ts';
import { createListingTimes } from '../keep/listing-times.ts';
import { actionTypeOf, chainLoadOf, type ChainLoad } from '../standing/chain-load.ts';
import { floorBatches, leastBound, weightOf } from './fairness.ts';
import { progressOf, type FeedProgress } from './feed-progress.ts';
import { createShardSums, type SharedLoad, type ShardSums } from './shard-sums.ts';
import type { FeedPager } from '../feed/feed-pager.ts';
import type { FeedLoad, FeedStore } from '../ports/feed-store.ts';

/** Time in milliseconds after which a feed with unchanged figures counts as idle. */
const movesForMs = 5000;
/**
 * Maximum number of moving feeds that a scan reads, in turn. `changes`: feeds whose figures have changed. `new`: feeds
 * that were read only once, so that a change would not be known.
 */
const movingPerRead = { changes: 250, new: 10 };
/**
 * Maximum number of idle feeds that a scan reads, in turn. Feeds of this trigger that need grants come first. At most
 * `unseenPerLook` of the others have never been read, so that thousands of new feeds do not slow down a scan.
 */
const idlePerRead = 25;
const unseenPerRead = 15;
const listEveryMs = 500;

export interface KnownFeed {
  load: FeedLoad;
  chain: ChainLoad;
  isOwn: boolean;
  granted: number;
  progress: FeedProgress;
  seenAtMs: number;
}

export interface SeenFeed {
  done: ReadonlyMap<string, number>;
  /** Number of handled batches by shard at the previous read of the feed; null if the feed was not known then. */
  doneBefore: ReadonlyMap<string, number> | null;
}

/**
 * Feeds of running runs, as known from earlier scans of the database. Each scan reads the moving feeds, the feeds of
 * this trigger that need grants, and a few others in turn. The cost of a scan therefore does not grow with the number
 * of runs that only wait.
 */
export interface KnownFeeds {
  read(own: ReadonlyMap<string, FeedPager>, untilNextPollMs: number): Promise<SeenFeed[]>;
  /** Makes the next scans read a feed like a moving one, even if its figures have not changed. */
  moves(feedId: string): void;
  feeds: ReadonlyMap<string, KnownFeed>;
  /** The known feeds that this trigger pages. */
  own: ReadonlySet<string>;
  sums: Pick<ShardSums, 'shards'>;
}

export interface KnownFeedsDeps {
  feedStore: Pick<FeedStore, 'loads' | 'listFeeds'>;
  concurrencyOf: (actionType: string) => number;
  clock: Clock;
}

export function createKnownFeeds({ feedStore, concurrencyOf, clock }: KnownFeedsDeps): KnownFeeds {
  /** Known feeds in the order of their last read, oldest first. `own` has the same order. */
  const feeds = new Map<string, KnownFeed>();
  const own = new Set<string>();
  const unseen = new Set<string>();
  /** Moving feeds in the order of their last read, oldest first. */
  const moving = new Map<string, { sinceMs: number; why: keyof typeof movingPerRead }>();
  const sums = createShardSums();
  const times = createListingTimes();
  let listedAtMs = -Infinity;

  async function list(nowMs: number): Promise<void> {
    if (nowMs - listedAtMs < listEveryMs) return;
    const listing = times.next(nowMs);
    const listed = await feedStore.listFeeds(listing.since, listing.reachMs);
    times.listed(listing, listed.until, nowMs);
    listedAtMs = nowMs;
    for (const feedId of listed.feedIds) if (!feeds.has(feedId)) unseen.add(feedId);
  }

  /**
   * Returns the feeds to read in this scan.
   * @param granted granted batches by feed of this trigger, before the scan
   */
  function toAsk(
    pagers: ReadonlyMap<string, FeedPager>,
    granted: ReadonlyMap<string, number>,
    wanting: ReadonlySet<string>,
    nowMs: number,
  ): Set<string> {
    const requested = movingInTurn(nowMs);
    for (const feedId of pagers.keys()) {
      const feed = feeds.get(feedId);
      const isPaced = feed?.load.paceAllows !== null && wanting.has(feedId);
      if (!feed?.isOwn || isPaced || (granted.get(feedId) ?? 0) + feed.granted > 0) requested.add(feedId);
    }
    // Feeds that this trigger no longer pages are read once more, which removes them from `own`.
    for (const feedId of own) if (!pagers.has(feedId)) requested.add(feedId);
    addSome(requested, own, idlePerRead, (feedId) => wanting.has(feedId));
    // Feeds that were never read are taken from both ends in turn, so that a new feed does not wait behind thousands of
    // others.
    const left = idlePerRead - addSome(requested, alternately([...unseen]), unseenPerRead);
    addSome(requested, feeds.keys(), left);
    return requested;
  }

  function movingInTurn(nowMs: number): Set<string> {
    const requested = new Set<string>();
    const left = { ...movingPerRead };
    for (const [feedId, moves] of moving) {
      if (nowMs - moves.sinceMs >= movesForMs) moving.delete(feedId);
      else if (left[moves.why]-- > 0) requested.add(feedId);
    }
    for (const feedId of requested) {
      const moves = moving.get(feedId);
      moving.delete(feedId);
      if (moves) moving.set(feedId, moves);
    }
    return requested;
  }

  function see(load: FeedLoad, isOwn: boolean, granted: number, nowMs: number): SeenFeed {
    const before = feeds.get(load.feedId);
    const chain = chainLoadOf(load, granted);
    const progress = progressOf(before ?? null, chain, leastOf, nowMs);
    const feed = { load, chain, isOwn, granted, progress, seenAtMs: nowMs };
    forget(load.feedId);
    feeds.set(load.feedId, feed);
    if (isOwn) own.add(load.feedId);
    sums.add(sharedOf(feed));
    if (before ? !isAsBefore(before.load, load) : isOwn) moves(load.feedId, 'changes', nowMs);
    else if (!before && mayMove(feed)) moves(load.feedId, 'new', nowMs);
    return { done: feed.chain.done, doneBefore: before?.chain.done ?? null };
  }

  function leastOf(shard: string, depth: number): number {
    return leastBound(concurrencyOf(actionTypeOf(shard))) * depth;
  }

  function moves(feedId: string, why: keyof typeof movingPerRead, sinceMs: number): void {
    moving.set(feedId, { sinceMs, why });
  }

  function forget(feedId: string): void {
    const feed = feeds.get(feedId);
    if (feed) sums.remove(sharedOf(feed));
    feeds.delete(feedId);
    own.delete(feedId);
    unseen.delete(feedId);
  }

  return {
    read: async (pagers, untilNextPollMs) => {
      const nowMs = clock.monotonicMs();
      // Grants are read before the feeds. If a batch is written in between, this scan counts it twice. In the other
      // order, it would not be counted at all.
      const granted = new Map([...pagers].map(([feedId, pager]) => [feedId, pager.granted()]));
      const wanting = new Set([...pagers].flatMap(([id, pager]) => (pager.wants(untilNextPollMs) > 0 ? [id] : [])));
      await list(nowMs);
      const requested = toAsk(pagers, granted, wanting, nowMs);
      const loads = await feedStore.loads([...requested]);
      for (const { feedId } of loads) requested.delete(feedId);
      for (const feedId of requested) {
        forget(feedId);
        moving.delete(feedId);
      }
      return loads.map((load) => see(load, pagers.has(load.feedId), granted.get(load.feedId) ?? 0, nowMs));
    },
    moves: (feedId) => moves(feedId, 'changes', clock.monotonicMs()),
    feeds,
    own,
    sums,
  };
}

/** Adds the first `most` candidates that are not in `requested` yet. Returns the number of added feeds. */
function addSome(
  requested: Set<string>,
  candidates: Iterable<string>,
  atMost: number,
  isWanted: (feedId: string) => boolean = () => true,
): number {
  let left = atMost;
  for (const feedId of candidates) {
    if (left === 0) break;
    if (requested.has(feedId) || !isWanted(feedId)) continue;
    requested.add(feedId);
    left--;
  }
  return atMost - left;
}

/** Returns true if the feed is still being fed, or if it has batches on a topic or with a worker. */
function mayMove({ load, chain }: KnownFeed): boolean {
  return !load.complete || [...chain.loads.values()].some((ready) => ready > 0);
}

function sharedOf({ load, chain, progress, isOwn }: KnownFeed): SharedLoad {
  const { loads, depths, waiting } = chain;
  const weight = weightOf(load);
  const floor = floorBatches(weight);
  return { loads, progress, waiting, floor, depths, weight, complete: load.complete, isOwn };
}

function isAsBefore(before: FeedLoad, now: FeedLoad): boolean {
  if (before.fedBatches !== now.fedBatches || before.complete !== now.complete || before.held !== now.held)
    return false;
  return now.steps.every(({ done, survived, created, waiting }, index) => {
    const last = before.steps[index];
    return last?.done === done && last.survived === survived && last.created === created && last.waiting === waiting;
  });
}
