import type { Clock } from '../../../shared/ports/clock.ts';
import type { ChangeFeed } from '../../../shared/ports/change-feed.ts';
import type { FeedStore, OwnedFeed } from '../ports/feed-store.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import { createLoop } from '../../../shared/runtime/loop.ts';
import type { FeedPager } from './feed-pager.ts';
import type { FeedStanding } from '../pages/page-questions.ts';

/**
 * Feeds of one trigger, at most, that move, that are new, and that are tried again after their last page was not to be
 * had: each takes the place of its like alone.
 */
const maxMovingFeeds = 500;
const maxNewFeeds = 2000;
const maxUncertainFeeds = 250;
/** Beside all of these, and no more: dry runs take the place of each other alone. */
const maxDryFeeds = 4;
/** Of all feeds of one trigger, in memory. */
const maxBufferedUsers = 500_000;
const maxBufferedUsersPerFeed = 10_000;

/** Taken at one look: a few, so that several triggers share what comes up at once. */
const maxClaimedAtOnce = 8;
const claimPauseMs = 500;
/** While feeds that are free are told: one of which the notice was lost, or whose owner died, waits for this. */
const heardClaimPauseMs = 2000;
/** Before the next few, when there may be more. */
const pauseForOthersMs = 50;
const afterErrorMs = 1000;

/** What a pager hears of the one that owns it. */
export interface PagerTerms {
  feed: OwnedFeed;
  claimedAtMs: number;
  maxBufferedUsers: () => number;
  onEnded: () => void;
}

export interface FeedOwnerDeps {
  owner: string;
  leaseMs: number;
  feedStore: Pick<FeedStore, 'claim' | 'renew' | 'release'>;
  changes: ChangeFeed;
  createPager: (terms: PagerTerms) => FeedPager;
  clock: Clock;
  logger: Logger;
}

/** The feeds that this trigger pages: taken, kept by renewing their leases, and given back. */
export interface FeedOwner {
  start(): void;
  /** There may be new feeds to take. */
  poke(): void;
  pagers(): FeedPager[];
  /** Takes no more feeds and fetches no more pages. */
  stopIntake(): Promise<void>;
  /** Finishes the writes that were begun and gives all feeds back. */
  finish(): Promise<void>;
}

export function createFeedOwner(deps: FeedOwnerDeps): FeedOwner {
  const { owner, leaseMs, feedStore, changes, createPager, clock, logger } = deps;
  const pagers = new Map<string, FeedPager>();
  /** Pagers that were let go and still finish a write. */
  const leaving = new Set<Promise<void>>();
  let renewedAtMs = 0;
  /** In turn, so that what comes last waits behind no crowd. */
  let first: 'newest' | undefined;

  async function turn(signal: AbortSignal): Promise<number> {
    letGoOfEnded();
    if (clock.monotonicMs() - renewedAtMs >= leaseMs / 3) await renew();
    const { dry = [], others = [] } = Object.groupBy(pagers.values(), ({ feed }) => (feed.isDry ? 'dry' : 'others'));
    const going = others.filter((pager) => !pager.isStalled());
    const inStanding = (standing: FeedStanding) => going.filter((pager) => pager.standing() === standing).length;
    const uncertain = inStanding('uncertain');
    const room = Math.min(maxMovingFeeds - inStanding('moving'), maxNewFeeds - inStanding('new'));
    if (room <= 0 || signal.aborted) return claimPauseMs;

    const claimedAtMs = clock.monotonicMs();
    const scope = uncertain < maxUncertainFeeds ? 'all' : 'never-stalled';
    first = first === 'newest' ? undefined : 'newest';
    const choice = { first, withoutDry: dry.length >= maxDryFeeds };
    const claimed = await feedStore.claim(owner, leaseMs, Math.min(room, maxClaimedAtOnce), scope, choice);
    for (const feed of claimed) adopt(feed, claimedAtMs);
    if (claimed.length === maxClaimedAtOnce) return pauseForOthersMs;
    // Leases are renewed in between.
    return changes.isConnected() ? Math.max(claimPauseMs, Math.min(heardClaimPauseMs, leaseMs / 6)) : claimPauseMs;
  }

  function adopt(feed: OwnedFeed, claimedAtMs: number): void {
    const before = pagers.get(feed.feedId);
    if (before) letGo(before);
    const pager = createPager({
      feed,
      claimedAtMs,
      maxBufferedUsers: () => Math.min(maxBufferedUsersPerFeed, maxBufferedUsers / Math.max(1, pagers.size)),
      onEnded: () => loop.poke(),
    });
    pagers.set(feed.feedId, pager);
    pager.start();
    const { runId, country, token, cursor } = feed;
    logger.info({ feedId: feed.feedId, runId, country, token, isFresh: cursor === null }, 'feed taken');
  }

  function letGoOfEnded(): void {
    for (const pager of pagers.values()) {
      const end = pager.end();
      if (end === null) continue;
      const { feedId, runId, country } = pager.feed;
      logger.info({ feedId, runId, country, end }, 'feed let go');
      letGo(pager);
    }
  }

  /** A pager that finishes a write must not hold up the others' leases: it is not awaited here. */
  function letGo(pager: FeedPager): void {
    if (pagers.get(pager.feed.feedId) === pager) pagers.delete(pager.feed.feedId);
    const left = giveBack(pager).finally(() => leaving.delete(left));
    leaving.add(left);
  }

  async function giveBack(pager: FeedPager): Promise<void> {
    await pager.stop();
    try {
      await feedStore.release(owner, [{ feedId: pager.feed.feedId, token: pager.feed.token }]);
    } catch (error) {
      logger.warn({ err: error, feedId: pager.feed.feedId }, 'could not release a feed, its lease will expire');
    }
  }

  /** What is not renewed was taken over, or its run feeds no more. */
  async function renew(): Promise<void> {
    const before = [...pagers.values()];
    if (before.length > 0) {
      const tokens = before.map(({ feed }) => ({ feedId: feed.feedId, token: feed.token }));
      const kept = new Set(await feedStore.renew(owner, leaseMs, tokens));
      for (const pager of before) if (!kept.has(pager.feed.feedId)) letGo(pager);
    }
    renewedAtMs = clock.monotonicMs();
  }

  const loop = createLoop({
    name: 'feed-owner',
    turn,
    afterErrorMs,
    minBetweenMs: pauseForOthersMs,
    clock,
    logger,
  });
  for (const kind of ['feeds', 'runs'] as const) changes.on(kind, () => loop.poke());

  return {
    start: () => loop.start(),
    poke: () => loop.poke(),
    pagers: () => [...pagers.values()],
    stopIntake: async () => {
      await loop.stop();
      await Promise.all([...pagers.values()].map((pager) => pager.stopFetching()));
    },
    finish: async () => {
      for (const pager of [...pagers.values()]) letGo(pager);
      await Promise.all(leaving);
    },
  };
}
