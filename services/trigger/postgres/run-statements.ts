import { firstChildBatchNo } from '../../../shared/domain/batch.ts';
import { failureCode, restCode, stepState } from '../../../shared/postgres/ledger-codes.ts';

export const toPrepare = `
  select r.id as "runId", r.campaign as "campaignId", c.definition,
    (extract(epoch from r.deadline_at - now()) * 1000)::float8 as "deadlineInMs"
  from runs r join campaign_revisions c on c.campaign = r.campaign and c.revision = r.revision
  where r.state = 'preparing' and r.ended_at is null and r.id <> all($2::uuid[])
  order by least(
    row_number() over (order by r.scheduled_for, r.id) * 2 - 1,
    row_number() over (order by r.scheduled_for desc, r.id desc) * 2
  )
  limit $1`;

export const wait = `
  update runs set waiting_cause = $2 where id = $1 and state = 'preparing' and waiting_cause is distinct from $2`;

export const begin = `
  with r as (
    update runs set state = 'running', started_at = now(), waiting_cause = null where id = $1 and state = 'preparing' returning id
  ), f as (
    insert into feeds (feed, run, country, segment, snapshot, estimate)
    select k.feed, r.id, k.country, k.segment, k.snapshot, k.estimate
    from r, unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::bigint[]) k (feed, country, segment, snapshot, estimate)
  )
  select from r`;

/** One row per feed. One statement, so that all of it is true at the same moment. */
export const tallies = `
  select r.id as "runId", r.campaign as "campaignId", c.definition -> 'chain' as chain, r.deadline_at <= now() as "deadlinePassed",
    f.feed as "feedId", f.country, f.fed_users::float8 as "fedUsers", f.next_batch_no - 1 as "fedBatches", f.complete, f.stalled,
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

/** Reads every step row of the run, because the ledger has no index on state. Feed by feed, so that no other run's rows are read. */
export const observe = `
  with seen as (
    select coalesce(sum(s.in_flight), 0)::int as in_flight, coalesce(sum(s.waiting), 0)::int as waiting, min(s.cause) as cause
    from feeds f
    cross join lateral (
      select count(*) filter (where state = ${stepState.running}) as in_flight, count(*) filter (where state = ${stepState.waiting}) as waiting,
        min(cause) filter (where state = ${stepState.waiting}) as cause
      from batch_steps where feed = f.feed
    ) s
    where f.run = $1
  ), kept as (
    update runs r set in_flight = seen.in_flight, waiting = seen.waiting, waiting_cause = seen.cause
    from seen
    where r.id = $1 and r.ended_at is null
  )
  select in_flight as "inFlight", waiting, cause as "waitingCause" from seen`;

/** Counts rows, not sums: batches and the rest from the steps, failures from the users that failed. */
export const recount = `
  select f.feed as "feedId", coalesce(t.totals, '[]') as totals
  from feeds f
  cross join lateral (
    select json_agg(k order by k.step) as totals from (
      select step, coalesce(batches, 0) as batches, coalesce(succeeded, 0) as succeeded, coalesce(failed, 0) as failed,
        coalesce(expired, 0) as expired, coalesce(cancelled, 0) as cancelled, coalesce(unknown, 0) as unknown
      from (
        select step, count(*) filter (where batch_no < ${firstChildBatchNo}) as batches,
          sum(rest_users) filter (where rest = ${restCode.succeeded}) as succeeded,
          sum(rest_users) filter (where rest = ${restCode.expired}) as expired,
          sum(rest_users) filter (where rest = ${restCode.cancelled}) as cancelled
        from batch_steps where feed = f.feed and state = ${stepState.done} group by step
      ) s full join (
        select step, count(*) filter (where outcome = ${failureCode.failed}) as failed,
          count(*) filter (where outcome = ${failureCode.unknown}) as unknown
        from user_failures where feed = f.feed group by step
      ) u using (step)
    ) k
  ) t
  where f.run = $1
  order by f.feed`;

export const finish = `
  update runs set state = $2, state_reason = $3, ended_at = now(), in_flight = 0, waiting = 0, waiting_cause = null
  where id = $1 and state = any($4::text[])`;
