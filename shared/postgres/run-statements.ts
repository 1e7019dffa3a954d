import { firstChildBatchNo } from '../domain/batch.ts';
import { failureCode, restCode, stepState } from './ledger-codes.ts';

/** A late fire shortens the run: its deadline counts from the time it was meant for. */
export const create = `
  insert into runs (id, campaign, revision, scheduled_for, state, deadline_at)
  select $1, campaign, revision, $4::timestamptz, 'preparing',
    $4::timestamptz + (definition ->> 'deadlineSeconds')::float8 * interval '1 second'
  from campaign_revisions where campaign = $2 and revision = $3
  on conflict (campaign, scheduled_for) do nothing
  returning id as run`;

export const find = `select id as run from runs where campaign = $1 and scheduled_for = $2`;

export const toPrepare = `
  select r.id as run, r.campaign, c.definition, r.deadline_at <= now() as "deadlinePassed"
  from runs r join campaign_revisions c on c.campaign = r.campaign and c.revision = r.revision
  where r.state = 'preparing' and r.ended_at is null
  order by r.scheduled_for, r.id
  limit $1`;

export const begin = `
  with r as (
    update runs set state = 'running', started_at = now() where id = $1 and state = 'preparing' returning id
  ), f as (
    insert into feeds (feed, run, country, segment, snapshot, estimate)
    select k.feed, r.id, k.country, k.segment, k.snapshot, k.estimate
    from r, unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::bigint[]) k (feed, country, segment, snapshot, estimate)
  )
  select from r`;

/** One row per feed. One statement, so that all of it is true at the same moment. */
export const tallies = `
  select r.id as run, r.campaign, c.definition -> 'chain' as chain, r.deadline_at <= now() as "deadlinePassed",
    f.feed, f.country, f.fed_users::float8 as "fedUsers", f.next_batch_no - 1 as "fedBatches", f.complete, f.stalled,
    coalesce(t.totals, '[]') as totals
  from runs r
  join campaign_revisions c on c.campaign = r.campaign and c.revision = r.revision
  join feeds f on f.run = r.id
  left join lateral (
    select json_agg(s order by s.step) as totals from (
      select step, sum(batches) as batches, sum(succeeded) as succeeded, sum(failed) as failed, sum(expired) as expired,
        sum(cancelled) as cancelled, sum(unknown) as unknown
      from run_totals where feed = f.feed group by step
    ) s
  ) t on true
  where r.state = 'running' and r.ended_at is null
  order by r.scheduled_for, r.id, f.country`;

/** Reads every step row of the run, because the ledger has no index on state. */
export const observe = `
  with seen as (
    select count(*) filter (where s.state = ${stepState.running})::int as in_flight,
      count(*) filter (where s.state = ${stepState.waiting})::int as waiting,
      min(s.cause) filter (where s.state = ${stepState.waiting}) as waiting_cause
    from feeds f join batch_steps s on s.feed = f.feed
    where f.run = $1
  ), kept as (
    update runs r set in_flight = seen.in_flight, waiting = seen.waiting, waiting_cause = seen.waiting_cause
    from seen
    where r.id = $1 and r.ended_at is null
  )
  select in_flight as "inFlight", waiting, waiting_cause as "waitingCause" from seen`;

/** Counts rows, not sums: batches and the rest from the steps, failures from the users that failed. */
export const recount = `
  with steps as (
    select s.feed, s.step, count(*) filter (where s.batch_no < ${firstChildBatchNo}) as batches,
      coalesce(sum(s.rest_users) filter (where s.rest = ${restCode.succeeded}), 0) as succeeded,
      coalesce(sum(s.rest_users) filter (where s.rest = ${restCode.expired}), 0) as expired,
      coalesce(sum(s.rest_users) filter (where s.rest = ${restCode.cancelled}), 0) as cancelled
    from feeds f join batch_steps s on s.feed = f.feed
    where f.run = $1 and s.state = ${stepState.done}
    group by s.feed, s.step
  ), lost as (
    select u.feed, u.step, count(*) filter (where u.outcome = ${failureCode.failed}) as failed,
      count(*) filter (where u.outcome = ${failureCode.unknown}) as unknown
    from feeds f join user_failures u on u.feed = f.feed
    where f.run = $1
    group by u.feed, u.step
  ), totals as (
    select feed, step, coalesce(batches, 0) as batches, coalesce(succeeded, 0) as succeeded, coalesce(failed, 0) as failed,
      coalesce(expired, 0) as expired, coalesce(cancelled, 0) as cancelled, coalesce(unknown, 0) as unknown
    from steps full join lost using (feed, step)
  )
  select f.feed, coalesce(json_agg(to_jsonb(t) - 'feed' order by t.step) filter (where t.step is not null), '[]') as totals
  from feeds f left join totals t on t.feed = f.feed
  where f.run = $1
  group by f.feed
  order by f.feed`;

export const finish = `
  update runs set state = $2, state_reason = $3, ended_at = now(), in_flight = 0, waiting = 0, waiting_cause = null
  where id = $1 and state = any($4::text[])`;
