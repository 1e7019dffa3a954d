import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { admitPages, roomIn, smoothedRate, unhandledBound, type ShardFeed } from './fairness.ts';

/** What one visit of the round gives to a feed of weight 1. */
const quantum = 10;

function feedOf(changes: Partial<ShardFeed> & { feedId: string }): ShardFeed {
  return { weight: 2, unhandled: 0, complete: false, wants: 0, ...changes };
}

const feeds = fc
  .array(
    fc.record({
      weight: fc.constantFrom(1, 2, 4),
      unhandled: fc.nat(2000),
      complete: fc.boolean(),
      wants: fc.oneof(fc.constant(null), fc.nat(500)),
    }),
    { minLength: 1, maxLength: 12 },
  )
  .map((list) => list.map((entry, index) => ({ ...entry, feedId: `feed-${index}` })));

const granted = (grants: ReadonlyMap<string, number>) => [...grants.values()].reduce((sum, n) => sum + n, 0);

describe('admitPages', () => {
  it('gives nobody more than it wants, and all of them what there is room for', () => {
    fc.assert(
      fc.property(feeds, fc.nat(3000), (all, room) => {
        const { grants } = admitPages(all, room, null);
        const wanted = all.reduce((sum, { wants }) => sum + (wants ?? 0), 0);
        for (const [feedId, batches] of grants) {
          expect(batches).toBeLessThanOrEqual(all.find((entry) => entry.feedId === feedId)?.wants ?? 0);
        }
        expect(granted(grants)).toBeGreaterThanOrEqual(Math.min(wanted, room));
      }),
    );
  });

  it('exceeds the room by less than one grant', () => {
    fc.assert(
      fc.property(feeds, fc.nat(3000), (all, room) => {
        const largest = quantum * Math.max(...all.map(({ weight }) => weight));
        expect(granted(admitPages(all, room, null).grants)).toBeLessThan(room + largest);
      }),
    );
  });

  it('serves feeds that always want more in proportion to their weights', () => {
    const onNeedRoom = [
      feedOf({ feedId: 'low', weight: 1, wants: 10_000 }),
      feedOf({ feedId: 'normal', weight: 2, wants: 10_000 }),
      feedOf({ feedId: 'high', weight: 4, wants: 10_000 }),
    ];
    const { grants } = admitPages(onNeedRoom, 7000, null);
    expect(Object.fromEntries(grants)).toEqual({ low: 1000, normal: 2000, high: 4000 });
  });

  it('serves them so over many small rooms too', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 200, maxLength: 200 }), (rooms) => {
        const sums = new Map<string, number>();
        let servedLast: string | null = null;
        for (const room of rooms) {
          const onNeedRoom = [
            feedOf({ feedId: 'a', weight: 1, wants: 1000 }),
            feedOf({ feedId: 'b', weight: 4, wants: 1000 }),
          ];
          const admitted = admitPages(onNeedRoom, room, servedLast);
          servedLast = admitted.servedLast;
          for (const [feedId, batches] of admitted.grants) sums.set(feedId, (sums.get(feedId) ?? 0) + batches);
        }
        expect(Math.abs((sums.get('b') ?? 0) - 4 * (sums.get('a') ?? 0))).toBeLessThanOrEqual(4 * quantum);
      }),
    );
  });

  it('lets a small feed wait for at most one grant of each other feed, however much those want', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), fc.nat(20), (others, turn) => {
        const large = Array.from({ length: others }, (_, i) => feedOf({ feedId: `large-${i}`, wants: 100_000 }));
        const all = [...large, feedOf({ feedId: 'small', wants: 3 })];
        const servedLast = large[turn % others]?.feedId ?? null;
        const { grants } = admitPages(all, others * 2 * quantum + 1, servedLast);
        expect(grants.get('small')).toBe(3);
      }),
    );
  });

  it('goes on behind the feed that was served last, even if it is gone', () => {
    const all = ['a', 'b', 'd'].map((feedId) => feedOf({ feedId, wants: 100 }));
    expect([...admitPages(all, 1, 'b').grants.keys()]).toEqual(['d']);
    expect([...admitPages(all, 1, 'c').grants.keys()]).toEqual(['d']);
    expect([...admitPages(all, 1, 'd').grants.keys()]).toEqual(['a']);
  });
});

describe('roomIn', () => {
  it('is what the unhandled work of all feeds leaves under the bound', () => {
    const own = feedOf({ feedId: 'own', wants: 50, unhandled: 100 });
    const done = feedOf({ feedId: 'done', complete: true, wants: null, unhandled: 150 });
    expect(roomIn([own, done], 300)).toBe(50);
  });

  it('leaves other triggers their share of the bound by the weights of their feeds', () => {
    const own = feedOf({ feedId: 'own', weight: 1, wants: 500, unhandled: 40 });
    const others = feedOf({ feedId: 'others', weight: 2, wants: null, unhandled: 0 });
    expect(roomIn([own, others], 300)).toBe(60);
  });

  it('is never below zero, and zero without a feed to page', () => {
    fc.assert(
      fc.property(feeds, fc.integer({ min: 300, max: 10_000 }), (all, bound) => {
        const room = roomIn(all, bound);
        expect(room).toBeGreaterThanOrEqual(0);
        expect(room).toBeLessThanOrEqual(bound);
        expect(
          roomIn(
            all.map((feed) => ({ ...feed, wants: null })),
            bound,
          ),
        ).toBe(0);
      }),
    );
  });
});

describe('the bound of unhandled work', () => {
  it('is three seconds of work, and at least three hundred batches', () => {
    expect(unhandledBound(0)).toBe(300);
    expect(unhandledBound(1000)).toBe(3000);
  });

  it('follows the rate within a few seconds', () => {
    let rate = 0;
    for (let i = 0; i < 100; i++) rate = smoothedRate(rate, 50, 100);
    expect(rate).toBeCloseTo(500, -1);
    expect(smoothedRate(rate, 0, 60_000)).toBeCloseTo(0, 5);
    expect(smoothedRate(rate, 10, 0)).toBe(rate);
  });
});
