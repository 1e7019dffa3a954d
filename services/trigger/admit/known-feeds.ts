import type { Clock } from '../../../shared/ports/clock.ts';
import { alternately } from '../keep/alternately.ts';
import { createListingTimes } from '../keep/listing-times.ts';
import { actionTypeOf, chainLoadOf, type ChainLoad } from '../standing/chain-load.ts';
import { floorBatches, leastBound, priorityWeights } from './fairness.ts';
import { progressOf, type FeedProgress } from './feed-progress.ts';
import { createShardSums, type SharedLoad, type ShardSums } from './shard-sums.ts';
import type { FeedPager } from '../feed/feed-pager.ts';
import type { FeedLoad, FeedStore } from '../ports/feed-store.ts';

/** Figures that have not changed for so long stand still. */
const movesForMs = 5000;
/** Of those that change, so many are asked for at one look, in turn, and of those that may: they were seen once. */
const movingPerLook = { changes: 250, new: 10 };
/**
 * Of those that stand still, so many are asked for at one look, in turn: the own ones that want room, and others. Of
 * these, so many at most were never asked for: neither a trigger that begins nor a crowd that does makes it read
 * thousands at once.
 */
const standingPerLook = 25;
const unseenPerLook = 15;
const listEveryMs = 500;

export interface KnownFeed {
  load: FeedLoad;
  chain: ChainLoad;
  isOwn: boolean;
  granted: number;
  progress: FeedProgress;
  seenAtMs: number;
}

/** A feed that was asked for at this look. */
export interface SeenFeed {
  done: ReadonlyMap<string, number>;
  /** As it was known before; null where it was not. */
  doneBefore: ReadonlyMap<string, number> | null;
}

/**
 * What is known of the feeds of running runs, from look to look. A look asks for what moves, for what this trigger
 * could feed, and for a few of the others in turn: runs that only wait cost the same, however many there are.
 */
export interface KnownFeeds {
  look(own: ReadonlyMap<string, FeedPager>, untilNextLookMs: number): Promise<SeenFeed[]>;
  /** It is asked for at the next looks, whatever its figures say. */
  moves(feedId: string): void;
  feeds: ReadonlyMap<string, KnownFeed>;
  /** Those among them that this trigger pages. */
  own: ReadonlySet<string>;
  sums: Pick<ShardSums, 'shards'>;
}

export interface KnownFeedsDeps {
  feedStore: Pick<FeedStore, 'loads' | 'listFeeds'>;
  /** Calls of one worker in flight at once for an action type. */
  concurrencyOf: (actionType: string) => number;
  clock: Clock;
}

export function createKnownFeeds({ feedStore, concurrencyOf, clock }: KnownFeedsDeps): KnownFeeds {
  /** In the order in which they were asked for last, like `own`. */
  const feeds = new Map<string, KnownFeed>();
  const own = new Set<string>();
  const unseen = new Set<string>();
  /** In the order in which they were asked for last. */
  const moving = new Map<string, { sinceMs: number; why: keyof typeof movingPerLook }>();
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

  /** @param granted by own feed, before the look */
  function toAsk(
    pagers: ReadonlyMap<string, FeedPager>,
    granted: ReadonlyMap<string, number>,
    wanting: ReadonlySet<string>,
    nowMs: number,
  ): Set<string> {
    const asked = movingInTurn(nowMs);
    for (const feedId of pagers.keys()) {
      const feed = feeds.get(feedId);
      const isPaced = feed?.load.paceAllows !== null && wanting.has(feedId);
      if (!feed?.isOwn || isPaced || (granted.get(feedId) ?? 0) + feed.granted > 0) asked.add(feedId);
    }
    // Let go, so that it is no longer counted as own.
    for (const feedId of own) if (!pagers.has(feedId)) asked.add(feedId);
    addSome(asked, own, standingPerLook, (feedId) => wanting.has(feedId));
    // The newest too: a feed that begins is not behind a crowd of which nothing is known yet.
    const left = standingPerLook - addSome(asked, alternately([...unseen]), unseenPerLook);
    addSome(asked, feeds.keys(), left);
    return asked;
  }

  function movingInTurn(nowMs: number): Set<string> {
    const asked = new Set<string>();
    const left = { ...movingPerLook };
    for (const [feedId, moves] of moving) {
      if (nowMs - moves.sinceMs >= movesForMs) moving.delete(feedId);
      else if (left[moves.why]-- > 0) asked.add(feedId);
    }
    for (const feedId of asked) {
      const moves = moving.get(feedId);
      moving.delete(feedId);
      if (moves) moving.set(feedId, moves);
    }
    return asked;
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

  function moves(feedId: string, why: keyof typeof movingPerLook, sinceMs: number): void {
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
    look: async (pagers, untilNextLookMs) => {
      const nowMs = clock.monotonicMs();
      // Before the look: what is written in between then counts twice for once, and not not at all.
      const granted = new Map([...pagers].map(([feedId, pager]) => [feedId, pager.granted()]));
      const wanting = new Set([...pagers].flatMap(([id, pager]) => (pager.wants(untilNextLookMs) > 0 ? [id] : [])));
      await list(nowMs);
      const asked = toAsk(pagers, granted, wanting, nowMs);
      const loads = await feedStore.loads([...asked]);
      for (const { feedId } of loads) asked.delete(feedId);
      for (const feedId of asked) {
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

/** The first of them that are not asked for yet; returns how many. */
function addSome(
  asked: Set<string>,
  candidates: Iterable<string>,
  atMost: number,
  isWanted: (feedId: string) => boolean = () => true,
): number {
  let left = atMost;
  for (const feedId of candidates) {
    if (left === 0) break;
    if (asked.has(feedId) || !isWanted(feedId)) continue;
    asked.add(feedId);
    left--;
  }
  return atMost - left;
}

/** It is being fed, or something of it is on a topic or with a worker. */
function mayMove({ load, chain }: KnownFeed): boolean {
  return !load.complete || [...chain.loads.values()].some((ready) => ready > 0);
}

function sharedOf({ load, chain, progress, isOwn }: KnownFeed): SharedLoad {
  const { loads, depths, waiting } = chain;
  const weight = priorityWeights[load.priority];
  const floor = floorBatches(weight);
  return { loads, progress, waiting, floor, depths, weight, complete: load.complete, isOwn };
}

function isAsBefore(before: FeedLoad, now: FeedLoad): boolean {
  if (before.fedBatches !== now.fedBatches || before.complete !== now.complete || before.held !== now.held)
    return false;
  return now.steps.every(({ done, survived, born, waiting }, index) => {
    const last = before.steps[index];
    return last?.done === done && last.survived === survived && last.born === born && last.waiting === waiting;
  });
}
