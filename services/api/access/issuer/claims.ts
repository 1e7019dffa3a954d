import type { Role } from '../../../../shared/domain/roles.ts';
import { actionTypePattern, countryPattern } from '../../../../shared/domain/endpoint/shard.ts';
import { isStorable } from '../../../../shared/domain/ids/stored-text.ts';
import type { IssuerSettings } from '../../../../shared/runtime/configuration/auth-settings.ts';

export type Claims = Readonly<Record<string, unknown>>;

/** Scope as a token states it: its clients are names or ids. */
export interface ClaimedScope {
  clients: readonly string[] | null;
  countries: readonly string[] | null;
  actionTypes: readonly string[] | null;
  users: boolean;
}

/** Role and scope that a token grants. If it grants nothing, a sentence with the reason. */
export type TokenGrant = { role: Role; scope: ClaimedScope } | { refused: string };

type Rules = Pick<IssuerSettings, 'roleClaim' | 'roles' | 'scopeClaim'>;

export function readGrant(claims: Claims, { roleClaim, roles, scopeClaim }: Rules): TokenGrant {
  const has = new Set(valuesOf(claims, roleClaim));
  const mapped = roles.find(({ value }) => has.has(value));
  if (!mapped) {
    const reason =
      has.size === 0 ? `has no claim ${roleClaim}` : `has no value of ${roleClaim} that is mapped to a role`;
    return { refused: `this token ${reason} (OIDC_ROLE_CLAIM, OIDC_ROLES)` };
  }
  if (scopeClaim === undefined) return { role: mapped.role, scope: whole };
  const scope = scopeIn(valuesOf(claims, scopeClaim));
  if (scope) return { role: mapped.role, scope };
  return { refused: `this token has no ${scopeClaim} that names a scope (OIDC_SCOPE_CLAIM): all, or client:…` };
}

/** Returns the display name of a person; undefined if the token has none. */
export function readName(claims: Claims, nameClaim: string): string | undefined {
  // Any person may claim an unverified email address. Some issuers write the claim as a string.
  if (nameClaim === 'email' && ![true, 'true'].some((verified) => claims['email_verified'] === verified))
    return undefined;
  const name = claimAt(claims, nameClaim);
  return typeof name === 'string' && displayName.test(name.trim()) ? name.trim() : undefined;
}

/**
 * Pattern of a display name, as for names of keys. It excludes characters that move a cursor or change the direction of
 * a line.
 */
const displayName = /^[^\p{C}\p{Zl}\p{Zp}]{1,200}$/u;

const whole: ClaimedScope = { clients: null, countries: null, actionTypes: null, users: false };

/**
 * Parses `all`, or values by kind: `client:shop`, `country:SG`, `action:award-points`; `users` grants the users of all
 * campaigns in the scope. A kind without values is unlimited, and `*` means all of a kind, as for keys. A scope that
 * has only clients contains no campaigns. A kind with only invalid values contains nothing. Returns undefined if no
 * value of a known kind is there.
 */
function scopeIn(values: readonly string[]): ClaimedScope | undefined {
  if (values.includes('all')) return whole;
  const [clients, countries, actionTypes] = ['client:', 'country:', 'action:'].map((kind) => namedBy(kind, values));
  if (!clients && !countries && !actionTypes) return undefined;
  const unnamed = clients && !countries && !actionTypes ? [] : null;
  const named = (names: string[] | undefined, pattern: RegExp) =>
    names?.includes('*') ? null : (names?.filter((name) => pattern.test(name)) ?? unnamed);
  return {
    clients: clients?.includes('*') ? null : (clients ?? null),
    countries: named(countries, countryPattern),
    actionTypes: named(actionTypes, actionTypePattern),
    users: values.includes('users'),
  };
}

const mostNamed = 1000;

function namedBy(kind: string, values: readonly string[]): string[] | undefined {
  const named = values.filter((value) => value.startsWith(kind)).map((value) => value.slice(kind.length));
  return named.length === 0 ? undefined : named.slice(0, mostNamed);
}

/**
 * Returns the strings of a claim; a single string is split at blanks, as in OAuth scopes. Strings that Postgres cannot
 * store are dropped.
 */
function valuesOf(claims: Claims, name: string): string[] {
  const value = claimAt(claims, name);
  const values: unknown[] =
    typeof value === 'string' ? [value, ...value.split(' ')] : Array.isArray(value) ? value : [];
  return [
    ...new Set(values.flatMap((each) => (typeof each === 'string' && each !== '' && isStorable(each) ? [each] : []))),
  ];
}

/**
 * Returns the claim with exactly this name, which may contain dots. Otherwise returns the nested claim, such as
 * `realm_access.roles`.
 */
function claimAt(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  let value: unknown = claims;
  for (const part of name.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
    value = Reflect.get(value, part);
  }
  return value;
}
