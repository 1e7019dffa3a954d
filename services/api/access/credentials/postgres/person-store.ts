import type { Pool } from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { personOf } from '../../../../../shared/domain/approval/person-of.ts';
import type { Role } from '../../../../../shared/domain/roles.ts';
import type { Scope } from '../../../../../shared/domain/scopes.ts';
import { onlyRow } from '../../../../../shared/postgres/connection/rows.ts';
import { statementOf } from '../../../../../shared/postgres/connection/statement.ts';
import { isGoodKey, keyFields, keyOf, type ApiKeyRecord, type KeyRow } from './key-rows.ts';
import { appended, touchKeys } from './key-store.ts';

/** Person or program, as a token of the issuer describes it. */
export interface ClaimedPerson {
  /** Claim `sub`, which the issuer never gives to another person. */
  subject: string;
  /** Name in the token; undefined if there is none. */
  name: string | undefined;
  role: Role;
  scope: Scope;
}

export type PersonStore = ReturnType<typeof createPersonStore>;

/**
 * Creates the store of people of an issuer. Each person is a row of `api_keys` without a secret, which is identified by
 * issuer and subject. Authors, quotas and sessions therefore work as for keys.
 */
export function createPersonStore({ pool }: { pool: Pool }) {
  return {
    /**
     * Returns people by subject, including those that an operator has shut out. Records that the others have used the
     * API.
     */
    find: async (issuer: string, subjects: readonly string[]): Promise<Map<string, ApiKeyRecord>> => {
      const { rows } = await pool.query<KeyRow & { ofSubject: string }>(
        findPersons.with({ issuer, subjects: [...subjects] }),
      );
      return new Map(rows.map((row) => [row.ofSubject, keyOf(row)]));
    },

    /** Adds a person, or updates the person's name and rights. Does not change whether the person is shut out. */
    upsert: async (
      issuer: string,
      { subject, name = null, role, scope }: ClaimedPersonOrUnnamed,
    ): Promise<ApiKeyRecord> => {
      const { rows } = await pool.query<{ key: string }>(
        upsertPerson.with({
          key: uuidv7(),
          issuer,
          subject,
          name,
          role,
          person: personOf(name ?? subject),
          ...scope,
          users: scope.users ?? false,
        }),
      );
      const selected = await pool.query<KeyRow>(`select ${keyFields} from api_keys k where k.id = $1`, [
        onlyRow(rows).key,
      ]);
      return keyOf(onlyRow(selected.rows));
    },
  };
}

type ClaimedPersonOrUnnamed = Omit<ClaimedPerson, 'name'> & { name?: string | null | undefined };

const findPersons = statementOf<{ issuer: string; subjects: string[] }>(
  'find-persons',
  ($) => `
  with found as materialized (
    select k.id, ${isGoodKey} as is_good from api_keys k
    where k.issuer = ${$('issuer')} and k.subject = any(${$('subjects')}::text[])
  ), touched as (${touchKeys('select id from found where is_good')})
  select k.subject as "ofSubject", ${keyFields} from found join api_keys k on k.id = found.id`,
);

interface UpsertParams extends Scope {
  key: string;
  issuer: string;
  subject: string;
  name: string | null;
  /** Name that identifies the person; the subject if the row has no name. */
  person: string;
  role: Role;
}

/**
 * Adds or updates a person. The owner is the display name, because a key with the same owner belongs to the same
 * person.
 */
const upsertPerson = statementOf<UpsertParams>(
  'note-person',
  ($) => `
  insert into api_keys as k (id, name, owner, persons, role, clients, countries, action_types, reads_users, issuer,
    subject, account, last_used_at)
  values (${$('key')}::uuid, coalesce(${$('name')}::text, ${$('subject')}), coalesce(${$('name')}, ${$('subject')}),
    array[${$('person')}::text], ${$('role')}, ${$('clients')}::uuid[], ${$('countries')}::text[],
    ${$('actionTypes')}::text[], ${$('users')}::boolean, ${$('issuer')},
    ${$('subject')}, ${$('key')}::uuid, now())
  on conflict (issuer, subject) where issuer is not null do update set
    name = coalesce(${$('name')}, k.name), owner = coalesce(${$('name')}, k.owner),
    persons = case when ${$('name')} is null then k.persons else ${appended('k.persons', `${$('person')}::text`)} end,
    role = excluded.role, clients = excluded.clients, countries = excluded.countries,
    action_types = excluded.action_types, reads_users = excluded.reads_users,
    last_used_at = case when ${isGoodKey} then now() else k.last_used_at end, revision = k.revision + 1
  returning id as key`,
);
