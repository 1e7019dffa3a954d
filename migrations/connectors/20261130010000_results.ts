import type { Knex } from 'knex';

/**
 * Creates two tables: results of calls by user, and the time of the next call by name, which limits the rate over all
 * processes.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table connectors.results (
      action text not null,
      run text not null,
      step int not null,
      user_id text collate "C" not null,
      -- begun: a call of this user may be under way until lease_until, and has an unknown outcome from then on.
      -- unknown: the call ended without an answer. succeeded, failed: final.
      state text not null check (state in ('begun', 'succeeded', 'failed', 'unknown')),
      -- Set if the state is failed.
      code text,
      -- Identifies the call that may write this row. Each new call has another claim.
      claim uuid not null,
      -- True if an earlier call of this user may have been applied.
      is_open boolean not null default false,
      lease_until timestamptz not null,
      expires_at timestamptz not null,
      primary key (run, step, action, user_id)
    );
    create index results_by_end on connectors.results (expires_at);
    -- Time when the next call of each name is due, over all processes.
    create table connectors.paces (name text primary key, next_at timestamptz not null);
  `);
}
