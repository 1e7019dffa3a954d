import { fc } from '../../../test/support/properties.ts';
import { describe, expect, it } from 'vitest';
import { admit, feedOf, noTurns, quantum, shard, shardBounds, total } from '../../../test/support/sharing-feeds.ts';

/** Returns `count` feeds that another trigger feeds. */
const neighbours = (changes: Omit<Parameters<typeof feedOf>[0], 'feedId'>, count = 9) =>
  Array.from({ length: count }, (_, index) => feedOf({ wants: null, ...changes, feedId: `other-${index}` }));

const grantedTo = (own: ReturnType<typeof feedOf>, others: ReturnType<typeof feedOf>[]) =>
  total(admit([own, ...others], shardBounds, noTurns).grants);

describe('one of several triggers', () => {
  const healthy = feedOf({ feedId: 'healthy', ready: 20, wants: 500 });

  it('leaves the feeds of other triggers their weighted share of the limit of ready batches', () => {
    const own = feedOf({ feedId: 'own', weight: 1, wants: 500, ready: 40 });
    expect(grantedTo(own, neighbours({ weight: 2 }, 1))).toBe(60);
  });

  it.each([9, 30])(
    'grants its feed the whole limit of ready batches beside %i feeds of another trigger that make no progress',
    (count) => {
      expect(grantedTo(healthy, neighbours({ ready: 20, competes: 0 }, count))).toBe(280);
    },
  );

  it('grants its feed the whole limit of ready batches beside feeds of another trigger whose batches all wait', () => {
    expect(grantedTo(healthy, neighbours({ waiting: 300, isIdle: true }))).toBe(280);
  });

  it.each([
    ['are handled slowly', { ready: 20, competes: 0.1 }],
    ['have had nothing ready yet', { isIdle: true }],
    ['are handled as fast as they are fed', { waiting: 300 }],
  ])('leaves a share of the limit of ready batches to feeds of another trigger that %s', (_, changes) => {
    // The feed gets a tenth of the limit. After its ready batches are subtracted, one visit of the round robin uses up
    // the rest.
    expect(grantedTo(healthy, neighbours(changes))).toBe(2 * quantum);
  });

  it('leaves no share of the limit of ready batches to feeds of another trigger that are complete', () => {
    expect(grantedTo(healthy, neighbours({ complete: true }))).toBe(280);
  });

  it('shares room with the other triggers so that ready batches stay under five times their limit', () => {
    // These feeds have 1440 ready batches beyond their minimum. The limit for all such batches is 1500.
    const hung = neighbours({ ready: 200, competes: 0 }, 8);
    expect(grantedTo(healthy, hung)).toBe(60);
    expect(grantedTo(healthy, [...hung, feedOf({ feedId: 'other', ready: 20, wants: null })])).toBe(40);
  });

  it('grants a feed without progress its share among all incomplete feeds', () => {
    const hung = feedOf({ feedId: 'hung', ready: 20, competes: 0, wants: 500 });
    expect(grantedTo(hung, neighbours({ ready: 20 }, 2))).toBe(80);
    expect(grantedTo(hung, neighbours({ ready: 20, competes: 0 }, 2))).toBe(80);
  });

  it('grants only the minimum to a feed whose batches all wait while feeds of another trigger progress', () => {
    const waits = feedOf({ feedId: 'waits', waiting: 100, isIdle: true, wants: 500 });
    expect(grantedTo(waits, neighbours({ ready: 20 }, 1))).toBe(2 * quantum);
    expect(grantedTo(waits, neighbours({ waiting: 100, isIdle: true }, 1))).toBe(160);
  });
});

interface Row {
  trigger: number;
  weight: number;
  isServed: boolean;
  ready: number;
}

const triggers = 3;
const someRows = fc.array(
  fc.record({
    trigger: fc.nat(triggers - 1),
    weight: fc.constantFrom(1, 2, 4),
    isServed: fc.boolean(),
    ready: fc.constant(0),
  }),
  { minLength: 1, maxLength: 12 },
);
/**
 * By scan and feed: whether the feed makes no progress, and the number of batches that workers handle until the next
 * scan.
 */
const someReads = fc.array(
  fc.array(fc.record({ standsStill: fc.boolean(), handled: fc.nat(60) }), { minLength: 12, maxLength: 12 }),
  { minLength: 10, maxLength: 40 },
);

/**
 * Makes a scan of every trigger at the same state, and adds the batches that the triggers grant.
 * @param standsStill by feed
 */
function readAll(rows: readonly Row[], standsStill: readonly boolean[]): void {
  const grants = Array.from({ length: triggers }, (_, trigger) => {
    const feeds = rows.map(({ trigger: owner, weight, isServed, ready }, index) => {
      const competes = standsStill[index] ? 0 : 1;
      return feedOf({
        feedId: `feed-${index}`,
        weight,
        ready,
        isServed,
        competes,
        wants: owner === trigger ? 10_000 : null,
      });
    });
    return admit(feeds, shardBounds, noTurns).grants;
  });
  for (const [index, row] of rows.entries()) row.ready += grants[row.trigger]?.get(`feed-${index}`) ?? 0;
}

const bound = shardBounds.get(shard) ?? 0;
const lastVisits = (rows: readonly Row[]) => rows.reduce((sum, { weight }) => sum + quantum * weight, 0);

describe('several triggers that admit batches at the same time', () => {
  it('keep the ready batches of progressing feeds under their limit plus a quantum for every feed', () => {
    fc.assert(
      fc.property(someRows, someReads, (begun, reads) => {
        const rows = begun.map((row) => ({ ...row }));
        // In this test, a feed either makes progress at every scan or at none.
        const standsStill = reads[0]?.map((feed) => feed.standsStill) ?? [];
        const moving = rows.filter((_, index) => !standsStill[index]);
        for (const read of reads) {
          readAll(rows, standsStill);
          expect(moving.reduce((sum, { ready }) => sum + ready, 0)).toBeLessThanOrEqual(bound + lastVisits(rows));
          for (const [index, row] of rows.entries()) {
            if (!standsStill[index]) row.ready -= Math.min(row.ready, read[index]?.handled ?? 0);
          }
        }
      }),
    );
  });

  it("keep ready batches beyond each feed's minimum under five times the limit, even if other feeds hang at each poll", () => {
    fc.assert(
      fc.property(someRows, someReads, (begun, reads) => {
        const rows = begun.map((row) => ({ ...row }));
        for (const read of reads) {
          readAll(
            rows,
            read.map((feed) => feed.standsStill),
          );
          const beyondFloors = rows.reduce((sum, { ready, weight }) => sum + Math.max(0, ready - quantum * weight), 0);
          expect(beyondFloors).toBeLessThanOrEqual(5 * bound + lastVisits(rows));
        }
      }),
    );
  });
});
