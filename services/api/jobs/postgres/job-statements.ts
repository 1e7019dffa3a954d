import { statementOf } from '../../../../shared/postgres/connection/statement.ts';
import { wakeKeys } from '../../../../shared/postgres/jobs/key-wakes.ts';
import { clientForgets, keptColumns, keptOf } from '../../../../shared/postgres/jobs/ended-jobs.ts';

/**
 * Columns of a job that has not ended, with the names of `JobRecord`. `j` is the row of the job and `f` the row of its
 * call in progress.
 */
export const storedFields = `
  j.id as "jobId", j.client as "clientId",
  case when j.sideline is not null then 'sidelined' when f.id is not null then 'firing'
    when j.report is not null then 'reporting' when j.due_at = 'infinity' then 'waiting' else 'pending' end as state,
  j.scheduled_for as "scheduledFor",
  case when isfinite(j.due_at) then j.due_at when j.sideline is null then j.ready_at end as "dueAt",
  j.accepted_at as "acceptedAt",
  j.expires_at as "expiresAt", null::timestamptz as "endedAt", j.attempt, j.method, j.url, j.key,
  coalesce(j.tags, '{}') as tags, j.schedule as "scheduleId", j.repeats,
  j.ordering_key as "orderingKey", j.in_order as "inOrder", j.sideline, null::text as cause, j.terms`;

/** @param cause SQL of a dead job's cause */
export const endedFields = (cause: string) => `
  e.id as "jobId", e.client as "clientId", e.outcome as state, e.scheduled_for as "scheduledFor",
    null::timestamptz as "dueAt",
  e.accepted_at as "acceptedAt", e.expires_at as "expiresAt", e.ended_at as "endedAt", e.attempt, e.method,
    e.url, e.key,
  coalesce(e.tags, '{}') as tags, e.schedule as "scheduleId", e.repeats,
  e.ordering_key as "orderingKey", e.in_order as "inOrder", null::text as sideline,
    case when e.outcome = 'dead' then ${cause} end as cause, e.terms`;

/**
 * Finds a job in one snapshot, so that a job that moves between tables is found exactly once. A replayed job is found
 * as not ended.
 */
export const findJob = statementOf<{ id: string }>(
  'find-job',
  ($) => `
  select ${storedFields}, j.headers, j.body
  from jobs j left join job_claims f using (partition_id, due_at, id) where j.id = ${$('id')}::uuid
  union all
  select ${endedFields('coalesce(g.cause, e.error)')}, e.headers, coalesce(e.body, g.job ->> 'body')
  from ended_jobs e left join dead_jobs g on g.id = e.id and e.outcome = 'dead' where e.id = ${$('id')}::uuid
  order by "endedAt" desc nulls first limit 1`,
);

/**
 * Selects the recorded calls of a job, and its last call, which is stored with its end. If a report ended the job, the
 * last call is among the recorded calls.
 */
export const findAttempts = statementOf<{ id: string }>(
  'find-job-attempts',
  ($) => `
  select attempt, at, status, latency_ms as "latencyMs", error, answer from job_attempts where id = ${$('id')}::uuid
  union all
  select attempt, ended_at, status, latency_ms, error, answer from ended_jobs
  where id = ${$('id')}::uuid and (outcome = 'dead' or outcome = 'called' and status is not null)
  order by at, attempt`,
);

export const loadJobs = statementOf<{ ids: string }>(
  'load-jobs',
  ($) => `
  select ${storedFields} from jobs j left join job_claims f using (partition_id, due_at, id)
    where j.id = any(${$('ids')}::uuid[])`,
);

export interface ScanParams {
  fromUs: string;
  fromId: string;
  untilUs: string;
  /** Ids of clients, an array of UUIDs; null matches any client. */
  clients: string | null;
  tag: string | null;
  /** Name of an endpoint, without wildcards. */
  endpoint: string | null;
  /** Priority of the jobs; null matches any. */
  priority: string | null;
  rows: number;
}

const atUs = (us: string) => `(timestamptz 'epoch' + ${us}::int8 * interval '1 microsecond')`;
const usOf = (column: string) => `(extract(epoch from ${column}) * 1000000)::int8::text`;

/**
 * Reads the next jobs of each partition after a position in the order of due times. Returns the matching jobs, and the
 * last row read if the partition may have more.
 */
export const scanJobs = statementOf<ScanParams>(
  'scan-jobs',
  ($) => `
  select d.id, ${usOf('d.due_at')} as us, d.fits, d.n = ${$('rows')}::int as "isLast"
  from generate_series(0, 63) p (id)
  cross join lateral (
    select j.due_at, j.id, row_number() over (order by j.due_at, j.id) as n,
      (${$('clients')}::uuid[] is null or j.client = any(${$('clients')}::uuid[]))
        and (${$('tag')}::text is null or coalesce(${$('tag')}::text = any(j.tags), false))
        and (${$('endpoint')}::text is null or case ${$('endpoint')}::text when 'default' then j.endpoint is null
          else coalesce(j.terms like '{"endpoint":"%","endpointName":"' || ${$('endpoint')}::text || '"%', false) end)
        and (${$('priority')}::text is null or coalesce(j.priority, 'normal') = ${$('priority')}::text) as fits
    from jobs j
    where j.partition_id = p.id::int2 and (j.due_at, j.id) > (${atUs($('fromUs'))}, ${$('fromId')}::uuid)
      and j.due_at < ${atUs($('untilUs'))}
    order by j.due_at, j.id limit ${$('rows')}::int
  ) d
  where d.fits or d.n = ${$('rows')}::int`,
);

/**
 * Reads jobs that are being called, in the same way as `scanJobs`. Filters are applied later, when the jobs are loaded.
 */
export const scanFires = statementOf<Pick<ScanParams, 'fromUs' | 'fromId' | 'untilUs' | 'rows'>>(
  'scan-fires',
  ($) => `
  select d.id, ${usOf('d.due_at')} as us, true as fits, d.n = ${$('rows')}::int as "isLast"
  from generate_series(0, 63) p (id)
  cross join lateral (
    select j.due_at, j.id, row_number() over (order by j.due_at, j.id) as n from job_claims j
    where j.partition_id = p.id::int2 and (j.due_at, j.id) > (${atUs($('fromUs'))}, ${$('fromId')}::uuid)
      and j.due_at < ${atUs($('untilUs'))}
    order by j.due_at, j.id limit ${$('rows')}::int
  ) d`,
);

/** Reads jobs that wait for a report, in the order of the deadlines of their reports. */
export const scanReporting = statementOf<{ client: string; fromUs: string; fromId: string; rows: number }>(
  'scan-reporting',
  ($) => `
  select ${storedFields}, ${usOf('j.due_at')} as us from jobs j left join job_claims f using (partition_id, due_at, id)
  where j.client = ${$('client')}::uuid and j.report is not null
    and (j.due_at, j.id) > (${atUs($('fromUs'))}, ${$('fromId')}::uuid)
  order by j.due_at, j.id limit ${$('rows')}::int`,
);

export const scanSidelined = statementOf<{ client: string; host: string; fromId: string; rows: number }>(
  'scan-sidelined',
  ($) => `
  select ${storedFields} from jobs j left join job_claims f using (partition_id, due_at, id)
  where j.client = ${$('client')}::uuid and j.sideline is not null
    and (j.sideline, j.id) > (${$('host')}::text, ${$('fromId')}::uuid)
  order by j.sideline, j.id limit ${$('rows')}::int`,
);

/** Position of a waiting job among the jobs with the same ordering key. */
export interface WaitingPlace {
  key: string;
  readyUs: string;
  acceptedUs: string;
  nth: number;
  id: string;
}

export const scanWaiting = statementOf<WaitingPlace & { client: string; rows: number }>(
  'scan-waiting',
  ($) => `
  select ${storedFields}, ${usOf('j.ready_at')} as "readyUs", ${usOf('j.accepted_at')} as "acceptedUs",
    j.accept_order as nth
  from jobs j left join job_claims f using (partition_id, due_at, id)
  where j.client = ${$('client')}::uuid and j.ordering_key is not null and j.due_at = 'infinity' and j.sideline is null
    and (j.ordering_key, j.ready_at, j.accepted_at, j.accept_order, j.id)
      > (${$('key')}::text, ${atUs($('readyUs'))}, ${atUs($('acceptedUs'))}, ${$('nth')}::int2, ${$('id')}::uuid)
  order by j.ordering_key, j.ready_at, j.accepted_at, j.accept_order, j.id limit ${$('rows')}::int`,
);

/**
 * Reads jobs with an ordering key that have not ended: the active job, then the waiting jobs in the order in which they
 * will be called. The position is the time at which a job became ready, so a job that becomes active between two pages
 * is neither missing nor repeated.
 */
export const scanKey = statementOf<WaitingPlace & { client: string; rows: number }>('scan-key', ($) => {
  const isAfter = `(ready_at, accepted_at, accept_order, id)
        > (${atUs($('readyUs'))}, ${atUs($('acceptedUs'))}, ${$('nth')}::int2, ${$('id')}::uuid)`;
  const isOfKey = `client = ${$('client')}::uuid and ordering_key = ${$('key')}::text and ordering_key is not null`;
  return `
  with k as materialized (
    select id from jobs where ${isOfKey} and (due_at < 'infinity' or sideline is not null) and ${isAfter}
    union all (
      select id from jobs where ${isOfKey} and due_at = 'infinity' and sideline is null and ${isAfter}
      order by ready_at, accepted_at, accept_order, id limit ${$('rows')}::int
    )
  )
  select ${storedFields}, ${usOf('j.ready_at')} as "readyUs", ${usOf('j.accepted_at')} as "acceptedUs",
    j.accept_order as nth
  from k join jobs j on j.id = k.id
  left join job_claims f on (f.partition_id, f.due_at, f.id) = (j.partition_id, j.due_at, j.id)
  order by j.ready_at, j.accepted_at, j.accept_order, j.id limit ${$('rows')}::int`;
});

export interface EndedPlace {
  client: string;
  /** Ordering key; null matches all jobs, also those without an ordering key. */
  key: string | null;
  beforeUs: string | null;
  beforeId: string;
  rows: number;
}

export const scanEnded = statementOf<Omit<EndedPlace, 'key'>>('scan-ended', ($) => scanningEnded($, 'true'));

export const scanEndedOfKey = statementOf<EndedPlace>('scan-ended-of-key', ($) =>
  scanningEnded($, `e.ordering_key = ${$('key')}::text and e.ordering_key is not null`),
);

function scanningEnded($: (param: Exclude<keyof EndedPlace, 'key'>) => string, isWanted: string) {
  return `
  select ${endedFields('e.error')}, ${usOf('e.ended_at')} as us from ended_jobs e
  where e.client = ${$('client')}::uuid and ${isWanted}
    and (${$('beforeUs')}::int8 is null or (e.ended_at, e.id) < (${atUs($('beforeUs'))}, ${$('beforeId')}::uuid))
  order by e.ended_at desc, e.id desc limit ${$('rows')}::int`;
}

/** Ids of jobs, and the client to which they must belong; null matches any client. */
export interface NamedJobs {
  ids: string;
  client: string | null;
}

const isNamed = ($: (param: keyof NamedJobs) => string) =>
  `j.id = any(${$('ids')}::uuid[]) and (${$('client')}::uuid is null or j.client = ${$('client')}::uuid)`;

/**
 * Locks jobs in the order of their keys, like each statement that locks several jobs (docs/data.md, locks). A claim
 * also locks its job, so this statement waits for claims in progress.
 */
export const lockJobs = statementOf<NamedJobs>(
  'lock-jobs',
  ($) => `select id from jobs j where ${isNamed($)} order by partition_id, due_at, id for update`,
);

export const isNotCalled = `not exists (select from job_claims f
  where (f.partition_id, f.due_at, f.id) = (j.partition_id, j.due_at, j.id))`;

/**
 * Cancels locked jobs. It must run after `lockJobs`: only a later statement sees a claim for which `lockJobs` has
 * waited.
 */
export const cancelJobs = statementOf<NamedJobs & { slot: number }>(
  'cancel-jobs',
  ($) => `
  with gone as (
    delete from jobs j where ${isNamed($)} and ${isNotCalled}
    returning j.*, ${clientForgets('j')} as forgets
  ), ended as (
    insert into ended_jobs (ended_at, outcome, ${keptColumns})
    select now(), 'cancelled', ${keptOf('forgets')} from gone
  ), woken as (${wakeKeys('gone')}
  ), counted as (
    insert into client_totals as t (client, slot, cancelled)
    select client, ${$('slot')}::int2, count(*) from gone group by client order by client
    on conflict (client, slot) do update set cancelled = t.cancelled + excluded.cancelled
  )
  select id, client::text as "clientId", ordering_key as key from gone`,
);

/**
 * Moves locked jobs to another due time. Jobs that wait for a report stay unchanged, because their receiver is working
 * on them. The expiry time moves by the same amount. A past time becomes now, because no scan would find a job whose
 * due time is before the position that scans have reached.
 */
export const moveJobs = statementOf<NamedJobs & { dueAt: string | null; delayMs: number }>(
  'move-jobs',
  ($) => `
  with moved as (
  update jobs j set due_at = case when j.ordering_key is null then d.due else 'infinity' end,
    ready_at = case when j.ordering_key is not null then coalesce(${$('dueAt')}::timestamptz, d.due) end,
    scheduled_for = d.due, expires_at = j.expires_at + (d.due - j.scheduled_for),
    sideline = null
  from (select greatest(coalesce(${$('dueAt')}::timestamptz,
    now() + ${$('delayMs')}::int8 * interval '1 millisecond'), now()) as due) d
  where ${isNamed($)} and j.report is null and ${isNotCalled}
  returning j.id, j.client, j.client::text as "clientId", j.ordering_key, j.ordering_key as key
  ), woken as (${wakeKeys('moved')})
  select id, "clientId", key from moved`,
);

/** Returns the state of jobs that could not be changed. */
export const fatesOf = statementOf<NamedJobs>(
  'job-fates',
  ($) => `
  select distinct on (id) id, outcome from (
    select j.id, case when j.report is null then 'firing' else 'reporting' end as outcome,
      'infinity'::timestamptz as at
    from jobs j where ${isNamed($)}
    union all
    select k.id, j.outcome, j.ended_at from unnest(${$('ids')}::uuid[]) k (id)
    cross join lateral (select * from ended_jobs e where e.id = k.id offset 0) j
    where ${$('client')}::uuid is null or j.client = ${$('client')}::uuid
  ) x order by id, at desc`,
);
