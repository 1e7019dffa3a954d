import type { Pool } from 'pg';
import { wakeKeys } from '../../../shared/postgres/jobs/key-wakes.ts';
import { clientForgets, keptColumns, keptOf } from '../../../shared/postgres/jobs/ended-jobs.ts';
import { endpointIdOf } from '../../../shared/postgres/jobs/endpoint-ids.ts';
import { jobNotifierOn } from '../../../shared/postgres/jobs/job-notifier.ts';
import { statementOf } from '../../../shared/postgres/connection/statement.ts';
import type { ClaimedJob } from '../ports/call-ledger.ts';
import type { HostCircuit, HostCircuits, HostKey } from '../ports/host-circuits.ts';

export interface HostCircuitsDeps {
  pool: Pool;
  owner: string;
  slot: number;
}

interface ProbeRow extends Omit<ClaimedJob, 'jobId'> {
  jobId: string | null;
}

export function createHostCircuits({ pool, owner, slot }: HostCircuitsDeps): HostCircuits {
  const notifier = jobNotifierOn(pool);

  return {
    read: async () => {
      const { rows } = await pool.query<HostCircuit>(readCircuits);
      return rows;
    },
    open: async (key, cause, nextInMs) => {
      await pool.query(openCircuit.with({ ...key, cause, nextInMs }));
    },
    disable: async (key, cause) => {
      await pool.query(disableCircuit.with({ ...key, cause }));
    },
    takeProbe: async (key, nextInMs, leaseMs) => {
      const { rows } = await pool.query<ProbeRow>(takeProbe.with({ ...key, nextInMs, owner, leaseMs }));
      const [row] = rows;
      if (!row) return { kind: 'not-now' };
      const { jobId } = row;
      return jobId === null ? { kind: 'nothing-waits' } : { kind: 'job', job: { ...row, jobId } };
    },
    beginClosing: async (key) => {
      await pool.query(beginClosing.with(key));
    },
    releaseSidelined: async (key, count) => {
      const { rows } = await pool.query<{ taken: boolean; brought: number }>(resumeSidelined.with({ ...key, count }));
      const [row] = rows;
      if (!row?.taken) return null;
      if (row.brought > 0) notifier.committed(0);
      if (row.brought < count) await pool.query(forgetCircuit.with(key));
      return row.brought;
    },
    expire: async (key, limit) => {
      const { rows } = await pool.query<{ expired: number }>(expireSidelined.with({ ...key, limit, slot }));
      return rows[0]?.expired ?? 0;
    },
    closeOrphanedHosts: async () => {
      const { rowCount } = await pool.query(adoptHosts);
      return rowCount ?? 0;
    },
  };
}

/**
 * Order in which sidelined jobs are taken. Jobs that were called least often come first, so that each probe uses
 * another job. An index supports this order.
 */
const tries = 'attempt + probes';

const readCircuits = `
  select endpoint::text as "clientId", host, state, (extract(epoch from next_at - now()) * 1000)::float8 as "nextInMs",
    (extract(epoch from now() - coalesce(closing_since, opened_at)) * 1000)::float8 as "sinceMs"
  from host_circuits`;

const openCircuit = statementOf<HostKey & { cause: string; nextInMs: number }>(
  'open-host-circuit',
  ($) => `
  insert into host_circuits as c (endpoint, host, state, cause, next_at)
  values (${$('clientId')}::uuid, ${$('host')}, 'open', ${$('cause')},
    now() + ${$('nextInMs')}::float8 * interval '1 millisecond')
  on conflict (endpoint, host) do update
  set state = 'open', cause = excluded.cause, next_at = excluded.next_at, openings = c.openings + 1,
    closing_since = null
  where c.state = 'closing'`,
);

const disableCircuit = statementOf<HostKey & { cause: string }>(
  'disable-host-circuit',
  ($) => `
  insert into host_circuits as c (endpoint, host, state, cause, next_at)
  values (${$('clientId')}::uuid, ${$('host')}, 'disabled', ${$('cause')}, 'infinity')
  on conflict (endpoint, host) do update set state = 'disabled', cause = excluded.cause, next_at = 'infinity',
    closing_since = null
  where c.state <> 'disabled'`,
);

/**
 * Takes a probe. The statement sets the job's due time to now, so that the job can be claimed and ended like any other.
 */
const takeProbe = statementOf<HostKey & { nextInMs: number; owner: string; leaseMs: number }>(
  'take-host-probe',
  ($) => `
  with c as (
    update host_circuits set next_at = now() + ${$('nextInMs')}::float8 * interval '1 millisecond'
    where endpoint = ${$('clientId')}::uuid and host = ${$('host')} and state = 'open' and next_at <= now()
    returning 1
  ), j as (
    update jobs set due_at = now(), sideline = null, probes = probes + 1
    where id = (
      select id from jobs
      where ${endpointIdOf('jobs')} = ${$('clientId')}::uuid and sideline = ${$('host')} and exists (select from c)
      order by ${tries}, id limit 1 for update skip locked
    )
    returning *
  ), f as (
    insert into job_claims (partition_id, due_at, id, owner, epoch, lease_until, exclusive_until)
    select partition_id, due_at, id, ${$('owner')}, 1, now() + ${$('leaseMs')}::int4 * interval '1 millisecond',
      case when ordering_key is not null then now() + ${$('leaseMs')}::int4 * interval '1 millisecond' end
    from j
    returning epoch
  )
  select j.id::text as "jobId", j.partition_id as partition,
    (extract(epoch from j.due_at) * 1000000)::float8 as "dueUs",
    ${endpointIdOf('j')}::text as "clientId", 1 as epoch, j.attempt,
    (extract(epoch from j.scheduled_for) * 1000)::float8 as "scheduledForMs",
    (extract(epoch from now()) * 1000)::float8 as "claimedAtMs",
    (extract(epoch from j.expires_at - now()) * 1000)::float8 as "expiresInMs", j.method, j.url, j.headers, j.body,
    j.repeats::text, j.terms, j.ordering_key as "orderingKey", null::float8 as "exclusiveMs",
    j.report
  from c left join j on true`,
);

const beginClosing = statementOf<HostKey>(
  'begin-closing-host-circuit',
  ($) => `
  update host_circuits set state = 'closing', closing_since = now(), next_at = now()
  where endpoint = ${$('clientId')}::uuid and host = ${$('host')} and state <> 'closing'`,
);

const resumeSidelined = statementOf<HostKey & { count: number }>(
  'bring-back-sidelined',
  ($) => `
  with c as (
    update host_circuits set next_at = now() + interval '1 second'
    where endpoint = ${$('clientId')}::uuid and host = ${$('host')} and state = 'closing' and next_at <= now()
    returning 1
  ), j as (
    update jobs set due_at = now(), sideline = null
    where id in (
      select id from jobs
      where ${endpointIdOf('jobs')} = ${$('clientId')}::uuid and sideline = ${$('host')} and exists (select from c)
      order by ${tries}, id limit ${$('count')}::int4 for update skip locked
    )
    returning 1
  )
  select exists (select from c) as taken, (select count(*)::int from j) as brought`,
);

/** Removes the circuit, unless another job has been sidelined since. */
const forgetCircuit = statementOf<HostKey>(
  'forget-host-circuit',
  ($) => `
  delete from host_circuits c where endpoint = ${$('clientId')}::uuid and host = ${$('host')} and state = 'closing'
    and not exists (select from jobs j where ${endpointIdOf('j')} = c.endpoint and j.sideline = c.host)`,
);

const expireSidelined = statementOf<HostKey & { limit: number; slot: number }>(
  'expire-sidelined',
  ($) => `
  with x as (
    delete from jobs where id in (
      select id from jobs
      where ${endpointIdOf('jobs')} = ${$('clientId')}::uuid and sideline = ${$('host')} and expires_at <= now()
      limit ${$('limit')}::int4 for update skip locked
    )
    returning *, ${clientForgets('jobs')} as forgets
  ), e as (
    insert into ended_jobs (ended_at, outcome, ${keptColumns})
    select now(), 'expired', ${keptOf('forgets')} from x
  ), w as (${wakeKeys('x')}
  ), t as (
    insert into client_totals as t (client, slot, expired)
    select client, ${$('slot')}::int2, count(*) from x group by client
    on conflict (client, slot) do update set expired = t.expired + excluded.expired
  )
  select count(*)::int as expired from x`,
);

const adoptHosts = `
  insert into host_circuits (endpoint, host, state, cause, next_at, closing_since)
  select distinct ${endpointIdOf('j')}, j.sideline, 'closing', 'jobs were sidelined', now(), now() from jobs j
  where j.sideline is not null and not exists (select from host_circuits c
    where c.endpoint = ${endpointIdOf('j')} and c.host = j.sideline)
  on conflict do nothing`;
