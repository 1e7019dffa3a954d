import type { Pool, PoolClient } from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { partitionCount } from '../../../shared/domain/partitioning.ts';
import type { HeldLease } from '../../../shared/ports/leases.ts';
import { isHeld } from '../../../shared/postgres/registry/leases.ts';
import { unnamedStatementOf } from '../../../shared/postgres/connection/statement.ts';
import { inTransaction } from '../../../shared/postgres/connection/transaction.ts';
import type { DueJobs, Fired, OrphanedJob, StartedRun } from '../ports/due-jobs.ts';

export function createDueJobs({ pool }: { pool: Pool }): DueJobs {
  return {
    fire: async (lease, limit) => {
      // Usually, no job is due. One statement without locks and writes finds this out.
      const untilDueMs = await nextDueInMs(pool);
      if (untilDueMs !== 0) return { leaseHeld: true, runs: [], orphans: [], nextDueInMs: untilDueMs };

      return await inTransaction(pool, async (client) => {
        if (!(await holdLease(client, lease))) return { leaseHeld: false, runs: [], orphans: [], nextDueInMs: null };

        const started = await startDue(client, limit);
        return { leaseHeld: true, ...started, nextDueInMs: await nextDueInMs(client) };
      });
    },
  };
}

/**
 * Locks the lease until the transaction ends. If this process freezes meanwhile, Postgres closes the connection after
 * `idle_in_transaction_session_timeout` (pool.ts). This releases the lock and rolls the transaction back.
 */
async function holdLease(client: PoolClient, { name, owner, token }: HeldLease): Promise<boolean> {
  const { rowCount } = await client.query(`select 1 from leases where ${isHeld} for share`, [name, owner, token]);
  return rowCount === 1;
}

async function startDue(client: PoolClient, limit: number): Promise<Pick<Fired, 'runs' | 'orphans'>> {
  const { rows: jobs } = await client.query<DueRow>(deleteDue, [limit]);
  if (jobs.length === 0) return { runs: [], orphans: [] };
  jobs.sort((a, b) => a.dueAt.getTime() - b.dueAt.getTime());

  const { rows } = await client.query<InsertedRow>(
    insertRuns.with({
      runIds: jobs.map(() => uuidv7()),
      campaignIds: jobs.map((job) => job.campaignId),
      revisions: jobs.map((job) => job.revision),
      dueAts: jobs.map((job) => job.dueAt),
      requestedBy: jobs.map((job) => job.requestedBy),
      settings: jobs.map((job) => job.settings),
    }),
  );
  const runs: StartedRun[] = [];
  const orphans: OrphanedJob[] = [];
  for (const [index, { jobId, campaignId, revision }] of jobs.entries()) {
    const run = rows.find((row) => Number(row.position) === index + 1);
    if (run) runs.push({ runId: run.runId, campaignId, isNew: run.isNew });
    else orphans.push({ jobId, campaignId, revision });
  }
  return { runs, orphans };
}

async function nextDueInMs(connection: Pool | PoolClient): Promise<number | null> {
  const { rows } = await connection.query<{ inMs: number | null }>(selectNextDue);
  const inMs = rows[0]?.inMs ?? null;
  // The time is rounded up, so that the next read does not come too early.
  return inMs === null ? null : Math.max(0, Math.ceil(inMs));
}

interface DueRow {
  jobId: string;
  campaignId: string;
  revision: number;
  dueAt: Date;
  /** JSON text; null if unknown. */
  requestedBy: string | null;
  /** JSON text. */
  settings: string;
}

interface InsertedRow {
  position: string;
  runId: string;
  isNew: boolean;
}

/**
 * Deletes run starts that are due. The statement reads a short range of the primary key in each partition, and not
 * whole partitions.
 */
const deleteDue = `
  with due as (
    select d.* from generate_series(0, ${partitionCount - 1}) p,
      lateral (select partition_id, due_at, id from run_starts where partition_id = p and due_at <= now()
        order by due_at, id limit $1) d
    order by d.due_at, d.id limit $1
  )
  delete from run_starts j using due
  where j.partition_id = due.partition_id and j.due_at = due.due_at and j.id = due.id
  returning j.id as "jobId", j.campaign as "campaignId", j.revision, j.due_at as "dueAt",
    j.requested_by::text as "requestedBy", j.settings::text as settings`;

const missedReason = `'its start was missed for longer than its schedule allows'`;

/** Columns of the runs to insert. All arrays have one entry per job. */
interface NewRuns {
  runIds: string[];
  campaignIds: string[];
  revisions: number[];
  dueAts: Date[];
  /** JSON text. */
  requestedBy: (string | null)[];
  /** JSON text. */
  settings: string[];
}

/**
 * Inserts runs. The deadline counts from the scheduled time, so a run that starts late has less time. The update
 * changes nothing; it makes the statement return existing rows, even rows that another transaction has just inserted.
 */
const insertRuns = unnamedStatementOf<NewRuns>(
  ($) => `
  with k as (
    select * from unnest(${$('runIds')}::uuid[], ${$('campaignIds')}::uuid[], ${$('revisions')}::int[],
      ${$('dueAts')}::timestamptz[], ${$('requestedBy')}::jsonb[], ${$('settings')}::jsonb[])
      with ordinality k (id, campaign, revision, due_at, requested_by, settings, position)
  ), r as (
    insert into runs (id, campaign, revision, scheduled_for, settings, deadline_at, state, state_reason, ended_at)
    select distinct on (k.campaign, k.due_at) k.id, k.campaign, k.revision, k.due_at, k.settings,
      k.due_at + (c.definition ->> 'deadlineSeconds')::float8 * interval '1 second',
      case when m.missed then 'expired' else 'preparing' end, case when m.missed then ${missedReason} end,
      case when m.missed then now() end
    from k join revisions c on c.campaign = k.campaign and c.revision = k.revision
    cross join lateral (
      -- Starts of recurring schedules are excluded, because the schedule itself decides about missed instants.
      select c.definition -> 'schedule' ->> 'type' in ('at', 'local')
        and now() > k.due_at + (c.definition -> 'schedule' ->> 'catchUpSeconds')::float8 * interval '1 second' as missed
    ) m
    order by k.campaign, k.due_at, k.position
    on conflict (campaign, scheduled_for) do update set campaign = excluded.campaign
    returning id, campaign, scheduled_for, state, state_reason, ended_at
  ), e as (
    insert into run_events (run, kind, detail)
    select r.id, 'created',
      jsonb_strip_nulls(jsonb_build_object('by', k.requested_by, 'canary', k.settings -> 'canary'))
    from r join k on k.id = r.id
  ), x as (
    insert into run_events (run, kind, detail)
    select r.id, 'ended', jsonb_build_object('state', r.state, 'reason', r.state_reason)
    from r where r.ended_at is not null and exists (select from k where k.id = r.id)
  )
  select k.position, r.id as "runId", r.id = k.id as "isNew"
  from k join r on r.campaign = k.campaign and r.scheduled_for = k.due_at`,
);

/** Uses `clock_timestamp()`, because `now()` is the time at which the transaction began. */
const selectNextDue = `
  select extract(epoch from min(d.due_at) - clock_timestamp())::float8 * 1000 as "inMs"
  from generate_series(0, ${partitionCount - 1}) p,
    lateral (select due_at from run_starts where partition_id = p order by due_at limit 1) d`;
