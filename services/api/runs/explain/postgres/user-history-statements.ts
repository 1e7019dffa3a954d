import { statementOf } from '../../../../../shared/postgres/connection/statement.ts';
import { variantName } from '../../../../../shared/postgres/ledger/variants-sql.ts';
import { firstChildBatchNo } from '../../../../../shared/domain/step/batch.ts';

/** SQL condition: a batch contains the user. The text of a batch is a JSON list without its brackets. */
const holdsUser = (user: string, users = 'users') => `jsonb_exists(('[' || ${users} || ']')::jsonb, ${user})`;

/**
 * Finds the batch of a user in each feed. Batches ascend with user ids, so a binary search over the batch numbers of a
 * feed finds the candidate batch: 17 lookups of the primary key for ten million users. Returns one row for each feed.
 * Parameters: $1 run, $2 user, $3 escaped form of the user if its id breaks the rules.
 */
export const findPlace = `
  with recursive f as (
    select * from feeds where run = $1
  ), halved as (
    select feed, 0 as low, next_batch_no - 1 as high from f
    union all
    select h.feed, case when m.first_user <= $2 then h.middle else h.low end,
      case when m.first_user <= $2 then h.high else h.middle - 1 end
    from (select feed, low, high, (low + high + 1) / 2 as middle from halved where low < high) h
    cross join lateral (select first_user from batches where feed = h.feed and batch_no = h.middle limit 1) m
  )
  select r.id as "runId", r.campaign as "campaignId", r.state, r.canary, now() as "asOf",
    c.definition -> 'chain' as chain,
    case when r.receipts_state = 'deleted' then r.receipts_since end as "receiptsDeletedAt",
    f.feed as "feedId", f.country, f.segment, f.snapshot, f.estimate::float8 as estimate, f.audience,
    ${variantName('f', 'c')} as variant,
    f.from_step as "fromStep", f.complete, f.cursor,
    f.next_batch_no = 1 or exists (select from batches b where b.feed = f.feed and b.batch_no = 1) as "usersKept",
    hit.batch_no as "batchNo", u.failure as unsendable
  from runs r
  join revisions c on c.campaign = r.campaign and c.revision = r.revision
  left join f on true
  left join lateral (
    select b.batch_no from halved h
    cross join lateral (
      select batch_no from batches where feed = h.feed and batch_no = h.low and last_user >= $2 and ${holdsUser('$2')}
        limit 1
    ) b
    where h.feed = f.feed and h.low = h.high and h.low > 0
  ) hit on true
  left join lateral (
    select json_build_object('outcome', outcome, 'reason', reason, 'detail', detail, 'attempts', attempts,
      'failedAt', failed_at) as failure
    from user_failures where feed = f.feed and batch_no = 0 and step = f.from_step and user_id in ($2, $3) limit 1
  ) u on true
  where r.id = $1
  order by f.country collate "C", f.from_step, f.feed`;

/**
 * Selects the newest effects that a cap has counted for a user until a time. Those before the days of the cap are
 * excluded; the day more covers time zones, and the time between the claim and its result.
 */
export const selectCountedEffects = statementOf<{
  country: string;
  user: string;
  until: Date;
  cap: string;
  effects: number;
}>(
  'counted-effects',
  ($) => `
  select r.id as "runId", r.campaign as "campaignId", c.name as "campaignName", e.step, e.action_type as action, e.at,
    v.definition -> 'countries' as countries,
    (select json_agg(s ->> 'action') from jsonb_array_elements(v.definition -> 'chain') s) as "actionTypes"
  from (
    select k.* from cap_revisions n
    cross join lateral jsonb_to_recordset(n.caps)
      k (name text, "actionTypes" text[], days int, exempt uuid[], "countsFrom" timestamptz)
    where n.created_at <= ${$('until')} and k.name = ${$('cap')}
    order by n.revision desc limit 1
  ) k
  join capped_effects e on e.span && span_of_users(${$('country')}, ${$('user')}, ${$('user')})
    and e.action_type = any(k."actionTypes")
    and e.at <= ${$('until')}
    and e.at > greatest(k."countsFrom", ${$('until')}::timestamptz - (k.days + 1) * interval '1 day')
    and ${holdsUser($('user'), 'e.users')}
  join feeds f on f.feed = e.feed
  join runs r on r.id = f.run and (k.exempt is null or r.campaign <> all (k.exempt))
  join campaigns c on c.id = r.campaign
  join revisions v on v.campaign = r.campaign and v.revision = r.revision
  order by e.at desc, e.feed, e.batch_no, e.step
  limit least(${$('effects')}::int, 10)`,
);

/** Selects the receipts of a user. Parameters: $1 feed, $2 user, $3 steps of the chain. */
export const selectUserReceipts = `
  select r.step, r.delivered, r.code, r.at, r.received_at as "receivedAt"
  from generate_series(1, $3::int) s (step)
  cross join lateral (select * from receipts where feed = $1 and step = s.step and user_id = $2 limit 1) r
  order by r.step`;

/**
 * Returns a batch and its descendants that contain the user, with the steps of each, from the same moment. Parameters:
 * $1 feed, $2 batch, $3 user.
 */
export const followUser = `
  with recursive family as (
    select batch_no, parent, from_step, n, 0 as depth from batches where feed = $1 and batch_no = $2
    union all
    select c.batch_no, c.parent, c.from_step, c.n, p.depth + 1
    from family p
    cross join lateral (
      select * from batches
      where feed = $1 and parent = p.batch_no and batch_no >= ${firstChildBatchNo} and first_user <= $3
        and last_user >= $3
        and ${holdsUser('$3')}
    ) c
  )
  select b.batch_no as "batchNo", b.parent, b.from_step as "fromStep", b.n as users, coalesce(s.steps, '[]') as steps
  from family b
  left join lateral (
    select json_agg(json_build_object(
        'step', s.step, 'state', s.state, 'endedAt', s.lease_until, 'nextAttemptAt', s.next_attempt_at,
        'cause', coalesce(h.cause, s.cause), 'rest', s.rest, 'failure', u.failure, 'attempts',
        coalesce(a.attempts, '[]')
      ) order by s.step) as steps
    from batch_steps s
    left join lateral (
      select cause from holds where feed = s.feed and step = s.step and (kind = 'fault' or until > now())
      order by kind = 'fault' desc limit 1
    ) h on true
    left join lateral (
      select json_build_object('outcome', outcome, 'reason', reason, 'detail', detail, 'attempts', attempts,
        'failedAt', failed_at) as failure
      from user_failures where feed = s.feed and batch_no = s.batch_no and step = s.step and user_id = $3 limit 1
    ) u on true
    left join lateral (
      select json_agg(json_build_object('at', at, 'reading', reading, 'cause', cause, 'users', users)
        order by epoch) as attempts
      from (select * from step_attempts where feed = s.feed and batch_no = s.batch_no and step = s.step order by epoch
        limit 1000) t
    ) a on true
    where s.feed = $1 and s.batch_no = b.batch_no
  ) s on true
  order by b.depth, b.batch_no`;
