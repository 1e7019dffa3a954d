import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { segmentAlone } from '../../../shared/contracts/runs/feed-audience.ts';
import { createMemoryChangeFeed } from '../../../test/support/memory/change-feed.ts';
import { passTime } from '../../../test/support/pass-time.ts';
import { createSettableClock } from '../../../test/support/settable-clock.ts';
import type { FeedStanding } from '../pages/page-requests.ts';
import { createFeedOwner, type FeedOwnerDeps, type PagerTerms } from './feed-owner.ts';
import type { FeedPager, PagerEnd } from './feed-pager.ts';
import type { OwnedFeed } from '../ports/feed-store.ts';

const leaseMs = 30_000;

function feedOf(feedId: string, isDry = false): OwnedFeed {
  return {
    feedId,
    runId: 'run',
    country: 'SG',
    audience: segmentAlone({ segment: 'all', snapshot: 's', estimate: null }),
    fedUsers: 0,
    excludedUsers: 0,
    usersAtMost: null,
    heldOutUsers: 0,
    canaryUsers: null,
    stalls: 0,
    cursor: null,
    nextBatchNo: 1,
    batchUsers: 100,
    token: 1,
    priority: 'normal',
    fromStep: 1,
    hasStoredUsers: false,
    isDry,
    firstAction: 'award-reward',
    deadlineInMs: 1e9,
  };
}

interface Standing {
  standing: FeedStanding;
  isStalled: boolean;
  end: PagerEnd | null;
}

/** Creates an owner of feeds. All feeds that it can claim are in the given state. */
function setUp({ isDry = false, standing = 'moving' }: { isDry?: boolean; standing?: FeedStanding } = {}) {
  const clock = createSettableClock();
  const of = new Map<string, Standing>();
  const claims: { limit: number; scope: string; withoutDry: boolean }[] = [];
  const kept = new Set<string>();
  const released: string[] = [];
  const terms: PagerTerms[] = [];
  let free = Infinity;
  let number = 0;
  const feedStore: FeedOwnerDeps['feedStore'] = {
    claim: (_owner, _leaseMs, limit, scope, { withoutDry = false } = {}) => {
      claims.push({ limit, scope, withoutDry });
      const count = Math.min(limit, free, isDry && withoutDry ? 0 : Infinity);
      free -= count;
      return Promise.resolve(Array.from({ length: count }, () => feedOf(`feed-${++number}`, isDry)));
    },
    renew: (_owner, _leaseMs, feeds) => Promise.resolve(feeds.map(({ feedId }) => feedId).filter((id) => kept.has(id))),
    release: (_owner, feeds) => {
      released.push(...feeds.map(({ feedId }) => feedId));
      return Promise.resolve();
    },
  };
  const createPager = (given: PagerTerms): FeedPager => {
    terms.push(given);
    const { feedId } = given.feed;
    kept.add(feedId);
    of.set(feedId, { standing, isStalled: false, end: null });
    return {
      feed: given.feed,
      start: () => undefined,
      end: () => of.get(feedId)?.end ?? null,
      isStalled: () => of.get(feedId)?.isStalled ?? false,
      requestState: () => of.get(feedId)?.standing ?? 'moving',
      granted: () => 0,
      wants: () => 0,
      grant: () => undefined,
      stopFetching: () => Promise.resolve(),
      stop: () => Promise.resolve(),
    };
  };
  const changes = createMemoryChangeFeed();
  const logger = pino({ level: 'silent' });
  const owner = createFeedOwner({ owner: 'a', leaseMs, feedStore, changes, createPager, clock, logger });
  return {
    clock,
    owner,
    of,
    claims,
    kept,
    released,
    terms,
    only: (feeds: number) => {
      free = feeds;
    },
  };
}

describe('the owner of feeds', () => {
  it.each([
    ['moving', 500],
    ['new', 2000],
  ] as const)('claims %s feeds, up to a total of %i', async (standing, most) => {
    const { clock, owner, claims } = setUp({ standing });
    owner.start();
    await passTime(clock, 15_000);
    expect(owner.pagers()).toHaveLength(most);
    expect(claims.every(({ limit }) => limit > 0 && limit <= 8)).toBe(true);
    const claimsBefore = claims.length;
    await passTime(clock, 5000);
    expect(claims).toHaveLength(claimsBefore);
  });

  it('claims other feeds in place of stalled ones, and no further stalled feed once it owns 250 of them', async () => {
    const { clock, owner, of, claims, only } = setUp();
    only(249);
    owner.start();
    await passTime(clock, 5000);
    for (const feed of of.values()) feed.standing = 'uncertain';
    await passTime(clock, 2500);
    expect(claims.at(-1)?.scope).toBe('all');
    only(1);
    await passTime(clock, 2500);
    for (const feed of of.values()) feed.standing = 'uncertain';
    await passTime(clock, 2500);
    expect(owner.pagers()).toHaveLength(250);
    expect(claims.at(-1)?.scope).toBe('never-stalled');
  });

  it('claims at most four feeds of dry runs', async () => {
    const { clock, owner, claims, only } = setUp({ isDry: true });
    only(4);
    owner.start();
    await passTime(clock, 5000);
    expect(owner.pagers()).toHaveLength(4);
    expect(claims[0]?.withoutDry).toBe(false);
    expect(claims.at(-1)?.withoutDry).toBe(true);
  });

  it('releases a feed that has ended, and a feed whose lease was not renewed', async () => {
    const { clock, owner, of, kept, released, only } = setUp();
    only(3);
    owner.start();
    await passTime(clock, 1000);
    Object.assign(of.get('feed-1') ?? {}, { end: 'complete' });
    await passTime(clock, 5000);
    expect(released).toEqual(['feed-1']);
    kept.delete('feed-2');
    await passTime(clock, leaseMs / 3);
    expect(released).toEqual(['feed-1', 'feed-2']);
    expect(owner.pagers().map(({ feed }) => feed.feedId)).toEqual(['feed-3']);
  });

  it('divides its memory among its feeds, at most 10,000 users per feed', async () => {
    const { clock, owner, terms, only } = setUp();
    only(1);
    owner.start();
    await passTime(clock, 1000);
    expect(terms[0]?.maxBufferedUsers()).toBe(10_000);
    only(99);
    await passTime(clock, 20_000);
    expect(terms[0]?.maxBufferedUsers()).toBe(5000);
  });

  it('claims no feed after its intake has stopped, and releases all feeds at its end', async () => {
    const { clock, owner, claims, released, only } = setUp();
    only(3);
    owner.start();
    await passTime(clock, 1000);
    await owner.stopIntake();
    const claimsBefore = claims.length;
    only(10);
    owner.poke();
    await passTime(clock, 5000);
    expect(claims).toHaveLength(claimsBefore);
    await owner.finish();
    expect(released).toEqual(['feed-1', 'feed-2', 'feed-3']);
  });
});
