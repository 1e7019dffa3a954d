import type { Pool } from 'pg';
import type { JobRows, JobSubject } from './conformance/job-subject.ts';
import { writeOwnTerms } from '../../shared/contracts/jobs/call-terms.ts';
import { wakeKeys } from '../../shared/postgres/jobs/key-wakes.ts';
import { createJobNodes } from '../../shared/postgres/jobs/job-nodes.ts';
import { jobPartitionOf } from '../../shared/domain/job/job-ids.ts';

/**
 * Jobs in Postgres. The clock of the database cannot be moved, so everything that waits for a time is moved towards it.
 */
export function postgresJobSubject(pool: Pool): JobSubject {
  async function rowsOf<Row>(text: string): Promise<Row[]> {
    const { rows } = await pool.query<{ row: Row }>(`select to_jsonb(q) as row from (${text}) q`);
    return rows.map(({ row }) => row);
  }

  return {
    add: async (jobs) => {
      const keys = [];
      for (const job of jobs) {
        const partition = jobPartitionOf(job.jobId);
        const { rows } = await pool.query<{ dueUs: number | null }>(insertJob, [
          ...[partition, job.jobId, job.clientId, job.dueInMs, job.expiresInMs ?? null, job.attempt ?? 1],
          ...[job.url ?? 'https://receiver.example/hook', job.body ?? '{}', job.sideline ?? null],
          ...[job.ordering?.key ?? null, job.ordering?.isInOrder ?? null, job.place ?? 0],
          writeOwnTerms({ priority: job.priority }),
        ]);
        keys.push({ partition, jobId: job.jobId, dueUs: rows[0]?.dueUs ?? Infinity });
      }
      return keys;
    },
    keys: async () => {
      const { rows } = await pool.query<{ partition: number; dueUs: number; jobId: string }>(
        `select partition_id as partition, (extract(epoch from due_at) * 1000000)::float8 as "dueUs", id as "jobId"
         from jobs where isfinite(due_at)`,
      );
      return rows;
    },
    cancel: async (jobId) => {
      await pool.query('delete from jobs where id = $1', [jobId]);
    },
    rows: async (): Promise<JobRows> => ({
      pending: await rowsOf(`
        select id as "jobId", attempt, sideline,
          case when isfinite(due_at) then round(extract(epoch from due_at - now()) * 1000) end as "dueInMs"
        from jobs order by id`),
      fires: await rowsOf('select id as "jobId", owner, epoch from job_claims order by id'),
      ended: await rowsOf(
        'select id as "jobId", outcome, attempt, status, error, answer from ended_jobs order by id, attempt',
      ),
      attempts: await rowsOf('select id as "jobId", attempt, status from job_attempts order by id, attempt'),
      dead: await rowsOf('select id as "jobId", cause from dead_jobs order by id'),
      totals: await rowsOf(`
        select client as "clientId", sum(called) as called, sum(expired) as expired, sum(dead) as dead
        from client_totals group by client order by client`),
    }),
    nodes: createJobNodes({ pool }),
    passTime: async (ms) => {
      await pool.query(
        `update job_nodes set expires_at = expires_at - $1 * interval '1 ms', alive_since = alive_since - $1 * interval '1 ms'`,
        [ms],
      );
      // Keys of jobs and claims must stay valid, so only times without a key are moved. Jobs that fall due are added
      // with their later times.
      await pool.query(
        `update job_claims set lease_until = lease_until - $1 * interval '1 ms',
          exclusive_until = exclusive_until - $1 * interval '1 ms'`,
        [ms],
      );
      await pool.query(
        `update dead_jobs set job = jsonb_set(job, '{expiresAt}',
          to_jsonb((job ->> 'expiresAt')::timestamptz - $1 * interval '1 ms'))
         where job ->> 'expiresAt' is not null`,
        [ms],
      );
      await pool.query(`update jobs set expires_at = expires_at - $1 * interval '1 ms'`, [ms]);
      await pool.query(`update ordering_key_wakes set at = at - $1 * interval '1 ms'`, [ms]);
      await pool.query(
        `update host_circuits set opened_at = opened_at - $1 * interval '1 ms',
          next_at = next_at - $1 * interval '1 ms',
           closing_since = closing_since - $1 * interval '1 ms'`,
        [ms],
      );
    },
    switchRegion: async (name) => {
      await pool.query('update regions set epoch = epoch + 1 where name = $1', [name]);
    },
  };
}

const insertJob = `
  with j as (
    insert into jobs (partition_id, id, client, due_at, scheduled_for, expires_at, attempt, method, url, body, sideline,
      ordering_key, in_order, accept_order, ready_at, terms)
    values ($1, $2, $3, case when $9::text is null and $10::text is null then now() + $4 * interval '1 ms'
      else 'infinity' end, now() + $4 * interval '1 ms',
      now() + $5 * interval '1 ms', $6, 'POST', $7, $8, $9, $10, $11, $12, now() + $4 * interval '1 ms', $13)
    returning client, ordering_key, due_at
  ), w as (${wakeKeys('j')})
  select case when isfinite(due_at) then (extract(epoch from due_at) * 1000000)::float8 end as "dueUs" from j`;
