import { describe, expect, it } from 'vitest';
import { fc } from '../../../test/support/properties.ts';
import { createClientCredit, type ClientCreditDeps } from './client-credit.ts';
import type { DispatcherCredit } from '../ports/dispatchers.ts';

const dispatcher = (owner: string, toAnyClient: number, toClients: Record<string, number> = {}): DispatcherCredit => ({
  owner,
  toAnyClient,
  toClients: new Map(Object.entries(toClients)),
});
const creditOf = (more: Partial<ClientCreditDeps> = {}) =>
  createClientCredit({ rateOf: () => undefined, share: () => 1, ...more });

describe('the credit of a client', () => {
  it("is the sum over all dispatchers, and a dispatcher's default applies to clients that its report does not list", () => {
    const credit = creditOf();
    credit.refresh([dispatcher('a', 200, { slow: 3, quick: 900 }), dispatcher('b', 100, { slow: 0 })], 0);
    expect(['slow', 'quick', 'other'].map((client) => credit.left(client, 0))).toEqual([3, 1000, 300]);
  });

  it("is reduced by offered jobs until the dispatchers' reports include them", () => {
    const credit = creditOf();
    credit.refresh([dispatcher('a', 5)], 0);
    expect(Array.from({ length: 7 }, () => credit.spend('one', 0))).toEqual([
      true,
      true,
      true,
      true,
      true,
      false,
      false,
    ]);
    // The next report does not include jobs that were offered but have not arrived. The report after 200 ms includes
    // them.
    credit.refresh([dispatcher('a', 5)], 100);
    credit.refresh([dispatcher('a', 5)], 200);
    expect(credit.left('one', 0)).toBe(0);
    credit.refresh([dispatcher('a', 5, { one: 2 })], 300);
    expect(credit.left('one', 0)).toBe(2);
    expect(credit.left('other', 0)).toBe(5);
  });

  it('is no longer reduced by earlier offers if reports are read seldom', () => {
    const credit = creditOf();
    credit.refresh([dispatcher('a', 5)], 0);
    while (credit.spend('one', 10));
    credit.refresh([dispatcher('a', 5)], 1000);
    expect(credit.left('one', 1000)).toBe(5);
    while (credit.spend('one', 1900));
    credit.refresh([dispatcher('a', 5)], 2000);
    expect(credit.left('one', 2000)).toBe(0);
  });

  it('is shared by schedulers in proportion to their partitions, and is at least 1 if there is any', () => {
    const credit = creditOf({ share: () => 1 / 64 });
    credit.refresh([dispatcher('a', 640, { slow: 5, full: 0 })], 0);
    expect(['other', 'slow', 'full'].map((client) => credit.left(client, 0))).toEqual([10, 1, 0]);
  });

  it('is 0 without a live dispatcher, and a refresh returns the number of dispatchers that disappeared', () => {
    const credit = creditOf();
    expect(credit.isAny).toBe(false);
    expect(credit.refresh([dispatcher('a', 5), dispatcher('b', 5)], 0)).toBe(0);
    expect(credit.refresh([dispatcher('b', 5), dispatcher('c', 5)], 0)).toBe(1);
    expect(credit.refresh([], 0)).toBe(2);
    expect([credit.isAny, credit.left('one', 0)]).toEqual([false, 0]);
  });

  it('keeps a client within its rate limit, with a burst of a quarter of a second', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 400 }),
        fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 60 }),
        (rate, gapsMs) => {
          const credit = creditOf({ rateOf: () => rate });
          credit.refresh([dispatcher('a', 1_000_000)], 0);
          let [nowMs, taken] = [0, 0];
          for (const gapMs of gapsMs) {
            nowMs += gapMs;
            while (credit.spend('limited', nowMs)) taken++;
          }
          expect(taken).toBeLessThanOrEqual(Math.max(1, rate / 4) + (rate * nowMs) / 1000 + 1);
          expect(taken).toBeGreaterThanOrEqual(1);
        },
      ),
    );
  });

  it('keeps a client within one rate limit over all schedulers, for any distribution of partitions', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 400 }),
        fc.array(fc.integer({ min: 0, max: 64 }), { maxLength: 5 }),
        fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 60 }),
        (rate, cuts, gapsMs) => {
          const places = [0, ...cuts.toSorted((a, b) => a - b), 64];
          const owned = places.slice(1).map((place, index) => place - (places[index] ?? 0));
          const schedulers = owned.filter((partitions) => partitions > 0);
          const credits = schedulers.map((partitions) => {
            const credit = creditOf({ rateOf: () => rate, share: () => partitions / 64 });
            credit.refresh([dispatcher('a', 1_000_000)], 0);
            return credit;
          });
          let [nowMs, taken] = [0, 0];
          for (const gapMs of gapsMs) {
            nowMs += gapMs;
            for (const credit of credits) while (credit.spend('limited', nowMs)) taken++;
          }
          // The burst consists of the jobs of a quarter of a second, and of at least one job per scheduler.
          expect(taken).toBeLessThanOrEqual(schedulers.length + rate / 4 + (rate * nowMs) / 1000 + 1);
        },
      ),
    );
  });

  it("is independent of other clients' rates for a client without a rate limit", () => {
    const credit = creditOf({ rateOf: (client) => (client === 'limited' ? 4 : undefined) });
    credit.refresh([dispatcher('a', 100)], 0);
    while (credit.spend('limited', 0));
    expect(credit.left('free', 0)).toBe(100);
  });
});
