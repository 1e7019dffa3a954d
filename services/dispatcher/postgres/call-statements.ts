import { awaitedReport } from '../../../shared/contracts/jobs/job-reports.ts';
import { wakeKeys } from '../../../shared/postgres/jobs/key-wakes.ts';
import { keptColumns, keptOf } from '../../../shared/postgres/jobs/ended-jobs.ts';
import { endpointIdOf } from '../../../shared/postgres/jobs/endpoint-ids.ts';
import { exclusiveMarginMs, usualTimeoutMs } from '../ports/call-ledger.ts';
import { beatsAreStored, deadOwners, isUncalled } from '../../../shared/postgres/jobs/job-nodes.ts';
import { statementOf } from '../../../shared/postgres/connection/statement.ts';

/**
 * Codes of the verdicts in the statement. Verdicts with a code up to that of `dead` end a job; all others make it due
 * again later.
 */
export const verdictCodes = {
  called: 1,
  expired: 2,
  dead: 3,
  retry: 4,
  released: 5,
  sidelined: 6,
  reporting: 7,
} as const;

/** Array in Postgres's text or binary format. */
type ArrayParam = string | Buffer;

export interface FlushParams {
  partitions: ArrayParam;
  dues: ArrayParam;
  ids: ArrayParam;
  epochs: ArrayParam;
  verdicts: ArrayParam;
  /** This array and the following ones may be shorter than the others, or empty: missing values are null. */
  delaysMs: ArrayParam;
  statuses: ArrayParam;
  latenciesMs: ArrayParam;
  errors: ArrayParam;
  answers: ArrayParam;
  /** For each job: the cause if the job is dead, or the host if it is sidelined. */
  remarks: ArrayParam;
  /** For each job: true if its client keeps no bodies. */
  forgets: ArrayParam;
  claimPartitions: ArrayParam;
  claimDues: ArrayParam;
  claimIds: ArrayParam;
  /** For each claim: the time-out of the client's calls. Empty if all claims have the default time-out. */
  claimTimeoutsMs: ArrayParam;
  owner: string;
  leaseMs: number;
  slot: number;
  region: string;
  regionEpoch: number;
}

/** Condition under which a claim (a row of `job_claims`) may be replaced by a new one. */
const isFree = `(f.lease_until < now()
      or ${isUncalled('f')} and f.owner = any(${deadOwners}) and ${beatsAreStored})`;

/**
 * Returns the SQL for a job's own time-out. The terms are not parsed as JSON, because one job with invalid terms must
 * not fail a whole flush.
 */
const ownTimeoutMs = (terms: string) => `substring(${terms} from '"timeoutMs":([0-9]{1,6})')::int4`;

/**
 * Writes the results and claims of one flush. The statement was optimized by measurements; mind these points
 * (docs/decisions/0049-how-dispatchers-hold-claims-and-slots.md):
 * - A lateral subquery with a limit finds a row by its index, whatever the planner's statistics are. A plain join that
 *   was planned while the tables were empty would scan whole tables from then on.
 * - The epoch is checked twice. If another dispatcher replaces a claim between subquery and delete, Postgres finds the
 *   new version of the row, which must be refused.
 * - Values are passed on through `returning`, because joining one CTE with another is a nested loop.
 * - `unnest` in the select list needs no tuple store for each array, and its arrays may have different lengths.
 * - `date_part` avoids the slow type `numeric`. Once rounded, its result is exact to the microsecond until the year
 *   2100. This suffices, because claimed jobs are due.
 * - The claim of a dead owner may be replaced; for a job with an ordering key, only when its call has ended. This is
 *   permitted only if some node has been alive for as long (`beatsAreStored`). Otherwise, after an outage of the
 *   database, all dispatchers would look dead until they have sent a heartbeat.
 * - Locks are taken on jobs before their claims, and for results before claims, each in the order of keys
 *   (docs/data.md, locks). Writing a result waits for the lock of its job. Claiming never waits: it skips locked jobs.
 *   The holder of a job's lock is the only one to change its row in `job_claims`. `count(*)` of the results makes the
 *   claims wait for the results; without it, Postgres would run the claims first.
 * - A reference to a job that is not due yet returns a row without an epoch.
 * - A job in the results must not be in the claims, because both parts would see the table as it was before the
 *   statement.
 */
export const flushCalls = statementOf<FlushParams>(
  'flush-calls',
  ($) => `
  with f as (
    delete from job_claims f using (
      select k.*, d.tid, s.job_tid
      from (
        select unnest(${$('partitions')}::int2[]) as p, unnest(${$('dues')}::timestamptz[]) as due,
          unnest(${$('ids')}::uuid[]) as id,
          unnest(${$('epochs')}::int4[]) as epoch, unnest(${$('verdicts')}::int2[]) as verdict,
          unnest(${$('delaysMs')}::int4[]) as delay_ms,
          unnest(${$('statuses')}::int2[]) as status, unnest(${$('latenciesMs')}::int4[]) as latency_ms,
          unnest(${$('errors')}::text[]) as error,
          unnest(${$('answers')}::text[]) as answer, unnest(${$('remarks')}::text[]) as remark,
          unnest(${$('forgets')}::bool[]) as forgets
      ) k
      cross join lateral (
        select ctid as tid from job_claims f
        where f.partition_id = k.p and f.due_at = k.due and f.id = k.id and f.epoch = k.epoch limit 1
      ) d
      left join lateral (
        select ctid as job_tid from jobs j where j.partition_id = k.p and j.due_at = k.due and j.id = k.id limit 1
        for update
      ) s on true
    ) k
    where f.ctid = k.tid and f.epoch = k.epoch
    returning f.id, k.job_tid, k.verdict, k.delay_ms, k.status, k.latency_ms, k.error, k.answer, k.remark,
      coalesce(k.forgets, false) as forgets
  ), x as (
    delete from jobs j using f
    where j.ctid = f.job_tid and j.id = f.id and f.verdict <= ${verdictCodes.dead}
    returning j.*, f.verdict, f.status, f.latency_ms, f.error, f.answer, f.remark, f.forgets
  ), e as (
    insert into ended_jobs (ended_at, outcome, status, latency_ms, error, answer, ${keptColumns})
    select now(),
      case verdict when ${verdictCodes.called} then 'called' when ${verdictCodes.expired} then 'expired'
        else 'dead' end,
      status, latency_ms, error, answer, ${keptOf('forgets')}
    from x
  ), d as (
    insert into dead_jobs (id, client, cause, job)
    select id, client, remark,
      jsonb_build_object('attempt', attempt, 'scheduledFor', scheduled_for, 'acceptedAt', accepted_at,
      'expiresAt', expires_at, 'key', key, 'method', method, 'url', url, 'headers', headers, 'body', body, 'tags',
      to_jsonb(tags), 'schedule', schedule, 'repeats', repeats, 'terms', terms, 'orderingKey', ordering_key,
      'inOrder', in_order, 'acceptOrder', accept_order, 'status', status,
      'error', error, 'answer', answer)
    from x where verdict = ${verdictCodes.dead}
    on conflict (id) do update set died_at = excluded.died_at, cause = excluded.cause, job = excluded.job
  ), t as (
    insert into client_totals as t (client, slot, called, expired, dead)
    select client, ${$('slot')}::int2, count(*) filter (where verdict = ${verdictCodes.called}),
      count(*) filter (where verdict = ${verdictCodes.expired}), count(*) filter (where verdict = ${verdictCodes.dead})
    from x group by client order by client
    on conflict (client, slot) do update
    set called = t.called + excluded.called, expired = t.expired + excluded.expired, dead = t.dead + excluded.dead
  ), u as (
    update jobs j set
      due_at = case f.verdict when ${verdictCodes.sidelined} then 'infinity'
        else now() + f.delay_ms * interval '1 millisecond' end,
      attempt = j.attempt + case f.verdict when ${verdictCodes.retry} then 1 else 0 end,
      ready_at = case when f.verdict = ${verdictCodes.retry} and j.ordering_key is not null
        then now() + f.delay_ms * interval '1 millisecond' else j.ready_at end,
      sideline = case f.verdict when ${verdictCodes.sidelined} then f.remark end,
      report = case f.verdict when ${verdictCodes.reporting} then '${awaitedReport}'
        when ${verdictCodes.retry} then null else j.report end
    from f
    where j.ctid = f.job_tid and j.id = f.id and f.verdict > ${verdictCodes.dead}
    returning j.id, j.client, j.ordering_key, j.in_order, j.attempt,
      f.verdict, f.status, f.latency_ms, f.error, f.answer
  ), a as (
    insert into job_attempts (id, at, attempt, status, latency_ms, error, answer)
    select id, now(), case verdict when ${verdictCodes.retry} then attempt - 1 else attempt end, status, latency_ms,
      error, answer
    from u where verdict in (${verdictCodes.retry}, ${verdictCodes.reporting})
  ), w as (${wakeKeys('x')}
  ), v as (${wakeKeys('u', `not in_order and verdict = ${verdictCodes.retry}`)}
  ), j as (
    select j.partition_id, j.due_at, j.id, j.endpoint, j.ordering_key, j.due_at <= now() as is_due,
      case when j.ordering_key is not null
        then coalesce(${ownTimeoutMs('j.terms')}, q.timeout_ms, ${usualTimeoutMs}) + ${exclusiveMarginMs}
        end as exclusive_ms
    from (
      select unnest(${$('claimPartitions')}::int2[]) as p, unnest(${$('claimDues')}::timestamptz[]) as due,
        unnest(${$('claimIds')}::uuid[]) as id, unnest(${$('claimTimeoutsMs')}::int4[]) as timeout_ms
    ) q
    cross join lateral (
      select 1 where not exists (
        select from job_claims f where f.partition_id = q.p and f.due_at = q.due and f.id = q.id)
      union all
      select 1 from (
        select from job_claims f where f.partition_id = q.p and f.due_at = q.due and f.id = q.id and ${isFree}
        for update skip locked
      ) l
    ) free
    cross join lateral (
      select partition_id, due_at, id, ${endpointIdOf('j')} as endpoint, ordering_key, terms from jobs j
      where j.partition_id = q.p and j.due_at = q.due and j.id = q.id limit 1
      for no key update skip locked
    ) j
    where exists (select from regions where name = ${$('region')} and epoch = ${$('regionEpoch')}::int8 and active)
      and (select count(*) from f) >= 0
  ), c as (
    insert into job_claims as f (partition_id, due_at, id, owner, epoch, lease_until, exclusive_until)
    select partition_id, due_at, id, ${$('owner')}, 1, now() + ${$('leaseMs')}::int4 * interval '1 millisecond',
      now() + exclusive_ms * interval '1 millisecond'
    from j
    where is_due
    on conflict (partition_id, due_at, id) do update set owner = excluded.owner, epoch = f.epoch + 1,
      lease_until = excluded.lease_until, exclusive_until = excluded.exclusive_until
    where ${isFree}
    returning partition_id, due_at, id, epoch, exclusive_until
  )
  select null::text as recorded, j.id::text, j.partition_id, date_part('epoch', j.due_at) * 1000000,
    ${endpointIdOf('j')}::text, c.epoch, j.attempt,
    date_part('epoch', j.scheduled_for) * 1000, date_part('epoch', now()) * 1000,
    date_part('epoch', j.expires_at - now()) * 1000, j.method, j.url, j.headers, j.body, j.repeats::text, j.terms,
    j.ordering_key, date_part('epoch', c.exclusive_until - now()) * 1000, j.report
  from c cross join lateral (
    select * from jobs j where j.partition_id = c.partition_id and j.due_at = c.due_at and j.id = c.id limit 1
  ) j
  union all
  select null, id::text, partition_id, date_part('epoch', due_at) * 1000000, endpoint::text, null, null, null, null,
    null, null, null, null, null, null, null, null, null, null from j where not is_due
  union all
  select case when count(*) < cardinality(${$('ids')}::uuid[]) then coalesce(string_agg(id::text, ','), '') end,
    null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null
  from f`,
);
