import type { Knex } from 'knex';

/** What checks the ledger found, and changes of many jobs that a server carries out (docs/decisions/0032-accepting-jobs.md). */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- The last check of each client: what its totals say is stored, and what was counted in so many of the 64 partitions.
    create table ledger_checks (
      client uuid primary key,
      checked_at timestamptz not null,
      partitions int2 not null,
      expected int8 not null,
      counted int8 not null
    );

    -- One wish for many jobs. Its place moves in the transaction that changes the jobs before it: whoever goes on, goes on there.
    create table job_changes (
      id uuid primary key,
      client uuid not null,
      verb text not null check (verb in ('cancel', 'reschedule')),
      filter jsonb not null,
      due_at timestamptz,
      state text not null default 'running' check (state in ('running', 'done')),
      place text,
      seen int8 not null default 0,
      changed int8 not null default 0,
      too_late int8 not null default 0,
      created_at timestamptz not null default now(),
      ended_at timestamptz
    );
    create index job_changes_running on job_changes (id) where state = 'running';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table job_changes, ledger_checks');
}
