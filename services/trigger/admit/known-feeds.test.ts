import { describe, expect, it } from 'vitest';
import { createSettableClock } from '../../../test/support/settable-clock.ts';
import type { FeedPager } from '../feed/feed-pager.ts';
import type { FeedLoad } from '../ports/feed-store.ts';
import { createKnownFeeds } from './known-feeds.ts';

const shard = 'award-reward/SG';

function loadOf(feedId: string, waiting = 1): FeedLoad {
  const facts = {
    country: 'SG',
    chain: ['award-reward'],
    checks: [],
    quietSteps: [],
    share: 1,
    priority: 'normal',
    held: false,
  } as const;
  const numbers = { paceAllows: null, batchUsers: 100, fedBatches: 10, fromStep: 1 };
  const steps = [{ done: 9, survived: 9, created: 0, waiting }];
  return { ...facts, ...numbers, feedId, runId: feedId, complete: true, steps };
}

/** Creates `waitingRuns` runs that only wait, and records the feeds that each scan reads. */
function setUp(waitingRuns: number) {
  const clock = createSettableClock();
  const rows = new Map<string, FeedLoad>();
  for (let i = 0; i < waitingRuns; i++) rows.set(`waits-${i}`, loadOf(`waits-${i}`));
  const begun: string[] = [];
  const requested: string[][] = [];
  const listings: [since: string | null, reachMs: number][] = [];
  const known = createKnownFeeds({
    feedStore: {
      loads: (feedIds) => {
        requested.push([...feedIds]);
        return Promise.resolve(feedIds.flatMap((feedId) => rows.get(feedId) ?? []));
      },
      listFeeds: (since, reachMs) => {
        listings.push([since, reachMs]);
        return Promise.resolve({ feedIds: since === null ? [...rows.keys()] : begun, until: String(listings.length) });
      },
    },
    concurrencyOf: () => 40,
    clock,
  });
  const pagers = new Map<string, FeedPager>();
  const read = async (times = 1) => {
    for (let i = 0; i < times; i++) {
      clock.advance(100);
      await known.read(pagers, 100);
    }
    return requested.at(-1) ?? [];
  };
  return { clock, rows, begun, known, pagers, read, listings };
}

/** Adds a finished step to a feed. */
function handleOne(rows: Map<string, FeedLoad>, feedId: string): void {
  const load = rows.get(feedId) ?? loadOf(feedId);
  const steps = load.steps.map((step) => ({ ...step, done: step.done + 1 }));
  rows.set(feedId, { ...load, fedBatches: load.fedBatches + 1, steps });
}

function pagerOf({ granted = 0, wants = 0 }): FeedPager {
  const never = () => {
    throw new Error('not requested by a look');
  };
  const request = { granted: () => granted, wants: () => wants };
  const others = { end: never, isStalled: never, standing: never, grant: never, start: never };
  return { feed: never, ...request, ...others, stopFetching: never, stop: never } as unknown as FeedPager;
}

describe('a poll of the feeds of running runs', () => {
  it('reads as many feeds beside 5,000 waiting runs as beside 1,000', async () => {
    const feedsRequested = await Promise.all(
      [1000, 5000].map(async (waitingRuns) => {
        const { rows, begun, read } = setUp(waitingRuns);
        await read(150);
        rows.set('goes', loadOf('goes', 0));
        begun.push('goes');
        await read(10);
        const counts: number[] = [];
        for (let i = 0; i < 50; i++) {
          handleOne(rows, 'goes');
          const queried = await read();
          expect(queried).toContain('goes');
          counts.push(queried.length);
        }
        return counts;
      }),
    );
    // A poll reads the progressing feed and 25 others in turn, including feeds that were never read.
    expect(feedsRequested.flat().every((count) => count === 26)).toBe(true);
  });

  it.each([0, 1])('reads 5,000 new feeds in turn, and the newest of them soon: %s ready', async (ready) => {
    const { rows, begun, read } = setUp(0);
    await read();
    const crowd = Array.from({ length: 5000 }, (_, i) => `began-${i}`);
    for (const feedId of crowd) rows.set(feedId, loadOf(feedId, 1 - ready));
    begun.push(...crowd);
    const seen = new Map<string, number>();
    for (let reads = 1; reads <= 400; reads++) {
      if (reads === 100) {
        rows.set('small', loadOf('small'));
        begun.splice(0, Infinity, 'small');
      }
      const query = await read();
      expect(query.length).toBeLessThanOrEqual(25 + 10);
      for (const feedId of query) if (!seen.has(feedId)) seen.set(feedId, reads);
    }
    expect(seen.get('small')).toBeLessThanOrEqual(105);
    expect(crowd.every((feedId) => seen.has(feedId))).toBe(true);
  });

  it('adds the listed feeds to the sums only after it has read them', async () => {
    const { known, read } = setUp(200);
    await read(14);
    expect(known.feeds.size).toBe(200);
    expect(known.sums.shards().get(shard)).toMatchObject({ load: 0, weight: 0, depth: 1 });
  });

  it('reads a waiting feed that progresses again in every poll after its next turn', async () => {
    const { rows, read } = setUp(100);
    await read(80);
    handleOne(rows, 'waits-7');
    let reads = 0;
    while (!(await read()).includes('waits-7')) reads++;
    expect(reads).toBeLessThanOrEqual(4);
    for (let i = 0; i < 49; i++) expect(await read()).toContain('waits-7');
    const after = await read(2);
    expect(after).toHaveLength(25);
  });

  it('reads a feed of its own trigger in every poll while batches are granted to the feed', async () => {
    const { rows, pagers, read, known } = setUp(100);
    await read(80);
    rows.set('own', loadOf('own', 0));
    pagers.set('own', pagerOf({ granted: 5 }));
    for (let i = 0; i < 100; i++) expect(await read()).toContain('own');
    expect(known.own).toEqual(new Set(['own']));
    expect(known.sums.shards().get(shard)).toMatchObject({ load: 6, ownLoad: 6 });
    pagers.clear();
    await read();
    expect(known.own).toEqual(new Set());
    expect(known.sums.shards().get(shard)).toMatchObject({ load: 1, ownLoad: 0 });
  });

  it('counts batches of feeds without progress, but not as competing', async () => {
    const { rows, begun, read, known } = setUp(100);
    await read(80);
    rows.set('hangs', loadOf('hangs', 0));
    begun.push('hangs');
    await read(8);
    expect(known.sums.shards().get(shard)).toMatchObject({ load: 1, competing: 1 });
    await read(60);
    expect(known.sums.shards().get(shard)).toMatchObject({ load: 1, competing: 0 });
    handleOne(rows, 'hangs');
    await read(6);
    expect(known.sums.shards().get(shard)).toMatchObject({ load: 1, competing: 1 });
  });

  it('reads each feed of its own trigger that requests batches without progress within two polls, beside 2,000 waiting runs', async () => {
    const { rows, pagers, read } = setUp(2000);
    await read(100);
    for (let i = 0; i < 50; i++) {
      rows.set(`own-${i}`, loadOf(`own-${i}`));
      pagers.set(`own-${i}`, pagerOf({ wants: 10 }));
    }
    await read(60);
    const requested = new Set([...(await read()), ...(await read())]);
    expect([...pagers.keys()].every((feedId) => requested.has(feedId))).toBe(true);
  });

  it('first lists all runs; later polls list new runs with an overlap of ten seconds, and once a minute of 15 minutes', async () => {
    const { clock, listings, read } = setUp(100);
    await read();
    clock.advance(1000);
    await read();
    clock.advance(60_000);
    await read();
    clock.advance(1000);
    await read();
    expect(listings).toEqual([
      [null, 900_000],
      ['1', 10_000],
      ['2', 900_000],
      ['3', 10_000],
    ]);
  });

  it('reads a new feed with ready batches in every poll, and a new feed with only waiting batches in turn', async () => {
    const { rows, begun, read } = setUp(1000);
    await read(150);
    rows.set('ready', loadOf('ready', 0));
    rows.set('waits', loadOf('waits', 1));
    begun.push('ready', 'waits');
    await read(10);
    const requested = [await read(), await read(), await read()];
    expect(requested.map((feedIds) => feedIds.includes('ready'))).toEqual([true, true, true]);
    expect(requested.some((feedIds) => feedIds.includes('waits'))).toBe(false);
  });

  it('reads feeds of its own trigger that have neither grants nor requests in turn', async () => {
    const { rows, pagers, read } = setUp(1000);
    for (const feedId of [...rows.keys()].slice(0, 100)) pagers.set(feedId, pagerOf({}));
    await read(250);
    expect((await read()).length).toBeLessThanOrEqual(26);
    pagers.set('waits-0', pagerOf({ granted: 1 }));
    expect([await read(), await read()].every((feedIds) => feedIds.includes('waits-0'))).toBe(true);
  });

  it('removes feeds whose runs have ended', async () => {
    const { rows, known, read } = setUp(60);
    await read(20);
    rows.clear();
    await read(5);
    expect(known.feeds.size).toBe(0);
    expect(known.sums.shards().size).toBe(0);
  });
});
