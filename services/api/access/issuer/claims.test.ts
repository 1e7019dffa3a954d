import { describe, expect, it } from 'vitest';
import { readGrant, readName } from './claims.ts';

const rules = {
  roleClaim: 'groups',
  roles: [
    { value: 'ops', role: 'operator' as const },
    { value: 'staff', role: 'viewer' as const },
  ],
  scopeClaim: 'muster',
};
const grantOfScope = (scope: unknown) => readGrant({ groups: ['staff'], muster: scope }, rules);
const everything = { clients: null, countries: null, actionTypes: null, users: false };

describe('the role of a token', () => {
  it('is the role of the first matching rule, in the order of the rules', () => {
    const grant = readGrant({ groups: ['staff', 'ops'] }, { ...rules, scopeClaim: undefined });
    expect(grant).toEqual({ role: 'operator', scope: everything });
  });

  it('is found in a nested claim', () => {
    const nested = { ...rules, roleClaim: 'realm_access.roles', scopeClaim: undefined };
    expect(readGrant({ realm_access: { roles: 'ops other' } }, nested)).toMatchObject({ role: 'operator' });
  });

  it('is missing with a reason: there is no role claim, or no value of the claim is mapped to a role', () => {
    expect(readGrant({}, rules)).toEqual({
      refused: 'this token has no claim groups (OIDC_ROLE_CLAIM, OIDC_ROLES)',
    });
    expect(readGrant({ groups: ['guests'] }, rules)).toEqual({
      refused: 'this token has no value of groups that is mapped to a role (OIDC_ROLE_CLAIM, OIDC_ROLES)',
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
  ])('is read from %j', (scope, expected) => {
    expect(grantOfScope(scope)).toEqual({ role: 'viewer', scope: expected });
  });

  it.each([[undefined], ['users'], [[]], [7]])('is empty for %j, so that the token is refused', (scope) => {
    expect(grantOfScope(scope)).toEqual({
      refused: 'this token has no muster that names a scope (OIDC_SCOPE_CLAIM): all, or client:…',
    });
  });
});

describe('the name of a person', () => {
  it.each([
    [{ email: 'a@shop.example', email_verified: true }, 'a@shop.example'],
    [{ email: 'a@shop.example', email_verified: 'true' }, 'a@shop.example'],
    [{ email: 'a@shop.example' }, undefined],
    [{ email: 'a@shop.example', email_verified: false }, undefined],
  ])('is, for the claims %j, %j: an email address counts only if the issuer has verified it', (claims, name) => {
    expect(readName(claims, 'email')).toBe(name);
  });

  it('may not contain control characters', () => {
    expect([readName({ name: ' Ann ' }, 'name'), readName({ name: 'A\u202enn' }, 'name')]).toEqual(['Ann', undefined]);
  });
});
