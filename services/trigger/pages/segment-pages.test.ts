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
    limiter: { request: (_requester, send) => send() },
    pageSize: 1000,
    maxBufferedUsers: () => maxBufferedUsers,
    random: () => 0.5,
  });
  const { signal } = new AbortController();
  return {
    segmentation,
    next: () => pages.next(signal),
    requested: () => segmentation.pagesRequested.map(({ limit }) => limit),
  };
}

describe('a segment whose page request fails', () => {
  it.each(['not-found', 'refused'] as const)(
    'is requested again after exactly 10 s if the answer is "%s"',
    async (kind) => {
      const { segmentation, next } = setUp({});
      segmentation.pageFailure = failureOf(kind);
      expect(await next()).toMatchObject({ kind: 'stalled', retryInMs: 10_000 });
    },
  );

  it('is requested again after exactly 10 s if the page violates the contract', async () => {
    const { segmentation, next } = setUp({});
    segmentation.tamper = (users) => users.toReversed();
    expect(await next()).toMatchObject({ kind: 'stalled', retryInMs: 10_000 });
  });

  it('is requested again after a random delay up to 0.5 s if the service is unavailable, but not before Retry-After', async () => {
    const { segmentation, next } = setUp({});
    segmentation.pageFailure = failureOf('unavailable');
    expect(await next()).toMatchObject({ kind: 'stalled', retryInMs: 275 });
    segmentation.pageFailure = failureOf('unavailable', 7000);
    expect(await next()).toMatchObject({ kind: 'stalled', retryInMs: 7000 });
  });
});

describe('the size of a requested page', () => {
  it('is as configured, until the service offers a larger page', async () => {
    const { next, requested } = setUp({ maxLimit: 4000 });
    const sizes = [await next(), await next(), await next()].map((page) => page.kind === 'page' && page.users.length);
    expect(requested()).toEqual([1000, 4000, 4000]);
    expect(sizes).toEqual([1000, 4000, 4000]);
  });

  it('is at most 5,000 users, even if the service offers more', async () => {
    const { next, requested } = setUp({ maxLimit: 1_000_000 });
    await next();
    await next();
    expect(requested()).toEqual([1000, 5000]);
  });

  it('is limited by the buffer of the feed, but is never below the configured size', async () => {
    const few = setUp({ maxLimit: 5000, maxBufferedUsers: 2500.5 });
    await few.next();
    await few.next();
    expect(few.requested()).toEqual([1000, 2500]);
    const many = setUp({ maxLimit: 5000, maxBufferedUsers: 10 });
    await many.next();
    await many.next();
    expect(many.requested()).toEqual([1000, 1000]);
  });

  it('is as configured again once the service no longer offers more', async () => {
    const { segmentation, next, requested } = setUp({ maxLimit: 5000 });
    await next();
    segmentation.maxLimit = undefined;
    await next();
    await next();
    expect(requested()).toEqual([1000, 5000, 1000]);
  });
});
