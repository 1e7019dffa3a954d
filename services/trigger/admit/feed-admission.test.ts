import { describe, expect, it } from 'vitest';
import { createSettableClock } from '../../../test/support/settable-clock.ts';
import type { FeedPager } from '../feed/feed-pager.ts';
import type { FeedLoad, FeedStore } from '../feed/feed-store.port.ts';
import { createFeedAdmission } from './feed-admission.ts';

const tickMs = 20;

interface Feed {
  readonly action: string;
  readonly paceAllows: number | null;
  fed: number;
  done: number;
}

/**
 * Pagers ask for room all the time, so that at most so many batches are ready, and write at once what they are granted.
 * Of each feed, so many are handled a second.
 */
function world(perSecond: number) {
  const clock = createSettableClock();
  const feeds = new Map<string, Feed>();
  const pagers: FeedPager[] = [];
  let looks = 0;

  const loadOf = (feedId: string): FeedLoad => {
    const { action = '', paceAllows = null, fed = 0, done = 0 } = feeds.get(feedId) ?? {};
    return {
      ...{ feedId, runId: feedId, country: 'SG', chain: [action], checks: [], quietSteps: [] },
      ...{ priority: 'normal', held: false, paceAllows, batchUsers: 100, fedBatches: fed, fromStep: 1 },
      ...{ complete: false, steps: [{ done, survived: done, born: 0, waiting: 0 }] },
    };
  };
  const admission = createFeedAdmission({
    ...{ pagers: () => pagers, concurrencyOf: () => 10, figures: { admitted: () => undefined }, clock },
    feedStore: {
      loads: (feedIds: readonly string[]) => {
        looks++;
        return Promise.resolve(feedIds.map(loadOf));
      },
      listFeeds: () => Promise.resolve({ feedIds: [...feeds.keys()], until: 'now' }),
      takePace: (asked: readonly { runId: string; batches: number }[]) =>
        Promise.resolve(new Map(asked.map(({ runId, batches }) => [runId, batches]))),
    } as unknown as FeedStore,
  });

  return {
    begin: (
      feedId: string,
      { action = 'award-reward', paceAllows = null as number | null, atMost = 200 } = {},
    ): Feed => {
      const feed = { action, paceAllows, fed: 0, done: 0 };
      feeds.set(feedId, feed);
      const grant = (batches: number) => (feed.fed += batches);
      const wants = () => Math.max(0, atMost - (feed.fed - feed.done));
      pagers.push({ feed: { feedId }, granted: () => 0, wants, grant } as unknown as FeedPager);
      return feed;
    },
    /** @returns how often it was looked */
    pass: async (forMs: number): Promise<number> => {
      const before = looks;
      for (let passedMs = 0; passedMs < forMs; passedMs += tickMs) {
        await admission.turn();
        clock.advance(tickMs);
        for (const feed of feeds.values()) feed.done = Math.min(feed.fed, feed.done + (perSecond * tickMs) / 1000);
      }
      return looks - before;
    },
  };
}

describe('what feeds may have is looked at', () => {
  it('twice a second where a slow shard has enough for longer, and runs out of nothing', async () => {
    const { begin, pass } = world(100);
    const feed = begin('a');
    await pass(5000);
    const doneBefore = feed.done;
    expect(await pass(10_000)).toBeLessThanOrEqual(22);
    expect(feed.done - doneBefore).toBeCloseTo(1000);
  });

  it.each([
    ['its shard is quick', 2000, [{ atMost: 10_000 }]],
    ['others share its shard', 40, [{}, {}]],
    ['its run has a pace', 100, [{ paceAllows: 100_000 }]],
    ['little of it is ready', 100, [{ atMost: 80 }]],
  ])('as often as it is asked for where %s', async (_, perSecond, feeds) => {
    const { begin, pass } = world(perSecond);
    for (const [place, feed] of feeds.entries()) begin(`feed-${place}`, feed);
    await pass(5000);
    expect(await pass(10_000)).toBeGreaterThanOrEqual(400);
  });

  it('at once for a feed that comes', async () => {
    const { begin, pass } = world(100);
    begin('a');
    await pass(5000);
    while ((await pass(tickMs)) === 0);
    const other = begin('b', { action: 'send-message' });
    await pass(2 * tickMs);
    expect(other.fed).toBeGreaterThan(0);
  });
});
