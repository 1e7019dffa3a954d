import type { Knex } from 'knex';

/**
 * Action types as data, and the shards that came to life (docs/decisions/0017-action-types-as-data.md). Every change of either moves
 * `registry_revision` in the same transaction: processes look at that one number to learn that they have to read again.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table installation add registry_revision bigint not null default 1;

    create table action_types (
      name text primary key,
      -- Moves with every change of the row.
      revision int not null default 1,
      -- actionTypeConfig of shared/contracts/endpoints/engine-config.ts.
      config jsonb not null,
      -- False: no campaign may begin with it. What runs goes on.
      enabled boolean not null default true,
      -- Who said last what config says: the engine's file, or somebody through the API.
      origin text not null check (origin in ('file', 'api')),
      -- By name of the secret: what is encrypted, and when it was set.
      secrets jsonb not null default '{}',
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      -- The row stays: a file must not bring back what somebody deleted, and revisions must not repeat.
      deleted_at timestamptz
    );

    create table shards (
      action_type text not null references action_types,
      country text not null,
      -- As somebody wants them; only raised. Kafka follows.
      partitions int not null check (partitions between 1 and 1000),
      created_at timestamptz not null default now(),
      primary key (action_type, country)
    );

    -- What each worker has under way in each shard that it serves, written anew every few seconds: for people.
    create table shard_reports (
      worker text not null,
      action_type text not null,
      country text not null,
      in_flight int not null,
      call_limit int not null,
      waiting int not null,
      breaker_open boolean not null,
      batches_per_second real not null,
      reported_at timestamptz not null default now(),
      primary key (worker, action_type, country)
    ) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

    -- Users per batch, at most: the least of what the types of the run's chain take, as they were when it began.
    alter table feeds add batch_users int2 not null default 100;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table feeds drop batch_users;
    drop table shard_reports, shards, action_types;
    alter table installation drop registry_revision;
  `);
}
