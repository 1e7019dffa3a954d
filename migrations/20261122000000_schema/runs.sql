-- after: action-types, installation, revisions
-- Runs, their history and progress (docs/decisions/0012-schedules.md, 0015-life-of-campaigns-and-runs.md,
-- 0016-run-history-and-audit-log.md, 0003-steps-child-batches-and-child-runs.md). Small tables whose rows change every
-- second have vacuum thresholds in rows, and free space in their pages for updates.

create table runs (
  id uuid primary key,
  campaign uuid not null,
  revision int not null,
  scheduled_for timestamptz not null,
  -- Run whose failed users this run retries; null: not a retry. The parent is never a retry itself: a retry of a retry
  -- has the same parent.
  parent uuid,
  -- Retried users: {"of": a run or null, "steps", "countries", "reasons": lists or null}.
  retry jsonb,
  -- test: serves a few named users, apart from the campaign. dry-run: feeds all users and calls none
  -- (docs/decisions/0083-test-sends-canaries-and-dry-runs.md).
  kind text not null default 'live' check (kind in ('live', 'test', 'dry-run')),
  -- Modes of a test by step. live: the users really receive the action. test: the call is marked as a test for the
  -- endpoint.
  step_modes text[],
  -- Cost of a unit in each step when the run started: {"currency", "steps": [decimal as text, or null]}. Later price
  -- changes do not affect the run's cost (docs/decisions/0028-budgets-and-money.md).
  prices jsonb,
  -- State of the canary (canaryStates of shared/domain/run/canary.ts). During the canary only the first users
  -- (feeds.canary_users) are fed. Null: the run has no canary.
  canary text check (canary in ('serving', 'waits', 'over')),
  state text not null,
  state_reason text,
  state_since timestamptz not null default now(),
  deadline_at timestamptz not null,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  ended_at timestamptz,
  -- Settings changed for this run only. They have the names of the definition's settings, and override them.
  settings jsonb not null default '{}',
  -- Numbers of ended and failed users, by step, when the run was last resumed. Limits on failures count only later
  -- users. Null: limits count all users.
  failure_baseline jsonb,
  -- Figures that the sweeper found in the step rows when it last read them. For display of progress only.
  in_flight int not null default 0,
  waiting int not null default 0,
  waiting_cause text,
  -- Time since which the run has waited for waiting_cause.
  waiting_since timestamptz,
  -- Time at which `run.stalled` was recorded; null if it was not, or the run has progressed since.
  stall_notified_at timestamptz,
  -- False once user_failures of the run have been dropped; failure_totals stay.
  failures_kept boolean not null default true,
  -- open: receipts are accepted. closed: no more receipts are accepted. counted: receipt_totals include unexpected
  -- receipts, so receipts and failures may be deleted. deleted: the receipts are deleted, but receipt_totals are kept.
  -- The trigger that sweeps the run advances the state; after a crash, the next sweep does so. A settlement changes
  -- counted back to closed.
  receipts_state text not null default 'open' check (receipts_state in ('open', 'closed', 'counted', 'deleted')),
  receipts_since timestamptz not null default now(),
  unique (campaign, scheduled_for)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
-- Sorted by state and the time of its last change, so that polls find recent changes.
create index runs_unfinished on runs (state, state_since) where ended_at is null;
-- Budgets add up only these runs, so the number of a campaign's ended runs does not matter.
create index runs_unfinished_of_campaign on runs (campaign) where ended_at is null;
create index runs_of_parent on runs (parent) where parent is not null;
-- Index for the calendar of past and present runs.
create index runs_by_time on runs (scheduled_for) where parent is null and kind = 'live';
create index runs_of_tests on runs (id) where kind = 'test';
create index runs_of_dry_runs on runs (id) where kind = 'dry-run';
-- Retention deletes dry runs earlier than other runs.
create index runs_of_kept_dry_runs on runs (ended_at) where kind = 'dry-run' and failures_kept;
-- Retention deletes the oldest runs, a limited number at a time.
create index runs_by_end on runs (ended_at) where ended_at is not null;
-- Retention closes the receipts of these runs and counts them, a limited number of runs at a time.
create index runs_with_uncounted_receipts on runs (ended_at) where receipts_state in ('open', 'closed');
-- The index has few rows: only failed runs, which are listed as needing attention for some days.
create index runs_failed on runs (ended_at) where state = 'failed' and parent is null;

create function current_prices(of_campaign uuid, of_revision int) returns jsonb language sql stable as $$
  select jsonb_build_object(
    'currency', (select value from service_settings where service = 'api' and name = 'MUSTER_CURRENCY'),
    'steps', jsonb_agg(t.config -> 'price' order by s.place))
  from revisions c
  cross join jsonb_array_elements(c.definition -> 'chain') with ordinality s (step, place)
  left join action_types t on t.name = s.step ->> 'action'
  where c.campaign = of_campaign and c.revision = of_revision
$$;

create function record_prices() returns trigger language plpgsql as $$
begin
  new.prices := current_prices(new.campaign, new.revision);
  return new;
end $$;

-- Sets the prices when a run starts, whichever process starts it.
create trigger record_prices_of_started before update of state on runs for each row
  when (new.state = 'running' and new.prices is null) execute function record_prices();
create trigger record_prices before insert on runs for each row
  when (new.state = 'running' and new.prices is null) execute function record_prices();

-- History of runs, ordered by id. Each event is inserted in the transaction of its change.
create table run_events (
  run uuid not null,
  id uuid not null default uuid_of_now(),
  at timestamptz not null default clock_timestamp(),
  kind text not null,
  detail jsonb not null default '{}',
  primary key (run, id)
);

-- Progress of a run over time: at most some hundreds of points, with growing intervals between them.
create table run_progress (
  run uuid not null,
  -- Number of the five-second interval since the start of the run.
  slot int not null,
  at timestamptz not null,
  -- Number of users that had ended a step at that time: succeeded, failed or unknown.
  ended bigint not null,
  primary key (run, slot)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

-- Ongoing problems that a run's events report. A row is inserted when a problem begins and deleted when it ends.
create table run_problems (
  run uuid not null,
  kind text not null check (kind in ('breaker', 'worker', 'hold', 'feed')),
  step int2 not null,
  country text not null,
  cause text not null,
  since timestamptz not null,
  primary key (run, kind, step, country)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- Number of users that a run with a limited pace may feed now. All triggers share the row, so that two triggers do not
-- double the pace.
create table run_paces (
  run uuid primary key,
  allowed float8 not null,
  -- Number of users that the last trigger took from the allowance.
  taken float8 not null,
  at timestamptz not null
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
