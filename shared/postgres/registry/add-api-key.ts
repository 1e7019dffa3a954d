import type { Pool } from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { publicId } from '../../domain/ids/ids.ts';
import { personOf } from '../../domain/approval/person-of.ts';
import { noBounds, type KeyBounds } from '../../domain/key-bounds.ts';
import type { Role } from '../../domain/roles.ts';
import { wholeScope, type Scope } from '../../domain/scopes.ts';
import { statementOf } from '../connection/statement.ts';

export interface NewApiKey {
  /** uuid v7; a new one unless given. */
  key?: string;
  name: string;
  role: Role;
  /** Of its secret. */
  digest: string;
  owner?: string | null;
  scope?: Scope;
  /** None of its own, unless given. */
  bounds?: KeyBounds;
  expiresAt?: Date | null;
  /** The key that makes it. */
  madeBy?: string | null;
}

/** Adds a key, unless there is one with this secret: that stays as it is. @returns the id of the one there is */
export async function addApiKey(pool: Pool, wanted: NewApiKey): Promise<string> {
  const {
    key = uuidv7(),
    name,
    role,
    digest,
    owner = null,
    scope = wholeScope,
    bounds = noBounds,
    expiresAt = null,
    madeBy = null,
  } = wanted;
  const persons = owner === null ? [] : [personOf(owner)];
  const readsUsers = scope.users ?? false;
  await pool.query(
    insertKey.with({
      key,
      name,
      role,
      digest,
      owner,
      persons,
      ...scope,
      users: readsUsers,
      ...bounds,
      expiresAt,
      madeBy,
    }),
  );
  const { rows } = await pool.query<{ key: string }>('select api_key as key from api_key_secrets where digest = $1', [
    digest,
  ]);
  if (!rows[0]) throw new Error(`API key ${JSON.stringify(name)} was not kept`);
  return rows[0].key;
}

interface InsertParams extends Scope, KeyBounds {
  key: string;
  name: string;
  role: Role;
  digest: string;
  owner: string | null;
  persons: readonly string[];
  expiresAt: Date | null;
  madeBy: string | null;
}

/**
 * Whether its secret references it is asked when all of the statement is done. What a key with a scope makes counts in
 * the quotas of its maker, so that a team has no more room by more keys.
 */
const insertKey = statementOf<InsertParams>(
  'insert-api-key',
  ($) => `
  with secret as (
    insert into api_key_secrets (digest, api_key) values (${$('digest')}, ${$('key')}::uuid)
    on conflict (digest) do nothing returning api_key
  )
  insert into api_keys (id, name, role, owner, persons, changed_by, clients, countries, action_types, reads_users,
    jobs_per_second, stored_jobs, requests_per_minute, expires_at, made_by, account)
  select api_key, ${$('name')}, ${$('role')}, ${$('owner')}, ${$('persons')}::text[],
    array_remove(array[${$('madeBy')}::uuid], null), ${$('clients')}::uuid[], ${$('countries')}::text[],
    ${$('actionTypes')}::text[], ${$('users')}::boolean, ${$('jobsPerSecond')}::int,
    ${$('storedJobs')}::int, ${$('requestsPerMinute')}::int,
    ${$('expiresAt')}::timestamptz, ${$('madeBy')}::uuid, coalesce(m.account, api_key)
  from secret left join api_keys m on m.id = ${$('madeBy')}::uuid
    and (m.clients is not null or m.countries is not null or m.action_types is not null)`,
);

export interface KeyByHand {
  key?: string;
  name: string;
  role: Role;
  digest: string;
  /** What made it, where no key did: for the audit log. */
  by: string;
}

/** The first key, from which others are made: no key asked for it, and the audit log says so. */
export async function addKeyByHand(pool: Pool, { key = uuidv7(), by, ...wanted }: KeyByHand): Promise<void> {
  if ((await addApiKey(pool, { key, ...wanted })) !== key) return;
  const { name, role } = wanted;
  await pool.query(insertEntry.with({ subject: publicId('apiKey', key), detail: JSON.stringify({ name, role, by }) }));
}

const insertEntry = statementOf<{ subject: string; detail: string }>(
  'audit-key-by-hand',
  ($) => `
  select append_audit(null, 'POST', '/v1/api-keys', ${$('subject')}, 201::int2, '', ${$('detail')}::jsonb)`,
);
