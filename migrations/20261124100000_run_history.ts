import type { Knex } from 'knex';

/** How a run went, for people: how far it was when, and what stands in its way. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- At most some hundreds of a run: they lie farther apart the longer it goes on.
    create table run_points (
      run uuid not null,
      -- Five seconds since the run began, each.
      slot int not null,
      at timestamptz not null,
      -- Users that had ended a step by then: succeeded, failed or unknown.
      ended bigint not null,
      primary key (run, slot)
    ) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

    -- What its history was told of and is not over: written when it begins, deleted when it ends.
    create table run_troubles (
      run uuid not null,
      kind text not null check (kind in ('breaker', 'hold', 'feed')),
      step int2 not null,
      country text not null,
      cause text not null,
      since timestamptz not null,
      primary key (run, kind, step, country)
    ) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table run_points, run_troubles');
}
