import { Logger, makeWorkerUtils, run } from 'graphile-worker';
import { Pool } from 'pg';
import { batchJob, type BatchJob, type JobQueue, type QueueServers } from '../job-queue.ts';
import { delaySeconds, type AddedJob } from '../../accept/added-jobs.ts';
import type { Adder } from '../../accept/adder.ts';

const task = 'batch';

/**
 * Opens graphile-worker on Postgres with the settings of its performance page: jobs are added in bulk, fetched 500 at a
 * time into a local queue, and completed in groups by one statement (`completeJobBatchDelay`). Due jobs are found by
 * polling at the interval `pollInterval`.
 */
export async function openQueue({ databaseUrl }: QueueServers): Promise<JobQueue> {
  const logger = new Logger(() => (level, message) => {
    if (level === 'error') failLoudly(message);
  });
  const pool = new Pool({ connectionString: databaseUrl, max: 10 });
  pool.on('error', failLoudly);
  const utils = await makeWorkerUtils({ pgPool: pool, logger });
  await utils.migrate();

  return {
    empty: async () => {
      await pool.query('truncate graphile_worker._private_jobs');
    },
    enqueue: async (jobs) => {
      await utils.addJobs(jobs.map(specOf));
    },
    work: async (serve, atOnce, lookEveryMs) => {
      const runner = await run({
        pgPool: pool,
        noHandleSignals: true,
        taskList: { [task]: (payload) => serve(batchJob.parse(payload)) },
        preset: {
          worker: {
            logger,
            concurrentJobs: atOnce,
            localQueue: { size: 500 },
            ...(lookEveryMs !== undefined && { pollInterval: lookEveryMs }),
            completeJobBatchDelay: 0,
            failJobBatchDelay: 0,
          },
        },
      });
      return () => runner.stop();
    },
    close: async () => {
      await utils.release();
      await pool.end();
    },
  };
}

function specOf(payload: BatchJob) {
  return { identifier: task, payload, ...(payload.dueMs !== undefined && { runAt: new Date(payload.dueMs) }) };
}

/** Ends the process: otherwise a failed job would count as a job without cost. */
function failLoudly(error: unknown): never {
  console.error(error);
  process.exit(1);
}

export async function openAdder({ databaseUrl }: QueueServers): Promise<Adder> {
  const pool = new Pool({ connectionString: databaseUrl, max: 10 });
  const utils = await makeWorkerUtils({ pgPool: pool, logger: new Logger(() => () => undefined) });
  await utils.migrate();
  const specOf = ({ idempotencyKey }: AddedJob) => ({
    jobKey: idempotencyKey,
    runAt: new Date(Date.now() + delaySeconds * 1000),
  });
  return {
    add: async (jobs) => {
      const [only] = jobs;
      if (jobs.length === 1 && only) await utils.addJob('call', only, specOf(only));
      else await utils.addJobs(jobs.map((payload) => ({ identifier: 'call', payload, ...specOf(payload) })));
    },
    empty: async () => {
      await pool.query('truncate graphile_worker._private_jobs');
    },
    close: async () => {
      await utils.release();
      await pool.end();
    },
  };
}
