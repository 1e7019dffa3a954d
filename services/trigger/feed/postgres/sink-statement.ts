import { reasons } from '../../../../shared/domain/step/reasons.ts';
import { allActionTypes } from '../../../../shared/domain/step/suppressions.ts';
import { statementOf } from '../../../../shared/postgres/connection/statement.ts';
import { failureCode, restCode, stepState, triggerSlot } from '../../../../shared/postgres/ledger/ledger-codes.ts';
import { failureTotalsAdded } from '../../../../shared/postgres/ledger/totals-sql.ts';
import { insertedBatches, movedFeed, type WrittenPages } from './feed-statements.ts';

interface SunkPages extends WrittenPages {
  shared: number;
}

/**
 * Writes batches of a dry run's feed together with the outcomes of their steps, so that no worker can ever call them.
 * All users succeed, except those on a suppression list of the step's action type.
 */
export const sinkPages = statementOf<SunkPages>(
  'sink-pages',
  ($) => `
  with fd as (${movedFeed(
    $,
    `,
      ended_batches = ended_batches + ${$('batches')}::int,
      overlapping_users = overlapping_users + ${$('shared')}::bigint`,
  )}
  ), b as (${insertedBatches($)}
    returning feed, batch_no, n, users
  ), c as materialized (
    select s.step::int2 as step, s.entry ->> 'action' as action
    from fd join runs r on r.id = fd.run
    join revisions v on v.campaign = r.campaign and v.revision = r.revision
    cross join lateral jsonb_array_elements(v.definition -> 'chain') with ordinality s (entry, step)
  ), listed as materialized (
    -- A user who is on several lists is suppressed in the first step to which one of them applies. If two lists apply
    -- to this step, the list of the action type is recorded, because it is more specific.
    select distinct on (b.batch_no, p.user_id) b.feed, b.batch_no, c.step, p.user_id, l.action_type as list, p.note
    from c join suppression_lists l on l.action_type in (c.action, '${allActionTypes}') cross join b
    cross join lateral (
      select user_id, note from suppressed_people
      where list_no = l.list_no
        and user_id = any(array(select jsonb_array_elements_text(('[' || b.users || ']')::jsonb))) offset 0
    ) p
    order by b.batch_no, p.user_id, c.step, l.action_type = '${allActionTypes}'
  ), e as (
    insert into user_failures (feed, batch_no, step, user_id, outcome, reason, detail, attempts)
    select feed, batch_no, step, user_id, ${failureCode.suppressed}, '${reasons.suppressionList}',
      concat_ws(': ', 'on the suppression list of '
        || case list when '${allActionTypes}' then 'all action types' else list end, note), 0
    from listed
    returning feed, batch_no, step, user_id, outcome, reason
  ), ft as (
    ${failureTotalsAdded('e', String(triggerSlot))}
  ), lost as materialized (
    select batch_no, step, count(*)::int as users from listed group by batch_no, step
  ), k as materialized (
    select b.feed, b.batch_no, c.step, b.n - x.before - x.here as remaining, x.here as suppressed
    from b cross join c cross join lateral (
      select coalesce(sum(users) filter (where step < c.step), 0)::int as before,
        coalesce(sum(users) filter (where step = c.step), 0)::int as here
      from lost where batch_no = b.batch_no and step <= c.step
    ) x
    where b.n > x.before
  ), s as (
    insert into batch_steps (feed, batch_no, step, state, epoch, lease_until, rest, rest_users, failed, unknown)
    select feed, batch_no, step, ${stepState.done}, 1, now(), ${restCode.succeeded}, remaining, 0, 0 from k
  ), t as (
    insert into run_totals as t (feed, step, slot, batches, succeeded, suppressed, done, survived)
    select feed, step, ${triggerSlot}, count(*), sum(remaining), sum(suppressed), count(*),
      count(*) filter (where remaining > 0)
    from k group by feed, step
    on conflict (feed, step, slot) do update set batches = t.batches + excluded.batches,
      succeeded = t.succeeded + excluded.succeeded, suppressed = t.suppressed + excluded.suppressed,
      done = t.done + excluded.done, survived = t.survived + excluded.survived
  )
  select from fd`,
);
