import type { Clock } from '../../../shared/ports/clock.ts';
import type { ChangeFeed } from '../../../shared/ports/change-feed.ts';
import type { FeedStore, OwnedFeed } from '../ports/feed-store.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import { createLoop } from '../../../shared/runtime/loop.ts';
import type { FeedPager } from './feed-pager.ts';
import type { FeedStanding } from '../pages/page-requests.ts';

/**
 * Maximum number of feeds that one trigger owns, by kind: moving feeds, new feeds, and feeds whose last page could not
 * be fetched.
 */
const maxMovingFeeds = 500;
const maxNewFeeds = 2000;
const maxUncertainFeeds = 250;
/** Maximum number of feeds of dry runs, in addition to the limits above. */
const maxDryFeeds = 4;
/** Maximum number of users in memory, over all feeds of one trigger. */
const maxBufferedUsers = 500_000;
const maxBufferedUsersPerFeed = 10_000;

/**
 * Maximum number of feeds that one statement claims. It is small, so that several triggers share feeds that become free
 * at the same time.
 */
const maxClaimedAtOnce = 8;
const claimPauseMs = 500;
/**
 * Maximum pause in milliseconds between claims while notifications arrive. A feed whose notification was lost, or whose
 * owner has died, waits up to this long.
 */
const notifiedClaimPauseMs = 2000;
/**
 * Pause in milliseconds before the next claim if there may be more free feeds, so that other triggers can claim some of
 * them.
 */
const pauseForOthersMs = 50;
const afterErrorMs = 1000;

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

/** Claims feeds for this trigger, renews their leases and releases them. A pager pages each feed. */
export interface FeedOwner {
  start(): void;
  /** Makes the next claim come soon, because there may be new feeds. */
  poke(): void;
  pagers(): FeedPager[];
  /** Stops claiming feeds and fetching pages. */
  stopIntake(): Promise<void>;
  /** Finishes the writes in progress and releases all feeds. */
  finish(): Promise<void>;
}

export function createFeedOwner(deps: FeedOwnerDeps): FeedOwner {
  const { owner, leaseMs, feedStore, changes, createPager, clock, logger } = deps;
  const pagers = new Map<string, FeedPager>();
  const leaving = new Set<Promise<void>>();
  let renewedAtMs = 0;
  /**
   * Order of the next claim: from the oldest or from the newest runs. The order alternates, so that a new feed does not
   * wait behind many others.
   */
  let first: 'newest' | undefined;

  async function turn(signal: AbortSignal): Promise<number> {
    letGoOfEnded();
    if (clock.monotonicMs() - renewedAtMs >= leaseMs / 3) await renew();
    const { dry = [], others = [] } = Object.groupBy(pagers.values(), ({ feed }) => (feed.isDry ? 'dry' : 'others'));
    const going = others.filter((pager) => !pager.isStalled());
    const inStanding = (standing: FeedStanding) => going.filter((pager) => pager.requestState() === standing).length;
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
    // The pause may not be longer than the lease permits, because this loop also renews leases.
    return changes.isConnected() ? Math.max(claimPauseMs, Math.min(notifiedClaimPauseMs, leaseMs / 6)) : claimPauseMs;
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

  /**
   * Releases a feed. Does not wait for the feed's last write, because leases of other feeds must be renewed meanwhile.
   */
  function letGo(pager: FeedPager): void {
    if (pagers.get(pager.feed.feedId) === pager) pagers.delete(pager.feed.feedId);
    const left = release(pager).finally(() => leaving.delete(left));
    leaving.add(left);
  }

  async function release(pager: FeedPager): Promise<void> {
    await pager.stop();
    try {
      await feedStore.release(owner, [{ feedId: pager.feed.feedId, token: pager.feed.token }]);
    } catch (error) {
      logger.warn({ err: error, feedId: pager.feed.feedId }, 'could not release a feed, its lease will expire');
    }
  }

  /**
   * Renews all leases. A lease cannot be renewed if another trigger owns the feed, or if the feed's run feeds no users
   * at present; this trigger then stops paging the feed.
   */
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
