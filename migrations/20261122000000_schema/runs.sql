-- after: action-types, installation, revisions
-- Runs, their history and progress (docs/decisions/0012-schedules.md, 0015-life-of-campaigns-and-runs.md,
-- 0016-run-history-and-audit-log.md, 0003-steps-child-batches-and-child-runs.md). Small tables with rows that change
-- every second have vacuum thresholds in rows, and reserve room for updates in their pages.

create table runs (
  id uuid primary key,
  campaign uuid not null,
  revision int not null,
  scheduled_for timestamptz not null,
  -- Run whose failed users this run retries. Never itself a child: retries of retries have the same parent.
  parent uuid,
  -- Retried users: {"of": a run or null, "steps", "countries", "reasons": lists or null}.
  retry jsonb,
  -- test: serves a few named users, apart from the campaign. dry-run: feeds all users and calls none
  -- (docs/decisions/0083-test-sends-canaries-and-dry-runs.md).
  kind text not null default 'live' check (kind in ('live', 'test', 'dry-run')),
  -- Modes of a test by step: live if its users really get the action, test if the endpoint is notified that it is a
  -- test.
  step_modes text[],
  -- Cost of a unit in each step at the start: {"currency", "steps": [decimal as text, or null]}. Later price changes do
  -- not change the cost of this run (docs/decisions/0028-budgets-and-money.md).
  prices jsonb,
  -- State of the canary, during which only the first users (feeds.canary_users) are fed: canaryStates of
  -- shared/domain/run/canary.ts; null without a canary.
  canary text check (canary in ('serving', 'waits', 'over')),
  state text not null,
  state_reason text,
  state_since timestamptz not null default now(),
  deadline_at timestamptz not null,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  ended_at timestamptz,
  -- Settings changed for this run only, named as in the definition, which they override.
  settings jsonb not null default '{}',
  -- Users that had ended and failed when the run was last resumed, by step: limits count only later users. Null: they
  -- count all.
  judged_from jsonb,
  -- Figures of the sweeper's last look at the step rows; for progress only.
  in_flight int not null default 0,
  waiting int not null default 0,
  waiting_cause text,
  -- Start of waiting for waiting_cause.
  waiting_since timestamptz,
  -- Time at which `run.stalled` was recorded; null once the run progresses.
  stall_notified_at timestamptz,
  -- False once user_failures of the run have been dropped; failure_totals stay.
  failures_kept boolean not null default true,
  -- open: receipts are accepted. closed: no more receipts are accepted. counted: receipt_totals include unexpected
  -- receipts, so receipts and failures may be deleted. deleted: the receipts are gone, and receipt_totals stay. The
  -- sweeping trigger advances the state; after a crash, the next sweep does. A settlement resets counted to closed.
  receipts_state text not null default 'open' check (receipts_state in ('open', 'closed', 'counted', 'deleted')),
  receipts_since timestamptz not null default now(),
  unique (campaign, scheduled_for)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
-- Sorted by state and its time, so that polls find recent changes.
create index runs_unfinished on runs (state, state_since) where ended_at is null;
-- Budgets sum up only these runs, whatever the number of ended runs of the campaign.
create index runs_unfinished_of_campaign on runs (campaign) where ended_at is null;
create index runs_of_parent on runs (parent) where parent is not null;
-- Index for the calendar of past and present runs.
create index runs_by_time on runs (scheduled_for) where parent is null and kind = 'live';
create index runs_of_tests on runs (id) where kind = 'test';
create index runs_of_dry_runs on runs (id) where kind = 'dry-run';
-- Dry runs are deleted early.
create index runs_of_kept_dry_runs on runs (ended_at) where kind = 'dry-run' and failures_kept;
-- Retention deletes the oldest runs, some at a time.
create index runs_by_end on runs (ended_at) where ended_at is not null;
-- Retention closes the receipts of these runs and counts them, some at a time.
create index runs_with_uncounted_receipts on runs (ended_at) where receipts_state in ('open', 'closed');
-- Few rows: failed runs request attention for some days.
create index runs_failed on runs (ended_at) where state = 'failed' and parent is null;

create function prices_now(of_campaign uuid, of_revision int) returns jsonb language sql stable as $$
  select jsonb_build_object(
    'currency', (select value from service_settings where service = 'api' and name = 'MUSTER_CURRENCY'),
    'steps', jsonb_agg(t.config -> 'price' order by s.place))
  from revisions c
  cross join jsonb_array_elements(c.definition -> 'chain') with ordinality s (step, place)
  left join action_types t on t.name = s.step ->> 'action'
  where c.campaign = of_campaign and c.revision = of_revision
$$;

create function note_prices() returns trigger language plpgsql as $$
begin
  new.prices := prices_now(new.campaign, new.revision);
  return new;
end $$;

-- Sets the prices when a run starts, whichever process starts it.
create trigger note_prices_of_begun before update of state on runs for each row
  when (new.state = 'running' and new.prices is null) execute function note_prices();
create trigger note_prices before insert on runs for each row
  when (new.state = 'running' and new.prices is null) execute function note_prices();

-- History of runs, ordered by id. Each event is inserted in the transaction of its change.
create table run_events (
  run uuid not null,
  id uuid not null default uuid_of_now(),
  at timestamptz not null default clock_timestamp(),
  kind text not null,
  detail jsonb not null default '{}',
  primary key (run, id)
);

-- Progress of a run over time: at most some hundreds of points, with growing distances.
create table run_points (
  run uuid not null,
  -- Interval of five seconds, counted from the start of the run.
  slot int not null,
  at timestamptz not null,
  -- Users that had ended a step by then: succeeded, failed or unknown.
  ended bigint not null,
  primary key (run, slot)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

-- Current troubles that a run's events report: inserted when one begins, deleted when it ends.
create table run_troubles (
  run uuid not null,
  kind text not null check (kind in ('breaker', 'worker', 'hold', 'feed')),
  step int2 not null,
  country text not null,
  cause text not null,
  since timestamptz not null,
  primary key (run, kind, step, country)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- Users that runs with a pace may be fed now. Triggers share the row, so that two triggers do not double the pace.
create table run_paces (
  run uuid primary key,
  allowed float8 not null,
  -- Amount that the last trigger took.
  taken float8 not null,
  at timestamptz not null
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
