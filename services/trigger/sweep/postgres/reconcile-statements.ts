import { firstChildBatchNo } from '../../../../shared/domain/step/batch.ts';
import {
  failureCode,
  restCode,
  settledAsSucceeded,
  stepState,
  triggerSlot,
} from '../../../../shared/postgres/ledger/ledger-codes.ts';
import { statementOf } from '../../../../shared/postgres/connection/statement.ts';
import { totalsColumns } from '../../../../shared/postgres/ledger/totals-sql.ts';

/** Totals that can be counted from rows, which are all except `refused`. */
export const sums = totalsColumns.filter((column) => column !== 'refused');

const ofRest = (rest: number) => `sum(rest_users) filter (where state = ${stepState.done} and rest = ${rest})`;
const isDone = `state = ${stepState.done}`;

/**
 * Repairs totals. One statement reads the rows and the sums, so both are of the same moment. Returns a row for each
 * changed step.
 */
export const reconcileTotals = statementOf<{ feed: string }>(
  'reconcile-totals',
  ($) => `
  with s as (
    select step, count(*) filter (where ${isDone} and batch_no < ${firstChildBatchNo}) as batches,
      ${ofRest(restCode.succeeded)} as succeeded,
      ${ofRest(restCode.expired)} as expired, ${ofRest(restCode.cancelled)} as cancelled,
      count(*) filter (where ${isDone}) as done,
      count(*) filter (where ${isDone} and rest = ${restCode.succeeded} and rest_users > 0) as survived,
      count(*) filter (where state = ${stepState.waiting}) as waiting
    from batch_steps where feed = ${$('feed')} group by step
  ), u as (
    select step, count(*) filter (where outcome = ${failureCode.failed}) as failed,
      count(*) filter (where outcome = ${failureCode.unknown}) as unknown,
      count(*) filter (where outcome = ${failureCode.suppressed}) as suppressed,
      count(*) filter (where outcome = ${settledAsSucceeded}) as settled
    from user_failures where feed = ${$('feed')} group by step
  ), c as (
    select from_step as step, count(*) as created from batches where feed = ${$('feed')}
      and batch_no >= ${firstChildBatchNo} group by from_step
  ), z as (
    select step, count(*) filter (where outcome = ${settledAsSucceeded}) as settled_succeeded,
      count(*) filter (where outcome = ${failureCode.failed}) as settled_failed
    from settlements where feed = ${$('feed')} group by step
  ), t as (
    select step, ${sums.map((sum) => `sum(${sum}) as ${sum}`).join(', ')} from run_totals where feed = ${$('feed')}
      group by step
  ), d as (
    select step, ${sums.map((sum) => `${countedOf(sum)} - coalesce(t.${sum}, 0) as ${sum}`).join(', ')}
    from s full join u using (step) full join c using (step) full join z using (step) full join t using (step)
  ), w as (
    select * from d where (${sums.join(', ')}) <> (${sums.map(() => '0').join(', ')})
  ), r as (
    insert into run_totals as t (feed, step, slot, ${sums.join(', ')})
    select ${$('feed')}, step, ${triggerSlot}, ${sums.join(', ')} from w order by step
    on conflict (feed, step, slot) do update set ${sums.map((sum) => `${sum} = t.${sum} + excluded.${sum}`).join(', ')}
  )
  select step, ${sums.map((sum) => `${sum}::int as ${sum}`).join(', ')} from w order by step`,
);

/**
 * Returns the SQL expression that counts a total. Users whom a person settled as succeeded have rows of their own, so
 * they are added to `succeeded`.
 */
function countedOf(sum: (typeof sums)[number]): string {
  if (sum === 'succeeded') return 'coalesce(s.succeeded, 0) + coalesce(u.settled, 0)';
  if (sum === 'failed' || sum === 'unknown' || sum === 'suppressed') return `coalesce(u.${sum}, 0)`;
  if (sum === 'settled_succeeded' || sum === 'settled_failed') return `coalesce(z.${sum}, 0)`;
  return `coalesce(${sum === 'created' ? 'c' : 's'}.${sum}, 0)`;
}

export const reconcileFailureTotals = statementOf<{ feed: string }>(
  'reconcile-failure-totals',
  ($) => `
  with u as (
    select step, outcome, reason, count(*) as users from user_failures
    where feed = ${$('feed')} and outcome <> ${settledAsSucceeded} group by step, outcome, reason
  ), t as (
    select step, outcome, reason, sum(users) as users from failure_totals where feed = ${$('feed')}
      group by step, outcome, reason
  ), w as (
    select step, outcome, reason, coalesce(u.users, 0) - coalesce(t.users, 0) as users
    from u full join t using (step, outcome, reason) where coalesce(u.users, 0) <> coalesce(t.users, 0)
  ), r as (
    insert into failure_totals as t (feed, step, outcome, reason, slot, users, sample)
    select ${$('feed')}, step, outcome, reason, ${triggerSlot}, users, '{}' from w order by step, outcome, reason
    on conflict (feed, step, outcome, reason, slot) do update set users = t.users + excluded.users
  )
  select step, reason, users::int as users from w order by step, reason`,
);

export const reconcileFedUsers = statementOf<{ feed: string }>(
  'reconcile-fed-users',
  ($) => `
  with w as (
    select f.held_out_users + coalesce((select sum(n) from batches where feed = f.feed
      and batch_no < ${firstChildBatchNo}), 0)
      + (select count(*) from user_failures where feed = f.feed and batch_no = 0) - f.fed_users as users
    from feeds f where f.feed = ${$('feed')}
  ), r as (
    update feeds set fed_users = fed_users + w.users from w where feed = ${$('feed')} and w.users <> 0
  )
  select users::int as users from w where users <> 0`,
);

/**
 * Adds open steps to the agenda that the sweep would never find, because they have no entry and are not above the mark.
 * Skips steps that a worker holds under a valid lease; a later reconciliation examines them.
 */
export const reconcileAgenda = statementOf<{ feed: string; chainLength: number }>(
  'reconcile-agenda',
  ($) => `
  with m as (
    select coalesce((
      select below from sweep_marks where feed = ${$('feed')} and step = ${$('chainLength')}::int2
    ), 1) as below
  ), s as (
    select distinct on (batch_no) batch_no, step, state, lease_until, next_attempt_at,
      rest = ${restCode.succeeded} and rest_users > 0 and step < ${$('chainLength')}::int as goes_on
    from batch_steps where feed = ${$('feed')} order by batch_no, step desc
  ), w as (
    select b.batch_no, coalesce(s.step + (s.state = ${stepState.done})::int, b.from_step)::int2 as step,
      case when s.state = ${stepState.waiting} then greatest(s.next_attempt_at, now()) else now() end as offer_at
    from m, batches b left join s on s.batch_no = b.batch_no
    where b.feed = ${$('feed')} and (b.batch_no < m.below or b.batch_no >= ${firstChildBatchNo})
      and (s.step is null or s.state = ${stepState.waiting} or s.state = ${stepState.running} and s.lease_until < now()
        or s.state = ${stepState.done} and s.goes_on)
      and not exists (select from agenda a where a.feed = ${$('feed')} and a.batch_no = b.batch_no)
  ), r as (
    insert into agenda (feed, batch_no, step, offer_at) select ${$('feed')}, batch_no, step, offer_at from w
      order by batch_no
    on conflict (feed, batch_no, step) do nothing
  )
  select step, count(*)::int as steps from w group by step order by step`,
);

/** Adds an event about repairs. $1: feed, $2: repairs as JSON. */
export const noteRepairs = `
  insert into run_events (run, kind, detail) select run, 'repaired',
    jsonb_build_object('country', country, 'repairs', $2::jsonb) from feeds where feed = $1`;
