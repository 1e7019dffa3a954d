import type { Role } from '../../../../shared/domain/roles.ts';
import { actionTypePattern, countryPattern } from '../../../../shared/domain/endpoint/shard.ts';
import { isStorable } from '../../../../shared/domain/ids/stored-text.ts';
import type { IssuerSettings } from '../../../../shared/runtime/configuration/auth-settings.ts';

export type Claims = Readonly<Record<string, unknown>>;

/** A scope as a token says it: clients by name or id. */
export interface SaidScope {
  clients: readonly string[] | null;
  countries: readonly string[] | null;
  actionTypes: readonly string[] | null;
  users: boolean;
}

/** What a token grants, or the sentence that says why it grants nothing. */
export type Granted = { role: Role; scope: SaidScope } | { refused: string };

type Rules = Pick<IssuerSettings, 'roleClaim' | 'roles' | 'scopeClaim'>;

export function grantOf(claims: Claims, { roleClaim, roles, scopeClaim }: Rules): Granted {
  const has = new Set(valuesOf(claims, roleClaim));
  const mapped = roles.find(({ value }) => has.has(value));
  if (!mapped) {
    const said = has.size === 0 ? `has no claim ${roleClaim}` : `has no ${roleClaim} that is given a role here`;
    return { refused: `this token ${said} (OIDC_ROLE_CLAIM, OIDC_ROLES)` };
  }
  if (scopeClaim === undefined) return { role: mapped.role, scope: whole };
  const scope = scopeIn(valuesOf(claims, scopeClaim));
  if (scope) return { role: mapped.role, scope };
  return { refused: `this token has no ${scopeClaim} that says what it is for (OIDC_SCOPE_CLAIM): all, or client:…` };
}

/** What a person is shown as; undefined where the token does not say it. */
export function nameOf(claims: Claims, nameClaim: string): string | undefined {
  // An address that the issuer does not call verified may be any person's. Some issuers write the claim as a text.
  if (nameClaim === 'email' && ![true, 'true'].some((verified) => claims['email_verified'] === verified))
    return undefined;
  const name = claimAt(claims, nameClaim);
  return typeof name === 'string' && shown.test(name.trim()) ? name.trim() : undefined;
}

/** As names of keys, without what moves a cursor or turns a line round. */
const shown = /^[^\p{C}\p{Zl}\p{Zp}]{1,200}$/u;

const whole: SaidScope = { clients: null, countries: null, actionTypes: null, users: false };

/**
 * `all`, or what of a kind it is for: `client:shop`, `country:SG`, `action:award-points`; `users` for users of all
 * campaigns that it sees. A kind that is not named is not bounded, and `*` names all of it, as with keys; clients alone
 * are for no campaigns; one that is named wrongly is bounded to nothing. Undefined where none of it is said.
 */
function scopeIn(values: readonly string[]): SaidScope | undefined {
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
 * A list of texts, or one text whose parts are separated by blanks, as OAuth writes scopes. A text that no table can
 * hold names nothing here.
 */
function valuesOf(claims: Claims, name: string): string[] {
  const value = claimAt(claims, name);
  const values: unknown[] =
    typeof value === 'string' ? [value, ...value.split(' ')] : Array.isArray(value) ? value : [];
  return [
    ...new Set(values.flatMap((each) => (typeof each === 'string' && each !== '' && isStorable(each) ? [each] : []))),
  ];
}

/** A claim of that very name, dots included, or else one inside of others: `realm_access.roles`. */
function claimAt(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  let value: unknown = claims;
  for (const part of name.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
    value = Reflect.get(value, part);
  }
  return value;
}
