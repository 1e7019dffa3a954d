import { mostForOne } from '../../../../shared/domain/money/amounts.ts';
import { sweptStates } from '../../../../shared/domain/run/admission.ts';
import { isOverSinceClosed } from '../../../../shared/postgres/registry/endpoint-guards.ts';
import { stepState } from '../../../../shared/postgres/ledger/ledger-codes.ts';
import { statementOf } from '../../../../shared/postgres/connection/statement.ts';

/** Checks if there is a run that has not ended. Uses the index of these runs. */
export const isAnyOpen = `select exists (select from runs where ended_at is null) as "isAny"`;

export const toPrepare = `
  select r.id as "runId", r.campaign as "campaignId", c.definition, r.parent is not null as "isRetry",
    (c.definition || r.settings) -> 'canary' as canary, r.kind = 'dry-run' as "isDry",
    r.kind <> 'dry-run' and exists (select from approval_policies) as "isJudged",
    (extract(epoch from r.deadline_at - now()) * 1000)::float8 as "deadlineInMs"
  from runs r join revisions c on c.campaign = r.campaign and c.revision = r.revision
  where r.state = 'preparing' and r.ended_at is null and r.id <> all($2::uuid[])
  order by least(
    row_number() over (order by r.scheduled_for, r.id) * 2 - 1,
    row_number() over (order by r.scheduled_for desc, r.id desc) * 2
  )
  limit $1`;

export const wait = `
  update runs set waiting_cause = $2, waiting_since = now() where id = $1 and state = 'preparing'
    and waiting_cause is distinct from $2`;

interface Beginning {
  runId: string;
  batchUsers: number;
  /** Text that is displayed as the cause of a stall for a feed whose local start time has not come. */
  notItsTime: string;
  /** This array and the following ones have one entry per feed. */
  feeds: readonly string[];
  countries: readonly string[];
  variants: readonly (number | null)[];
  segments: readonly (string | null)[];
  snapshots: readonly (string | null)[];
  estimates: readonly (number | null)[];
  /** JSON text, or null. */
  audiences: readonly (string | null)[];
  startsAt: readonly (Date | null)[];
  usersAtMost: readonly (number | null)[];
  canaryUsers: readonly (number | null)[];
  policy: number | null;
  approval: string | null;
}

export const begin = statementOf<Beginning>(
  'begin-run',
  ($) => `
  with r as (
    update runs set state = 'running', state_since = now(), started_at = now(), waiting_cause = null,
      waiting_since = null,
      canary = case when array_remove(${$('canaryUsers')}::bigint[], null) <> '{}' then 'serving' end,
      deadline_at = deadline_at + coalesce(
        (select greatest(max(k.at) - scheduled_for, '0') from unnest(${$('startsAt')}::timestamptz[]) k (at)), '0')
    where id = ${$('runId')} and state = 'preparing'
      and (kind = 'dry-run' or is_start_allowed(campaign, revision, ${$('policy')}, ${$('approval')}))
    returning id, campaign, revision, kind, prices
  ), e as (
    insert into run_events (run, kind, detail)
    select id, 'begun', jsonb_build_object('feeds', cardinality(${$('feeds')}::uuid[])) from r
  ), f as (
    insert into feeds (feed, run, country, variant, segment, snapshot, estimate, audience, batch_users, step_units,
      max_users, canary_users, stalled, stalled_until)
    select k.feed, r.id, k.country, k.variant, k.segment, k.snapshot, k.estimate, k.audience, ${$('batchUsers')},
      case when r.kind <> 'dry-run' then step_units(r.campaign, r.revision, k.country, r.prices) end,
      k.max_users, k.canary_users,
      -- A feed whose start time has not come is stored as stalled until that time, so that no trigger claims it before.
      case when k.starts_at > now() then ${$('notItsTime')} end, case when k.starts_at > now() then k.starts_at end
    from r, unnest(${$('feeds')}::uuid[], ${$('countries')}::text[], ${$('variants')}::int2[], ${$('segments')}::text[],
        ${$('snapshots')}::text[],
        ${$('estimates')}::bigint[], ${$('audiences')}::jsonb[], ${$('startsAt')}::timestamptz[],
        ${$('usersAtMost')}::bigint[], ${$('canaryUsers')}::bigint[])
      k (feed, country, variant, segment, snapshot, estimate, audience, starts_at, max_users, canary_users)
  )
  select from r`,
);

/**
 * Finds steps without a usable price. A budget in money counts each user at the price of the step, so each step that
 * costs something needs a price in the currency of the budget.
 */
export const unpriced = `
  select case when b.currency is distinct from p.prices ->> 'currency'
    then 'the budget of ' || b.country || ' is in ' || b.currency || ', and prices are in '
      || coalesce(p.prices ->> 'currency', 'no currency')
    else '"' || (s.step ->> 'action') || '" has no price that a budget in ' || b.currency || ' can count' end as cause
  from runs r
  join revisions c on c.campaign = r.campaign and c.revision = r.revision
  join budgets b on b.campaign = r.campaign and b.currency is not null
  cross join lateral (select coalesce(r.prices, current_prices(r.campaign, r.revision)) as prices) p
  cross join jsonb_array_elements(c.definition -> 'chain') with ordinality s (step, place)
  cross join lateral (select (p.prices -> 'steps' ->> (s.place - 1)::int)::numeric as price) q
  where r.id = $1 and s.step ? 'unitsPerUser' and (b.currency is distinct from p.prices ->> 'currency'
    or q.price is null or q.price * (s.step ->> 'unitsPerUser')::numeric > ${mostForOne})
  order by s.place, b.country limit 1`;

const isSwept = `r.state in (${sweptStates.map((state) => `'${state}'`).join(', ')}) and r.ended_at is null`;

/**
 * SQL for the figures of runs, one row per feed. One statement reads all of them, so that the figures belong to the
 * same moment.
 */
const talliesOf = (runs: string) => `
  select r.id as "runId", r.campaign as "campaignId", r.state, r.state_reason as "stateReason",
    c.definition -> 'chain' as chain,
    (extract(epoch from now() - r.deadline_at) * 1000)::float8 as "overdueMs", r.failure_baseline as "failureBaseline",
    (c.definition || r.settings) -> 'pauseAtFailedPercent' as "failedPercent",
    (c.definition || r.settings) -> 'pauseAtFailedMinUsers' as "failedMinUsers",
    c.definition ? 'budgets' as "hasBudgets",
    case when r.canary = 'serving' then (c.definition || r.settings) -> 'canary' end as canary,
    f.feed as "feedId", f.country, f.fed_users::float8 as "fedUsers", f.held_out_users::float8 as "heldOutUsers",
    f.canary_users::float8 as "canaryUsers",
    f.next_batch_no - 1 as "fedBatches", f.from_step as "fromStep", f.complete, f.stalled,
    coalesce(t.lines, '[]') as lines
  from runs r
  join revisions c on c.campaign = r.campaign and c.revision = r.revision
  join feeds f on f.run = r.id
  left join lateral (
    select json_agg(s order by s.step) as lines from (
      select step, sum(batches) as batches, sum(succeeded) as succeeded, sum(failed) as failed, sum(expired) as expired,
        sum(cancelled) as cancelled, sum(unknown) as unknown, sum(suppressed) as suppressed,
        sum(done) as done, sum(survived) as survived, sum(created) as created, sum(waiting) as waiting
      from run_totals where feed = f.feed group by step
    ) s
  ) t on true
  where ${isSwept} and ${runs}
  order by r.scheduled_for, r.id, f.country, f.feed`;

export const talliesOfRuns = talliesOf('r.id = any($1::uuid[])');

export const talliesOver = talliesOf(`(r.state = 'cancelling' or r.deadline_at <= now())`);

/**
 * Lists runs. The statement uses the index of runs that have not ended, so its cost depends only on the runs that have
 * changed. It reads only one agenda entry per feed, and no totals.
 */
export const listRuns = `
  select now()::text as until, coalesce(json_agg(json_build_object('runId', r.id, 'since', r.state_since,
    'feeds', a.feeds, 'dueInMs', (extract(epoch from a.due_at - now()) * 1000)::float8) order by r.state_since), '[]')
    as runs
  from runs r
  cross join lateral (
    select count(*) as feeds, min(d.offer_at) as due_at
    from feeds f
    left join lateral (select offer_at from agenda where feed = f.feed order by offer_at limit 1) d on true
    where f.run = r.id
  ) a
  where ${isSwept} and r.state_since >= coalesce($1::timestamptz - $2::float8 * interval '1 millisecond', '-infinity')`;

/**
 * Returns the steps that wait, with the cause. The cause of a retry is no longer returned if there was no retry for two
 * minutes, if the breaker of the shard has closed, or if no batch waits.
 */
export const waitingSteps = `
  select distinct on (f.feed, w.step) f.run as "runId", f.country, w.step, w.cause, w.held
  from feeds f
  cross join lateral (
    select h.step, h.cause, true as held, h.kind = 'fault' as fault, h.since as at from holds h where h.feed = f.feed
      and (h.kind = 'fault' or h.until > now())
    union all
    select c.step, c.cause, false, false, c.last_at from step_causes c where c.feed = f.feed
      and c.last_at > now() - interval '2 minutes'
      and (select sum(waiting) from run_totals t where t.feed = c.feed and t.step = c.step) > 0
      and not ${isOverSinceClosed}
  ) w
  where f.run = any($1::uuid[])
  order by f.feed, w.step, w.fault desc, w.held desc, w.at desc`;

/** Returns the budgets that do not suffice for a run. Other runs of the same campaign use these budgets too. */
export const shortages = `
  with w as materialized (
    select f.run, r.campaign, f.country, count(*)::int as batches, min(f.step_units[v.step]) as least
    from feeds f
    join runs r on r.id = f.run
    join budget_reservations v on v.feed = f.feed and not v.granted
    join batch_steps s on s.feed = v.feed and s.batch_no = v.batch_no and s.step = v.step
      and s.state = ${stepState.waiting}
    where f.run = any($1::uuid[])
    group by f.run, r.campaign, f.country
  ), b as materialized (
    -- Each budget is added up only once, however many runs and batches wait for it.
    select b.campaign, b.country, b.currency, b.units, b.units - b.used - b.reserved as left_units
    from (select distinct campaign, country from w) k
    cross join lateral (
      select * from budget_figures f where f.campaign = k.campaign and f.country = k.country limit 1
    ) b
  )
  select w.run as "runId", w.country, b.left_units::float8 as left, w.batches, w.least::float8 as "leastUnits",
    format_budget(b.units, b.currency) || ' ' || coalesce(b.currency, 'units') as "budgetText",
    format_budget(b.left_units::bigint, b.currency) as "leftText", format_budget(w.least, b.currency) as "leastText"
  from w join b using (campaign, country)
  order by w.run, w.country`;

/** Figures to store: the arrays have one entry per row. Unchanged rows are not written. */
export interface ShowParams {
  runs: string;
  inFlight: string;
  waiting: string;
  causes: string;
}

export const show = statementOf<ShowParams>(
  'show-runs',
  ($) => `
  update runs r set in_flight = k.in_flight, waiting = k.waiting, waiting_cause = k.cause,
    waiting_since = case when k.cause is null then null when r.waiting_cause is distinct from k.cause then now()
      else r.waiting_since end
  from unnest(${$('runs')}::uuid[], ${$('inFlight')}::int[], ${$('waiting')}::int[], ${$('causes')}::text[])
    k (run, in_flight, waiting, cause)
  where r.id = k.run and r.ended_at is null
    and (r.in_flight, r.waiting, r.waiting_cause) is distinct from (k.in_flight, k.waiting, k.cause)`,
);
