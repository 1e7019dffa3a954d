import type { Pool, PoolClient } from 'pg';
import { z } from 'zod';
import { keptQuietRule } from '../../contracts/endpoints/quiet-hours.ts';
import { keptActionTypeConfig } from '../../contracts/endpoints/action-type-config.ts';
import { differencesBetween } from '../../runtime/installation/registry-differences.ts';
import { secretNames, type RegisteredActionType, type RegisteredShard } from '../../ports/registry.ts';
import type { RegistrySource, Seed, ShardStore } from '../../ports/registry.ts';
import { onlyRow, withDates, type InJson } from '../connection/rows.ts';
import { inTransaction } from '../connection/transaction.ts';

const sealedSecrets = z.partialRecord(
  z.enum(secretNames),
  z.object({ sealed: z.string(), changedAt: z.coerce.date() }),
);

/** Row of an action type. A newer version may have written its JSON. */
export type ActionTypeRow = Omit<RegisteredActionType, 'config' | 'secrets'> & { config: unknown; secrets: unknown };

const written = z.object({ config: keptActionTypeConfig, secrets: sealedSecrets });

/** Columns of an action type, named as `actionTypeOf` reads them. */
export const actionTypeFields = `name, revision, config, enabled, origin, secrets, created_at as "createdAt", updated_at as "updatedAt"`;

const shardFields = `action_type as "actionType", country, partitions, created_at as "createdAt"`;

/** Returns undefined if a newer version wrote a config that this version cannot read. */
export function actionTypeOf(row: ActionTypeRow): RegisteredActionType | undefined {
  const { data } = written.safeParse(row);
  return data && { ...row, ...data };
}

/** End of a statement whose `with` changes the registry, after `changeRegistry` has locked the row. */
export const moveRevision = 'update installation set registry_revision = registry_revision + 1';

/** Serializes changes: revisions become visible in order, and changes do not deadlock. */
export async function changeRegistry<Result>(
  pool: Pool,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  return await inTransaction(pool, async (client) => {
    await client.query('select 1 from installation for update');
    return await work(client);
  });
}

/** Reads everything in one statement, for one consistent snapshot. */
const readAll = `
  select registry_revision::float8 as revision,
    (select coalesce(json_agg(t order by t.name), '[]') from (
      select ${actionTypeFields} from action_types where deleted_at is null
    ) t) as "actionTypes",
    (select coalesce(json_agg(s order by s."actionType", s.country), '[]') from (
      select ${shardFields} from shards
      where exists (select from action_types t where t.name = action_type and t.deleted_at is null)
    ) s) as shards,
    coalesce((select rules from quiet_hours order by revision desc limit 1), '[]') as "quietHours"
  from installation`;

interface RegistryRow {
  revision: number;
  actionTypes: InJson<ActionTypeRow>[];
  shards: InJson<RegisteredShard>[];
  quietHours: unknown;
}

export function createRegistrySource({ pool }: { pool: Pool }): RegistrySource {
  return {
    revision: async () => {
      const text = 'select registry_revision::float8 as revision from installation';
      const { rows } = await pool.query<{ revision: number }>({ name: 'registry-revision', text });
      return onlyRow(rows).revision;
    },
    read: async () => {
      const { rows } = await pool.query<RegistryRow>(readAll);
      const { revision, actionTypes, shards, quietHours } = onlyRow(rows);
      return {
        revision,
        actionTypes: actionTypes.flatMap((row) => actionTypeOf(withDates(row)) ?? []),
        shards: shards.map(({ createdAt, ...shard }) => ({ ...shard, createdAt: new Date(createdAt) })),
        // Rules written by a newer version count as far as this version can read them.
        quietHours: z.array(keptQuietRule).catch([]).parse(quietHours),
      };
    },
  };
}

const wantedShards = `
  select k.action_type, k.country from unnest($1::text[], $2::text[]) k (action_type, country)
  where exists (select from action_types t where t.name = k.action_type and t.deleted_at is null)`;

const insertShards = `
  with created as (
    insert into shards (action_type, country, partitions) select w.action_type, w.country, $3 from (${wantedShards}) w
    on conflict do nothing returning 1
  )
  ${moveRevision} where exists (select from created)`;

export function createShardStore({ pool }: { pool: Pool }): ShardStore {
  return {
    ensure: async (shards, partitions) => {
      const names = [shards.map(({ actionType }) => actionType), shards.map(({ country }) => country)];
      const select = `select ${shardFields} from shards where (action_type, country) in (${wantedShards})`;
      const known = await pool.query<RegisteredShard>(select, names);
      if (known.rows.length === new Set(shards.map(({ actionType, country }) => `${actionType}/${country}`)).size) {
        return known.rows;
      }
      await changeRegistry(pool, (client) => client.query(insertShards, [...names, partitions]));
      return (await pool.query<RegisteredShard>(select, names)).rows;
    },
    raise: ({ actionType, country }, partitions) =>
      changeRegistry(pool, async (client) => {
        await client.query(raiseShard, [actionType, country, partitions]);
        const select = `select ${shardFields} from shards where action_type = $1 and country = $2`;
        const { rows } = await client.query<RegisteredShard>(select, [actionType, country]);
        return rows[0];
      }),
  };
}

const raiseShard = `
  with raised as (
    update shards set partitions = $3 where action_type = $1 and country = $2 and partitions < $3 returning 1
  )
  ${moveRevision} where exists (select from raised)`;

/** Inserts action types of a file that the registry lacks; skips deleted ones. */
const seedTypes = `
  with seeded as (
    insert into action_types (name, config, origin) select k.key, k.value, 'file' from jsonb_each($1::jsonb) k
    on conflict do nothing returning 1
  )
  ${moveRevision} where exists (select from seeded)`;

/** Inserts missing action types of a file, and their shards in its countries. The caller holds the lock. */
export async function seedRegistry(client: PoolClient, { actionTypes, countries = [], partitionsPerShard }: Seed) {
  const names = Object.keys(actionTypes);
  if (names.length === 0) return;
  await client.query(seedTypes, [JSON.stringify(actionTypes)]);
  const shards = names.flatMap((actionType) => countries.map((country) => ({ actionType, country })));
  const values = [shards.map(({ actionType }) => actionType), shards.map(({ country }) => country)];
  await client.query(insertShards, [...values, partitionsPerShard]);
}

/**
 * Overwrites the registry with the file, including changed and deleted types; disabled types stay disabled. The caller
 * holds the registry's lock. Returns one line for each difference.
 */
export async function overwriteRegistry(client: PoolClient, { actionTypes }: Pick<Seed, 'actionTypes'>) {
  const { rows } = await client.query<ActionTypeRow>(
    `select ${actionTypeFields} from action_types where deleted_at is null and name = any($1)`,
    [Object.keys(actionTypes)],
  );
  const kept = new Map(rows.flatMap((row) => actionTypeOf(row) ?? []).map((type) => [type.name, type]));
  await client.query(overwriteTypes, [JSON.stringify(actionTypes)]);
  return Object.entries(actionTypes).flatMap(([name, config]) => {
    const before = kept.get(name);
    return before ? differencesBetween(name, before.config, config) : [];
  });
}

const overwriteTypes = `
  with changed as (
    insert into action_types as t (name, config, origin) select k.key, k.value, 'file' from jsonb_each($1::jsonb) k
    on conflict (name) do update
    set config = excluded.config, origin = 'file', revision = t.revision + 1, updated_at = now(), deleted_at = null,
      enabled = t.enabled or t.deleted_at is not null
    where t.config <> excluded.config or t.deleted_at is not null
    returning 1
  )
  ${moveRevision} where exists (select from changed)`;
