import { statementOf } from '../../../../shared/postgres/connection/statement.ts';
import { wakeKeys } from '../../../../shared/postgres/jobs/key-wakes.ts';
import { endedFields, storedFields, type NamedJobs } from './job-statements.ts';

/**
 * SQL of the ends of a job. `offset 0` makes Postgres look up the id in the partition of each day, whatever the planner
 * estimates.
 */
const endsOf = (id: string) => `(select * from ended_jobs e where e.id = ${id} offset 0)`;

/** Returns all rows of each id in any order. A replayed job has further rows for its earlier ends. */
export const findJobs = statementOf<NamedJobs>(
  'find-jobs',
  ($) => `
  select ${storedFields} from jobs j left join job_claims f using (partition_id, due_at, id)
  where j.id = any(${$('ids')}::uuid[]) and j.client = ${$('client')}::uuid
  union all
  select ${endedFields('coalesce((select g.cause from dead_jobs g where g.id = e.id), e.error)')}
  from unnest(${$('ids')}::uuid[]) k (id) cross join lateral ${endsOf('k.id')} e where e.client = ${$('client')}::uuid`,
);

export interface ResendParams extends NamedJobs {
  client: string;
  /** Ids of the new jobs, in the order of `ids`. */
  newIds: string;
  dueAt: string | null;
  delayMs: number;
  slot: number;
}

/**
 * Copies the latest ended job of each id to a new job, which counts as accepted. Bodies are copied inside the database.
 * If a new id already exists or has ended, the request is a repeat: the job is skipped, and the answer is the same.
 */
export const resendJobs = statementOf<ResendParams>(
  'resend-jobs',
  ($) => `
  with source as materialized (
    select a.id as asked, a.new_id, a.nth, e.*,
      (select true from jobs j where j.id = a.id and j.client = ${$('client')}::uuid limit 1) as lives,
      (select true from ended_jobs p where p.id = a.new_id limit 1) as was_sent
    from unnest(${$('ids')}::uuid[], ${$('newIds')}::uuid[]) with ordinality a (id, new_id, nth)
    left join lateral (
      select * from ${endsOf('a.id')} x where x.client = ${$('client')}::uuid order by x.ended_at desc limit 1
    ) e on true
  ), stored as (
    insert into jobs (partition_id, due_at, id, client, scheduled_for, expires_at, method, url, headers, body, tags,
      schedule, terms, ordering_key, in_order, accept_order, ready_at, repeats)
    select get_byte(uuid_send(s.new_id), 15) % 64, case when s.ordering_key is null then d.due else 'infinity' end,
      s.new_id, s.client, d.due,
      d.due + (s.expires_at - s.scheduled_for), s.method, s.url, s.headers, s.body, s.tags, s.schedule, s.terms,
      s.ordering_key, s.in_order, s.nth::int2, case when s.ordering_key is not null then d.due end, s.id
    from source s
    cross join (select greatest(coalesce(${$('dueAt')}::timestamptz,
      now() + ${$('delayMs')}::int8 * interval '1 millisecond'), now()) as due) d
    where s.id is not null and s.lives is null and s.was_sent is null and s.is_body_omitted is null
    order by s.new_id
    on conflict (id) do nothing
    returning client, ordering_key
  ), counted as (
    insert into client_totals as t (client, slot, accepted)
    select client, ${$('slot')}::int2, count(*) from stored group by client
    on conflict (client, slot) do update set accepted = t.accepted + excluded.accepted
  ), woken as (${wakeKeys('stored')})
  select asked as "jobId", client::text as "clientId", ordering_key as key,
    case when lives then 'not-ended' when id is null then 'not-found'
    when is_body_omitted then 'body-not-kept' else 'sent' end as result
  from source`,
);
