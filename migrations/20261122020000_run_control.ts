import type { Knex } from 'knex';

/** What people do to runs, what becomes of runs, and who changed what. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- A uuid v7 of this moment, ordered by microseconds within this database.
    create function uuid_of_now() returns uuid language sql volatile as $$
      select encode(
        substring(int8send(t.us / 1000) from 3) || substring(int8send(28672 + t.us % 1000) from 7) || substring(uuid_send(gen_random_uuid()) from 9),
        'hex')::uuid
      from (select (extract(epoch from clock_timestamp()) * 1000000)::bigint as us) t
    $$;

    -- Every change through the API that succeeded, or that a state refused.
    create table audit_log (
      id uuid primary key default uuid_of_now(),
      at timestamptz not null default now(),
      -- Null where there was none, which no route allows today.
      api_key uuid,
      method text not null,
      route text not null,
      -- The public id, or the name, of what was changed.
      subject text,
      status int2 not null,
      request_id text not null,
      detail jsonb not null default '{}'
    );
    create index audit_log_of_subject on audit_log (subject, id);

    -- What has become of a run, in the order of the ids. Written in the transaction that makes it so.
    create table run_events (
      run uuid not null,
      id uuid not null default uuid_of_now(),
      at timestamptz not null default clock_timestamp(),
      kind text not null,
      detail jsonb not null default '{}',
      primary key (run, id)
    );

    alter table runs
      -- What was changed for this run alone, under the names of the definition, before which it goes.
      add settings jsonb not null default '{}',
      -- Since when the run is in its state.
      add state_since timestamptz not null default now(),
      -- Of each step, the users that had ended and failed when the run was resumed last: only who comes after them is judged. Null: everybody.
      add judged_from jsonb;
    update runs set state_since = coalesce(ended_at, started_at, created_at);

    -- Users that runs with a pace may be fed right now. Triggers take from the same row, so that two of them do not double the pace.
    create table run_paces (
      run uuid primary key,
      allowed float8 not null,
      -- By whoever asked last.
      taken float8 not null,
      at timestamptz not null
    ) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table run_paces, run_events, audit_log;
    alter table runs drop settings, drop state_since, drop judged_from;
    drop function uuid_of_now;
  `);
}
