import { describe, expect, it } from 'vitest';
import { isWhole, isWithin, wholeScope, type Scope } from './scopes.ts';

const orders: Scope = { clients: ['orders'], countries: ['SG', 'ID'], actionTypes: [] };

describe('a scope', () => {
  it('is whole where no part of it says less', () => {
    expect(isWhole(wholeScope)).toBe(true);
    expect(isWhole({ ...wholeScope, countries: [] })).toBe(false);
  });

  it('is within itself and within the whole, and the whole within no other', () => {
    expect(isWithin(orders, orders)).toBe(true);
    expect(isWithin(orders, wholeScope)).toBe(true);
    expect(isWithin(wholeScope, orders)).toBe(false);
  });

  it.each([{ clients: [] }, { countries: ['ID'] }])('holds one with less of a part: %j', (less) => {
    expect(isWithin({ ...orders, ...less }, orders)).toBe(true);
  });

  it.each([{ clients: ['orders', 'billing'] }, { clients: null }, { countries: ['VN'] }, { actionTypes: ['a'] }])(
    'does not hold one with more of a part: %j',
    (more) => {
      expect(isWithin({ ...orders, ...more }, orders)).toBe(false);
    },
  );
});
