-- after: nothing
-- Schedules, their occurrences, and groups (docs/decisions/0012-schedules.md).

-- Groups of a schedule, such as markets. The schedule fires once for each group.
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

-- Calendars with days off for schedules. A calendar that a schedule uses cannot be deleted
-- (docs/decisions/0012-schedules.md).
create table work_calendars (
  name text primary key,
  definition jsonb not null,
  revision int not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

-- Schedules that fire a client's callback (client is set) or a campaign (campaign is set). For every time up to and
-- including high_water, it is decided for all groups if the schedule fires.
create table schedules (
  id uuid primary key,
  name text not null,
  client uuid,
  campaign uuid unique,
  revision int not null default 1,
  definition jsonb not null,
  work_calendar text generated always as (definition -> 'recurrence' ->> 'workCalendar') stored
    references work_calendars,
  -- Fires per hour times the number of groups, computed when a schedule of callbacks is written; 0 for campaigns.
  fires_per_hour float8 not null default 0,
  state text not null check (state in ('active', 'paused', 'disabled', 'broken', 'ended')),
  state_reason text,
  state_since timestamptz not null default now(),
  high_water timestamptz not null check (isfinite(high_water)),
  next_at timestamptz,
  -- Time at which any node examines the schedule next. region_next_checks has later times for regions that have decided
  -- their own groups and leave the remaining groups to other regions.
  next_check_at timestamptz,
  region_next_checks jsonb not null default '{}',
  -- The schedule does not fire at times up to this one, for the reason in skip_cause.
  skip_until timestamptz,
  skip_cause text,
  note text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check ((client is null) <> (campaign is null))
);
create index schedules_to_check on schedules (next_check_at) where state = 'active';
-- Finds recurring campaigns among the schedules of clients and ended schedules.
create index schedules_that_start_runs on schedules (campaign)
  where campaign is not null and state in ('active', 'paused', 'broken');
create index schedules_of_work_calendar on schedules (work_calendar, id) where work_calendar is not null;
create index schedules_of_client on schedules (client, id) where client is not null;

-- Fired or buffered times. The node that inserts the row is the one that fires. open: the fired work has not finished,
-- which affects the next fire, a pause and the end of the schedule.
create table occurrences (
  schedule uuid not null references schedules on delete cascade,
  scheduled_for timestamptz not null,
  group_name text not null default '',
  kind text not null check (kind in ('planned', 'manual', 'backfill')),
  state text not null check (state in ('fired', 'buffered')),
  open boolean not null,
  -- Id of the job, or of the start of a run. In the second case due_at equals the run's scheduled_for.
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

-- Skipped times: a single time, or all times from first_at to last_at, for one group or for all groups ('').
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
