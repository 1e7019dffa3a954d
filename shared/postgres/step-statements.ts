import { firstChildBatchNo } from '../domain/batch.ts';
import { restCode, stepState } from './ledger-codes.ts';

/** The ledger's statements. What each costs, and why it has this shape, stands in docs/execution-path.md. */

/**
 * Records done steps ($1 to $8, their failures $9 to $13) and claims others ($14 to $16). Arrays run parallel; $9 is the position, from 1,
 * of the failure's record. One row for each claimed step, and one more with the positions of the records that were ours, in place of users.
 */
export const recordAndClaim = `
  with r as (
    update batch_steps s set state = ${stepState.done}, rest = k.rest, rest_users = k.rest_users, failed = k.failed, unknown = k.unknown
    from unnest($1::uuid[], $2::int[], $3::int2[], $4::int[], $5::int2[], $6::int2[], $7::int2[], $8::int2[]) with ordinality
      k (feed, batch_no, step, epoch, rest, rest_users, failed, unknown, position)
    where s.feed = k.feed and s.batch_no = k.batch_no and s.step = k.step and s.epoch = k.epoch and s.state = ${stepState.running}
    returning k.position, s.feed, s.batch_no, s.step, s.attempt, s.rest, s.rest_users, s.failed, s.unknown
  ), t as (
    insert into run_totals as t (feed, step, slot, batches, succeeded, failed, expired, cancelled, unknown)
    select feed, step, $19::int2, count(*) filter (where batch_no < ${firstChildBatchNo}),
      coalesce(sum(rest_users) filter (where rest = ${restCode.succeeded}), 0), sum(failed),
      coalesce(sum(rest_users) filter (where rest = ${restCode.expired}), 0),
      coalesce(sum(rest_users) filter (where rest = ${restCode.cancelled}), 0), sum(unknown)
    from r group by feed, step order by feed, step
    on conflict (feed, step, slot) do update set batches = t.batches + excluded.batches, succeeded = t.succeeded + excluded.succeeded,
      failed = t.failed + excluded.failed, expired = t.expired + excluded.expired, cancelled = t.cancelled + excluded.cancelled,
      unknown = t.unknown + excluded.unknown
  ), f as (
    insert into user_failures (feed, batch_no, step, user_id, outcome, reason, detail, attempts)
    select r.feed, r.batch_no, r.step, k.user_id, k.outcome, k.reason, k.detail, r.attempt
    from r join unnest($9::int[], $10::text[], $11::int2[], $12::text[], $13::text[]) k (position, user_id, outcome, reason, detail)
      on k.position = r.position
  ), c as (
    insert into batch_steps as s (feed, batch_no, step, state, owner, epoch, lease_until, attempt)
    select k.feed, k.batch_no, k.step, ${stepState.running}, $17, 1, now() + $18::float8 * interval '1 millisecond', 1
    from unnest($14::uuid[], $15::int[], $16::int2[]) k (feed, batch_no, step)
    where exists (select from batches b where b.feed = k.feed and b.batch_no = k.batch_no)
    on conflict (feed, batch_no, step) do update set state = ${stepState.running}, owner = excluded.owner, epoch = s.epoch + 1,
      lease_until = excluded.lease_until, attempt = s.attempt + 1, next_attempt_at = null, cause = null
    where s.state = ${stepState.running} and s.lease_until < now() or s.state = ${stepState.waiting} and s.next_attempt_at <= now()
    returning feed, batch_no, step, epoch, attempt
  )
  select c.feed, c.batch_no, c.step, c.epoch, c.attempt, b.users, b.n from c join batches b using (feed, batch_no)
  union all
  select null, null, null, null, null, string_agg(position::text, ','), null from r`;

/** Puts steps back until they are due. Returns the positions of those that were ours. */
export const putBack = `
  update batch_steps s set state = ${stepState.waiting}, owner = null, lease_until = null,
    next_attempt_at = now() + k.delay_ms * interval '1 millisecond', attempt = s.attempt - k.given_back, cause = k.cause
  from unnest($1::uuid[], $2::int[], $3::int2[], $4::int[], $5::float8[], $6::int2[], $7::text[]) with ordinality
    k (feed, batch_no, step, epoch, delay_ms, given_back, cause, position)
  where s.feed = k.feed and s.batch_no = k.batch_no and s.step = k.step and s.epoch = k.epoch and s.state = ${stepState.running}
  returning k.position`;

/** Takes numbers for child batches: the first one of each feed's comes back. */
export const takeChildNumbers = `
  update feeds f set next_child_no = f.next_child_no + k.children
  from unnest($1::uuid[], $2::int[]) k (feed, children)
  where f.feed = k.feed
  returning f.feed as "feedId", f.next_child_no - k.children as first`;

/** A child batch and its step row, which waits from birth. Epoch 0: nobody has claimed it. */
export const insertChildren = `
  with k as (
    select * from unnest($1::uuid[], $2::int[], $3::int[], $4::int2[], $5::int2[], $6::text[], $7::text[], $8::text[], $9::float8[], $10::int2[])
      k (feed, batch_no, parent, from_step, n, first_user, last_user, users, delay_ms, attempts)
  ), b as (
    insert into batches (feed, batch_no, n, parent, from_step, first_user, last_user, users)
    select feed, batch_no, n, parent, from_step, first_user, last_user, users from k
  )
  insert into batch_steps (feed, batch_no, step, state, epoch, attempt, next_attempt_at)
  select feed, batch_no, from_step, ${stepState.waiting}, 0, attempts, now() + delay_ms * interval '1 millisecond' from k`;

/** Positions of the records that were written earlier under the same epoch: nobody but the epoch's owner can have done that. */
export const writtenBefore = `
  select k.position from unnest($1::uuid[], $2::int[], $3::int2[], $4::int[]) with ordinality k (feed, batch_no, step, epoch, position)
  join batch_steps s on s.feed = k.feed and s.batch_no = k.batch_no and s.step = k.step and s.epoch = k.epoch
  where s.state <> ${stepState.running}`;

/** For each ref: users with a failure in an earlier step, and the users of the children that were split off before. */
export const lostBefore = `
  select
    (select coalesce(json_agg(f.user_id order by f.step, f.user_id), '[]') from user_failures f
      where f.feed = k.feed and f.batch_no = k.batch_no and f.step < k.step) as failed,
    (select string_agg(b.users, ',' order by b.batch_no) from batches b
      where b.feed = k.feed and b.parent = k.batch_no and b.from_step < k.step) as split_off
  from unnest($1::uuid[], $2::int[], $3::int2[]) with ordinality k (feed, batch_no, step, position)
  order by k.position`;
