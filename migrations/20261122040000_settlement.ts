import type { Knex } from 'knex';

/** Unknown outcomes that a person, a file or a status endpoint settled. They name users, and leave with the failures. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(settlementTables);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Whoever was settled as succeeded has no row of their own, as everybody who succeeded.
    delete from user_failures where outcome = 1;
    alter table run_totals drop settled_succeeded, drop settled_failed;
    drop index user_failures_unknown;
    drop table settlements, settlement_requests;
  `);
}

const settlementTables = `
  -- One per request to settle: by hand, by file or by status.
  create table settlement_requests (
    id uuid primary key,
    run uuid not null,
    method text not null check (method in ('hand', 'file', 'status')),
    -- Who asked: the key and its name then.
    api_key uuid,
    api_key_name text,
    -- By status: what is asked for; null for all.
    step int2,
    country text,
    state text not null default 'running' check (state in ('running', 'done', 'failed')),
    cause text,
    succeeded bigint not null default 0,
    failed bigint not null default 0,
    -- Asked for, and still unknown.
    left_unknown bigint not null default 0,
    rejected bigint not null default 0,
    rejects jsonb not null default '[]',
    created_at timestamptz not null default now(),
    ended_at timestamptz,
    -- By status: who works on it, since where, and not before when.
    owner text,
    lease_until timestamptz,
    next_at timestamptz,
    cursor_feed uuid,
    cursor_user text collate "C",
    cursor_step int2,
    tries int2 not null default 0
  );
  create index settlement_requests_of_run on settlement_requests (run, id);
  create index settlement_requests_running on settlement_requests (id) where state = 'running';

  -- Append-only: each user once, with what stood there before. A second settlement breaks the key.
  create table settlements (
    feed uuid not null,
    batch_no int not null,
    step int2 not null,
    user_id text collate "C" not null,
    request uuid not null,
    was_reason text not null,
    was_detail text,
    -- 1 succeeded, 2 failed
    outcome int2 not null,
    reason text not null,
    detail text,
    settled_at timestamptz not null default now(),
    primary key (feed, user_id, step, batch_no)
  );

  -- Unknown outcomes are few: to find a user, and to page through them, without a look at all failures.
  create index user_failures_unknown on user_failures (feed, user_id, step) where outcome = 8;

  alter table run_totals
    -- Users that were unknown: they are counted among succeeded and failed, and did not go on to the next step.
    add settled_succeeded bigint not null default 0,
    add settled_failed bigint not null default 0;
`;
