import type { Knex } from 'knex';

/**
 * Creates the table of snapshots. Each snapshot has a separate table for its members. The builder creates that table,
 * and the sweep drops it, because a drop takes no time and leaves nothing to vacuum.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table connectors.snapshots (
      id uuid primary key default gen_random_uuid(),
      segment text not null,
      -- Digest of the database, the query and the rules, so that a changed segment gets a new snapshot.
      definition text not null,
      -- open: no page was requested yet. building: a builder holds the lease. ready: members do not change any more.
      -- failed: a page requests another try from retry_at on.
      state text not null default 'open' check (state in ('open', 'building', 'ready', 'failed')),
      -- Incremented by each builder. The table of members has this number in its name, so that a builder that lost its
      -- lease writes to another table.
      epoch int not null default 0,
      lease_until timestamptz,
      -- Time when the query of the last builder began.
      queried_at timestamptz,
      -- Number of users by country; null until the snapshot is ready.
      counts jsonb,
      -- Set if the state is failed: the message for people, and whether a person has to change something.
      cause text,
      is_refused boolean,
      retry_at timestamptz,
      created_at timestamptz not null default now(),
      used_at timestamptz not null default now(),
      keep_seconds int not null
    );
    create index snapshots_of_segments on connectors.snapshots (segment, created_at desc);
  `);
}
