import { unnamedStatementOf } from '../../../../shared/postgres/connection/statement.ts';
import { isSeenRevision, type SeenParams } from '../../frame/postgres/seen-campaigns.ts';
import { firstChildBatchNo } from '../../../../shared/domain/step/batch.ts';
import { reasons } from '../../../../shared/domain/step/reasons.ts';
import { aloneFromLapses } from '../../../../shared/domain/step/suspects.ts';
import { failureCode, settlementSlot, stepState } from '../../../../shared/postgres/ledger/ledger-codes.ts';

const action = `(v.definition -> 'chain' -> (q.step - 1) ->> 'action')`;

const row = `
  q.id as "quarantineId", r.id as "runId", r.state as "runState", q.feed as "feedId", f.country,
    q.batch_no as "batchNo", q.step,
  ${action} as "actionType", q.state, q.users, q.lapses, q.worker, q.since,
  q.decided_at as "decidedAt"`;

const withRun = `
  quarantined_steps q
  join feeds f on f.feed = q.feed
  join runs r on r.id = f.run
  join revisions v on v.campaign = r.campaign and v.revision = r.revision`;

/** Filters of quarantined steps; null matches any value. */
export interface FilterParams extends SeenParams {
  runId: string | null;
  action: string | null;
  country: string | null;
  state: string | null;
}

interface ListParams extends FilterParams {
  before: string | null;
  limit: number;
}

const fits = ($: (param: keyof FilterParams) => string) => `
  (${$('runId')}::uuid is null or f.run = ${$('runId')})
    and (${$('action')}::text is null or ${action} = ${$('action')})
    and (${$('country')}::text is null or f.country = ${$('country')})
    and (${$('state')}::text is null or q.state = ${$('state')}) and ${isSeenRevision($, 'v')}`;

export const selectQuarantined = unnamedStatementOf<ListParams>(
  ($) => `
  select ${row} from ${withRun}
  where ${fits($)} and (${$('before')}::uuid is null or q.id < ${$('before')})
  order by q.id desc limit ${$('limit')}`,
);

export const selectGroups = unnamedStatementOf<FilterParams>(
  ($) => `
  select ${action} as "actionType", f.country, count(*)::int as items, sum(q.users)::int as users,
    count(distinct f.run)::int as runs, min(q.since) as "firstAt", max(q.since) as "lastAt"
  from ${withRun} where ${fits($)}
  group by ${action}, f.country order by items desc, ${action} collate "C", f.country collate "C" limit 1000`,
);

export const countSteps = unnamedStatementOf<FilterParams & { limit: number }>(
  ($) => `
  select count(*)::int as items from (select from ${withRun} where ${fits($)} limit ${$('limit')}) k`,
);

/**
 * Selects a quarantined step. Beginning and end of a call are two rows, which have the same epoch. Parameters: $1 id,
 * $2 maximum number of users in the sample.
 */
export const selectQuarantinedStep = `
  select ${row},
    (select coalesce(json_agg(json_build_object('at', c.at, 'worker', c.worker, 'reading', c.reading,
      'cause', c.cause) order by c.epoch), '[]')
     from (
       select epoch, coalesce(b.at, a.at) as at, b.worker, coalesce(a.reading, 'lost') as reading, a.cause
       from (select * from step_call_starts where feed = q.feed and batch_no = q.batch_no and step = q.step) b
       full join (select * from step_attempts where feed = q.feed and batch_no = q.batch_no
         and step = q.step) a using (epoch)
       order by epoch desc limit 1000
     ) c) as calls,
    (select coalesce(json_agg(u.user_id), '[]') from (
       select user_id from user_failures u
       where u.feed = q.feed and u.batch_no = q.batch_no and u.step = q.step and u.outcome = ${failureCode.unknown}
       order by user_id limit $2
     ) u) as sample
  from ${withRun} where q.id = $1`;

/** Locks the run of a step, so that the run does not end meanwhile. Parameters: $1 id. */
export const lockRunOfStep = `
  select r.state as "runState", r.ended_at is not null as "isEnded"
  from runs r where r.id = (select f.run from quarantined_steps q join feeds f on f.feed = q.feed where q.id = $1)
  for no key update`;

export const lockStep = `select state from quarantined_steps where id = $1 for update`;

/**
 * Reverts the rows that the end of the step wrote. Returns no row and changes nothing if one of its users was settled
 * since then. Totals may decrease: each row contains a difference, and the step is pending again. Parameters: $1 id.
 */
export const reopenStep = `
  with q as (
    select q.* from quarantined_steps q where q.id = $1 and q.state = 'kept'
      and q.users = (
        select count(*) from user_failures u
        where u.feed = q.feed and u.batch_no = q.batch_no and u.step = q.step and u.outcome = ${failureCode.unknown}
          and u.reason = '${reasons.quarantined}')
  ), s as (
    update batch_steps s set state = ${stepState.waiting}, rest = null, rest_users = null, failed = null,
      unknown = null, epoch = s.epoch + 1,
      open = true, begun = false, lapses = ${aloneFromLapses}, owner = null, lease_until = null,
      next_attempt_at = now(), cause = 'opened again by a person'
    from q where s.feed = q.feed and s.batch_no = q.batch_no and s.step = q.step and s.state = ${stepState.done}
    returning s.feed, s.batch_no, s.step
  ), u as (
    delete from user_failures u using s
    where u.feed = s.feed and u.batch_no = s.batch_no and u.step = s.step and u.outcome = ${failureCode.unknown}
      and u.reason = '${reasons.quarantined}'
    returning u.feed, u.step, u.user_id
  ), t as (
    insert into run_totals as t (feed, step, slot, batches, unknown, done, waiting)
    select s.feed, s.step, ${settlementSlot}, -(s.batch_no < ${firstChildBatchNo})::int, -(select count(*) from u), -1,
      1 from s
    on conflict (feed, step, slot) do update set batches = t.batches + excluded.batches,
      unknown = t.unknown + excluded.unknown, done = t.done + excluded.done, waiting = t.waiting + excluded.waiting
  ), ft as (
    insert into failure_totals as t (feed, step, outcome, reason, slot, users, sample)
    select feed, step, ${failureCode.unknown}, '${reasons.quarantined}', ${settlementSlot}, -count(*), '{}' from u
      group by feed, step
    on conflict (feed, step, outcome, reason, slot) do update set users = t.users + excluded.users
  ), fs as (
    update failure_totals t set sample = array(select x from unnest(t.sample) x where x <> all (g.users))
    from (select feed, step, array_agg(user_id) as users from u group by feed, step) g
    where t.feed = g.feed and t.step = g.step and t.outcome = ${failureCode.unknown}
      and t.reason = '${reasons.quarantined}'
      and t.slot <> ${settlementSlot}
  ), v as (
    -- Units of unknown users were counted as spent. They become reserved again, so that no other step can reserve them.
    insert into budget_reservations (feed, batch_no, step, units, granted)
    select s.feed, s.batch_no, s.step, f.step_units[s.step] * (select count(*) from u), true
    from s join feeds f on f.feed = s.feed where f.step_units[s.step] > 0
    on conflict (feed, batch_no, step) do update set units = excluded.units, granted = true
  ), a as (
    insert into agenda (feed, batch_no, step, offer_at) select feed, batch_no, step, now() from s
    on conflict (feed, batch_no, step) do update set offer_at = excluded.offer_at, offers = 0
  )
  update quarantined_steps set state = 'replayed', decided_at = now() where id in (select q.id from q, s)`;

export const discardStep = `
  update quarantined_steps set state = 'discarded', decided_at = now() where id = $1 and state = 'kept'`;
