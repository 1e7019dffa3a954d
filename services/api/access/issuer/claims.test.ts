import { describe, expect, it } from 'vitest';
import { grantOf, nameOf } from './claims.ts';

const rules = {
  roleClaim: 'groups',
  roles: [
    { value: 'ops', role: 'operator' as const },
    { value: 'staff', role: 'viewer' as const },
  ],
  scopeClaim: 'muster',
};
const grantOfScope = (scope: unknown) => grantOf({ groups: ['staff'], muster: scope }, rules);
const everything = { clients: null, countries: null, actionTypes: null, users: false };

describe('the role of a token', () => {
  it('is the first rule that fits, in the order of the rules', () => {
    const grant = grantOf({ groups: ['staff', 'ops'] }, { ...rules, scopeClaim: undefined });
    expect(grant).toEqual({ role: 'operator', scope: everything });
  });

  it('is found in a claim inside of another one', () => {
    const nested = { ...rules, roleClaim: 'realm_access.roles', scopeClaim: undefined };
    expect(grantOf({ realm_access: { roles: 'ops other' } }, nested)).toMatchObject({ role: 'operator' });
  });

  it('is refused with the reason: no claim, or none with a role', () => {
    expect(grantOf({}, rules)).toEqual({
      refused: 'this token has no claim groups (OIDC_ROLE_CLAIM, OIDC_ROLES)',
    });
    expect(grantOf({ groups: ['guests'] }, rules)).toEqual({
      refused: 'this token has no groups that is given a role here (OIDC_ROLE_CLAIM, OIDC_ROLES)',
    });
  });
});

describe('the scope of a token', () => {
  it.each([
    ['all', everything],
    [['client:shop'], { clients: ['shop'], countries: [], actionTypes: [], users: false }],
    [['country:SG', 'users'], { clients: null, countries: ['SG'], actionTypes: null, users: true }],
    [['action:award-points'], { clients: null, countries: null, actionTypes: ['award-points'], users: false }],
    [['client:*', 'country:*'], everything],
    [['country:Singapore'], { clients: null, countries: [], actionTypes: null, users: false }],
  ])('%j is read', (scope, expected) => {
    expect(grantOfScope(scope)).toEqual({ role: 'viewer', scope: expected });
  });

  it.each([[undefined], ['users'], [[]], [7]])('%j grants nothing', (scope) => {
    expect(grantOfScope(scope)).toEqual({
      refused: 'this token has no muster that says what it is for (OIDC_SCOPE_CLAIM): all, or client:…',
    });
  });
});

describe('the name of a person', () => {
  it.each([
    [{ email: 'a@shop.example', email_verified: true }, 'a@shop.example'],
    [{ email: 'a@shop.example', email_verified: 'true' }, 'a@shop.example'],
    [{ email: 'a@shop.example' }, undefined],
    [{ email: 'a@shop.example', email_verified: false }, undefined],
  ])('%j is %j: an address counts if the issuer has verified it', (claims, name) => {
    expect(nameOf(claims, 'email')).toBe(name);
  });

  it('has no control characters', () => {
    expect([nameOf({ name: ' Ann ' }, 'name'), nameOf({ name: 'A\u202enn' }, 'name')]).toEqual(['Ann', undefined]);
  });
});
