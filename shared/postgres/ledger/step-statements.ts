import { firstChildBatchNo } from '../../domain/step/batch.ts';
import { failureTotalsAdded, flowAdded } from './totals-sql.ts';
import { quarantinedAfterLapses, restCode, stepState } from './ledger-codes.ts';
import { statementOf } from '../connection/statement.ts';

/**
 * Statements of the ledger. docs/decisions/0167-what-a-batch-costs-in-postgres.md has their costs and reasons. Entries
 * at the same position of the lists belong together.
 */

export interface RecordAndClaimParams {
  feeds: string;
  batchNos: string;
  steps: string;
  epochs: string;
  rests: string;
  restUsers: string;
  lostDigests: string;
  failed: string;
  unknown: string;
  refused: string;
  /** True for results whose next step is claimed at once. */
  handOn: string;
  /** Position, from 1, of the result that each failure belongs to. */
  failurePositions: string;
  failedUsers: string;
  outcomes: string;
  reasons: string;
  details: string;
  attempts: string;
  claimedFeeds: string;
  claimedBatchNos: string;
  claimedSteps: string;
  /** Users left according to the claim; null if not stated. The digest is empty if no user was lost. */
  claimedRemaining: string;
  claimedDigests: string;
  /** Action types with a suppression list or a cap, as the claimer knows them (`ClaimRules.names`). */
  rules: string;
  owner: string;
  leaseMs: number;
  slot: number;
}

/**
 * Records done steps with their failures, and claims others. The lateral look-ups with a limit keep the planner from a
 * hash join that would read all batches: a plan made on empty tables did. Returns one row for each claimed step, and
 * one without an epoch for each claim that the rows contradict, with the stored figures. One more row has the positions
 * of the recorded results, in place of users, and the number handed on, in place of a size.
 * No step is claimed if the suppression lists or caps differ from those the claimer knows: users have to be checked
 * against them first. A last row names them then.
 * A step that is handed on has no row yet: the step before it was running until now.
 */
export const recordAndClaim = statementOf<RecordAndClaimParams>(
  'record-and-claim',
  ($) => `
  with cr as materialized (
    select coalesce(string_agg(action_type, ',' order by action_type), '') || coalesce((
        select ';' || nullif(action_types, '') || ';' || revision
        from cap_revisions order by revision desc limit 1), '') as rules
    from suppression_lists where people > 0
  ), r as (
    update batch_steps s set state = ${stepState.done}, rest = k.rest, rest_users = k.rest_users,
      lost_digest = k.lost_digest, failed = k.failed, unknown = k.unknown, lease_until = now()
    from unnest(${$('feeds')}::uuid[], ${$('batchNos')}::int[], ${$('steps')}::int2[], ${$('epochs')}::int[],
      ${$('rests')}::int2[],
      ${$('restUsers')}::int2[], ${$('lostDigests')}::text[], ${$('failed')}::int2[], ${$('unknown')}::int2[],
      ${$('refused')}::int2[], ${$('handOn')}::boolean[]) with ordinality
      k (feed, batch_no, step, epoch, rest, rest_users, lost_digest, failed, unknown, refused, hand_on, position)
    where s.feed = k.feed and s.batch_no = k.batch_no and s.step = k.step and s.epoch = k.epoch
      and s.state = ${stepState.running}
    returning k.position, s.feed, s.batch_no, s.step, s.rest, s.rest_users, s.failed, s.unknown, k.refused, k.hand_on
  ), h as (
    insert into batch_steps (feed, batch_no, step, state, owner, epoch, lease_until)
    select feed, batch_no, step + 1, ${stepState.running}, ${$('owner')}, 1,
      now() + ${$('leaseMs')}::float8 * interval '1 millisecond'
    from r where hand_on and rest = ${restCode.succeeded} and rest_users > 0
      and (select rules from cr) = ${$('rules')}
    on conflict (feed, batch_no, step) do nothing
    returning step
  ), f as (
    insert into user_failures (feed, batch_no, step, user_id, outcome, reason, detail, attempts)
    select r.feed, r.batch_no, r.step, k.user_id, k.outcome, k.reason, k.detail, k.attempts
    from r join unnest(${$('failurePositions')}::int[], ${$('failedUsers')}::text[], ${$('outcomes')}::int2[],
      ${$('reasons')}::text[],
      ${$('details')}::text[], ${$('attempts')}::int2[]) k (position, user_id, outcome, reason, detail, attempts)
        on k.position = r.position
    returning feed, batch_no, step, user_id, outcome, reason
  ), ft as (
    ${failureTotalsAdded('f', $('slot'))}
  ), k as materialized (
    select k.feed, k.batch_no, k.step, k.remaining as said_remaining, k.lost_digest as said_digest,
      case when k.step = b.from_step then b.n else p.rest_users end as remaining, p.lost_digest
    from unnest(${$('claimedFeeds')}::uuid[], ${$('claimedBatchNos')}::int[], ${$('claimedSteps')}::int2[],
      ${$('claimedRemaining')}::int2[], ${$('claimedDigests')}::text[]) k (feed, batch_no, step, remaining, lost_digest)
    left join lateral (
      select from_step, n from batches where feed = k.feed and batch_no = k.batch_no limit 1
    ) b on true
    left join lateral (
      select p.rest_users, p.lost_digest from batch_steps p
      where k.step > b.from_step and p.feed = k.feed and p.batch_no = k.batch_no and p.step = k.step - 1
        and p.state = ${stepState.done} and p.rest = ${restCode.succeeded} and p.rest_users > 0 limit 1
    ) p on true
  ), c as (
    insert into batch_steps as s (feed, batch_no, step, state, owner, epoch, lease_until)
    select feed, batch_no, step, ${stepState.running}, ${$('owner')}, 1,
      now() + ${$('leaseMs')}::float8 * interval '1 millisecond'
    from k where remaining is not null and (select rules from cr) = ${$('rules')}
    on conflict (feed, batch_no, step) do update set state = ${stepState.running}, owner = excluded.owner,
      epoch = s.epoch + 1, lease_until = excluded.lease_until, begun = false, cause = null,
      lapses = case when s.state = ${stepState.running} and (s.lapses = 0 or s.begun) then greatest(s.lapses, 0) + 1
        else s.lapses end,
      open = s.open or s.state = ${stepState.running} and (s.lapses = 0 or s.begun),
      next_attempt_at = case when s.state = ${stepState.waiting} then s.next_attempt_at end
    where s.state = ${stepState.running} and s.lease_until < now() and s.lapses < ${quarantinedAfterLapses}
      or s.state = ${stepState.waiting} and s.next_attempt_at <= now()
    returning feed, batch_no, step, epoch, attempts, open, lapses, next_attempt_at
  ), t as (
    insert into run_totals as t (feed, step, slot, batches, succeeded, failed, expired, cancelled, unknown, done,
      survived, waiting, refused)
    select feed, step, ${$('slot')}::int2, sum(fed), sum(succeeded), sum(failed), sum(expired), sum(cancelled),
      sum(unknown), sum(done), sum(survived), sum(waiting), sum(refused)
    from (
      select feed, step, count(*) filter (where batch_no < ${firstChildBatchNo}) as fed,
        coalesce(sum(rest_users) filter (where rest = ${restCode.succeeded}), 0) as succeeded, sum(failed) as failed,
        coalesce(sum(rest_users) filter (where rest = ${restCode.expired}), 0) as expired,
        coalesce(sum(rest_users) filter (where rest = ${restCode.cancelled}), 0) as cancelled, sum(unknown) as unknown,
        count(*) as done, count(*) filter (where rest = ${restCode.succeeded} and rest_users > 0) as survived,
        0 as waiting, sum(refused) as refused
      from r group by feed, step
      union all
      select feed, step, 0, 0, 0, 0, 0, 0, 0, 0, -count(*), 0 from c where next_attempt_at is not null
        group by feed, step
    ) d
    group by feed, step order by feed, step
    on conflict (feed, step, slot) do update set batches = t.batches + excluded.batches,
      succeeded = t.succeeded + excluded.succeeded,
      failed = t.failed + excluded.failed, expired = t.expired + excluded.expired,
      cancelled = t.cancelled + excluded.cancelled,
      unknown = t.unknown + excluded.unknown, done = t.done + excluded.done, survived = t.survived + excluded.survived,
      waiting = t.waiting + excluded.waiting, refused = t.refused + excluded.refused
  )
  select c.feed, c.batch_no, c.step, c.epoch, c.attempts, c.open, c.lapses, b.users, b.n, c.next_attempt_at is not null
  from c, lateral (select users, n from batches where feed = c.feed and batch_no = c.batch_no limit 1) b
  union all
  select feed, batch_no, step, null, null, null, null, lost_digest, remaining, null from k
  where remaining is null or said_remaining <> remaining or said_digest <> coalesce(lost_digest, '')
  union all
  select null, null, null, null, null, null, null, string_agg(position::text, ','), (select count(*) from h)::int, null
  from r
  union all
  select null, 0, null, null, null, null, null, rules, null, null from cr where rules <> ${$('rules')}`,
);

interface EpochParams {
  feeds: string;
  batchNos: string;
  steps: string;
  epochs: string;
}

export interface ReleaseParams extends EpochParams {
  delaysMs: string;
  /** Delay, in milliseconds, between the due time and the agenda's offer. */
  gracesMs: string;
  open: string;
  answered: string;
  causes: string;
  slot: number;
}

/** Time without a batch after which a cause of waiting counts as new again. */
const causeLasts = `interval '2 minutes'`;

/**
 * Releases steps until they are due; the agenda offers them then too. Returns the positions of steps that this worker
 * still held.
 */
export const releaseSteps = statementOf<ReleaseParams>(
  'put-back',
  ($) => `
  with p as (
    update batch_steps s set state = ${stepState.waiting}, owner = null, lease_until = null, begun = false,
      open = k.open,
      next_attempt_at = now() + k.delay_ms * interval '1 millisecond', attempts = s.attempts + k.answered,
      cause = k.cause
    from unnest(${$('feeds')}::uuid[], ${$('batchNos')}::int[], ${$('steps')}::int2[], ${$('epochs')}::int[],
      ${$('delaysMs')}::float8[], ${$('gracesMs')}::float8[],
      ${$('open')}::boolean[], ${$('answered')}::int2[], ${$('causes')}::text[]) with ordinality
      k (feed, batch_no, step, epoch, delay_ms, grace_ms, open, answered, cause, position)
    where s.feed = k.feed and s.batch_no = k.batch_no and s.step = k.step and s.epoch = k.epoch
      and s.state = ${stepState.running}
    returning k.position, s.feed, s.batch_no, s.step, s.cause,
      s.next_attempt_at + k.grace_ms * interval '1 millisecond' as offer_at
  ), a as (
    insert into agenda (feed, batch_no, step, offer_at)
    select feed, batch_no, step, offer_at from p order by feed, batch_no, step
    on conflict (feed, batch_no, step) do update set offer_at = excluded.offer_at, offers = 0
  ), t as (
    ${flowAdded($('slot'), { waiting: 'count(*)' }, 'p')}
  ), w as (
    insert into step_causes as w (feed, step, cause, batches)
    select feed, step, cause, count(*) from p where cause is not null group by feed, step, cause
      order by feed, step, cause
    on conflict (feed, step, cause) do update set last_at = now(),
      since = case when w.last_at < now() - ${causeLasts} then now() else w.since end,
      batches = case when w.last_at < now() - ${causeLasts} then 0 else w.batches end + excluded.batches
  )
  select position from p`,
);

/**
 * Records that calls of steps with lapsed leases are about to begin, and by which worker. If a step was taken over, its
 * previous worker is recorded as lost. Returns the positions of the steps that this worker still holds.
 */
export const noteBegins = statementOf<EpochParams>(
  'note-begins',
  ($) => `
  with b as (
    update batch_steps s set begun = true
    from unnest(${$('feeds')}::uuid[], ${$('batchNos')}::int[], ${$('steps')}::int2[],
      ${$('epochs')}::int[]) with ordinality
      k (feed, batch_no, step, epoch, position)
    where s.feed = k.feed and s.batch_no = k.batch_no and s.step = k.step and s.epoch = k.epoch
      and s.state = ${stepState.running}
    returning k.position, s.feed, s.batch_no, s.step, s.epoch, s.owner, s.next_attempt_at
  ), w as (
    insert into step_call_starts (feed, batch_no, step, epoch, worker)
    select feed, batch_no, step, epoch, owner from b order by feed, batch_no, step
    on conflict (feed, batch_no, step, epoch) do nothing
  ), l as (
    insert into step_attempts (feed, batch_no, step, epoch, reading)
    select feed, batch_no, step, epoch - 1, 'lost' from b where next_attempt_at is null order by feed, batch_no, step
    on conflict (feed, batch_no, step, epoch) do nothing
  )
  select position from b`,
);

export interface NoteAttemptsParams extends EpochParams {
  readings: string;
  causes: string;
  users: string;
}

/** Stores the answers to calls whose steps are released or have children. */
export const noteAttempts = statementOf<NoteAttemptsParams>(
  'note-attempts',
  ($) => `
  insert into step_attempts (feed, batch_no, step, epoch, reading, cause, users)
  select * from unnest(${$('feeds')}::uuid[], ${$('batchNos')}::int[], ${$('steps')}::int2[], ${$('epochs')}::int[],
    ${$('readings')}::text[], ${$('causes')}::text[], ${$('users')}::text[])
  on conflict (feed, batch_no, step, epoch) do nothing`,
);

/** Returns the positions of results written earlier under the same epoch, which only its owner can have done. */
export const writtenBefore = statementOf<EpochParams>(
  'written-before',
  ($) => `
  select k.position
  from unnest(${$('feeds')}::uuid[], ${$('batchNos')}::int[], ${$('steps')}::int2[],
    ${$('epochs')}::int[]) with ordinality
    k (feed, batch_no, step, epoch, position)
  join batch_steps s on s.feed = k.feed and s.batch_no = k.batch_no and s.step = k.step and s.epoch = k.epoch
  where s.state <> ${stepState.running}`,
);

/** Returns for each ref the users that failed in an earlier step, and the users of children split off before. */
export const lostBefore = statementOf<{ feeds: string; batchNos: string; steps: string }>(
  'lost-before',
  ($) => `
  select
    (select coalesce(json_agg(f.user_id order by f.step, f.user_id), '[]') from user_failures f
      where f.feed = k.feed and f.batch_no = k.batch_no and f.step < k.step) as failed,
    (select string_agg(b.users, ',' order by b.batch_no) from batches b
      where b.feed = k.feed and b.parent = k.batch_no and b.from_step < k.step) as split_off
  from unnest(${$('feeds')}::uuid[], ${$('batchNos')}::int[], ${$('steps')}::int2[]) with ordinality k (feed,
    batch_no, step, position)
  order by k.position`,
);
