import { reasons } from '../../../../shared/domain/step/reasons.ts';
import { allActionTypes } from '../../../../shared/domain/step/suppressions.ts';
import { statementOf } from '../../../../shared/postgres/connection/statement.ts';
import { failureCode, restCode, stepState, triggerSlot } from '../../../../shared/postgres/ledger/ledger-codes.ts';
import { failureTotalsAdded } from '../../../../shared/postgres/ledger/totals-sql.ts';
import { insertedBatches, movedFeed, type WrittenPages } from './feed-statements.ts';

interface SunkPages extends WrittenPages {
  shared: number;
  /** Time zones of the country. */
  zones: string;
}

/**
 * Writes batches of a dry run's feed together with the outcomes of their steps, so that no worker can ever call them.
 * All users succeed, except those on a suppression list of the step's action type, and those that have reached a cap by
 * the effects of other runs. A dry run has no effects of its own.
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
    select s.step::int2 as step, s.entry ->> 'action' as action, r.campaign, f.country, exists (
        select from caps_of(r.campaign, f.country, s.entry ->> 'action', ${$('zones')}::text[])) as is_capped
    from fd join runs r on r.id = fd.run
    join feeds f on f.feed = fd.feed
    join revisions v on v.campaign = r.campaign and v.revision = r.revision
    cross join lateral jsonb_array_elements(v.definition -> 'chain') with ordinality s (entry, step)
  ), listed as (
    select b.batch_no, c.step, p.user_id, '${reasons.suppressionList}' as reason,
      concat_ws(': ', 'on the suppression list of '
        || case l.action_type when '${allActionTypes}' then 'all action types' else l.action_type end, p.note)
        as detail,
      case l.action_type when '${allActionTypes}' then 2 else 1 end as place
    from c join suppression_lists l on l.action_type in (c.action, '${allActionTypes}') cross join b
    cross join lateral (
      select user_id, note from suppressed_people
      where list_no = l.list_no
        and user_id = any(array(select jsonb_array_elements_text(('[' || b.users || ']')::jsonb))) offset 0
    ) p
  ), capped as (
    select b.batch_no, c.step, x.user_id, '${reasons.cap}' as reason,
      -- The same text as capDetail.
      format('%s: %s of at most %s within %s %s', x.cap, x.had, x.effects, x.days,
        case x.days when 1 then 'day' else 'days' end) as detail,
      3 as place
    from c cross join b
    cross join lateral
      users_at_caps(c.campaign, c.country, c.action, ${$('zones')}::text[], b.users, null, null, null) x
    where c.is_capped
  ), excluded as materialized (
    -- A user is suppressed in the first step to which a list or a cap applies. If several apply to this step, the most
    -- specific list is recorded; a list comes before a cap.
    select distinct on (x.batch_no, x.user_id) x.*
    from (select * from listed union all select * from capped) x
    order by x.batch_no, x.user_id, x.step, x.place
  ), e as (
    insert into user_failures (feed, batch_no, step, user_id, outcome, reason, detail, attempts)
    select fd.feed, x.batch_no, x.step, x.user_id, ${failureCode.suppressed}, x.reason, x.detail, 0
    from fd cross join excluded x
    returning feed, batch_no, step, user_id, outcome, reason
  ), ft as (
    ${failureTotalsAdded('e', String(triggerSlot))}
  ), lost as materialized (
    select batch_no, step, count(*)::int as users from excluded group by batch_no, step
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
