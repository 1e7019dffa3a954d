import { describe, expect, it } from 'vitest';
import { holdsReach, isWhole, isWithin, readsAllUsers, seesReach, wholeScope, type Scope } from './scopes.ts';

const orders: Scope = { clients: ['orders'], countries: ['SG', 'ID'], actionTypes: [] };

describe('a scope', () => {
  it('is the whole scope if no part of it is limited', () => {
    expect(isWhole(wholeScope)).toBe(true);
    expect(isWhole({ ...wholeScope, countries: [] })).toBe(false);
  });

  it('is within itself and within the whole scope, and the whole scope is within no other scope', () => {
    expect(isWithin(orders, orders)).toBe(true);
    expect(isWithin(orders, wholeScope)).toBe(true);
    expect(isWithin(wholeScope, orders)).toBe(false);
  });

  it.each([{ clients: [] }, { countries: ['ID'] }])('includes a scope with less of a part: %j', (less) => {
    expect(isWithin({ ...orders, ...less }, orders)).toBe(true);
  });

  it.each([{ clients: ['orders', 'billing'] }, { clients: null }, { countries: ['VN'] }, { actionTypes: ['a'] }])(
    'does not include a scope with more of a part: %j',
    (more) => {
      expect(isWithin({ ...orders, ...more }, orders)).toBe(false);
    },
  );
});

describe('a campaign and the scope of a key', () => {
  const campaign = { countries: ['SG', 'ID'], actionTypes: ['award', 'message'] };
  const scopeOf = (countries: string[] | null, actionTypes: string[] | null): Scope => ({
    clients: [],
    countries,
    actionTypes,
  });

  it.each([
    { scope: wholeScope, sees: true, holds: true },
    { scope: scopeOf(['ID', 'SG', 'VN'], null), sees: true, holds: true },
    { scope: scopeOf(['SG'], null), sees: true, holds: false },
    { scope: scopeOf(null, ['message']), sees: true, holds: false },
    { scope: scopeOf(['SG'], ['refund']), sees: false, holds: false },
    { scope: scopeOf(['VN'], null), sees: false, holds: false },
    { scope: scopeOf([], []), sees: false, holds: false },
  ])(
    'can be read by a scope that covers a part of it, and changed by a scope that covers all of it: %j',
    ({ scope, sees, holds }) => {
      expect([seesReach(scope, campaign), holdsReach(scope, campaign)]).toEqual([sees, holds]);
    },
  );

  it('without countries can be read, except with a key for callbacks', () => {
    const uploading = { countries: [], actionTypes: [] };
    expect(seesReach(scopeOf(['SG'], null), uploading)).toBe(true);
    expect(seesReach(scopeOf([], []), uploading)).toBe(false);
    expect(holdsReach(scopeOf([], null), uploading)).toBe(false);
  });

  it('shows its users only to the whole scope and to a scope that may read users', () => {
    expect(readsAllUsers(wholeScope)).toBe(true);
    expect(readsAllUsers(scopeOf(['SG'], null))).toBe(false);
    expect(readsAllUsers({ ...scopeOf(['SG'], null), users: true })).toBe(true);
  });

  it('does not let a key grant the right to read all users if the key itself lacks that right', () => {
    const reader = { ...scopeOf(['SG'], null), users: true };
    expect(isWithin(reader, scopeOf(['SG'], null))).toBe(false);
    expect(isWithin(reader, wholeScope)).toBe(true);
    expect(isWithin(reader, reader)).toBe(true);
  });
});
