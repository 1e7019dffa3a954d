import { describe, expect, it } from 'vitest';
import { createSettableClock } from '../../../test/support/settable-clock.ts';
import type { FeedPager } from '../feed/feed-pager.ts';
import type { FeedLoad, FeedStore } from '../ports/feed-store.ts';
import { createFeedAdmission } from './feed-admission.ts';

const tickMs = 20;
const triggers = 2;

interface Feed {
  readonly action: string;
  readonly paceAllows: number | null;
  /** True if workers handle none of the feed's batches. */
  isHung: boolean;
  fed: number;
  done: number;
}

/**
 * Simulates triggers with pagers. A pager always requests batches until `atMost` of them are ready, and feeds granted
 * batches at once. Workers handle `perSecond` batches of each feed.
 */
function world(perSecond: number) {
  const clock = createSettableClock();
  const feeds = new Map<string, Feed>();
  /** The pagers of each trigger. */
  const pagers: FeedPager[][] = Array.from({ length: triggers }, () => []);
  let reads = 0;

  const loadOf = (feedId: string): FeedLoad => {
    const { action = '', paceAllows = null, fed = 0, done = 0 } = feeds.get(feedId) ?? {};
    return {
      feedId,
      runId: feedId,
      country: 'SG',
      chain: [action],
      checks: [],
      quietSteps: [],
      share: 1,
      priority: 'normal',
      held: false,
      paceAllows,
      batchUsers: 100,
      fedBatches: fed,
      fromStep: 1,
      complete: false,
      steps: [{ done, survived: done, created: 0, waiting: 0 }],
    };
  };
  const feedStore = {
    loads: (feedIds: readonly string[]) => {
      reads++;
      return Promise.resolve(feedIds.map(loadOf));
    },
    listFeeds: () => Promise.resolve({ feedIds: [...feeds.keys()], until: 'now' }),
    takePace: (requested: readonly { runId: string; batches: number }[]) =>
      Promise.resolve(new Map(requested.map(({ runId, batches }) => [runId, batches]))),
  } as unknown as FeedStore;
  const admissions = pagers.map((own) =>
    createFeedAdmission({
      pagers: () => own,
      concurrencyOf: () => 10,
      figures: { admitted: () => undefined },
      clock,
      feedStore,
    }),
  );

  return {
    begin: (
      feedId: string,
      { action = 'award-reward', paceAllows = null as number | null, atMost = 200, isHung = false, trigger = 0 } = {},
    ): Feed => {
      const feed = { action, paceAllows, isHung, fed: 0, done: 0 };
      feeds.set(feedId, feed);
      const grant = (batches: number) => (feed.fed += batches);
      const wants = () => Math.max(0, atMost - (feed.fed - feed.done));
      pagers[trigger]?.push({ feed: { feedId }, granted: () => 0, wants, grant } as unknown as FeedPager);
      return feed;
    },
    /** @returns number of scans */
    pass: async (forMs: number): Promise<number> => {
      const before = reads;
      for (let passedMs = 0; passedMs < forMs; passedMs += tickMs) {
        for (const admission of admissions) await admission.turn();
        clock.advance(tickMs);
        for (const feed of feeds.values()) {
          if (!feed.isHung) feed.done = Math.min(feed.fed, feed.done + (perSecond * tickMs) / 1000);
        }
      }
      return reads - before;
    },
  };
}

describe('a feed with more ready batches than workers handle', () => {
  it('takes no capacity from another feed of its shard', async () => {
    const { begin, pass } = world(400);
    const hung = begin('hung', { isHung: true, atMost: 10_000 });
    await pass(8000);
    expect(hung.fed).toBe(300);
    const healthy = begin('healthy', { atMost: 1000 });
    await pass(2000);
    // The number is far above the minimum, which is 20 batches.
    expect(healthy.fed - healthy.done).toBeGreaterThan(100);
    expect(hung.fed).toBeLessThanOrEqual(320);
  });

  it('takes no capacity from a feed of another trigger, even if there are nine such feeds', async () => {
    const { begin, pass } = world(400);
    for (let index = 0; index < 9; index++) begin(`hung-${index}`, { isHung: true, atMost: 10_000, trigger: 1 });
    await pass(8000);
    const healthy = begin('healthy', { atMost: 1000 });
    await pass(2000);
    expect(healthy.fed - healthy.done).toBeGreaterThan(500);
  });

  it('gets grants again as soon as workers handle its batches again', async () => {
    const { begin, pass } = world(100);
    const feed = begin('a', { isHung: true, atMost: 10_000 });
    await pass(8000);
    feed.isHung = false;
    await pass(4000);
    expect(feed.fed).toBeGreaterThan(400);
  });

  it('gets at most a quantum beyond the limit of ready batches, even beside 19 other such feeds', async () => {
    const { begin, pass } = world(400);
    const feeds = Array.from({ length: 20 }, (_, i) => begin(`feed-${i}`, { isHung: true, atMost: 10_000 }));
    await pass(20_000);
    expect(feeds.reduce((sum, { fed }) => sum + fed, 0)).toBeLessThanOrEqual(300 + 20 * 20);
  });
});

describe('the poll of the load of feeds', () => {
  it('is made about twice a second if a slow shard has enough ready batches', async () => {
    const { begin, pass } = world(100);
    const feed = begin('a');
    await pass(5000);
    const doneBefore = feed.done;
    expect(await pass(10_000)).toBeLessThanOrEqual(22);
    expect(feed.done - doneBefore).toBeCloseTo(1000);
  });

  it.each([
    ['its shard is quick', 2000, [{ atMost: 10_000 }]],
    ['other feeds share its shard', 40, [{}, {}]],
    ['its run has a pace', 100, [{ paceAllows: 100_000 }]],
    ['few of its batches are ready', 100, [{ atMost: 80 }]],
  ])('is made at each request if %s', async (_, perSecond, feeds) => {
    const { begin, pass } = world(perSecond);
    for (const [place, feed] of feeds.entries()) begin(`feed-${place}`, feed);
    await pass(5000);
    expect(await pass(10_000)).toBeGreaterThanOrEqual(400);
  });

  it('is made at once for a new feed', async () => {
    const { begin, pass } = world(100);
    begin('a');
    await pass(5000);
    while ((await pass(tickMs)) === 0);
    const other = begin('b', { action: 'send-message' });
    await pass(2 * tickMs);
    expect(other.fed).toBeGreaterThan(0);
  });
});
