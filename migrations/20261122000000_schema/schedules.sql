-- after: nothing
-- Schedules, their occurrences, and groups (docs/decisions/0012-schedules.md).

-- Markets that a schedule fires for, one by one.
create table schedule_groups (
  name text primary key,
  home_region text,
  fallback_seconds int not null,
  tags text[] not null,
  countries text[] not null,
  revision int not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

-- Days off for schedules. A calendar that a schedule names cannot be deleted (docs/decisions/0012-schedules.md).
create table work_calendars (
  name text primary key,
  definition jsonb not null,
  revision int not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

-- Schedules that fire a client's callback (client) or a campaign (campaign). Every time up to high_water, inclusive, is
-- decided for all groups.
create table schedules (
  id uuid primary key,
  name text not null,
  client uuid,
  campaign uuid unique,
  revision int not null default 1,
  definition jsonb not null,
  work_calendar text generated always as (definition -> 'recurrence' ->> 'workCalendar') stored
    references work_calendars,
  -- For callbacks, computed when the schedule is written: fires in an hour, times its groups.
  fires_per_hour float8 not null default 0,
  state text not null check (state in ('active', 'paused', 'disabled', 'broken', 'ended')),
  state_reason text,
  state_since timestamptz not null default now(),
  high_water timestamptz not null check (isfinite(high_water)),
  next_at timestamptz,
  -- Time of the next look by any node. A region that has decided its groups, and leaves others to other regions, looks
  -- again at its own time.
  look_at timestamptz,
  region_looks jsonb not null default '{}',
  -- Times up to this one do not fire, for this cause.
  silent_until timestamptz,
  silent_cause text,
  note text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check ((client is null) <> (campaign is null))
);
create index schedules_to_look_at on schedules (look_at) where state = 'active';
-- Index of recurring campaigns, among all schedules of clients and ended schedules.
create index schedules_that_start_runs on schedules (campaign)
  where campaign is not null and state in ('active', 'paused', 'broken');
create index schedules_of_work_calendar on schedules (work_calendar, id) where work_calendar is not null;
create index schedules_of_client on schedules (client, id) where client is not null;

-- Inserting the row elects the node that fires. Open: the fired work is unfinished, as the next fire, a pause or the
-- end need to know.
create table occurrences (
  schedule uuid not null references schedules on delete cascade,
  scheduled_for timestamptz not null,
  group_name text not null default '',
  kind text not null check (kind in ('planned', 'manual', 'backfill')),
  state text not null check (state in ('fired', 'buffered')),
  open boolean not null,
  -- Id of the job, or of the start of a run; due_at is the run's scheduled_for.
  target uuid not null,
  due_at timestamptz not null,
  region text not null,
  owner text not null,
  decided_at timestamptz not null default now(),
  primary key (schedule, scheduled_for, group_name)
);
create index occurrences_open on occurrences (schedule) where open;
create index occurrences_by_age on occurrences (decided_at) where not open;
create index occurrences_buffered on occurrences (schedule) where state = 'buffered';

-- One skipped time, or all between the first and the last; for one group, or for all groups ('').
create table skipped_instants (
  schedule uuid not null references schedules on delete cascade,
  first_at timestamptz not null,
  group_name text not null default '',
  cause text not null,
  last_at timestamptz not null,
  instants int not null,
  recorded_at timestamptz not null default now(),
  primary key (schedule, first_at, group_name, cause)
);
create index skipped_instants_by_age on skipped_instants (recorded_at);
