import { isSeenRevision, type SeenParams } from '../../frame/postgres/seen-campaigns.ts';
import { defaultMinJudgedUsers } from '../../../../shared/contracts/campaigns/campaigns.ts';
import type { RunKind } from '../../../../shared/domain/run/run-kinds.ts';
import { blockedSteps } from './blocked-steps.ts';
import { isOverSinceClosed } from '../../../../shared/postgres/registry/endpoint-guards.ts';
import { settledAsSucceeded } from '../../../../shared/postgres/ledger/ledger-codes.ts';
import {
  endsWithChoice,
  isRemainingFeed,
  splitVariants,
  variantName,
} from '../../../../shared/postgres/ledger/variants-sql.ts';
import { statementOf, unnamedStatementOf } from '../../../../shared/postgres/connection/statement.ts';

/**
 * SQL of the settings of a run: those of the campaign, merged with the changes for this run. A change to null removes a
 * setting.
 */
const settings = `
  json_build_object(
    'priority', (c.definition || r.settings) -> 'priority',
    'paceUsersPerSecond', (c.definition || r.settings) -> 'paceUsersPerSecond',
    'pauseAtFailedPercent', (c.definition || r.settings) -> 'pauseAtFailedPercent',
    'pauseAtFailedMinUsers',
    coalesce((c.definition || r.settings) -> 'pauseAtFailedMinUsers', to_jsonb(${defaultMinJudgedUsers}))
  ) as settings`;

/** SQL of the order of waits. Quiet hours come last, because waits that a person can end are listed first. */
const waitOrder = `blocked_by is not distinct from 'quiet-hours', since, step, country, cause`;

/** Columns of a run's header, named as in the port. `r` is the run, `c` the campaign revision that it runs. */
const header = `
  r.id as "runId", r.kind, r.step_modes as "stepModes", r.canary, r.parent as "parentRunId",
  r.campaign as "campaignId", c.definition ->> 'name' as "campaignName",
    r.revision, r.state, r.state_reason as "stateReason",
  r.scheduled_for as "scheduledFor", r.started_at as "startedAt", r.ended_at as "endedAt",
  r.deadline_at as "deadlineAt", r.state_since as "stateSince", ${settings},
  r.prices, ${splitVariants('c')} as variants,
  case when r.canary is not null and ${endsWithChoice('r', 'c')} then json_build_object('chosen',
    (select ${variantName('e', 'c')} from feeds e where e.run = r.id and e.canary_users = 0 limit 1)
  ) end as "variantChoice",
  (select json_agg(json_build_object('action', s.step ->> 'action',
      'hasVariants', s.step -> 'variants' is not null,
      'unitsPerUser', coalesce((s.step ->> 'unitsPerUser')::int, 0), 'receipts', coalesce(
      (select (t.config ->> 'receipts')::boolean from action_types t where t.name = s.step ->> 'action'), false))
        order by s.place)
   from jsonb_array_elements(c.definition -> 'chain') with ordinality as s(step, place)) as chain`;

const runsWithRevision = `runs r join revisions c on c.campaign = r.campaign and c.revision = r.revision`;

export const selectRun = `select ${header} from ${runsWithRevision} where r.id = $1`;

/**
 * Selects a page of runs. Parameters: $1 limit, $2 campaign or null, $3 state or null, $4 id of the last run of the
 * previous page or null.
 */
const runsWhere = (kind: RunKind, condition: string) => `
  select ${header} from ${runsWithRevision}
  where r.kind = '${kind}' and ($2::uuid is null or r.campaign = $2) and ${condition}
    and ($4::uuid is null or r.id < $4)
  order by r.id desc limit $1`;

const inAnyState = '($3::text is null or r.state = $3)';

export const selectRuns = runsWhere('live', inAnyState);

/** Tests and dry runs have indexes of their own, because they are few among all runs. */
export const selectTests = runsWhere('test', inAnyState);
export const selectDryRuns = runsWhere('dry-run', inAnyState);

interface FoundParams extends SeenParams {
  limit: number;
  kind: RunKind;
  /** Filters of the list; null matches any value. */
  campaignId: string | null;
  state: string | null;
  ended: boolean | null;
  pattern: string | null;
  after: string | null;
}

/**
 * Selects the runs that match a search. Names are compared with those of campaigns, because each campaign has only one
 * name but many runs.
 */
export const selectFoundRuns = unnamedStatementOf<FoundParams>(
  ($) => `
  select ${header} from ${runsWithRevision}
  where r.kind = ${$('kind')} and (${$('campaignId')}::uuid is null or r.campaign = ${$('campaignId')})
    and (${$('state')}::text is null or r.state = ${$('state')})
    and (${$('ended')}::boolean is null or (r.ended_at is not null) = ${$('ended')})
    and (${$('pattern')}::text is null or r.campaign in (select id from campaigns where name ilike ${$('pattern')}))
    and (${$('after')}::uuid is null or r.id < ${$('after')}) and ${isSeenRevision($, 'c')}
  order by r.id desc limit ${$('limit')}`,
);

/** Reads the index of runs that have not ended, because the table has the ended runs of many years. */
export const selectOpenRuns = runsWhere('live', 'r.state = $3 and r.ended_at is null');

/**
 * Selects snapshots. One statement reads one moment. Users, batches and totals of a feed change in the same
 * transactions, so the lines always balance. The statement runs each second, and reads a few rows for each feed,
 * whatever the size of the run. Parameters: $1 runs.
 */
export const selectSnapshots = `
  with totals as (
    select feed, step, sum(batches)::float8 as batches, sum(succeeded)::float8 as succeeded,
      sum(failed)::float8 as failed,
      sum(expired)::float8 as expired, sum(cancelled)::float8 as cancelled, sum(unknown)::float8 as unknown,
      sum(suppressed)::float8 as suppressed,
      sum(created)::int as created, sum(done)::float8 as done, sum(survived)::float8 as survived,
      sum(waiting)::int as waiting, sum(settled_succeeded)::float8 as "settledSucceeded",
      sum(settled_failed)::float8 as "settledFailed"
    from run_totals where feed in (select feed from feeds where run = any($1::uuid[]))
    group by feed, step
  ), lines as (
    select feed,
      json_agg(to_jsonb(totals) - array['feed', 'created', 'done', 'survived', 'waiting'] order by step) as totals,
      sum(created)::int as created, sum(waiting)::int as waiting
    from totals group by feed
  ), receipts as (
    select feed, json_agg(json_build_object('step', step, 'delivered', delivered, 'undelivered', undelivered,
        'unexpectedDelivered', unexpected_delivered, 'unexpectedUndelivered', unexpected_undelivered)
      order by step) as receipts
    from (
      select feed, step, sum(delivered)::float8 as delivered, sum(undelivered)::float8 as undelivered,
        sum(unexpected_delivered)::float8 as unexpected_delivered,
        sum(unexpected_undelivered)::float8 as unexpected_undelivered
      from receipt_totals where feed in (select feed from feeds where run = any($1::uuid[])) group by feed, step
    ) s group by feed
  ), countries as (
    select run, json_agg(json_build_object(
        'feedId', feed, 'country', country, 'variant', variant, 'isRemaining', is_remaining,
        'fromStep', from_step, 'segment', segment,
        'estimate', estimate, 'fedUsers', fed_users, 'heldOutUsers', held_out_users,
        'excludedUsers', excluded_users, 'sharedUsers', overlapping_users, 'fedBatches', next_batch_no - 1,
        'childBatches', coalesce(created, 0), 'complete', complete, 'totals', coalesce(totals, '[]'),
        'receipts', coalesce(receipts, '[]')
      ) order by country, variant, from_step, feed) as countries,
      (array_agg(stalled order by country) filter (where stalled is not null))[1] as stalled,
      coalesce(sum(waiting), 0)::int as waiting
    from (
      select e.*, ${isRemainingFeed('e', 'o', 'c')} as is_remaining
      from feeds e join runs o on o.id = e.run join revisions c on c.campaign = o.campaign and c.revision = o.revision
      where e.run = any($1::uuid[])
    ) e left join lines using (feed) left join receipts using (feed) group by run
  ), ${blockedSteps}, causes as (
    select f.run, f.country, h.step, h.cause, h.since, h.batches, h.kind = 'fault' as held, h.next_try_at,
      nullif(h.kind, 'fault') as blocked_by
      from feeds f join holds h using (feed) where f.run = any($1::uuid[]) and (h.kind = 'fault' or h.until > now())
    union all
    select b.run, b.country, b.step, b.cause, b.since, b.batches, false, b.next_try_at, b.blocked_by from blocked b
      where not exists (select from feeds f join holds h using (feed)
        where f.run = b.run and f.country = b.country and h.step = b.step and (h.kind = 'fault' or h.until > now()))
    union all
    select f.run, f.country, c.step, c.cause, c.since, c.batches, false, null, null from feeds f
      join step_causes c using (feed)
    where f.run = any($1::uuid[]) and c.last_at >= now() - interval '2 minutes'
      and exists (select from totals t where t.feed = c.feed and t.step = c.step and t.waiting > 0)
      and not exists (select from holds h where h.feed = c.feed and h.step = c.step and h.cause = c.cause
        and (h.kind = 'fault' or h.until > now()))
      and not exists (select from blocked b
        where b.run = f.run and b.country = f.country and b.step = c.step and b.cause = c.cause)
      and not ${isOverSinceClosed}
  ), waits as (
    select run, json_agg(json_build_object('step', step, 'country', country, 'cause', cause, 'since', since,
      'batches', batches, 'held', held, 'nextTryAt', next_try_at, 'blockedBy', blocked_by)
        order by ${waitOrder}) as waits,
      (array_agg(cause order by ${waitOrder}))[1] as cause
    from (
      -- A country has a feed for each variant. All of them wait because of the same cause, so they become one line.
      select run, step, country, cause, held, blocked_by, min(since) as since, sum(batches)::int as batches,
        min(next_try_at) as next_try_at
      from causes group by run, step, country, cause, held, blocked_by
    ) g group by run
  )
  select ${header}, now() as "asOf", case when r.ended_at is null then r.waiting_since end as "waitingSince",
    r.in_flight as "inFlight", coalesce(f.waiting, 0) as "waitingForRetry",
    case when r.ended_at is null then coalesce(f.stalled, w.cause, r.waiting_cause) end as stalled,
    case when r.ended_at is not null then null when f.stalled is not null then 'audience'
      when w.cause is not null then 'step'
      when r.waiting_cause is not null then 'engine' end as "stalledBy",
    case when r.ended_at is null then w.waits end as waits, r.failures_kept as "failuresKept",
    case when r.receipts_state = 'deleted' then r.receipts_since end as "receiptsDeletedAt",
    (
      select coalesce(json_agg(json_build_object('country', country,
        'units', case when currency is null then units end, 'used', case when currency is null then used end,
        'reserved', case when currency is null then reserved end, 'money', money_figures(b),
        'waitingBatches', waiting) order by country), '[]')
      from budget_figures b where campaign = r.campaign
    ) as budgets,
    coalesce(f.countries, '[]') as countries
  from ${runsWithRevision} left join countries f on f.run = r.id left join waits w on w.run = r.id
    where r.id = any($1::uuid[])`;

const comparableWith = (when: string, limit: string) => `
  select * from (
    select r.id, '${when}' = '<' as is_earlier from runs r
    where r.campaign = (select campaign from o) and r.scheduled_for ${when} (select scheduled_for from o)
      and r.parent is null and r.kind = 'live' and r.ended_at is not null and r.started_at is not null
    order by r.scheduled_for desc limit ${limit}
  ) r`;

/**
 * Selects runs for comparison. Each part of the statement reads in the order of the key (campaign, scheduled_for), and
 * so reads no more rows than it returns.
 */
export const selectComparable = statementOf<SeenParams & { runId: string; limit: number }>(
  'comparable-runs',
  ($) => `
  with o as materialized (select campaign, scheduled_for from runs where id = ${$('runId')}),
    k as (${comparableWith('<', $('limit'))} union all ${comparableWith('>', $('limit'))})
  select ${header} from ${runsWithRevision} join k on k.id = r.id
  where ${isSeenRevision($, 'c')}
  order by k.is_earlier desc, r.scheduled_for desc, r.id desc limit ${$('limit')}`,
);

export const selectPoints = `
  select r.started_at as "startedAt", r.ended_at as "endedAt", p.at, p.ended::float8 as ended
  from runs r left join run_progress p on p.run = r.id where r.id = $1 order by p.at`;

/**
 * Selects the counts of failures by reason, which are updated with each recorded failure. The cost of a report is
 * therefore the same for a thousand failures and for a hundred million. Parameters: $1 run.
 */
export const selectFailureGroups = `
  select f.country, t.step, t.outcome, t.reason, sum(t.users)::float8 as users,
    json_agg(t.sample order by t.slot) as samples
  from feeds f join failure_totals t using (feed) where f.run = $1
  group by f.country, t.step, t.outcome, t.reason
  having sum(t.users) > 0
  order by t.step, f.country, users desc, t.reason collate "C", t.outcome`;

interface FailuresParams {
  runId: string;
  limit: number;
  /** Filters of failures; null matches any value. */
  q: string | null;
  country: string | null;
  step: number | null;
  reason: string | null;
  outcome: number | null;
  batch: number | null;
  failedFrom: Date | null;
  failedUntil: Date | null;
  /** Position of the last failure of the previous page, or null. */
  afterCountry: string | null;
  afterFeed: string | null;
  afterBatch: number | null;
  afterStep: number | null;
  afterUser: string | null;
}

/**
 * Selects a page of failures. Users who were settled as succeeded are excluded. Feeds are read in order, each with a
 * range of its primary key, so that each page has the same cost.
 */
export const selectFailures = unnamedStatementOf<FailuresParams>(
  ($) => `
  select u.user_id as "user", u.step, f.country, f.variant, u.outcome, u.reason, u.detail, u.attempts,
    u.batch_no as "batchNo",
    u.failed_at as "failedAt", f.feed as "feedId"
  from (
    select e.country collate "C" as country, e.feed, e.feed = ${$('afterFeed')}::uuid as begun,
      ${variantName('e', 'c')} as variant
    from feeds e
    join runs r on r.id = e.run
    join revisions c on c.campaign = r.campaign and c.revision = r.revision
    where e.run = ${$('runId')} and (${$('country')}::text is null or e.country = ${$('country')})
      and (${$('afterCountry')}::text is null
        or (e.country collate "C", e.feed) >= (${$('afterCountry')}, ${$('afterFeed')}::uuid))
    order by e.country collate "C", e.feed
  ) f, lateral (
    select * from user_failures
    where feed = f.feed
      and (batch_no, step, user_id) > (
        case when f.begun then ${$('afterBatch')}::int else -1 end,
        case when f.begun then ${$('afterStep')}::int else 0 end,
        case when f.begun then ${$('afterUser')} else '' end)
      and (${$('step')}::int is null or step = ${$('step')})
      and (${$('reason')}::text is null or reason = ${$('reason')})
      and (${$('batch')}::int is null or batch_no = ${$('batch')})
      and (${$('q')}::text is null or starts_with(user_id, ${$('q')}))
      and (${$('failedFrom')}::timestamptz is null or failed_at >= ${$('failedFrom')})
      and (${$('failedUntil')}::timestamptz is null or failed_at < ${$('failedUntil')})
      and outcome <> ${settledAsSucceeded} and (${$('outcome')}::int is null or outcome = ${$('outcome')})
    order by batch_no, step, user_id limit ${$('limit')}
  ) u
  order by f.country, f.feed, u.batch_no, u.step, u.user_id limit ${$('limit')}`,
);
