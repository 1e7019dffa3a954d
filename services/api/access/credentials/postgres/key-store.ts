import type { Pool } from 'pg';
import { personOf } from '../../../../../shared/domain/approval/person-of.ts';
import type { KeyBounds } from '../../../../../shared/domain/key-bounds.ts';
import type { Role } from '../../../../../shared/domain/roles.ts';
import type { Scope } from '../../../../../shared/domain/scopes.ts';
import { statementOf } from '../../../../../shared/postgres/connection/statement.ts';
import { addApiKey, type NewApiKey } from '../../../../../shared/postgres/registry/add-api-key.ts';
import { listKeys, type KeyFilter } from './key-list.ts';
import { isGoodKey, keyFields, keyOf, type ApiKeyRecord, type KeyRow } from './key-rows.ts';

export interface FoundKey {
  apiKey: ApiKeyRecord;
  /** True if the key can be used: neither the secret nor the key has expired, and the key is not revoked. */
  isGood: boolean;
}

export interface ApiKeyChange {
  name: string;
  owner: string | null;
  role: Role;
  scope: Scope;
  bounds: KeyBounds;
  expiresAt: Date | null;
}

export type ApiKeyChanged =
  | { kind: 'changed'; apiKey: ApiKeyRecord }
  | { kind: 'missing' }
  /** The key has another revision than expected, or was revoked. Nothing was changed. */
  | { kind: 'outdated' };

export type KeyStore = ReturnType<typeof createKeyStore>;

/** Creates the store of keys. Secrets are stored as SHA-256 digests, so a reader of the tables cannot use the keys. */
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

    /** Adds a key. If a key with the same digest exists, returns that key unchanged. */
    add: async (wanted: NewApiKey): Promise<ApiKeyRecord> => require(await addApiKey(pool, wanted)),

    /** Returns the keys with these digests, and records that the valid ones were used. */
    find: async (digests: readonly string[]): Promise<Map<string, FoundKey>> => {
      const { rows } = await pool.query<KeyRow & FoundRow>(findKeys.with({ digests: [...digests] }));
      return new Map(rows.map((row) => [row.digest, { apiKey: keyOf(row), isGood: row.isGood }]));
    },

    list: (filter: KeyFilter, limit: number, cursor: string | null) => listKeys(pool, filter, limit, cursor),

    /**
     * Changes a key.
     * @param by key that makes the change; null in tests. It is recorded in `changed_by`, because its holder may now
     * control the changed key.
     */
    change: async (
      key: string,
      change: ApiKeyChange,
      expected: number,
      by: string | null = null,
    ): Promise<ApiKeyChanged> => {
      const { scope, bounds, ...rest } = change;
      const person = rest.owner === null ? null : personOf(rest.owner);
      const { rowCount } = await pool.query(
        updateKey.with({ key, ...rest, person, by, ...scope, users: scope.users ?? false, ...bounds, expected }),
      );
      const apiKey = await get(key);
      if (!apiKey) return { kind: 'missing' };
      return rowCount === 1 ? { kind: 'changed', apiKey } : { kind: 'outdated' };
    },

    /**
     * Adds a secret to a key. The present secrets expire after the overlap. Returns undefined if the key does not exist
     * or is revoked.
     * @param by key whose holder receives the secret. It is recorded in `changed_by`, because this holder now knows a
     * secret of the other key.
     */
    rotate: async (
      key: string,
      digest: string,
      overlapMs: number,
      by: string | null = null,
    ): Promise<ApiKeyRecord | undefined> => {
      const { rowCount } = await pool.query(rotateKey.with({ key, digest, overlapMs, by }));
      return rowCount === 1 ? await require(key) : undefined;
    },

    /**
     * Revokes a key, and deletes its sessions and links. If the key was revoked before, the time of the first
     * revocation is kept. Returns undefined if the key does not exist.
     */
    revoke: async (key: string): Promise<ApiKeyRecord | undefined> => {
      await pool.query(revokeKey.with({ key }));
      return await get(key);
    },
  };
}

interface FoundRow {
  digest: string;
  isGood: boolean;
}

/**
 * SQL that records that keys were used: at most once a minute for each key, and not for rows that are locked.
 * @param used query that selects the ids of keys
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

/** SQL of a list to which a value is appended, unless the value is null or already in the list. */
export const appended = (list: string, value: string) =>
  `case when ${value} is null or ${value} = any(${list}) then ${list} else ${list} || ${value} end`;

/**
 * SQL of `changed_by` with one more key. For the row of a person, nothing is recorded: the row has no secret, so a
 * change of it gives no other caller access.
 */
const changedBy = (by: string) =>
  `case when k.issuer is null then ${appended('k.changed_by', `${by}::uuid`)} else k.changed_by end`;

interface UpdateParams extends Scope, KeyBounds, Omit<ApiKeyChange, 'scope' | 'bounds'> {
  key: string;
  expected: number;
  /** The person that `owner` refers to; null without an owner. */
  person: string | null;
  by: string | null;
}

const sameEnd = ($: (param: 'expiresAt') => string) =>
  `k.expires_at is not distinct from ${$('expiresAt')}::timestamptz`;

const updateKey = statementOf<UpdateParams>(
  'update-api-key',
  ($) => `
  update api_keys k set name = ${$('name')}, owner = ${$('owner')}, role = ${$('role')},
    clients = ${$('clients')}::uuid[], countries = ${$('countries')}::text[],
    action_types = ${$('actionTypes')}::text[], reads_users = ${$('users')}::boolean,
    jobs_per_second = ${$('jobsPerSecond')}, stored_jobs = ${$('storedJobs')},
    requests_per_minute = ${$('requestsPerMinute')},
    expires_at = ${$('expiresAt')}::timestamptz, revision = revision + 1,
    persons = ${appended('k.persons', `${$('person')}::text`)}, changed_by = ${changedBy($('by'))},
    refused_count = case when ${sameEnd($)} then refused_count else 0 end,
    last_refused_at = case when ${sameEnd($)} then last_refused_at end,
    last_refused_from = case when ${sameEnd($)} then last_refused_from end
  where id = ${$('key')}::uuid and revision = ${$('expected')}::int and revoked_at is null`,
);

interface RotateParams {
  key: string;
  digest: string;
  overlapMs: number;
  by: string | null;
}

/** Deletes expired secrets. Sessions and links that were opened with an old secret expire with it. */
const rotateKey = statementOf<RotateParams>(
  'rotate-api-key',
  ($) => `
  with k as (
    update api_keys k set rotated_at = now(), revision = revision + 1, refused_count = 0, last_refused_at = null,
      last_refused_from = null, changed_by = ${changedBy($('by'))}
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
