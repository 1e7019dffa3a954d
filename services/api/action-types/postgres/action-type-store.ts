import type { Pool, PoolClient } from 'pg';
import type { ActionTypeConfig } from '../../../../shared/contracts/endpoints/action-type-config.ts';
import type { RegisteredActionType, SecretName } from '../../../../shared/ports/registry.ts';
import {
  actionTypeFields,
  actionTypeOf,
  type ActionTypeRow,
  changeRegistry,
  moveRevision,
} from '../../../../shared/postgres/registry/registry.ts';
import { statementOf } from '../../../../shared/postgres/connection/statement.ts';

/** Fields to change; undefined fields are unchanged. */
export interface ActionTypeChange {
  config?: ActionTypeConfig | undefined;
  enabled?: boolean | undefined;
  /** Encrypted secrets by name; null removes a secret. */
  secrets?: Partial<Record<SecretName, string | null>> | undefined;
}

export type ActionTypeChanged =
  | { kind: 'changed'; type: RegisteredActionType }
  | { kind: 'missing' }
  /** `outdated`: the type has another revision than the expected one, and nothing was changed. */
  | { kind: 'outdated'; type: RegisteredActionType };

export type ActionTypeRemoved =
  | { kind: 'removed' }
  | { kind: 'missing' }
  | { kind: 'outdated'; type: RegisteredActionType }
  /** `used`: campaigns use the type. The result has their number and the names of the newest. */
  | { kind: 'used'; campaigns: number; names: string[] };

/** Maximum number of names of campaigns in the result of a refused deletion. */
const maxNames = 3;

export type ActionTypeStore = ReturnType<typeof createActionTypeStore>;

/** Creates the store of action types. Each change increments the revisions of the type and of the registry. */
export function createActionTypeStore({ pool }: { pool: Pool }) {
  return {
    list: async (): Promise<RegisteredActionType[]> => {
      const { rows } = await pool.query<ActionTypeRow>(`${select} order by name`);
      return rows.flatMap((row) => actionTypeOf(row) ?? []);
    },

    get: (name: string) => find(pool, name),

    /**
     * Registers an action type. Returns undefined if the name exists. A type with the name of a deleted type continues
     * its revisions.
     */
    create: (name: string, type: Required<Pick<ActionTypeChange, 'config' | 'enabled'>> & ActionTypeChange) =>
      changeRegistry(pool, async (client) => {
        const { rows } = await client.query<ActionTypeRow>(insert.with({ name, ...paramsOf(type) }));
        return rows[0] && actionTypeOf(rows[0]);
      }),

    /**
     * Changes a type. If no field differs, the revisions stay the same.
     * @param expected revision that the caller expects; null permits any
     */
    change: (name: string, change: ActionTypeChange, expected: number | null) =>
      changeRegistry(pool, async (client): Promise<ActionTypeChanged> => {
        const before = await find(client, name);
        if (!before) return { kind: 'missing' };
        if (expected !== null && expected !== before.revision) return { kind: 'outdated', type: before };
        const removed = Object.entries(change.secrets ?? {}).flatMap(([secret, text]) =>
          text === null ? [secret] : [],
        );
        const { rows } = await client.query<ActionTypeRow>(update.with({ name, ...paramsOf(change), removed }));
        return { kind: 'changed', type: (rows[0] && actionTypeOf(rows[0])) ?? before };
      }),

    /**
     * Deletes a type, unless a campaign uses it.
     * @param expected revision that the caller expects; null permits any
     */
    remove: (name: string, expected: number | null) =>
      changeRegistry(pool, async (client): Promise<ActionTypeRemoved> => {
        const before = await find(client, name);
        if (!before) return { kind: 'missing' };
        if (expected !== null && expected !== before.revision) return { kind: 'outdated', type: before };
        const { rows } = await client.query<{ name: string; all: number }>(users, [name]);
        const [first] = rows;
        if (first) return { kind: 'used', campaigns: first.all, names: rows.map((row) => row.name) };
        await client.query(remove, [name]);
        return { kind: 'removed' };
      }),
  };
}

async function find(connection: Pool | PoolClient, name: string): Promise<RegisteredActionType | undefined> {
  const { rows } = await connection.query<ActionTypeRow>(`${select} and name = $1`, [name]);
  return rows[0] && actionTypeOf(rows[0]);
}

interface TypeParams {
  name: string;
  /** New definition as JSON; null leaves the definition unchanged. */
  config: string | null;
  enabled: boolean | null;
  secrets: string;
}

function paramsOf({ config, enabled, secrets = {} }: ActionTypeChange): Omit<TypeParams, 'name'> {
  const set = Object.entries(secrets).filter(([, text]) => text !== null);
  return {
    config: config ? JSON.stringify(config) : null,
    enabled: enabled ?? null,
    secrets: JSON.stringify(Object.fromEntries(set)),
  };
}

const select = `select ${actionTypeFields} from action_types where deleted_at is null`;

/** SQL that adds the current time to each new secret, as the time of its change. */
const sealed = (texts: string) => `
  (select coalesce(jsonb_object_agg(k.key, jsonb_build_object('sealed', k.value, 'changedAt', now())), '{}')
    from jsonb_each_text(${texts}::jsonb) k)`;

/** Inserts a type. The revisions of a deleted type of the same name are continued. */
const insert = statementOf<TypeParams>(
  'insert-action-type',
  ($) => `
  with made as (
    insert into action_types as t (name, config, enabled, origin, secrets)
    values (${$('name')}, ${$('config')}::jsonb, coalesce(${$('enabled')}::boolean, true), 'api',
      ${sealed($('secrets'))})
    on conflict (name) do update
    set config = excluded.config, enabled = excluded.enabled, origin = 'api', secrets = excluded.secrets,
      revision = t.revision + 1, created_at = now(), updated_at = now(), deleted_at = null
    where t.deleted_at is not null
    returning *
  ), moved as (
    ${moveRevision} where exists (select from made)
  )
  select ${actionTypeFields} from made`,
);

/** Updates a type. @property removed names of secrets to remove */
const update = statementOf<TypeParams & { removed: readonly string[] }>(
  'update-action-type',
  ($) => `
  with wanted as (
    select coalesce(${$('config')}::jsonb, config) as config, coalesce(${$('enabled')}::boolean, enabled) as enabled,
      (secrets || ${sealed($('secrets'))}) - ${$('removed')}::text[] as secrets
    from action_types where name = ${$('name')}
  ), changed as (
    update action_types t
    set config = w.config, enabled = w.enabled, secrets = w.secrets, revision = t.revision + 1, updated_at = now(),
      origin = case when t.config <> w.config then 'api' else t.origin end
    from wanted w
    where t.name = ${$('name')} and (t.config, t.enabled, t.secrets) is distinct from (w.config, w.enabled, w.secrets)
    returning t.*
  ), moved as (
    ${moveRevision} where exists (select from changed)
  )
  select ${actionTypeFields} from changed`,
);

const remove = `
  with removed as (
    update action_types set deleted_at = now(), updated_at = now(), revision = revision + 1, secrets = '{}'
      where name = $1 returning 1
  )
  ${moveRevision} where exists (select from removed)`;

/**
 * Returns the campaigns that use a type. Ended runs count as uses, because they may be continued for users who failed.
 */
const users = `
  select c.name, count(*) over ()::int as all
  from campaigns c join revisions r on r.campaign = c.id and r.revision = c.revision
  where r.definition -> 'chain' @> jsonb_build_array(jsonb_build_object('action', $1::text))
    or r.definition -> 'chain' @> jsonb_build_array(jsonb_build_object('check', jsonb_build_object('type', $1::text)))
  order by c.id desc limit ${maxNames}`;
