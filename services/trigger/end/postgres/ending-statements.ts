import { firstChildBatchNo } from '../../../../shared/domain/step/batch.ts';
import { reasons } from '../../../../shared/domain/step/reasons.ts';
import {
  failureCode,
  quarantinedAfterLapses,
  restCode,
  stepState,
  triggerSlot,
} from '../../../../shared/postgres/ledger/ledger-codes.ts';
import { statementOf } from '../../../../shared/postgres/connection/statement.ts';
import { failureTotalsAdded } from '../../../../shared/postgres/ledger/totals-sql.ts';

/**
 * SQL that ends the steps in `e`, a table expression with the columns feed, batch_no, step, state, epoch, attempts,
 * remaining (number of users still to be served) and is_unknown. The epoch is null if no worker has claimed the step
 * yet. If a row has another epoch or state by now, its step is not ended. The epoch is increased, so that later results
 * of a worker that held the step are refused. `limit` and `offset` in the lookups of single rows prevent joins, for
 * which the planner would read whole weeks of other runs.
 */
const ending = (rest: string, reason: string) => `
  u as (
    update batch_steps s set state = ${stepState.done}, rest = ${rest}::int2,
      rest_users = case when e.is_unknown then 0 else e.remaining end,
      failed = 0, unknown = case when e.is_unknown then e.remaining else 0 end, epoch = s.epoch + 1, owner = null,
      lease_until = now(), next_attempt_at = null, cause = null
    from e
    where e.epoch is not null and s.feed = e.feed and s.batch_no = e.batch_no and s.step = e.step and s.epoch = e.epoch
      and s.state = e.state
      and (s.state = ${stepState.waiting} or s.lease_until < now())
    returning s.feed, s.batch_no, s.step, e.remaining, e.is_unknown, s.attempts,
      e.state = ${stepState.waiting} as was_waiting
  ), i as (
    insert into batch_steps (feed, batch_no, step, state, epoch, lease_until, rest, rest_users, failed, unknown)
    select feed, batch_no, step, ${stepState.done}, 1, now(), ${rest}::int2, remaining, 0, 0 from e where epoch is null
    order by feed, batch_no, step
    on conflict (feed, batch_no, step) do nothing
    returning feed, batch_no, step, rest_users as remaining
  ), x as (
    select * from u
    union all
    select feed, batch_no, step, remaining, false, 0, false from i
  ), l as (
    insert into user_failures (feed, batch_no, step, user_id, outcome, reason, attempts)
    select x.feed, x.batch_no, x.step, k.user_id, ${failureCode.unknown}, '${reason}', x.attempts
    from x
    cross join lateral (select users from batches where feed = x.feed and batch_no = x.batch_no limit 1) b
    cross join lateral jsonb_array_elements_text(('[' || b.users || ']')::jsonb) k (user_id)
    where x.is_unknown
      and not exists (
        select from user_failures f
        where f.feed = x.feed and f.batch_no = x.batch_no and f.step < x.step
          and f.user_id = k.user_id collate "C" offset 0)
      and not exists (
        select from batches c, jsonb_array_elements_text(('[' || c.users || ']')::jsonb) o (user_id)
        where c.feed = x.feed and c.parent = x.batch_no and c.from_step < x.step
          and o.user_id = k.user_id collate "C" offset 0)
    returning feed, batch_no, step, user_id, outcome, reason
  ), ft as (
    ${failureTotalsAdded('l', String(triggerSlot))}
  ), t as (
    insert into run_totals as t (feed, step, slot, batches, expired, cancelled, unknown, done, waiting)
    select feed, step, ${triggerSlot}, count(*) filter (where batch_no < ${firstChildBatchNo}),
      coalesce(sum(remaining) filter (where not is_unknown and ${rest} = ${restCode.expired}), 0),
      coalesce(sum(remaining) filter (where not is_unknown and ${rest} = ${restCode.cancelled}), 0),
      coalesce(sum(remaining) filter (where is_unknown), 0), count(*), -count(*) filter (where was_waiting)
    from x group by feed, step order by feed, step
    on conflict (feed, step, slot) do update set batches = t.batches + excluded.batches,
      expired = t.expired + excluded.expired,
      cancelled = t.cancelled + excluded.cancelled, unknown = t.unknown + excluded.unknown,
      done = t.done + excluded.done, waiting = t.waiting + excluded.waiting
  ), gone as (
    delete from agenda a using x where a.feed = x.feed and a.batch_no = x.batch_no and a.step = x.step
  ), free as (
    delete from budget_reservations v using x where v.feed = x.feed and v.batch_no = x.batch_no and v.step = x.step
  ), never as (
    -- Caps still count the users whose call may have been made.
    delete from capped_effects c using x
    where c.feed = x.feed and c.batch_no = x.batch_no and c.step = x.step and not x.is_unknown
  )`;

/**
 * Condition on a step row `s` whose lease has expired: a worker may have made a call whose response was not recorded.
 */
const mayHaveBeenCalled = `s.open or s.state = ${stepState.running} and (s.lapses = 0 or s.begun)`;

/**
 * SQL for the number of users still to be served in the step of row `s`: those who succeeded in the previous step, or
 * all users of batch `b`.
 */
const remainingIn = `
  coalesce((select p.rest_users from batch_steps p
    where s.step > b.from_step and p.feed = b.feed and p.batch_no = b.batch_no and p.step = s.step - 1), b.n)::int`;

/** SQL for the row of the furthest step of a batch, which is the batch's position in the chain. */
const lastStepOf = (batch: string) =>
  `select * from batch_steps s where s.feed = ${batch}.feed and s.batch_no = ${batch}.batch_no order by s.step desc limit 1`;

export interface EndOpenParams {
  feed: string;
  chainLength: number;
  rest: number;
  from: number;
  limit: number;
}

/**
 * Ends open steps of a feed: those of the next window of batches, and those on the agenda (the list of steps that must
 * be offered again). Agenda entries that a worker has claimed are excluded before the limit applies, and entries of
 * batches that are through the chain are deleted. Otherwise, thousands of such entries could use up the limit, and the
 * entries after them would never be reached.
 */
export const endOpen = statementOf<EndOpenParams>(
  'end-open-steps',
  ($) => `
  with f as (
    select f.feed, f.next_batch_no, greatest(coalesce(m.below, 1), ${$('from')}::int) as low
    from feeds f left join sweep_marks m on m.feed = f.feed and m.step = ${$('chainLength')}::int2
    where f.feed = ${$('feed')}
  ), listed as materialized (
    select a.feed, a.batch_no, a.step, s.step as last_step, s.state, s.rest, s.rest_users
    from f join agenda a on a.feed = f.feed
    left join lateral (${lastStepOf('a')}) s on true
    where s.state is distinct from ${stepState.running} or s.lease_until < now()
    order by a.batch_no, a.step limit ${$('limit')}::int
  ), w as (
    select f.feed, k.batch_no
      from f, generate_series(f.low, least(f.next_batch_no, f.low + ${$('limit')}::int) - 1) k (batch_no)
    union
    select feed, batch_no from listed
  ), passed as (
    delete from agenda a using listed l
    where a.feed = l.feed and a.batch_no = l.batch_no and a.step = l.step and l.state = ${stepState.done}
      and not (l.rest = ${restCode.succeeded} and l.rest_users > 0 and l.last_step < ${$('chainLength')}::int)
    returning a.feed
  ), e as materialized (
    select b.feed, b.batch_no, s.attempts,
      case when s.step is null then b.from_step when s.state = ${stepState.done} then s.step + 1
        else s.step end as step,
      case when s.state <> ${stepState.done} then s.state end as state,
      case when s.state <> ${stepState.done} then s.epoch end as epoch,
      case when s.step is null then b.n when s.state = ${stepState.done} then s.rest_users
        else ${remainingIn} end as remaining,
      s.state is distinct from ${stepState.done} and s.step is not null and (${mayHaveBeenCalled}) as is_unknown
    from w
    cross join lateral (select * from batches where feed = w.feed and batch_no = w.batch_no limit 1) b
    left join lateral (${lastStepOf('b')}) s on true
    where s.step is null
      or s.state = ${stepState.done} and s.rest = ${restCode.succeeded} and s.rest_users > 0
        and s.step < ${$('chainLength')}::int
      or s.state = ${stepState.waiting}
      or s.state = ${stepState.running} and s.lease_until < now()
  ), ${ending($('rest'), reasons.ambiguousAnswer)}
  select (select count(*) from x)::int as ended, (select count(*) from passed)::int as passed,
    case when f.low + ${$('limit')}::int < f.next_batch_no then f.low + ${$('limit')}::int end as next
  from f`,
);

export interface EndQuarantinedParams {
  feeds: string;
  batchNos: string;
  steps: string;
  rest: number;
}

export const endQuarantined = statementOf<EndQuarantinedParams>(
  'end-quarantined-steps',
  ($) => `
  with e as materialized (
    select b.feed, b.batch_no, s.step, s.state, s.epoch, s.attempts, ${remainingIn} as remaining, true as is_unknown,
      s.lapses, s.owner
    from unnest(${$('feeds')}::uuid[], ${$('batchNos')}::int[], ${$('steps')}::int2[]) k (feed, batch_no, step)
    cross join lateral (select * from batches where feed = k.feed and batch_no = k.batch_no limit 1) b
    cross join lateral (select * from batch_steps where feed = k.feed and batch_no = k.batch_no and step = k.step
      limit 1) s
    where s.state = ${stepState.running} and s.lease_until < now() and s.lapses >= ${quarantinedAfterLapses}
  ), ${ending($('rest'), reasons.quarantined)}, q as (
    insert into quarantined_steps (feed, batch_no, step, users, lapses, worker)
    select x.feed, x.batch_no, x.step, x.remaining, e.lapses, e.owner from x join e using (feed, batch_no, step)
  )
  select count(*)::int as ended from x`,
);
