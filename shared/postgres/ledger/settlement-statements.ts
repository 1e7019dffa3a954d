import { failureCode, settledAsSucceeded, settlementSlot } from './ledger-codes.ts';
import { statementOf } from '../connection/statement.ts';
import { sampleSize } from './totals-sql.ts';

export interface SettleParams {
  settlement: string;
  run: string;
  users: string;
  steps: string;
  countries: string;
  outcomes: string;
  reasons: string;
  details: string;
  leftUnknown: number;
  rejected: number;
}

/**
 * Settles unknown users as succeeded or failed. Entries at the same position of the lists belong together; the lists
 * are sorted, without repeats. The statement locks the run's row before the rows of its users: of two concurrent
 * settlements, the second finds no unknown users left. If the receipts of the run were counted, a user settled as
 * succeeded changes the count: the trigger counts again before it deletes receipts or failures. Returns one row for
 * each line, with its verdict.
 */
export const settle = statementOf<SettleParams>(
  'settle-unknown',
  ($) => `
  with k as (
    select * from unnest(${$('users')}::text[], ${$('steps')}::int2[], ${$('countries')}::text[],
      ${$('outcomes')}::int2[], ${$('reasons')}::text[],
      ${$('details')}::text[]) with ordinality k (user_id, step, country, outcome, reason, detail, position)
  ), d as materialized (
    select d.feed, d.country from runs r join feeds d on d.run = r.id where r.id = ${$('run')}
      and r.ended_at is not null
    for no key update of r
  ), u as materialized (
    select k.position, f.feed, f.batch_no, k.step, f.user_id, f.reason as previous_reason,
      f.detail as previous_detail, k.outcome,
      k.reason, k.detail
    from k
    join d on k.country is null or k.country = d.country
    cross join lateral (
      select * from user_failures f
      where f.feed = d.feed and f.user_id = k.user_id collate "C" and f.step = k.step
        and f.outcome = ${failureCode.unknown}
      for update
    ) f
  ), s as (
    insert into settlements (feed, batch_no, step, user_id, request, previous_reason, previous_detail, outcome,
      reason, detail)
    select feed, batch_no, step, user_id, ${$('settlement')}::uuid, previous_reason, previous_detail, outcome,
      reason, detail
      from u
  ), f as (
    update user_failures f set outcome = u.outcome, reason = u.reason, detail = u.detail
    from u where f.feed = u.feed and f.batch_no = u.batch_no and f.step = u.step and f.user_id = u.user_id
  ), t as (
    insert into run_totals as t (feed, step, slot, succeeded, failed, unknown, settled_succeeded, settled_failed)
    select feed, step, ${settlementSlot}, count(*) filter (where outcome = ${settledAsSucceeded}),
      count(*) filter (where outcome = ${failureCode.failed}), -count(*),
      count(*) filter (where outcome = ${settledAsSucceeded}), count(*) filter (where outcome = ${failureCode.failed})
    from u group by feed, step order by feed, step
    on conflict (feed, step, slot) do update set succeeded = t.succeeded + excluded.succeeded,
      failed = t.failed + excluded.failed,
      unknown = t.unknown + excluded.unknown, settled_succeeded = t.settled_succeeded + excluded.settled_succeeded,
      settled_failed = t.settled_failed + excluded.settled_failed
  ), ft as (
    insert into failure_totals as t (feed, step, outcome, reason, slot, users, sample)
    select feed, step, outcome, reason, ${settlementSlot}, sum(users), 
      coalesce((array_agg(user_id order by batch_no, user_id) filter (where users > 0))[1:${sampleSize}], '{}')
    from (
      select feed, batch_no, step, user_id, ${failureCode.unknown}::int2 as outcome, previous_reason as reason,
        -1 as users
        from u
      union all
      select feed, batch_no, step, user_id, outcome, reason, 1 from u where outcome = ${failureCode.failed}
    ) moved
    group by feed, step, outcome, reason order by feed, step, outcome, reason
    on conflict (feed, step, outcome, reason, slot) do update set users = t.users + excluded.users,
      sample = (t.sample || excluded.sample)[1:${sampleSize}]
  ), fs as (
    update failure_totals t set sample = array(select x from unnest(t.sample) x where x <> all (g.users))
    from (select feed, step, previous_reason, array_agg(user_id) as users from u group by feed, step, previous_reason) g
    where t.feed = g.feed and t.step = g.step and t.outcome = ${failureCode.unknown} and t.reason = g.previous_reason
      and t.slot <> ${settlementSlot}
  ), b as (
    -- A budget keeps one sum for all ended runs. The units of users that were certainly not served are subtracted.
    update budgets b set past_units = b.past_units - g.units
    from (
      select r.campaign, f.country, sum(f.step_units[u.step])::bigint as units
      from u join feeds f on f.feed = u.feed join runs r on r.id = f.run
      where u.outcome = ${failureCode.failed} and f.step_units is not null
      group by r.campaign, f.country
    ) g
    where b.campaign = g.campaign and b.country = g.country
  ), ce as (
    -- Caps no longer count users that were certainly not served.
    update capped_effects e set users = users_without(e.users, g.users)
    from (
      select feed, batch_no, step, array_agg(user_id) as users from u where outcome = ${failureCode.failed}
      group by feed, batch_no, step
    ) g
    where e.feed = g.feed and e.batch_no = g.batch_no and e.step = g.step
  ), c as (
    update runs set receipts_state = 'closed', receipts_since = now()
    where id = ${$('run')} and receipts_state in ('closed', 'counted') and failures_kept
      and exists (select from u where outcome = ${settledAsSucceeded})
  ), n as (
    update settlement_requests set succeeded = succeeded + (select count(*) from u
      where outcome = ${settledAsSucceeded}),
      failed = failed + (select count(*) from u where outcome = ${failureCode.failed}),
      left_unknown = left_unknown + ${$('leftUnknown')}::int, rejected = rejected + ${$('rejected')}::int
    where id = ${$('settlement')}::uuid
  )
  select k.position::int as position, exists (select from u where u.position = k.position) as settled,
    b.outcome as before
  from k left join lateral (
    select s.outcome from d join settlements s on s.feed = d.feed and s.user_id = k.user_id collate "C"
      and s.step = k.step
    where k.country is null or k.country = d.country
    limit 1
  ) b on true`,
);

export const claimByStatus = statementOf<{ owner: string; leaseMs: number }>(
  'claim-settlement',
  ($) => `
  with free as (
    select id from settlement_requests
    where state = 'running' and method = 'status' and (lease_until is null or lease_until < now())
      and (next_at is null or next_at <= now())
    order by id limit 1 for update skip locked
  )
  update settlement_requests s set owner = ${$('owner')},
    lease_until = now() + ${$('leaseMs')}::float8 * interval '1 millisecond', next_at = null
  from free, runs r, revisions c
  where s.id = free.id and r.id = s.run and c.campaign = r.campaign and c.revision = r.revision
  returning s.id as "settlementId", s.run as "runId", s.step, s.country, s.tries,
    array(select e ->> 'action' from jsonb_array_elements(c.definition -> 'chain') e) as chain,
    r.step_modes as "stepModes",
    (extract(epoch from now() - r.ended_at) * 1000)::float8 as "endedMsAgo"`,
);

/** Reads unknown users after the settlement's cursor, feed by feed, each by a range of the index of unknown users. */
export const unknownUsers = statementOf<{ settlement: string; limit: number }>(
  'unknown-users',
  ($) => `
  select d.feed as "feedId", d.country, f.step, f.user_id as "user"
  from settlement_requests s
  join feeds d on d.run = s.run and (s.country is null or d.country = s.country)
    and (s.cursor_feed is null or d.feed >= s.cursor_feed)
  cross join lateral (
    select f.user_id, f.step from user_failures f
    where f.feed = d.feed and f.outcome = ${failureCode.unknown} and (s.step is null or f.step = s.step)
      and (d.feed is distinct from s.cursor_feed or (f.user_id, f.step) > (s.cursor_user, s.cursor_step))
    order by f.user_id, f.step limit ${$('limit')}::int
  ) f
  where s.id = ${$('settlement')}::uuid
  order by d.feed, f.user_id, f.step limit ${$('limit')}::int`,
);

export interface MoveOnParams {
  settlement: string;
  owner: string;
  feed: string;
  user: string;
  step: number;
}

export const moveOn = statementOf<MoveOnParams>(
  'move-settlement-on',
  ($) => `
  update settlement_requests set cursor_feed = ${$('feed')}::uuid, cursor_user = ${$('user')},
    cursor_step = ${$('step')}::int2, tries = 0, lease_until = now() + (lease_until - now()) + interval '10 seconds'
  where id = ${$('settlement')}::uuid and owner = ${$('owner')} and state = 'running'`,
);

export const putOff = statementOf<{ settlement: string; owner: string; delayMs: number; cause: string | null }>(
  'put-settlement-off',
  ($) => `
  update settlement_requests set owner = null, lease_until = null,
    next_at = now() + ${$('delayMs')}::float8 * interval '1 millisecond',
    cause = ${$('cause')}, tries = tries + (${$('cause')}::text is not null)::int
  where id = ${$('settlement')}::uuid and owner = ${$('owner')} and state = 'running'`,
);

export const endByStatus = statementOf<{ settlement: string; owner: string; state: string; cause: string | null }>(
  'end-settlement',
  ($) => `
  update settlement_requests set state = ${$('state')}, cause = ${$('cause')}, ended_at = now(), owner = null,
    lease_until = null, next_at = null
  where id = ${$('settlement')}::uuid and owner = ${$('owner')} and state = 'running'`,
);
