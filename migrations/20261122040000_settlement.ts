import type { Knex } from 'knex';

/**
 * Unknown outcomes that a person, a file or a status endpoint settled, and receipts of what was accepted first and carried out later. Both
 * hold users, and leave with the failures.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(settlementTables);
  await knex.raw(receiptTables);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table receipts, receipt_totals;
    drop function make_receipt_partitions, feed_of_user;

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

const receiptTables = `
  -- What a provider said last of a user in a step. Partitioned as the failures are, and kept as long.
  create table receipts (
    feed uuid not null,
    step int2 not null,
    user_id text collate "C" not null,
    -- 1 delivered, 2 undelivered
    status int2 not null,
    -- The status before this one, so that the statement that writes it knows what to count.
    was int2,
    code text,
    at timestamptz not null,
    primary key (feed, step, user_id)
  ) partition by range (feed);
  create table receipts_default partition of receipts default with (fillfactor = 80);

  create table receipt_totals (
    feed uuid not null,
    step int2 not null,
    -- Of the process that took them in.
    slot int2 not null,
    delivered bigint not null default 0,
    undelivered bigint not null default 0,
    primary key (feed, step, slot)
  ) with (fillfactor = 20, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

  -- Makes what is missing of the partitions of feeds that begin between the two moments, as make_feed_partitions does.
  create function make_receipt_partitions(since timestamptz, until timestamptz) returns int language plpgsql as $$
  declare
    week timestamptz := date_trunc('week', since, 'UTC');
    name text;
    made int := 0;
  begin
    while week < until loop
      name := 'receipts_' || to_char(week at time zone 'UTC', 'YYYYMMDD');
      if to_regclass(name) is null then
        begin
          execute format('create table if not exists %I partition of receipts for values from (%L) to (%L) with (fillfactor = 80, '
            || 'autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 100000, '
            || 'autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 500000)',
            name, feed_floor(week), feed_floor(week + interval '7 days'));
          made := made + 1;
        exception when check_violation then
          -- Receipts of this week lie in the default partition, because nobody made it in time: they stay there until they are deleted.
          null;
        end;
      end if;
      week := week + interval '7 days';
    end loop;
    return made;
  end $$;

  select make_receipt_partitions(now() - interval '35 days', now() + interval '14 days');

  -- The feed of a run in which a user was fed, by bisecting its batches: their numbers ascend with their users. Null where there is none.
  create function feed_of_user(of_run uuid, of_user text) returns uuid language plpgsql stable as $$
  declare
    candidate record;
    low int;
    high int;
    middle int;
    found batches;
  begin
    for candidate in select feed, next_batch_no from feeds where run = of_run loop
      low := 1;
      high := candidate.next_batch_no - 1;
      while low <= high loop
        middle := (low + high) / 2;
        select * into found from batches where feed = candidate.feed and batch_no = middle;
        exit when not found;
        if of_user collate "C" < found.first_user then
          high := middle - 1;
        elsif of_user collate "C" > found.last_user then
          low := middle + 1;
        else
          if position(to_json(of_user)::text in found.users) > 0 then return candidate.feed; end if;
          exit;
        end if;
      end loop;
    end loop;
    return null;
  end $$;
`;
