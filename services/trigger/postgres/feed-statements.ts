import { failureCode, triggerSlot } from '../../../shared/postgres/ledger-codes.ts';
import { failureTotalsAdded } from '../../../shared/postgres/totals-sql.ts';

/** The feeds' statements. What each costs, and why it has this shape, stands in docs/execution-path.md. */

/** `skip locked`: triggers that look at the same moment take different feeds instead of queueing for the same ones. */
export const claim = `
  with free as (
    select f.feed, r.deadline_at, c.definition
    from runs r
    join feeds f on f.run = r.id
    join campaign_revisions c on c.campaign = r.campaign and c.revision = r.revision
    where r.state = 'running' and r.ended_at is null and r.deadline_at > now()
      and not f.complete and (f.owner is null or f.lease_until <= now())
    order by r.scheduled_for, f.feed
    limit $3
    for update of f skip locked
  )
  update feeds f set owner = $1, token = f.token + 1, lease_until = now() + $2::float8 * interval '1 millisecond'
  from free
  where f.feed = free.feed
  returning f.feed as "feedId", f.run as "runId", f.country, f.segment, f.snapshot, f.cursor, f.next_batch_no as "nextBatchNo", f.token,
    free.definition ->> 'priority' as priority, free.definition -> 'chain' -> 0 ->> 'action' as "firstAction",
    (extract(epoch from free.deadline_at - now()) * 1000)::float8 as "deadlineInMs"`;

export const renew = `
  update feeds f set lease_until = now() + $2::float8 * interval '1 millisecond'
  from unnest($3::uuid[], $4::bigint[]) k (feed, token), runs r
  where f.feed = k.feed and f.token = k.token and f.owner = $1
    and r.id = f.run and r.state = 'running' and r.deadline_at > now()
  returning f.feed as "feedId"`;

export const release = `
  update feeds f set owner = null, lease_until = null
  from unnest($2::uuid[], $3::bigint[]) k (feed, token)
  where f.feed = k.feed and f.token = k.token and f.owner = $1`;

/**
 * The batches of some pages ($1 to $5, run parallel) and the feed's cursor. No row back: the token, or the next number, is not what the
 * writer thinks. The number is checked so that pages whose first answer was lost are not written twice.
 */
export const writePages = `
  with fd as (
    update feeds set cursor = $6, next_batch_no = next_batch_no + $7::int, fed_users = fed_users + $8::bigint, complete = $9, stalled = null
    where feed = $10 and token = $11 and next_batch_no = coalesce($12::int, next_batch_no)
    returning feed
  ), b as (
    insert into batches (feed, batch_no, n, first_user, last_user, users)
    select fd.feed, k.* from fd,
      unnest($1::int[], $2::int2[], string_to_array($3, e'\\n'), string_to_array($4, e'\\n'), string_to_array($5, e'\\n')) k
  )
  select from fd`;

/** Users that can never be sent belong to the audience and have failed in step 1. A repeated one is the same user and counts once. */
export const failInvalidUsers = `
  with f as (
    insert into user_failures (feed, batch_no, step, user_id, outcome, reason, attempts)
    select $1, 0, 1, k.user_id, ${failureCode.failed}, $3, 0 from unnest($2::text[]) k (user_id)
    on conflict do nothing
    returning feed, batch_no, step, user_id, outcome, reason
  ), n as (
    select count(*) as users from f
  ), ft as (
    ${failureTotalsAdded('f', String(triggerSlot))}
  ), t as (
    insert into run_totals as t (feed, step, slot, failed) select $1, 1, ${triggerSlot}, n.users from n
    on conflict (feed, step, slot) do update set failed = t.failed + excluded.failed
  )
  update feeds set fed_users = fed_users + n.users from n where feed = $1`;

export const stall = `update feeds set stalled = $3 where feed = $1 and token = $2 and stalled is distinct from $3`;

export const loads = `
  select f.feed as "feedId", f.country, c.definition -> 'chain' -> 0 ->> 'action' as "firstAction", c.definition ->> 'priority' as priority, f.complete,
    f.next_batch_no - 1 as "fedBatches",
    (select coalesce(sum(t.batches), 0)::int from run_totals t where t.feed = f.feed and t.step = 1) as "handledBatches"
  from runs r
  join feeds f on f.run = r.id
  join campaign_revisions c on c.campaign = r.campaign and c.revision = r.revision
  where r.state = 'running' and r.ended_at is null`;
