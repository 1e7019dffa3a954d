import type { Knex } from 'knex';

/**
 * The scheduler's tables: a job is one row from its acceptance to its end (docs/decisions/0029-jobs-as-one-row.md). Shapes and statements were
 * measured; change them with a benchmark in hand. What campaigns start by was called `jobs` before, and is `run_starts` from now on.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table jobs rename to run_starts;
    alter index jobs_pkey rename to run_starts_pkey;
    alter index jobs_of_campaign rename to run_starts_of_campaign;

    -- Who schedules callbacks. Each change moves installation.clients_revision in the same transaction.
    create table clients (
      id uuid primary key,
      name text not null unique,
      revision int not null default 1,
      definition jsonb not null,
      enabled boolean not null default true,
      disabled_reason text,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now()
    );
    alter table installation add clients_revision bigint not null default 0;

    -- Standard Webhooks secrets, sealed. Several may be valid at once: that is how they are rotated.
    create table client_keys (
      id uuid primary key,
      client uuid not null references clients on delete cascade,
      sealed text not null,
      created_at timestamptz not null default now(),
      expires_at timestamptz
    );
    create index client_keys_of_client on client_keys (client);

    -- Waiting, being called or sidelined (then due_at is 'infinity', and sideline names the host). No updates in the hot path.
    create table jobs (
      partition_id int2 not null,
      due_at timestamptz not null,
      id uuid not null,
      client uuid not null,
      attempt int2 not null default 1,
      scheduled_for timestamptz not null,
      accepted_at timestamptz not null default now(),
      expires_at timestamptz,
      key text,
      method text not null,
      url text not null,
      headers text,
      body text storage main,
      tags text[],
      schedule uuid,
      sideline text,
      primary key (partition_id, due_at, id)
    ) with (${often});
    create unique index jobs_by_id on jobs (id);
    create index jobs_sidelined on jobs (client, sideline, id) where sideline is not null;

    -- Born by a claim, gone with its end. The epoch fences whoever held the job before.
    create table fires (
      partition_id int2 not null,
      due_at timestamptz not null,
      id uuid not null,
      owner text not null,
      epoch int4 not null,
      lease_until timestamptz not null,
      primary key (partition_id, due_at, id)
    ) with (fillfactor = 50, ${often});

    -- What became of jobs, by days that are dropped whole.
    create table ended_jobs (
      id uuid not null,
      client uuid not null,
      ended_at timestamptz not null,
      scheduled_for timestamptz not null,
      outcome text not null,
      attempt int2 not null,
      status int2,
      latency_ms int4,
      error text,
      answer text,
      method text not null,
      url text not null,
      key text,
      tags text[],
      schedule uuid
    ) partition by range (ended_at);
    create index ended_jobs_by_id on ended_jobs (id);
    create index ended_jobs_of_client on ended_jobs (client, ended_at);
    create table ended_jobs_other partition of ended_jobs default;

    -- Attempts that were not the last one; the last one is in ended_jobs.
    create table job_attempts (
      id uuid not null,
      at timestamptz not null,
      attempt int2 not null,
      status int2,
      latency_ms int4,
      error text,
      answer text
    ) partition by range (at);
    create index job_attempts_by_id on job_attempts (id);
    create table job_attempts_other partition of job_attempts default;

    -- Given up, with all that a replay needs. They are in no partition of days: retention deletes them by their age.
    create table dead_jobs (
      id uuid primary key,
      client uuid not null,
      died_at timestamptz not null default now(),
      cause text not null,
      job jsonb not null
    );
    create index dead_jobs_of_client on dead_jobs (client, died_at, id);

    -- The ledger: deltas. accepted = called + expired + cancelled + dead + sidelined + pending, where the last two are counted, not stored.
    create table client_totals (
      client uuid not null,
      slot int2 not null,
      accepted int8 not null default 0,
      called int8 not null default 0,
      expired int8 not null default 0,
      cancelled int8 not null default 0,
      dead int8 not null default 0,
      primary key (client, slot)
    ) with (fillfactor = 50);
  `);
  await knex.raw(makeDays);
  await knex.raw(`select make_job_days(now(), now() + interval '3 days')`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop function make_job_days;
    drop table client_totals, dead_jobs, job_attempts, ended_jobs, fires, jobs, client_keys, clients;
    alter table installation drop clients_revision;
    alter table run_starts rename to jobs;
    alter index run_starts_pkey rename to jobs_pkey;
    alter index run_starts_of_campaign rename to jobs_of_campaign;
  `);
}

/** A share of a billion rows is a vacuum that comes too late. */
const often = [
  'autovacuum_vacuum_scale_factor = 0',
  'autovacuum_vacuum_threshold = 100000',
  'autovacuum_vacuum_insert_scale_factor = 0',
  'autovacuum_vacuum_insert_threshold = 500000',
  'autovacuum_analyze_scale_factor = 0',
  'autovacuum_analyze_threshold = 100000',
].join(', ');

/** Makes the days that are missing, and says how many. What falls beside them lies in the default partition until it is too old. */
const makeDays = `
  create function make_job_days(since timestamptz, until timestamptz) returns int language plpgsql as $$
  declare
    day timestamptz := date_trunc('day', since, 'UTC');
    parent text;
    child text;
    made int := 0;
  begin
    while day < until loop
      foreach parent in array array['ended_jobs', 'job_attempts'] loop
        child := parent || '_' || to_char(day at time zone 'UTC', 'YYYYMMDD');
        if to_regclass(child) is null then
          begin
            execute format('create table %I partition of %I for values from (%L) to (%L)', child, parent, day, day + interval '1 day');
            made := made + 1;
          exception when check_violation then
            -- Rows of this day lie in the default partition, because nobody made it in time: they stay there until they are too old.
            null;
          end;
        end if;
      end loop;
      day := day + interval '1 day';
    end loop;
    return made;
  end $$`;
