-- after: action-types, campaigns, installation
-- Runs, how they went, and what people do to them (docs/decisions/0012-schedules.md,
-- 0015-life-of-campaigns-and-runs.md, 0016-run-history-and-audit-log.md, 0003-steps-child-batches-and-child-runs.md).
-- Small tables with rows that change every second are vacuumed after so many rows, and keep room for updates in their
-- pages.

create table runs (
  id uuid primary key,
  campaign uuid not null,
  revision int not null,
  scheduled_for timestamptz not null,
  -- The run whose failed users this one tries again. Never itself a child: retries of retries stand beside each other.
  parent uuid,
  -- Which of them: {"of": a run or null, "steps", "countries", "reasons": lists or null}.
  retry jsonb,
  -- test: of a few users who were named, beside what its campaign does (docs/decisions/0083-test-sends-canaries-and-dry-runs.md). dry-run: of
  -- everybody, and nobody is called (docs/decisions/0083-test-sends-canaries-and-dry-runs.md).
  kind text not null default 'live' check (kind in ('live', 'test', 'dry-run')),
  -- Of a test, by step: live where its users really get it, test where its endpoint is told that this is one.
  step_modes text[],
  -- What a unit of each step cost when it began: {"currency", "steps": [decimal as text, or null]}. Whatever prices are
  -- later, what it has cost stays (docs/decisions/0028-budgets-and-money.md).
  prices jsonb,
  -- Whether nobody is fed but the first users (feeds.canary_users): canaryStates of shared/domain/run/canary.ts; null
  -- where there is no canary.
  canary text check (canary in ('serving', 'waits', 'over')),
  state text not null,
  state_reason text,
  -- Since when the run is in its state.
  state_since timestamptz not null default now(),
  deadline_at timestamptz not null,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  ended_at timestamptz,
  -- What was changed for this run alone, under the names of the definition, before which it goes.
  settings jsonb not null default '{}',
  -- Of each step, the users that had ended and failed when the run was resumed last: a limit counts those after them.
  -- Null: it counts all.
  judged_from jsonb,
  -- What the sweeper last saw in the step rows; for progress only.
  in_flight int not null default 0,
  waiting int not null default 0,
  waiting_cause text,
  -- Since when it is waiting_cause that the run waits for.
  waiting_since timestamptz,
  -- When webhooks were told that it does not move; null once it does.
  stall_told timestamptz,
  -- False once user_failures of the run have been dropped; failure_totals stay.
  failures_kept boolean not null default true,
  -- open: receipts are accepted. closed: none is accepted any more. counted: receipt_totals say how many of them are
  -- unexpected, so that receipts and failures may go. deleted: the receipts are gone, and receipt_totals stay. The
  -- trigger that sweeps moves it on; a crash leaves it for the next look. A settlement sets counted back to closed.
  receipts_state text not null default 'open' check (receipts_state in ('open', 'closed', 'counted', 'deleted')),
  -- When it came into that state.
  receipts_since timestamptz not null default now(),
  unique (campaign, scheduled_for)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
-- By state, and in it those that came into it last: looks ask for what has changed since the last one.
create index runs_unfinished on runs (state, state_since) where ended_at is null;
-- A budget sums up these alone, however many of its campaign have ended.
create index runs_unfinished_of_campaign on runs (campaign) where ended_at is null;
create index runs_of_parent on runs (parent) where parent is not null;
-- Of the calendar: what ran, and when.
create index runs_by_time on runs (scheduled_for) where parent is null and kind = 'live';
create index runs_of_tests on runs (id) where kind = 'test';
create index runs_of_dry_runs on runs (id) where kind = 'dry-run';
-- Their rows go soon.
create index runs_of_kept_dry_runs on runs (ended_at) where kind = 'dry-run' and failures_kept;
-- Retention deletes the oldest, some at a time.
create index runs_by_end on runs (ended_at) where ended_at is not null;
-- Retention closes their receipts and counts them, some at a time.
create index runs_with_uncounted_receipts on runs (ended_at) where receipts_state in ('open', 'closed');
-- Few: what could not be carried out asks for attention for some days.
create index runs_failed on runs (ended_at) where state = 'failed' and parent is null;

create function prices_now(of_campaign uuid, of_revision int) returns jsonb language sql stable as $$
  select jsonb_build_object(
    'currency', (select value from service_settings where service = 'api' and name = 'MUSTER_CURRENCY'),
    'steps', jsonb_agg(t.config -> 'price' order by s.place))
  from campaign_revisions c
  cross join jsonb_array_elements(c.definition -> 'chain') with ordinality s (step, place)
  left join action_types t on t.name = s.step ->> 'action'
  where c.campaign = of_campaign and c.revision = of_revision
$$;

create function note_prices() returns trigger language plpgsql as $$
begin
  new.prices := prices_now(new.campaign, new.revision);
  return new;
end $$;

-- Whoever begins it.
create trigger note_prices_of_begun before update of state on runs for each row
  when (new.state = 'running' and new.prices is null) execute function note_prices();
create trigger note_prices before insert on runs for each row
  when (new.state = 'running' and new.prices is null) execute function note_prices();

-- What has become of a run, in the order of the ids. Written in the transaction that makes it so.
create table run_events (
  run uuid not null,
  id uuid not null default uuid_of_now(),
  at timestamptz not null default clock_timestamp(),
  kind text not null,
  detail jsonb not null default '{}',
  primary key (run, id)
);

-- How far a run was when: at most some hundreds of a run, which lie farther apart the longer it goes on.
create table run_points (
  run uuid not null,
  -- Five seconds since the run began, each.
  slot int not null,
  at timestamptz not null,
  -- Users that had ended a step by then: succeeded, failed or unknown.
  ended bigint not null,
  primary key (run, slot)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

-- Troubles that a run's events report and that are not over: written when one begins, deleted when it ends.
create table run_troubles (
  run uuid not null,
  kind text not null check (kind in ('breaker', 'worker', 'hold', 'feed')),
  step int2 not null,
  country text not null,
  cause text not null,
  since timestamptz not null,
  primary key (run, kind, step, country)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- Users that runs with a pace may be fed right now. Triggers take from the same row, so that two of them do not double
-- the pace.
create table run_paces (
  run uuid primary key,
  allowed float8 not null,
  -- By the trigger that asked last.
  taken float8 not null,
  at timestamptz not null
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
