import type { Knex } from 'knex';

/**
 * Delivery receipts of asynchronous actions, and what is kept of quarantined steps so that people can look at them and open them again
 * (docs/decisions/0027-receipts-as-a-second-line.md).
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(receipts);
  await knex.raw(quarantine);
  await knex.raw(`select make_feed_partitions(date_trunc('week', now()), now() + interval '14 days')`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    delete from feed_tables where name = 'receipts';
    drop table receipts, receipt_totals, quarantined_steps, step_begins;
  `);
}

/** As in the tables before: a share of a billion rows is a vacuum that comes too late. */
const often = [
  'autovacuum_vacuum_scale_factor = 0',
  'autovacuum_vacuum_threshold = 100000',
  'autovacuum_vacuum_insert_scale_factor = 0',
  'autovacuum_vacuum_insert_threshold = 500000',
  'autovacuum_analyze_scale_factor = 0',
  'autovacuum_analyze_threshold = 100000',
].join(', ');

const receipts = `
  -- What a provider said last of a user, by its own time. It says nothing of the step's outcome, which is the acceptance.
  create table receipts (
    feed uuid not null,
    step int2 not null,
    user_id text collate "C" not null,
    delivered boolean not null,
    -- What the row said before its last change; null in a row that was never changed. So the statement that changes it knows by how much.
    was_delivered boolean,
    code text,
    -- When it happened, as the provider says.
    at timestamptz not null,
    received_at timestamptz not null default now(),
    primary key (feed, step, user_id)
  ) partition by range (feed);
  -- They are few, and listed apart.
  create index receipts_undelivered on receipts (feed, step, user_id) where not delivered;
  create table receipts_default partition of receipts default with (${often});
  insert into feed_tables values ('receipts', '${often}', 'failures');

  create table receipt_totals (
    feed uuid not null,
    step int2 not null,
    slot int2 not null,
    delivered bigint not null,
    undelivered bigint not null,
    primary key (feed, step, slot)
  ) with (fillfactor = 20, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
`;

const quarantine = `
  -- Steps whose calls ended their workers again and again, written as they end. Their users are unknown until somebody opens the step again.
  create table quarantined_steps (
    id uuid primary key default uuid_of_now(),
    feed uuid not null,
    batch_no int not null,
    step int2 not null,
    state text not null default 'kept' check (state in ('kept', 'replayed', 'discarded')),
    users int not null,
    lapses int2 not null,
    -- Of its last lease.
    worker text,
    since timestamptz not null default now(),
    decided_at timestamptz
  );
  create index quarantined_steps_of_step on quarantined_steps (feed, batch_no, step);

  -- Calls that began for steps whose lease had lapsed before: by whom. Such steps are rare.
  create table step_begins (
    feed uuid not null,
    batch_no int not null,
    step int2 not null,
    epoch int not null,
    worker text,
    at timestamptz not null default now(),
    primary key (feed, batch_no, step, epoch)
  );
`;
