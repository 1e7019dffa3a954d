-- after: feeds, steps, users, caps
-- Partitions by the week in which a feed began: feeds are uuid v7, which sort by time, so old weeks are dropped whole
-- (docs/decisions/0010-answers-agenda-and-partitions.md).

-- Partitioned tables, with the storage settings of each partition and the retention class of their rows. A new
-- partitioned table needs a row here. Postgres neither stores these settings on the parent table nor passes them to
-- partitions.
create table feed_tables (
  name text primary key,
  storage text not null,
  retention_class text not null check (retention_class in ('users', 'steps', 'failures', 'receipts', 'effects'))
);
-- Vacuum thresholds are absolute row counts: a fraction such as a fifth of a billion rows would never be reached.
insert into feed_tables (name, storage, retention_class)
select name, own || 'autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 100000, '
  'autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 500000, '
  'autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 100000', retention_class
from (values
  ('batches', 'toast_tuple_target = 8160, ', 'users'),
  ('held_out_users', '', 'users'),
  ('batch_steps', 'fillfactor = 50, ', 'steps'),
  ('step_attempts', '', 'steps'),
  ('user_failures', '', 'failures'),
  ('explicit_users', '', 'failures'),
  ('receipts', '', 'receipts'),
  ('capped_effects', '', 'effects')) t (name, own, retention_class);

do $$
declare
  each_table record;
begin
  for each_table in select name, storage from feed_tables loop
    execute format('create table %I partition of %I default with (%s)', each_table.name || '_default', each_table.name,
      each_table.storage);
  end loop;
end $$;

-- Raises an error for partitions that a service never requests: those before this week, or further ahead than `ahead`.
-- Members of the owner role may create any partition. Without this check, one call could fill Postgres with tables.
create function refuse_far_partitions(since timestamptz, until timestamptz, ahead interval) returns void
language plpgsql stable as $$
begin
  if pg_has_role(session_user, current_user, 'member') then
    return;
  end if;
  if since >= date_trunc('week', now(), 'UTC') and until <= now() + ahead then
    return;
  end if;
  raise exception 'partitions from % to % are not for a service to make', since, until
    using errcode = 'insufficient_privilege';
end $$;

-- Returns the smallest uuid v7 of a moment.
create function min_feed_id(moment timestamptz) returns uuid language sql immutable strict as $$
  select (lpad(to_hex((extract(epoch from moment) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
$$;

-- Creates the missing partitions for feeds that begin between the two moments, of one table only if it is given.
-- Returns the number of created weeks. Only the owner may create and drop tables, so callers use this function.
-- Creating a partition takes a lock that excludes readers, so services call it only through
-- shared/postgres/connection/partition-changes.ts.
create function make_feed_partitions(since timestamptz, until timestamptz, of_table name default null) returns int
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  week timestamptz := date_trunc('week', since, 'UTC');
  suffix text;
  bounds text;
  each_table record;
  made int := 0;
  made_before int;
begin
  perform refuse_far_partitions(since, until, interval '70 days');
  while week < until loop
    suffix := to_char(week at time zone 'UTC', '_YYYYMMDD');
    bounds := format('for values from (%L) to (%L)', min_feed_id(week), min_feed_id(week + interval '7 days'));
    made_before := made;
    begin
      for each_table in
        select name, storage from feed_tables where of_table is null or name = of_table order by name
      loop
        if to_regclass(each_table.name || suffix) is null then
          execute format('create table if not exists %I partition of %I %s with (%s)', each_table.name || suffix,
            each_table.name, bounds, each_table.storage);
          made := made_before + 1;
        end if;
      end loop;
    exception when check_violation then
      -- The default partition has feeds of this week, because the week's partition was not created in time. They stay
      -- there until they are deleted.
      made := made_before;
    end;
    week := week + interval '7 days';
  end loop;
  return made;
end $$;

-- Drops one table's partition of a week, and returns true. Raises an error if the week did not end at least a day ago
-- (the minimum retention), or if one of its runs has not ended: without its rows, workers could claim a step of that
-- run again.
create function drop_feed_week(partition name) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  suffix text := substring(partition from '_[0-9]{8}$');
begin
  perform from feed_tables t
  where t.name || suffix = partition and to_timestamp(suffix || ' UTC', '_YYYYMMDD TZ') + interval '8 days' <= now();
  if not found then
    raise exception '% is no week that is over', partition using errcode = 'insufficient_privilege';
  end if;
  perform from feeds f join runs r on r.id = f.run
  where r.ended_at is null and f.feed >= min_feed_id(to_timestamp(suffix || ' UTC', '_YYYYMMDD TZ'))
    and f.feed < min_feed_id(to_timestamp(suffix || ' UTC', '_YYYYMMDD TZ') + interval '7 days')
  limit 1;
  if found then
    raise exception 'a run of % has not ended', partition using errcode = 'insufficient_privilege';
  end if;
  execute format('drop table if exists %I', partition);
  return true;
end $$;

select make_feed_partitions(now(), now() + interval '14 days');
