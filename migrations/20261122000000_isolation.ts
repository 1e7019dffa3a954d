import type { Knex } from 'knex';

/**
 * What keeps campaigns out of each other's way, and lets old runs leave: the execution tables are partitioned by feed (whose uuid v7 sorts by
 * time), steps that left the straight way are on an agenda, steps that a person has to look at are held, and totals say how
 * batches flow through the steps. Reasons are in docs/execution-path.md and docs/decisions/0011-agenda-holds-partitions.md.
 *
 * Rows that are there are kept. Services have to be stopped meanwhile.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(partitionedTables);
  await knex.raw(partitionMaker);
  await knex.raw(newTables);
  await knex.raw(keptRows);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(takenBack);
}

const partitionedTables = `
  alter table batches rename to old_batches;
  alter index batches_pkey rename to old_batches_pkey;
  alter index batches_children rename to old_batches_children;
  alter table batch_steps rename to old_batch_steps;
  alter index batch_steps_pkey rename to old_batch_steps_pkey;
  alter table user_failures rename to old_user_failures;
  alter index user_failures_pkey rename to old_user_failures_pkey;

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
  ) partition by range (feed);
  create index batches_children on batches (feed, parent) where parent is not null;

  -- The ledger. state: 1 running, 2 waiting, 3 done. A row is born by its claim. No other index: it would end HOT updates.
  create table batch_steps (
    feed uuid not null,
    batch_no int not null,
    step int2 not null,
    state int2 not null,
    epoch int not null,
    -- Answered calls: what maxAttempts bounds. A claim changes nothing.
    attempts int2 not null default 0,
    -- Leases that lapsed with a call begun; the first one with a call that may have begun.
    lapses int2 not null default 0,
    lease_until timestamptz,
    -- Stays set when a waiting row is claimed, and is null in every other running one: so the claim knows where it came from.
    next_attempt_at timestamptz,
    -- Outcome of everybody without a row of their own: 1 succeeded, 2 expired, 3 cancelled; null while not done.
    rest int2,
    rest_users int2,
    failed int2,
    unknown int2,
    -- A call under this key may have been applied, and no whole answer was read since.
    open boolean not null default false,
    -- Set before the call, in rows with lapses alone (rare, so cheap): the next lapse is then no guess.
    begun boolean not null default false,
    owner text,
    cause text,
    primary key (feed, batch_no, step)
  ) partition by range (feed);

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
  ) partition by range (feed);
`;

/** Vacuums after so many rows, however large the table: 20 % of a billion is a vacuum that never comes. */
const often = [
  'autovacuum_vacuum_scale_factor = 0',
  'autovacuum_vacuum_threshold = 100000',
  'autovacuum_vacuum_insert_scale_factor = 0',
  'autovacuum_vacuum_insert_threshold = 500000',
  'autovacuum_analyze_scale_factor = 0',
  'autovacuum_analyze_threshold = 100000',
].join(', ');

/** Storage settings belong to each partition: Postgres neither keeps them at the parent nor hands them down. */
const partitionMaker = `
  create table batches_default partition of batches default with (toast_tuple_target = 8160, ${often});
  create table batch_steps_default partition of batch_steps default with (fillfactor = 50, ${often});
  create table user_failures_default partition of user_failures default with (${often});

  -- The least uuid v7 of a moment.
  create function feed_floor(moment timestamptz) returns uuid language sql immutable strict as $$
    select (lpad(to_hex((extract(epoch from moment) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
  $$;

  -- Makes what is missing of the partitions of feeds that begin between the two moments; returns how many it made.
  create function make_feed_partitions(since timestamptz, until timestamptz) returns int language plpgsql as $$
  declare
    week timestamptz := date_trunc('week', since, 'UTC');
    suffix text;
    bounds text;
    often constant text := '${often}';
    made int := 0;
  begin
    while week < until loop
      suffix := to_char(week at time zone 'UTC', 'YYYYMMDD');
      if to_regclass('batches_' || suffix) is null then
        bounds := format('for values from (%L) to (%L)', feed_floor(week), feed_floor(week + interval '7 days'));
        begin
          execute format('create table if not exists %I partition of batches %s with (toast_tuple_target = 8160, ' || often || ')', 'batches_' || suffix, bounds);
          execute format('create table if not exists %I partition of batch_steps %s with (fillfactor = 50, ' || often || ')', 'batch_steps_' || suffix, bounds);
          execute format('create table if not exists %I partition of user_failures %s with (' || often || ')', 'user_failures_' || suffix, bounds);
          made := made + 1;
        exception when check_violation then
          -- Feeds of this week lie in the default partition, because nobody made it in time: they stay there until they are deleted.
          null;
        end;
      end if;
      week := week + interval '7 days';
    end loop;
    return made;
  end $$;

  select make_feed_partitions(least((select min(created_at) from runs), now()), now() + interval '14 days');
`;

const newTables = `
  -- Steps that left the straight way, and when each is to be offered (again). No statement of the common flush touches it.
  create table agenda (
    feed uuid not null,
    batch_no int not null,
    step int2 not null,
    offer_at timestamptz not null,
    offers int2 not null default 0,
    primary key (feed, batch_no, step)
  );
  create index agenda_due on agenda (feed, offer_at);

  -- Below the mark every fed batch is done in this step, or on the agenda, or has not survived so far.
  create table sweep_marks (
    feed uuid not null,
    step int2 not null,
    below int not null,
    primary key (feed, step)
  );

  -- Steps in which nobody is called until a person has mended the cause; one batch is tried now and then.
  create table holds (
    feed uuid not null,
    step int2 not null,
    cause text not null,
    since timestamptz not null default now(),
    batches int not null default 1,
    next_try_at timestamptz not null,
    primary key (feed, step)
  );

  -- What batches were put back for, for people.
  create table step_causes (
    feed uuid not null,
    step int2 not null,
    cause text not null,
    since timestamptz not null default now(),
    last_at timestamptz not null default now(),
    batches int not null default 0,
    primary key (feed, step, cause)
  ) with (fillfactor = 50);

  -- ready(feed, step) = entered + born - done - waiting, where entered(1) = fed batches and entered(k + 1) = survived(k).
  alter table run_totals
    -- Step rows recorded, child batches included; batches counts fed ones alone.
    add done int not null default 0,
    -- Of those, how many go on: somebody succeeded.
    add survived int not null default 0,
    -- Child batches born into this step.
    add born int not null default 0,
    -- +1 put back or born waiting, -1 claimed from waiting or ended by the keeper.
    add waiting int not null default 0,
    -- Users that failed by a refusal of their whole batch.
    add refused bigint not null default 0;

  create table failure_totals (
    feed uuid not null,
    step int2 not null,
    -- As in user_failures.
    outcome int2 not null,
    reason text not null,
    slot int2 not null,
    users bigint not null,
    -- The first five.
    sample text[] not null,
    primary key (feed, step, outcome, reason, slot)
  ) with (fillfactor = 50);

  -- Small tables, and rows that are updated every second: vacuumed by the number of rows, with room for updates in their pages.
  alter table runs set (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
  alter table feeds set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
  alter table run_totals set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
  alter table failure_totals set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
  alter table step_causes set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
  alter table agenda set (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);

  -- A stalled feed is given back, and not claimed before.
  alter table feeds add stalled_until timestamptz;
  -- False once user_failures of the run have been dropped; failure_totals stay.
  alter table runs add failures_kept boolean not null default true;

  -- A topic that is made anew begins at offset 0 again: the bytes tell its records from those that were there before.
  alter table dead_letters
    drop constraint "dead_letters_topic_partition_offset_key",
    add digest bytea not null generated always as
      (sha256(coalesce(key, ''::bytea) || sha256(coalesce(value, ''::bytea)))) stored,
    add constraint dead_letters_once unique (topic, partition, "offset", digest);
`;

/**
 * An attempt used to be a claim. What a claim of old left cannot be known from an unanswered call, so it counts as open. Slot -1 is the
 * triggers', which nobody adds to meanwhile.
 */
const keptRows = `
  insert into batches select * from old_batches;

  insert into batch_steps (feed, batch_no, step, state, epoch, attempts, lease_until, next_attempt_at, rest, rest_users, failed, unknown,
    open, owner, cause)
  select feed, batch_no, step, state, epoch, case state when 1 then greatest(attempt - 1, 0) else attempt end, lease_until, next_attempt_at,
    rest, rest_users, failed, unknown, state = 1 and attempt > 1 and epoch > 1 or state = 2 and attempt > 0 and epoch > 0, owner, cause
  from old_batch_steps;

  insert into user_failures select * from old_user_failures;
  drop table old_batches, old_batch_steps, old_user_failures;

  insert into agenda (feed, batch_no, step, offer_at)
  select feed, batch_no, step, coalesce(next_attempt_at, lease_until) from batch_steps where state in (1, 2);

  insert into run_totals as t (feed, step, slot, done, survived, born, waiting)
  select feed, step, -1, count(*) filter (where state = 3), count(*) filter (where state = 3 and rest = 1 and rest_users > 0),
    count(*) filter (where batch_no >= 1073741824 and step = from_step), count(*) filter (where state = 2)
  from batch_steps join batches using (feed, batch_no) group by feed, step
  on conflict (feed, step, slot) do update set done = excluded.done, survived = excluded.survived, born = excluded.born,
    waiting = excluded.waiting;

  insert into failure_totals (feed, step, outcome, reason, slot, users, sample)
  select feed, step, outcome, reason, -1, count(*), array_agg(user_id order by batch_no, user_id) filter (where place <= 5)
  from (
    select *, row_number() over (partition by feed, step, outcome, reason order by batch_no, user_id) as place from user_failures
  ) numbered
  group by feed, step, outcome, reason;
`;

const takenBack = `
  create table old_batches (like batches including defaults including storage) with (toast_tuple_target = 8160);
  insert into old_batches select * from batches;
  create table old_batch_steps (
    feed uuid not null, batch_no int not null, step int2 not null, state int2 not null, owner text, epoch int not null,
    lease_until timestamptz, attempt int2 not null, next_attempt_at timestamptz, rest int2, rest_users int2, failed int2, unknown int2,
    cause text
  ) with (fillfactor = 50);
  insert into old_batch_steps
  select feed, batch_no, step, state, owner, epoch, lease_until, case state when 1 then attempts + 1 else attempts end, next_attempt_at, rest,
    rest_users, failed, unknown, cause
  from batch_steps;
  create table old_user_failures (like user_failures including defaults);
  insert into old_user_failures select * from user_failures;

  drop table batches, batch_steps, user_failures, agenda, sweep_marks, holds, step_causes, failure_totals;
  drop function make_feed_partitions, feed_floor;

  alter table old_batches rename to batches;
  alter table batches add primary key (feed, batch_no);
  create index batches_children on batches (feed, parent) where parent is not null;
  alter table old_batch_steps rename to batch_steps;
  alter table batch_steps add primary key (feed, batch_no, step);
  alter table old_user_failures rename to user_failures;
  alter table user_failures add primary key (feed, batch_no, step, user_id);

  alter table run_totals drop done, drop survived, drop born, drop waiting, drop refused;
  alter table feeds drop stalled_until;
  alter table runs reset (fillfactor, autovacuum_vacuum_scale_factor, autovacuum_vacuum_threshold);
  alter table feeds reset (autovacuum_vacuum_scale_factor, autovacuum_vacuum_threshold);
  alter table run_totals reset (autovacuum_vacuum_scale_factor, autovacuum_vacuum_threshold);
  alter table runs drop failures_kept;
  delete from dead_letters l using dead_letters other
  where (l.topic, l.partition, l."offset") = (other.topic, other.partition, other."offset") and l.id > other.id;
  alter table dead_letters drop digest, add unique (topic, partition, "offset");
`;
