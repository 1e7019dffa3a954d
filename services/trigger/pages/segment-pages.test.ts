import { describe, expect, it } from 'vitest';
import { createScriptedSegmentation, failureOf, userIds } from '../../../test/support/trigger-fixture.ts';
import { createSegmentPages } from './segment-pages.ts';

const source = { segment: 'riders', snapshot: 's1', estimate: null };
const feed = { country: 'SG', runId: 'run', stalls: 0, cursor: null };

function setUp({ maxLimit, maxBufferedUsers = 10_000 }: { maxLimit?: number; maxBufferedUsers?: number }) {
  const segmentation = createScriptedSegmentation();
  segmentation.users.set('SG', userIds(12_000));
  segmentation.maxLimit = maxLimit;
  const pages = createSegmentPages(source, {
    feed,
    segmentation,
    questions: { ask: (_asker, ask) => ask() },
    pageSize: 1000,
    maxBufferedUsers: () => maxBufferedUsers,
    random: () => 0.5,
  });
  const { signal } = new AbortController();
  return {
    segmentation,
    next: () => pages.next(signal),
    asked: () => segmentation.pagesAsked.map(({ limit }) => limit),
  };
}

describe('a segment whose page cannot be fed', () => {
  it.each(['not-found', 'refused'] as const)(
    'is asked again after exactly 10 s if the answer is "%s"',
    async (kind) => {
      const { segmentation, next } = setUp({});
      segmentation.pageFailure = failureOf(kind);
      expect(await next()).toMatchObject({ kind: 'stalled', retryInMs: 10_000 });
    },
  );

  it('is asked again after exactly 10 s if the page breaks the contract', async () => {
    const { segmentation, next } = setUp({});
    segmentation.tamper = (users) => users.toReversed();
    expect(await next()).toMatchObject({ kind: 'stalled', retryInMs: 10_000 });
  });

  it('is asked again at random within 0.5 s, and not before the service allows it, if it is unavailable', async () => {
    const { segmentation, next } = setUp({});
    segmentation.pageFailure = failureOf('unavailable');
    expect(await next()).toMatchObject({ kind: 'stalled', retryInMs: 275 });
    segmentation.pageFailure = failureOf('unavailable', 7000);
    expect(await next()).toMatchObject({ kind: 'stalled', retryInMs: 7000 });
  });
});

describe('how many users are asked for in a page', () => {
  it('are as many as configured, until the service says that it may be more', async () => {
    const { next, asked } = setUp({ maxLimit: 4000 });
    const sizes = [await next(), await next(), await next()].map((page) => page.kind === 'page' && page.users.length);
    expect(asked()).toEqual([1000, 4000, 4000]);
    expect(sizes).toEqual([1000, 4000, 4000]);
  });

  it('are never more than 5,000, whatever the service says', async () => {
    const { next, asked } = setUp({ maxLimit: 1_000_000 });
    await next();
    await next();
    expect(asked()).toEqual([1000, 5000]);
  });

  it('are no more than may wait of a feed, but never less than configured', async () => {
    const few = setUp({ maxLimit: 5000, maxBufferedUsers: 2500.5 });
    await few.next();
    await few.next();
    expect(few.asked()).toEqual([1000, 2500]);
    const many = setUp({ maxLimit: 5000, maxBufferedUsers: 10 });
    await many.next();
    await many.next();
    expect(many.asked()).toEqual([1000, 1000]);
  });

  it('are as configured again, once the service says no more that it may be more', async () => {
    const { segmentation, next, asked } = setUp({ maxLimit: 5000 });
    await next();
    segmentation.maxLimit = undefined;
    await next();
    await next();
    expect(asked()).toEqual([1000, 5000, 1000]);
  });
});
