import { Logger, makeWorkerUtils, run } from 'graphile-worker';
import { Pool } from 'pg';
import { z } from 'zod';
import type { JobQueue, QueueServers } from './job-queue.ts';

const task = 'batch';
const batchJob = z.object({ batch: z.int(), users: z.string(), count: z.int() });

/**
 * graphile-worker on Postgres. The settings of its performance page: jobs added in bulk, fetched 500 at a time into a local queue, and their
 * completions gathered (`completeJobBatchDelay`) into one statement.
 */
export async function openGraphileWorker({ databaseUrl }: QueueServers): Promise<JobQueue> {
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
      await utils.addJobs(jobs.map((payload) => ({ identifier: task, payload })));
    },
    work: async (serve, atOnce) => {
      const runner = await run({
        pgPool: pool,
        noHandleSignals: true,
        taskList: { [task]: (payload) => serve(batchJob.parse(payload)) },
        preset: {
          worker: {
            logger,
            concurrentJobs: atOnce,
            localQueue: { size: 500 },
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

/** A job that fails would be counted as one that cost nothing. */
function failLoudly(error: unknown): never {
  console.error(error);
  process.exit(1);
}
