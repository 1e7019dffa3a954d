import type { Pool } from 'pg';
import { z } from 'zod';
import { jobPartitionOf } from '../domain/job-ids.ts';
import type { JobIntake, JobToStore, KnownJob } from '../ports/job-intake.ts';
import { plainArray, textArray } from './array-literals.ts';
import { statementOf } from './statement.ts';
import { retryingDeadlocks } from './transaction.ts';

/** @param pool for the hot path, whose statements end before the scheduler's sweep looks for what came late (10 s) */
export function createJobIntake({ pool }: { pool: Pool }): JobIntake {
  return {
    store: async (jobs, slot, isAgain = false) => {
      const values = valuesOf(jobs);
      const { rows } = await retryingDeadlocks(() =>
        pool.query<StoredRow>(storeJobs.with({ ...values, slot, isAgain })),
      );
      return new Map(rows.map(({ id, due }) => [id, Number(due)]));
    },

    known: async (jobIds) => {
      const { rows } = await pool.query<object>(knownJobs.with({ ids: plainArray(jobIds) }));
      return rows.map((row) => knownOf(knownRow.parse(row)));
    },
  };
}

interface StoredRow {
  id: string;
  /** Milliseconds since 1970, as text: nothing is made of it that has to be unmade. */
  due: string;
}

/** In the order of their ids, so that two statements with the same ones wait for each other instead of both for ever. */
export function valuesOf(jobs: readonly JobToStore[]) {
  const sorted = jobs.toSorted((a, b) => (a.jobId < b.jobId ? -1 : 1));
  return {
    partitions: plainArray(sorted.map(({ jobId }) => jobPartitionOf(jobId))),
    ids: plainArray(sorted.map(({ jobId }) => jobId)),
    clients: plainArray(sorted.map(({ clientId }) => clientId)),
    keys: textArray(sorted.map(({ key }) => key)),
    dues: plainArray(sorted.map(({ dueAt }) => dueAt?.toISOString() ?? 'NULL')),
    delays: plainArray(sorted.map(({ delayMs }) => delayMs)),
    relevancies: plainArray(sorted.map(({ relevancyMs }) => relevancyMs ?? 'NULL')),
    methods: plainArray(sorted.map(({ method }) => method)),
    urls: textArray(sorted.map(({ url }) => url)),
    headers: textArray(sorted.map(({ headers }) => headers)),
    bodies: textArray(sorted.map(({ body }) => body)),
    tags: textArray(sorted.map(({ tags }) => tags && textArray(tags))),
    schedules: plainArray(sorted.map(({ scheduleId }) => scheduleId ?? 'NULL')),
  };
}

/** How long a key is known after its job has ended. Each day is one look-up more for each job with a key. */
const keyLife = '3 days';

/** Days to come are there already, and need not be looked at. */
const recently = `e.ended_at > now() - interval '${keyLife}' and e.ended_at < now() + interval '1 hour'`;

type StoreParams = ReturnType<typeof valuesOf> & { slot: number; isAgain: boolean };

/**
 * Past times are due now: behind the scheduler's watermark nobody would see them. An id of a key is looked for among the stored ones by the same
 * snapshot as among the ended ones: it moves from one to the other in one transaction, and the unique index alone would see neither. With
 * "limit 1" each is looked up by its index; "not exists" was planned as a hash of the whole table, made for every statement.
 */
export const storeJobs = statementOf<StoreParams>(
  'store-jobs',
  ($) => `
  with stored as (
    insert into jobs (partition_id, due_at, id, client, scheduled_for, expires_at, key, method, url, headers, body, tags, schedule)
    select k.partition_id, d.due, k.id, k.client, d.due, d.due + k.relevancy * interval '1 millisecond',
      k.key, k.method, k.url, k.headers, k.body, k.tags::text[], k.schedule
    from unnest(${$('partitions')}::int2[], ${$('ids')}::uuid[], ${$('clients')}::uuid[], ${$('keys')}::text[], ${$('dues')}::timestamptz[],
        ${$('delays')}::int8[], ${$('relevancies')}::int8[], ${$('methods')}::text[], ${$('urls')}::text[], ${$('headers')}::text[],
        ${$('bodies')}::text[], ${$('tags')}::text[], ${$('schedules')}::uuid[])
      k (partition_id, id, client, key, due, delay, relevancy, method, url, headers, body, tags, schedule)
    cross join lateral (select greatest(coalesce(k.due, now() + k.delay * interval '1 millisecond'), now()) as due) d
    where case when k.key is null and not ${$('isAgain')}::boolean then true
      else (select 1 from jobs j where j.id = k.id limit 1) is null
        and (select 1 from ended_jobs e where e.id = k.id and ${recently} limit 1) is null
        and (select 1 from dead_jobs g where g.id = k.id limit 1) is null
    end
    on conflict (id) do nothing
    returning id, client, due_at
  ), counted as (
    insert into client_totals as t (client, slot, accepted)
    select client, ${$('slot')}::int2, count(*) from stored group by client order by client
    on conflict (client, slot) do update set accepted = t.accepted + excluded.accepted
  )
  select id, trunc(extract(epoch from due_at) * 1000)::text as due from stored`,
);

const knownRow = z.object({
  id: z.string(),
  due: z.coerce.number().nullable(),
  whole: z.boolean(),
  method: z.string(),
  url: z.string(),
  headers: z.string().nullable(),
  body: z.string().nullable(),
});

const due = `case when isfinite(due_at) then trunc(extract(epoch from due_at) * 1000)::text end`;

/** One snapshot, in which a job is in one place alone. */
const knownJobs = statementOf<{ ids: string }>(
  'known-jobs',
  ($) => `
  select id, ${due} as due, true as whole, method, url, headers, body from jobs where id = any(${$('ids')}::uuid[])
  union all
  select id, null, false, method, url, null, null from ended_jobs where id = any(${$('ids')}::uuid[]) and outcome <> 'dead'
  union all
  select id, null, true, job ->> 'method', job ->> 'url', job ->> 'headers', job ->> 'body'
  from dead_jobs where id = any(${$('ids')}::uuid[])`,
);

function knownOf({ id, due: dueAtMs, whole, method, url, headers, body }: z.output<typeof knownRow>): KnownJob {
  const call = whole ? { whole, method, url, headers, body } : { whole, method, url };
  return { jobId: id, dueAtMs, call };
}
