import type { Pool, PoolClient } from 'pg';
import { partitionCount } from '../../../shared/domain/partitioning.ts';
import type { DueJob, DueJobs } from '../ports/due-jobs.ts';
import type { HeldLease } from '../../../shared/ports/leases.ts';
import { isHeld } from '../../../shared/postgres/leases.ts';
import { inTransaction } from '../../../shared/postgres/transaction.ts';

export function createDueJobs({ pool }: { pool: Pool }): DueJobs {
  return {
    fire: (lease, limit, publish) =>
      inTransaction(pool, async (client) => {
        if (!(await holdLease(client, lease))) return { leaseHeld: false, fired: 0, nextDueInMs: null };

        const jobs = await takeDue(client, limit);
        if (jobs.length > 0) await publish(jobs);
        return { leaseHeld: true, fired: jobs.length, nextDueInMs: await nextDueInMs(client) };
      }),
  };
}

/**
 * Keeps others from taking the lease over until the transaction ends. An owner that freezes in the middle loses its connection to
 * `idle_in_transaction_session_timeout` (pool.ts), and with it the lock and what it took.
 */
async function holdLease(client: PoolClient, { name, owner, token }: HeldLease): Promise<boolean> {
  const { rowCount } = await client.query(`select 1 from leases where ${isHeld} for share`, [name, owner, token]);
  return rowCount === 1;
}

async function takeDue(client: PoolClient, limit: number): Promise<DueJob[]> {
  const { rows } = await client.query<DueRow>(deleteDue, [limit]);
  return rows
    .map((row) => ({ job: row.id, campaignId: row.campaign, revision: row.revision, dueAt: row.due_at }))
    .sort((a, b) => a.dueAt.getTime() - b.dueAt.getTime());
}

async function nextDueInMs(client: PoolClient): Promise<number | null> {
  const { rows } = await client.query<{ in_ms: number | null }>(selectNextDue);
  const inMs = rows[0]?.in_ms ?? null;
  // Rounded up, so that nobody wakes too early.
  return inMs === null ? null : Math.max(0, Math.ceil(inMs));
}

interface DueRow {
  id: string;
  campaign: string;
  revision: number;
  due_at: Date;
}

/** One short range of the primary key per partition, instead of a scan over all jobs there are. */
const deleteDue = `
  with due as (
    select d.* from generate_series(0, ${partitionCount - 1}) p,
      lateral (select partition_id, due_at, id from jobs where partition_id = p and due_at <= now() order by due_at, id limit $1) d
    order by d.due_at, d.id limit $1
  )
  delete from jobs j using due
  where j.partition_id = due.partition_id and j.due_at = due.due_at and j.id = due.id
  returning j.id, j.campaign, j.revision, j.due_at`;

/** By the clock of this moment: the transaction began before its jobs were published. */
const selectNextDue = `
  select extract(epoch from min(d.due_at) - clock_timestamp())::float8 * 1000 as in_ms
  from generate_series(0, ${partitionCount - 1}) p,
    lateral (select due_at from jobs where partition_id = p order by due_at limit 1) d`;
