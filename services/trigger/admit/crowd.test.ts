import { describe, expect, it } from 'vitest';
import { passTime } from '../../../test/support/pass-time.ts';
import { createSettableClock } from '../../../test/support/settable-clock.ts';
import type { FeedPager } from '../feed/feed-pager.ts';
import type { FeedLoad, FeedStore } from '../ports/feed-store.ts';
import { createFeedAdmission } from './feed-admission.ts';

/**
 * Time in milliseconds that reading one feed takes, measured on Postgres for feeds with the totals of 100 workers in
 * two steps.
 */
const readMsPerFeed = 0.2;
const countries = 5;
/** Number of batches of the large campaign that workers handle per tick. */
const batchesPerTick = 40;
const tickMs = 100;
const measuredTicks = 600;
const smallComesAt = 200;
/** Time in milliseconds during which listings of recently begun runs contain the waiting runs. */
const youngMs = 10_000;

const noSteps = { done: 0, survived: 0, created: 0, waiting: 0 };

function loadOf(feedId: string, changes: Partial<FeedLoad> = {}): FeedLoad {
  const facts = {
    country: 'SG',
    chain: ['award-reward', 'send-message'],
    checks: [],
    quietSteps: [],
    share: 1,
    priority: 'normal',
    held: false,
  } as const;
  const numbers = { paceAllows: null, batchUsers: 100, fedBatches: 1, fromStep: 1, complete: true };
  return { ...facts, ...numbers, feedId, runId: feedId, steps: [{ ...noSteps, waiting: 1 }, noSteps], ...changes };
}

interface Fed {
  granted: number;
  fed: number;
  done: number;
}

/**
 * Simulates a large campaign that always has more to feed, and a small campaign that starts later. Returns the rate of
 * the large campaign, and the time that the small one waits for its first grant.
 */
async function runNeighbours(
  waitingRuns: number,
  began: 'long ago' | 'just now',
): Promise<{ perSecond: number; smallMs: number }> {
  const clock = createSettableClock();
  const ids = Array.from({ length: waitingRuns * countries }, (_, i) => `w${i}`);
  const waiting = new Map(ids.map((feedId) => [feedId, loadOf(feedId)]));
  const going = new Map<string, Fed>();
  const pagers: FeedPager[] = [];
  const admission = createFeedAdmission({
    pagers: () => pagers,
    concurrencyOf: () => 100,
    figures: { admitted: () => undefined },
    clock,
    feedStore: {
      loads: async (feedIds: readonly string[]) => {
        await clock.sleep(feedIds.length * readMsPerFeed);
        return feedIds.flatMap((feedId) => loadGoing(going, feedId) ?? waiting.get(feedId) ?? []);
      },
      listFeeds: (since: string | null) => {
        const isYoung = began === 'just now' && clock.monotonicMs() < youngMs;
        const feedIds = since === null || isYoung ? [...waiting.keys(), ...going.keys()] : [];
        return Promise.resolve({ feedIds, until: 'now' });
      },
    } as unknown as FeedStore,
  });
  const begin = (feedId: string, wants: number): Fed => {
    const fed = { granted: 0, fed: 0, done: 0 };
    going.set(feedId, fed);
    const grant = (batches: number) => (fed.granted += batches);
    const requested = { granted: () => fed.granted, wants: () => wants - fed.granted, grant };
    pagers.push({ feed: { feedId }, ...requested } as unknown as FeedPager);
    return fed;
  };
  const large = begin('large', 1_000_000);
  const over = new AbortController();
  const looking = (async () => {
    while (!over.signal.aborted) await clock.sleep(await admission.turn(), over.signal);
  })();

  let small: Fed | undefined;
  let smallMs = 0;
  for (let tick = 0; tick < measuredTicks; tick++) {
    large.fed += large.granted;
    large.granted = 0;
    await passTime(clock, tickMs);
    large.done += Math.min(batchesPerTick, large.fed - large.done);
    if (tick === smallComesAt) small = begin('small', 10);
    else if (small?.granted === 0) smallMs += tickMs;
  }
  over.abort();
  await passTime(clock, 60_000);
  await looking;
  return { perSecond: (large.done * 1000) / (measuredTicks * tickMs), smallMs };
}

function loadGoing(going: ReadonlyMap<string, Fed>, feedId: string): FeedLoad | undefined {
  const feed = going.get(feedId);
  if (!feed) return undefined;
  const { done, fed } = feed;
  const step = { ...noSteps, done, survived: done };
  return loadOf(feedId, { complete: false, fedBatches: fed, steps: [step, step] });
}

describe('a campaign beside runs whose batches only wait', () => {
  it.each([
    [0, 'long ago'],
    [1000, 'long ago'],
    [5000, 'long ago'],
    [5000, 'just now'],
  ] as const)(
    'reaches 95 % of its usual rate, and a small campaign is fed within 1 s, with %s runs that began %s',
    async (runs, began) => {
      const { perSecond, smallMs } = await runNeighbours(runs, began);
      expect(perSecond).toBeGreaterThanOrEqual(0.95 * 400);
      expect(smallMs).toBeLessThanOrEqual(1000);
    },
  );
});
