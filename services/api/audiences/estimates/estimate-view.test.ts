import { describe, expect, it } from 'vitest';
import { estimatedCostOf, type PriceTerms } from './estimate-view.ts';

const prices: Record<string, string | undefined> = { 'award-reward': '0.05', 'award-points': undefined };
const terms = {
  actionTypes: Object.fromEntries(Object.entries(prices).map(([name, price]) => [name, { price }])),
  currency: 'SGD',
} as unknown as PriceTerms;
const countries = [
  { country: 'SG', users: { atLeast: 100, atMost: 120 }, include: [], exclude: [] },
  { country: 'ID', users: { atLeast: 50, atMost: 80 }, include: [], exclude: [] },
];
type Countries = Parameters<typeof estimatedCostOf>[1];
const costOf = (chain: Parameters<typeof estimatedCostOf>[0], holdOutPercent = 0, estimates: Countries = countries) =>
  estimatedCostOf(chain, estimates, { ...terms, holdOutPercent });

describe('the estimated cost of a campaign', () => {
  it('has a lower and an upper bound for all users of all countries together', () => {
    expect(costOf([{ action: 'award-reward', unitsPerUser: 2 }])).toEqual({
      cost: { currency: 'SGD', atLeast: { units: 300, amount: '15.00' }, atMost: { units: 400, amount: '20.00' } },
    });
  });

  it('excludes users who are held out', () => {
    const { cost } = costOf([{ action: 'award-reward', unitsPerUser: 1 }], 10);
    expect([cost?.atLeast.units, cost?.atMost?.units]).toEqual([135, 180]);
  });

  it('has the units of an action without a price, but no amount', () => {
    const { cost } = costOf([{ action: 'award-points', unitsPerUser: 3 }]);
    expect(cost?.atLeast.units).toBe(450);
  });

  it('has no upper bound if a source of users has no upper bound', () => {
    const unbounded = [{ country: 'SG', users: { atLeast: 100, atMost: null }, include: [], exclude: [] }];
    expect(costOf([{ action: 'award-reward', unitsPerUser: 1 }], 0, unbounded).cost?.atMost).toBeNull();
  });

  it('is omitted if no step uses units', () => {
    expect(costOf([{ action: 'award-reward' }, { action: 'send-message', unitsPerUser: 0 }])).toEqual({});
  });
});
