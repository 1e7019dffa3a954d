-- Partitions by the week in which a feed began: feeds are uuid v7, which sort by time, so that old weeks are dropped
-- whole (docs/decisions/0011-agenda-holds-partitions.md).

-- Tables that are partitioned so, with what each partition is stored with, and what of a run they leave with. Another
-- one is a row here. Storage settings belong to each partition: Postgres neither keeps them at the parent nor hands
-- them down.
create table feed_tables (
  name text primary key,
  storage text not null,
  leaves_with text not null check (leaves_with in ('users', 'steps', 'failures'))
);
-- Vacuumed after so many rows, however large the table: a fifth of a billion rows is a vacuum that never comes.
insert into feed_tables (name, storage, leaves_with)
select name, own || 'autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 100000, '
  'autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 500000, '
  'autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 100000', leaves_with
from (values
  ('batches', 'toast_tuple_target = 8160, ', 'users'),
  ('held_out_users', '', 'users'),
  ('batch_steps', 'fillfactor = 50, ', 'steps'),
  ('step_attempts', '', 'steps'),
  ('user_failures', '', 'failures'),
  ('retry_users', '', 'failures'),
  ('receipts', '', 'failures')) t (name, own, leaves_with);

do $$
declare
  each_table record;
begin
  for each_table in select name, storage from feed_tables loop
    execute format('create table %I partition of %I default with (%s)', each_table.name || '_default', each_table.name,
      each_table.storage);
  end loop;
end $$;

-- The least uuid v7 of a moment.
create function feed_floor(moment timestamptz) returns uuid language sql immutable strict as $$
  select (lpad(to_hex((extract(epoch from moment) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
$$;

-- Makes what is missing of the partitions of feeds that begin between the two moments; returns how many weeks it made.
-- Tables are the owner's to make and to drop, and whoever may call this has them made by it.
create function make_feed_partitions(since timestamptz, until timestamptz) returns int
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  week timestamptz := date_trunc('week', since, 'UTC');
  suffix text;
  bounds text;
  each_table record;
  made int := 0;
  made_before int;
begin
  while week < until loop
    suffix := to_char(week at time zone 'UTC', '_YYYYMMDD');
    bounds := format('for values from (%L) to (%L)', feed_floor(week), feed_floor(week + interval '7 days'));
    made_before := made;
    begin
      for each_table in select name, storage from feed_tables order by name loop
        if to_regclass(each_table.name || suffix) is null then
          execute format('create table if not exists %I partition of %I %s with (%s)', each_table.name || suffix,
            each_table.name, bounds, each_table.storage);
          made := made_before + 1;
        end if;
      end loop;
    exception when check_violation then
      -- Feeds of this week lie in a default partition, because it was not made in time: they stay there until they are
      -- deleted.
      made := made_before;
    end;
    week := week + interval '7 days';
  end loop;
  return made;
end $$;

-- Drops a week that is over, by the name of one of its partitions, with those of the other tables that leave with it.
create function drop_feed_week(week name) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  suffix text := substring(week from '_[0-9]{8}$');
  leaving text;
  each_name text;
begin
  select t.leaves_with into leaving from feed_tables t
  where t.name || suffix = week and to_timestamp(suffix || ' UTC', '_YYYYMMDD TZ') + interval '7 days' <= now();
  if not found then
    raise exception '% is no week that is over', week using errcode = 'insufficient_privilege';
  end if;
  execute format('drop table %I', week);
  for each_name in
    select name || suffix from feed_tables where leaves_with = leaving and name || suffix <> week order by name
  loop
    execute format('drop table if exists %I', each_name);
  end loop;
end $$;

select make_feed_partitions(now(), now() + interval '14 days');
