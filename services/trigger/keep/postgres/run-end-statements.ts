import { firstChildBatchNo } from '../../../../shared/domain/step/batch.ts';
import {
  failureCode,
  restCode,
  stepState,
  settledAsSucceeded,
  settlementSlot,
  triggerSlot,
} from '../../../../shared/postgres/ledger/ledger-codes.ts';
import { sampleSize, totalsColumns } from '../../../../shared/postgres/ledger/totals-sql.ts';
import { noteEnd } from './history-statements.ts';

/**
 * Locks the run. Another statement may reopen one of its steps. That statement either waits until the run has ended, or
 * was committed before, so that the recount includes its change.
 */
export const holdRun = `select from runs where id = $1 for no key update`;

/**
 * Fences the triggers that feed the run: waits for their writes in progress, and makes the database refuse later writes
 * with the old tokens.
 */
export const fence = `
  update feeds set token = token + 1, owner = null, lease_until = null where run = $1 and not complete`;

/**
 * Counts the rows of one feed, independently of the stored totals. Batches and outcomes are counted from the rows of
 * steps, failures from the rows of failed users.
 */
export const recount = `
  select f.feed as "feedId", coalesce(t.totals, '[]') as totals
  from feeds f
  cross join lateral (
    select json_agg(k order by k.step) as totals from (
      select step, coalesce(batches, 0) as batches, coalesce(succeeded, 0) + coalesce(settled, 0) as succeeded,
        coalesce(failed, 0) as failed,
        coalesce(expired, 0) as expired, coalesce(cancelled, 0) as cancelled, coalesce(unknown, 0) as unknown,
        coalesce(suppressed, 0) as suppressed
      from (
        select step, count(*) filter (where batch_no < ${firstChildBatchNo}) as batches,
          sum(rest_users) filter (where rest = ${restCode.succeeded}) as succeeded,
          sum(rest_users) filter (where rest = ${restCode.expired}) as expired,
          sum(rest_users) filter (where rest = ${restCode.cancelled}) as cancelled
        from batch_steps where feed = f.feed and state = ${stepState.done} group by step
      ) s full join (
        select step, count(*) filter (where outcome = ${failureCode.failed}) as failed,
          count(*) filter (where outcome = ${failureCode.unknown}) as unknown,
          count(*) filter (where outcome = ${failureCode.suppressed}) as suppressed,
          count(*) filter (where outcome = ${settledAsSucceeded}) as settled
        from user_failures where feed = f.feed group by step
      ) u using (step)
    ) k
  ) t
  where f.feed = $1`;

export const finish = `
  with r as (
    update runs set state = $2, state_since = now(), state_reason = $3, ended_at = now(), in_flight = 0, waiting = 0,
      waiting_cause = null, waiting_since = null
    where id = $1 and state = any($4::text[])
    returning id, campaign, started_at, ended_at
  ), e as (
    insert into run_events (run, kind, detail) select id, 'ended',
      jsonb_build_object('state', $2::text, 'reason', $3::text) from r
  ), n as (
    ${noteEnd}
  ), g as (
    select r.campaign, f.country, sum((t.succeeded + t.unknown) * f.step_units[t.step])::bigint as units
    from r join feeds f on f.run = r.id join run_totals t on t.feed = f.feed
    where f.step_units is not null group by r.campaign, f.country
  ), held as materialized (
    -- Budgets are locked in this order, as by reservations, so that the two cannot deadlock.
    select b.campaign, b.country, g.units from budgets b join g using (campaign, country)
      order by b.campaign, b.country for update of b
  ), b as (
    update budgets b set past_units = b.past_units + held.units from held
      where b.campaign = held.campaign and b.country = held.country
  ), o as (
    delete from run_problems where run in (select id from r)
  ), p as (
    delete from run_paces where run in (select id from r)
  )
  select from r`;

/**
 * Deletes what a run needed until its end: its agenda, its holds, its budget reservations and the marks of its sweeps.
 */
export const forgetSweep = `
  with f as (select feed from feeds where run = $1),
    a as (delete from agenda using f where agenda.feed = f.feed),
    h as (delete from holds using f where holds.feed = f.feed),
    b as (delete from budget_reservations v using f where v.feed = f.feed)
  delete from sweep_marks using f where sweep_marks.feed = f.feed`;

/** Merges the totals of an ended run into one row per step. Later settlements add to this row. */
export const mergeTotals = `
  with gone as (
    delete from run_totals where feed in (select feed from feeds where run = $1) returning *
  )
  insert into run_totals (feed, step, slot, ${totalsColumns.join(', ')})
  select feed, step, ${settlementSlot}, ${totalsColumns.map((column) => `sum(${column})`).join(', ')}
  from gone group by feed, step`;

/**
 * Merges the failure totals of an ended run by reason. The sample users of the first rows are kept. Settlements keep a
 * row of their own.
 */
export const mergeFailureTotals = `
  with gone as (
    delete from failure_totals where feed in (select feed from feeds where run = $1) returning *
  )
  insert into failure_totals (feed, step, outcome, reason, slot, users, sample)
  select feed, step, outcome, reason, ${triggerSlot}, sum(users) filter (where coalesce(place, 1) = 1),
    coalesce((array_agg(shown order by slot, place) filter (where place is not null))[1:${sampleSize}], '{}')
  from gone left join lateral unnest(sample) with ordinality k (shown, place) on true
  group by feed, step, outcome, reason`;
