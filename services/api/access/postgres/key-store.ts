import type { Pool } from 'pg';
import type { ApiKeyShape } from '../../../../shared/contracts/access/api-keys.ts';
import type { Role } from '../../../../shared/domain/roles.ts';
import type { Scope } from '../../../../shared/domain/scopes.ts';
import { statementOf, unnamedStatementOf } from '../../../../shared/postgres/connection/statement.ts';
import { addApiKey, type NewApiKey } from '../../../../shared/postgres/registry/add-api-key.ts';
import type { Page } from '../../frame/page.port.ts';
import { patternOf } from '../../frame/postgres/name-pattern.ts';
import { pageOf, requireIdCursor } from '../../frame/postgres/pages.ts';

type KeyState = ApiKeyShape['state'];

export interface ApiKeyRecord {
  key: string;
  name: string;
  owner: string | null;
  role: Role;
  scope: Scope;
  revision: number;
  createdAt: Date;
  /** The key that made it; null: made on the database. */
  madeBy: string | null;
  /** The key whose quotas it uses: itself, or the one that its team's keys were made from. */
  account: string;
  expiresAt: Date | null;
  /** Kept to the minute. */
  lastUsedAt: Date | null;
  rotatedAt: Date | null;
  /** The secrets before the last rotation end then; null where there are none that still open it. */
  formerUntil: Date | null;
  revokedAt: Date | null;
  /** Of requests with a secret of it that opens nothing any more; null: there was none. */
  refusals: KeyRefusals | null;
  /** By the database's clock. */
  state: KeyState;
  /** Of a person, or a program, that an issuer vouches for: it has no secret, and what it may is said by its tokens. */
  issuer: string | null;
  subject: string | null;
}

/** Since its end was set, or it was rotated. Some may be missing that came in the last minute. */
export interface KeyRefusals {
  count: number;
  lastAt: Date;
  /** The address that connected last; null where it is not known. */
  lastFrom: string | null;
}

/** A key by one of its secrets. */
export interface FoundKey {
  apiKey: ApiKeyRecord;
  /** Whether that secret opens it now: neither has ended, and it was not revoked. */
  isGood: boolean;
}

export interface ApiKeyChange {
  name: string;
  owner: string | null;
  role: Role;
  scope: Scope;
  expiresAt: Date | null;
}

export interface KeyFilter {
  state?: KeyState | undefined;
  role?: Role | undefined;
  /** Whether it was refused in the last seven days. */
  refused?: boolean | undefined;
  /** Part of the name or of the owner. */
  q?: string | undefined;
  /** Only keys that are for nothing beyond it. */
  within: Scope;
}

export type ApiKeyChanged =
  | { kind: 'changed'; apiKey: ApiKeyRecord }
  | { kind: 'missing' }
  /** It is not at the expected revision any more, or was revoked: nothing was changed. */
  | { kind: 'outdated' };

export type KeyStore = ReturnType<typeof createKeyStore>;

/** Keys are stored as SHA-256 digests of their secrets: they cannot be used by reading the tables. */
export function createKeyStore({ pool }: { pool: Pool }) {
  async function get(key: string): Promise<ApiKeyRecord | undefined> {
    const { rows } = await pool.query<KeyRow>(`select ${keyFields} from api_keys k where k.id = $1`, [key]);
    return rows[0] && keyOf(rows[0]);
  }

  async function require(key: string): Promise<ApiKeyRecord> {
    const found = await get(key);
    if (!found) throw new Error(`the key ${key} is gone right after it was written`);
    return found;
  }

  return {
    get,

    /** One whose secret is there already is left as it is, and answered. */
    add: async (wanted: NewApiKey): Promise<ApiKeyRecord> => require(await addApiKey(pool, wanted)),

    /** The keys behind digests. That they are asked for is the use of those that are good. */
    find: async (digests: readonly string[]): Promise<Map<string, FoundKey>> => {
      const { rows } = await pool.query<KeyRow & FoundRow>(findKeys.with({ digests: [...digests] }));
      return new Map(rows.map((row) => [row.digest, { apiKey: keyOf(row), isGood: row.isGood }]));
    },

    /**
     * Newest first, and of the revoked ones those of the last thirty days; `cursor` is the id of the last one of the
     * page before.
     */
    list: async (
      { state, role, refused, q, within }: KeyFilter,
      limit: number,
      cursor: string | null,
    ): Promise<Page<ApiKeyRecord>> => {
      requireIdCursor(cursor);
      const filter = { state: state ?? null, role: role ?? null, refused: refused ?? null, pattern: patternOf(q) };
      const params = { ...within, ...filter, cursor, limit: limit + 1 };
      const { rows } = await pool.query<KeyRow>(selectKeys.with(params));
      return pageOf(rows.map(keyOf), limit, ({ key }) => key);
    },

    change: async (key: string, change: ApiKeyChange, expected: number): Promise<ApiKeyChanged> => {
      const { scope, ...rest } = change;
      const { rowCount } = await pool.query(updateKey.with({ key, ...rest, ...scope, expected }));
      const apiKey = await get(key);
      if (!apiKey) return { kind: 'missing' };
      return rowCount === 1 ? { kind: 'changed', apiKey } : { kind: 'outdated' };
    },

    /**
     * Another secret opens it from now on; those that do now go on for so long. Undefined where there is none that was
     * not revoked.
     */
    rotate: async (key: string, digest: string, overlapMs: number): Promise<ApiKeyRecord | undefined> => {
      const { rowCount } = await pool.query(rotateKey.with({ key, digest, overlapMs }));
      return rowCount === 1 ? await require(key) : undefined;
    },

    /** With its sessions and links. Undefined when there is no such key; the time of the first revocation stays. */
    revoke: async (key: string): Promise<ApiKeyRecord | undefined> => {
      await pool.query(revokeKey.with({ key }));
      return await get(key);
    },
  };
}

export interface KeyRow extends Omit<ApiKeyRecord, 'scope' | 'refusals'>, Scope {
  refusedCount: number;
  lastRefusedAt: Date | null;
  lastRefusedFrom: string | null;
}

interface FoundRow {
  digest: string;
  isGood: boolean;
}

export function keyOf(row: KeyRow): ApiKeyRecord {
  const { key, name, owner, role, clients, countries, actionTypes, revision, createdAt, madeBy, account } = row;
  const { expiresAt, lastUsedAt, rotatedAt, formerUntil, revokedAt, state, issuer, subject } = row;
  const { refusedCount: count, lastRefusedAt: lastAt, lastRefusedFrom: lastFrom } = row;
  const scope = { clients, countries, actionTypes };
  const times = { createdAt, expiresAt, lastUsedAt, rotatedAt, formerUntil, revokedAt };
  const refusals = lastAt && { count, lastAt, lastFrom };
  return { key, name, owner, role, scope, revision, madeBy, account, ...times, refusals, state, issuer, subject };
}

/** Of a key that opens something now; `k` is the key. */
export const isGoodKey = `k.revoked_at is null and (k.expires_at is null or k.expires_at > now())`;

const state = `case when k.revoked_at is not null then 'revoked' when k.expires_at <= now() then 'expired'
  else 'active' end`;

export const keyFields = `k.id as key, k.name, k.owner, k.role, k.clients::text[] as clients, k.countries,
  k.action_types as "actionTypes", k.revision, k.created_at as "createdAt", k.made_by as "madeBy",
  k.account, k.expires_at as "expiresAt", k.last_used_at as "lastUsedAt", k.rotated_at as "rotatedAt",
  (select max(f.expires_at) from api_key_secrets f where f.api_key = k.id and f.expires_at > now()) as "formerUntil",
  k.revoked_at as "revokedAt", k.refused_count::float8 as "refusedCount", k.last_refused_at as "lastRefusedAt",
  k.last_refused_from as "lastRefusedFrom", ${state} as state, k.issuer, k.subject`;

/**
 * One write a minute for each key that is used; another one's lock, such as of a change, is not waited for.
 * @param used a query of the ids of those that are used
 */
export const touchKeys = (used: string) => `
  update api_keys set last_used_at = now() where id in (
    select id from api_keys
    where id in (${used}) and (last_used_at is null or last_used_at < now() - interval '1 minute')
    order by id for update skip locked
  )`;

const findKeys = statementOf<{ digests: string[] }>(
  'find-api-keys',
  ($) => `
  with found as materialized (
    select s.digest, s.api_key, ${isGoodKey} and (s.expires_at is null or s.expires_at > now()) as is_good
    from api_key_secrets s join api_keys k on k.id = s.api_key
    where s.digest = any(${$('digests')}::text[])
  ), touched as (${touchKeys('select api_key from found where is_good')})
  select found.digest, found.is_good as "isGood", ${keyFields} from found join api_keys k on k.id = found.api_key`,
);

interface ListParams extends Scope {
  state: KeyState | null;
  role: Role | null;
  refused: boolean | null;
  /** Of the name or the owner, for `ilike`. */
  pattern: string | null;
  cursor: string | null;
  limit: number;
}

const holds = (outer: string, inner: string) => `(${outer} is null or coalesce(${inner} <@ ${outer}, false))`;

const selectKeys = unnamedStatementOf<ListParams>(
  ($) => `
  select ${keyFields} from api_keys k
  where (${$('cursor')}::uuid is null or k.id < ${$('cursor')}::uuid)
    and (k.revoked_at is null or k.revoked_at > now() - interval '30 days')
    and (${$('state')}::text is null or ${state} = ${$('state')}::text)
    and (${$('role')}::text is null or k.role = ${$('role')})
    and (${$('refused')}::bool is null
      or coalesce(k.last_refused_at > now() - interval '7 days', false) = ${$('refused')})
    and (${$('pattern')}::text is null or k.name ilike ${$('pattern')} or k.owner ilike ${$('pattern')})
    and ${holds(`${$('clients')}::uuid[]`, 'k.clients')}
    and ${holds(`${$('countries')}::text[]`, 'k.countries')}
    and ${holds(`${$('actionTypes')}::text[]`, 'k.action_types')}
  order by k.id desc limit ${$('limit')}`,
);

interface UpdateParams extends Scope, Omit<ApiKeyChange, 'scope'> {
  key: string;
  expected: number;
}

const sameEnd = ($: (param: 'expiresAt') => string) =>
  `k.expires_at is not distinct from ${$('expiresAt')}::timestamptz`;

const updateKey = statementOf<UpdateParams>(
  'update-api-key',
  ($) => `
  update api_keys k set name = ${$('name')}, owner = ${$('owner')}, role = ${$('role')},
    clients = ${$('clients')}::uuid[], countries = ${$('countries')}::text[],
    action_types = ${$('actionTypes')}::text[], expires_at = ${$('expiresAt')}::timestamptz, revision = revision + 1,
    refused_count = case when ${sameEnd($)} then refused_count else 0 end,
    last_refused_at = case when ${sameEnd($)} then last_refused_at end,
    last_refused_from = case when ${sameEnd($)} then last_refused_from end
  where id = ${$('key')}::uuid and revision = ${$('expected')}::int and revoked_at is null`,
);

interface RotateParams {
  key: string;
  digest: string;
  overlapMs: number;
}

/** What opens nothing any more goes. Sessions and links were opened by a former secret, and end with it. */
const rotateKey = statementOf<RotateParams>(
  'rotate-api-key',
  ($) => `
  with k as (
    update api_keys set rotated_at = now(), revision = revision + 1, refused_count = 0, last_refused_at = null,
      last_refused_from = null
    where id = ${$('key')}::uuid and revoked_at is null returning id
  ), over as (
    delete from api_key_secrets s using k where s.api_key = k.id and s.expires_at <= now()
  ), former as (
    update api_key_secrets s
    set expires_at = least(s.expires_at, now() + ${$('overlapMs')}::float8 * interval '1 ms')
    from k where s.api_key = k.id and (s.expires_at is null or s.expires_at > now())
  ), opened as (
    update sessions s set expires_at = least(s.expires_at, now() + ${$('overlapMs')}::float8 * interval '1 ms')
    from k where s.api_key = k.id
  ), links as (
    update session_links l set expires_at = least(l.expires_at, now() + ${$('overlapMs')}::float8 * interval '1 ms')
    from k where l.api_key = k.id
  )
  insert into api_key_secrets (digest, api_key) select ${$('digest')}, id from k`,
);

const revokeKey = statementOf<{ key: string }>(
  'revoke-api-key',
  ($) => `
  with k as (
    update api_keys set revoked_at = now(), revision = revision + 1
    where id = ${$('key')}::uuid and revoked_at is null returning id
  ), s as (
    delete from sessions s using k where s.api_key = k.id
  ), l as (
    delete from session_links l using k where l.api_key = k.id
  )
  select count(*)::int as revoked from k`,
);
