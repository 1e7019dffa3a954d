import type { Knex } from 'knex';

/**
 * The tables of the main job. Shapes and storage settings of the execution path (`feeds`, `batches`, `batch_steps`, `run_totals`,
 * `user_failures`) were measured; the reasons are in docs/execution-path.md. Change them with a benchmark in hand.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table api_keys (
      id uuid primary key,
      name text not null,
      digest text not null unique,
      created_at timestamptz not null default now(),
      revoked_at timestamptz
    );

    create table idempotency_keys (
      api_key uuid not null,
      key text not null,
      body_digest text not null,
      status int2,
      body text,
      created_at timestamptz not null default now(),
      primary key (api_key, key)
    );

    create table campaigns (
      id uuid primary key,
      name text not null,
      state text not null check (state in ('draft', 'scheduled')),
      revision int not null,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now()
    );

    create table campaign_revisions (
      campaign uuid not null references campaigns,
      revision int not null,
      definition jsonb not null,
      created_at timestamptz not null default now(),
      primary key (campaign, revision)
    );

    -- One row per thing due once. Inserted once, deleted by its fire; never updated.
    create table jobs (
      partition_id int2 not null,
      due_at timestamptz not null,
      id uuid not null,
      campaign uuid not null,
      revision int not null,
      primary key (partition_id, due_at, id)
    );
    create index jobs_of_campaign on jobs (campaign);

    create table leases (
      name text primary key,
      owner text,
      token bigint not null,
      expires_at timestamptz not null
    );

    create table runs (
      id uuid primary key,
      campaign uuid not null,
      revision int not null,
      scheduled_for timestamptz not null,
      state text not null,
      state_reason text,
      deadline_at timestamptz not null,
      created_at timestamptz not null default now(),
      started_at timestamptz,
      ended_at timestamptz,
      -- What the keeper last saw in the step rows; for progress only.
      in_flight int not null default 0,
      waiting int not null default 0,
      waiting_cause text,
      unique (campaign, scheduled_for)
    );
    create index runs_unfinished on runs (state) where ended_at is null;

    create table feeds (
      feed uuid primary key,
      run uuid not null references runs,
      country text not null,
      segment text not null,
      snapshot text not null,
      estimate bigint,
      -- JSON text of the last user fed: an id may hold what a Postgres text cannot.
      cursor text,
      next_batch_no int not null default 1,
      next_child_no int not null default 1073741824,
      fed_users bigint not null default 0,
      complete boolean not null default false,
      stalled text,
      owner text,
      token bigint not null default 0,
      lease_until timestamptz
    ) with (fillfactor = 50);
    create index feeds_of_run on feeds (run);

    -- Immutable. Users are one text value kept in line: arrays and TOAST were measured to cost 100 and 40 microseconds a batch.
    create table batches (
      feed uuid not null,
      batch_no int not null,
      n int2 not null,
      parent int,
      -- First step that is this row's own: 1 for fed batches, the parent's step for children.
      from_step int2 not null default 1,
      first_user text collate "C" not null,
      last_user text collate "C" not null,
      users text storage main not null,
      primary key (feed, batch_no)
    ) with (toast_tuple_target = 8160);
    create index batches_children on batches (feed, parent) where parent is not null;

    -- The ledger. state: 1 running, 2 waiting, 3 done. A row is born by its claim. No other index: it would end HOT updates.
    create table batch_steps (
      feed uuid not null,
      batch_no int not null,
      step int2 not null,
      state int2 not null,
      owner text,
      epoch int not null,
      lease_until timestamptz,
      attempt int2 not null,
      next_attempt_at timestamptz,
      -- Outcome of everybody without a row of their own: 1 succeeded, 2 expired, 3 cancelled; null while not done.
      rest int2,
      rest_users int2,
      failed int2,
      unknown int2,
      cause text,
      primary key (feed, batch_no, step)
    ) with (fillfactor = 50);

    -- batch_no 0 holds users that could never be sent.
    create table user_failures (
      feed uuid not null,
      batch_no int not null,
      step int2 not null,
      user_id text collate "C" not null,
      -- 2 failed, 8 unknown
      outcome int2 not null,
      reason text not null,
      detail text,
      attempts int2 not null,
      failed_at timestamptz not null default now(),
      primary key (feed, batch_no, step, user_id)
    );

    create table run_totals (
      feed uuid not null,
      step int2 not null,
      slot int2 not null,
      batches int not null default 0,
      succeeded bigint not null default 0,
      failed bigint not null default 0,
      expired bigint not null default 0,
      cancelled bigint not null default 0,
      unknown bigint not null default 0,
      primary key (feed, step, slot)
    ) with (fillfactor = 20);

    create table dead_letters (
      id uuid primary key,
      topic text not null,
      partition int not null,
      "offset" bigint not null,
      key bytea,
      value bytea,
      reason text not null,
      created_at timestamptz not null default now(),
      unique (topic, partition, "offset")
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table dead_letters, run_totals, user_failures, batch_steps, batches, feeds, runs, leases, jobs,
      campaign_revisions, campaigns, idempotency_keys, api_keys
  `);
}
