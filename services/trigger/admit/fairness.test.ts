import { fc } from '../../../test/support/properties.ts';
import { describe, expect, it } from 'vitest';
import {
  admit,
  feedOf,
  later,
  noTurns,
  quantum,
  shard,
  shardBounds as bounds,
  total,
} from '../../../test/support/sharing-feeds.ts';
import { readyBound, weightOf } from './fairness.ts';

const someFeeds = fc
  .array(
    fc.record({
      weight: fc.constantFrom(1, 2, 4),
      ready: fc.nat(2000),
      readyLater: fc.nat(2000),
      competes: fc.constantFrom(0, 0.1, 1),
      waiting: fc.nat(2000),
      held: fc.boolean(),
      complete: fc.boolean(),
      wants: fc.oneof(fc.constant(null), fc.nat(500)),
    }),
    { minLength: 1, maxLength: 12 },
  )
  .map((list) => list.map((entry, index) => feedOf({ ...entry, feedId: `feed-${index}` })));

describe('the admission of batches', () => {
  it('grants no feed more than it requests', () => {
    fc.assert(
      fc.property(someFeeds, (feeds) => {
        for (const [feedId, batches] of admit(feeds, bounds, noTurns).grants) {
          expect(batches).toBeLessThanOrEqual(feeds.find((feed) => feed.feedId === feedId)?.wants ?? 0);
        }
      }),
    );
  });

  it('grants a new feed at least a quantum at its first poll, however many batches other feeds have', () => {
    fc.assert(
      fc.property(someFeeds, fc.constantFrom(1, 2, 4), fc.integer({ min: 1, max: 500 }), (others, weight, wants) => {
        const small = feedOf({ feedId: 'small', weight, wants });
        const { grants } = admit([...others, small], bounds, noTurns);
        expect(grants.get('small')).toBeGreaterThanOrEqual(Math.min(wants, quantum * weight));
      }),
    );
  });

  it.each([[[2500, 2500, 2500, 2500]], [[9000, 1000]], [[5000, 3000, 2000]]])(
    'grants a run whose variants have the shares %j no more than a run without variants',
    (shares) => {
      const variants = shares.map((share, index) => {
        const weight = weightOf({ priority: 'normal', share: share / 10_000 });
        return feedOf({ feedId: `variant-${index}`, weight, wants: 5000 });
      });
      const wide = new Map([...bounds].map(([name, bound]) => [name, 10 * bound]));
      const { grants } = admit([...variants, feedOf({ feedId: 'whole', wants: 5000 })], wide, noTurns);
      const whole = grants.get('whole') ?? 0;
      const ofVariants = variants.map(({ feedId }) => grants.get(feedId) ?? 0);
      // The feeds take turns, so a run may be one visit ahead: a quantum by its weight of 2.
      expect(ofVariants.reduce((sum, batches) => sum + batches, 0)).toBeLessThanOrEqual(whole + 2 * quantum);
      for (const [index, share] of shares.entries())
        expect(Math.abs((ofVariants[index] ?? 0) - (whole * share) / 10_000)).toBeLessThanOrEqual(2 * quantum);
    },
  );

  it('grants a batch to a variant with the smallest share', () => {
    const weight = weightOf({ priority: 'low', share: 0.0001 });
    expect(admit([feedOf({ feedId: 'tiny', weight, wants: 5 })], bounds, noTurns).grants.get('tiny')).toBeGreaterThan(
      0,
    );
  });

  it('leaves the whole capacity to other feeds if all batches of a feed wait', () => {
    const stuck = feedOf({ feedId: 'stuck', wants: 500, waiting: 100_000 });
    const free = feedOf({ feedId: 'free', wants: 290 });
    expect(admit([stuck, free], bounds, noTurns).grants).toEqual(new Map([['free', 290]]));
  });

  it("leaves the whole capacity to other feeds if a feed's ready batches make no progress, and grants that feed nothing", () => {
    const hung = feedOf({ feedId: 'hung', ready: 300, competes: 0, wants: 500 });
    const free = feedOf({ feedId: 'free', wants: 290 });
    expect(admit([hung, free], bounds, noTurns).grants).toEqual(new Map([['free', 290]]));
  });

  it('grants a new feed its minimum although another feed fills the shard without progress', () => {
    const hung = feedOf({ feedId: 'hung', ready: 300, competes: 0 });
    const first = feedOf({ feedId: 'first', ready: 5, wants: 290, isServed: false });
    expect(Object.fromEntries(admit([hung, first], bounds, noTurns).grants)).toEqual({ first: 15 });
  });

  it('subtracts for a slow feed only as many batches as its workers handle soon', () => {
    const slow = feedOf({ feedId: 'slow', ready: 250, competes: 0.2 });
    const free = feedOf({ feedId: 'free', wants: 500 });
    expect(Object.fromEntries(admit([slow, free], bounds, noTurns).grants)).toEqual({ free: 260 });
  });

  it('subtracts all ready batches of the shard from what a feed without progress may get', () => {
    const slow = feedOf({ feedId: 'slow', ready: 50, competes: 0, wants: 500 });
    const others = feedOf({ feedId: 'others', ready: 240, competes: 0.1, wants: null, complete: true });
    expect(total(admit([slow, others], bounds, noTurns).grants)).toBe(20);
    expect(total(admit([slow], bounds, noTurns).grants)).toBe(260);
  });

  it("keeps ready batches beyond each feed's minimum under five times the limit for 12 feeds without progress", () => {
    const hung = Array.from({ length: 12 }, (_, i) => feedOf({ feedId: `hung-${i}`, ready: 200, competes: 0 }));
    const free = feedOf({ feedId: 'free', wants: 500 });
    expect(total(admit([...hung.slice(0, 8), free], bounds, noTurns).grants)).toBe(60);
    expect(total(admit([...hung, free], bounds, noTurns).grants)).toBe(2 * quantum);
  });

  it('grants no more to a run whose own waiting batches reach the limit', () => {
    const feed = (waiting: number) => feedOf({ feedId: 'a', wants: 500, waiting });
    expect(total(admit([feed(299)], bounds, noTurns).grants)).toBeLessThanOrEqual(20);
    expect(total(admit([feed(300)], bounds, noTurns).grants)).toBe(0);
  });

  it('grants a held feed only its minimum, including its waiting batches', () => {
    const held = (waiting: number) => feedOf({ feedId: 'a', wants: 500, waiting, held: true });
    expect(total(admit([held(0)], bounds, noTurns).grants)).toBe(2 * quantum);
    expect(total(admit([held(15)], bounds, noTurns).grants)).toBe(5);
    expect(total(admit([held(20)], bounds, noTurns).grants)).toBe(0);
  });

  it('limits a feed by the shard of its chain with the least capacity', () => {
    const behind = feedOf({ feedId: 'a', ready: 0, readyLater: 600, wants: 500 });
    expect(admit([behind], bounds, noTurns).grants.size).toBe(0);
    const other = feedOf({ feedId: 'b', readyLater: 600, wants: null });
    expect(admit([feedOf({ feedId: 'a', wants: 500 }), other], bounds, noTurns).grants).toEqual(
      new Map([['a', 2 * quantum]]),
    );
  });

  it('keeps the ready batches of each shard under its limit plus a quantum for every feed', () => {
    const moves = fc.array(fc.record({ first: fc.nat(150), second: fc.nat(40) }), { minLength: 20, maxLength: 60 });
    fc.assert(
      fc.property(moves, fc.integer({ min: 1, max: 6 }), (flow, count) => {
        const rows = Array.from({ length: count }, () => ({ first: 0, second: 0 }));
        let turns = noTurns;
        for (const move of flow) {
          const feeds = rows.map(({ first, second }, i) =>
            feedOf({ feedId: `feed-${i}`, ready: first, readyLater: second, wants: 400 }),
          );
          const admitted = admit(feeds, bounds, turns);
          turns = admitted.turns;
          for (const [i, row] of rows.entries()) {
            row.first += admitted.grants.get(`feed-${i}`) ?? 0;
            const [served, ended] = [Math.min(row.first, move.first), Math.min(row.second, move.second)];
            row.first -= served;
            row.second += served - ended;
          }
          const [inFirst, inSecond] = [rows.reduce((n, r) => n + r.first, 0), rows.reduce((n, r) => n + r.second, 0)];
          expect(inFirst).toBeLessThanOrEqual(300 + count * 2 * quantum);
          expect(inSecond).toBeLessThanOrEqual(600 + count * 2 * quantum);
        }
      }),
    );
  });

  it('grants feeds with unlimited demand batches in proportion to their weights', () => {
    const feeds = [
      feedOf({ feedId: 'low', weight: 1, wants: 10_000 }),
      feedOf({ feedId: 'normal', weight: 2, wants: 10_000 }),
      feedOf({ feedId: 'high', weight: 4, wants: 10_000 }),
    ];
    const wide = new Map([
      [shard, 7000],
      [later, 7000],
    ]);
    expect(Object.fromEntries(admit(feeds, wide, noTurns).grants)).toEqual({
      low: 1000,
      normal: 2000,
      high: 4000,
    });
  });

  it('grants in proportion to the weights even if each poll has little capacity', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 200, maxLength: 200 }), (rooms) => {
        const sums = new Map([
          ['a', 0],
          ['b', 0],
        ]);
        let turns = noTurns;
        for (const room of rooms) {
          // Each feed already has its minimum of ready batches, so only the capacity limits the grants.
          const feeds = [
            feedOf({ feedId: 'a', weight: 1, ready: quantum, wants: 1000 }),
            feedOf({ feedId: 'b', weight: 4, ready: 4 * quantum, wants: 1000 }),
          ];
          const bound = room + 5 * quantum;
          const admitted = admit(
            feeds,
            new Map([
              [shard, bound],
              [later, bound],
            ]),
            turns,
          );
          turns = admitted.turns;
          for (const [feedId, batches] of admitted.grants) sums.set(feedId, (sums.get(feedId) ?? 0) + batches);
        }
        expect(Math.abs((sums.get('b') ?? 0) - 4 * (sums.get('a') ?? 0))).toBeLessThanOrEqual(8 * quantum);
      }),
    );
  });

  it('grants first to the feed that was served longest ago', () => {
    const feeds = ['a', 'b', 'c'].map((feedId) => feedOf({ feedId, ready: 100, wants: 100 }));
    const turns = new Map([
      ['a', 3],
      ['b', 7],
      ['gone', 8],
    ]);
    const admitted = admit(
      feeds,
      new Map([
        [shard, 301],
        [later, 400],
      ]),
      turns,
    );
    expect([...admitted.grants.keys()]).toEqual(['c']);
    expect(admitted.turns.has('gone')).toBe(false);
  });
});

describe('a run with a pace', () => {
  const pace = (batches: number) => ({ runId: 'run', batches });

  it('is granted at most its pace over all of its countries', () => {
    const feeds = ['a', 'b', 'c'].map((feedId) => feedOf({ feedId, pace: pace(5), wants: 100 }));
    expect(total(admit(feeds, bounds, noTurns).grants)).toBe(5);
    const none = feeds.map((feed) => ({ ...feed, pace: pace(0) }));
    expect(admit(none, bounds, noTurns).grants.size).toBe(0);
  });

  it('serves its countries in turn, one batch at a time if its pace allows no more', () => {
    let turns = noTurns;
    const served: string[] = [];
    for (let read = 0; read < 6; read++) {
      const feeds = ['a', 'b', 'c'].map((feedId) => feedOf({ feedId, pace: pace(1), wants: 100 }));
      const admitted = admit(feeds, bounds, turns);
      turns = admitted.turns;
      served.push(...admitted.grants.keys());
    }
    expect(served).toEqual(['a', 'b', 'c', 'a', 'b', 'c']);
  });

  it('leaves capacity that its pace does not allow it to use to other runs', () => {
    const slow = feedOf({ feedId: 'slow', pace: pace(1), wants: 500 });
    const free = feedOf({ feedId: 'free', wants: 299 });
    expect(Object.fromEntries(admit([slow, free], bounds, noTurns).grants)).toEqual({ slow: 1, free: 299 });
  });
});

describe('the limit of ready batches', () => {
  const pace = { handledPerSecond: 0, depth: 1, busyForMs: 0, concurrency: 8, untilNextPollMs: 100 };

  it('is the work of three seconds for each step, and 300 batches before the rate is measured', () => {
    expect(readyBound(pace)).toBe(300);
    expect(readyBound({ ...pace, handledPerSecond: 1000 })).toBe(3000);
    expect(readyBound({ ...pace, handledPerSecond: 1000, depth: 2, busyForMs: 60_000 })).toBe(6000);
  });

  it('is the work of three seconds in a slow shard, but at least as many batches as its workers have in flight', () => {
    const slow = { ...pace, busyForMs: 60_000, handledPerSecond: 8 };
    expect(readyBound(slow)).toBe(24);
    expect(readyBound({ ...slow, handledPerSecond: 0.1 })).toBe(20);
    expect(readyBound({ ...slow, handledPerSecond: 0.1, concurrency: 100 })).toBe(150);
    expect(readyBound({ ...slow, handledPerSecond: 0.1, concurrency: 1000 })).toBe(300);
  });

  it('covers twice the time until the next poll if polls are rare', () => {
    const measured = { ...pace, handledPerSecond: 400, busyForMs: 60_000 };
    expect(readyBound({ ...measured, untilNextPollMs: 1500 })).toBe(1200);
    expect(readyBound({ ...measured, untilNextPollMs: 5000 })).toBe(4000);
  });
});
