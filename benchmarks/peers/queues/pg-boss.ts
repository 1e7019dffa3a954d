import { PgBoss } from 'pg-boss';
import { batchJob, type BatchJob, type JobQueue, type QueueServers } from '../job-queue.ts';
import { delaySeconds } from '../../accept/added-jobs.ts';
import type { Adder } from '../../accept/adder.ts';

const queueName = 'batches';
const fetchers = 4;
/** Shortest poll interval, in seconds, that pg-boss accepts. */
const leastSeconds = 0.5;

/**
 * Opens pg-boss on Postgres with the settings that its documentation recommends for throughput: a table of its own for
 * the queue (`partition`), jobs inserted and fetched by the hundred (`batchSize`), and several fetchers in one process
 * (`localConcurrency`). There is no pause while fetches return full batches (`burstWhenBatchFull`), and NOTIFY replaces
 * polling afterwards. One statement completes a fetched batch. Due jobs are found by polling twice a second, which is
 * as often as pg-boss allows.
 */
export async function openQueue({ databaseUrl }: QueueServers): Promise<JobQueue> {
  const boss = new PgBoss({ connectionString: databaseUrl, useListenNotify: true, schedule: false });
  boss.on('error', failLoudly);
  await boss.start();
  if ((await boss.getQueue(queueName)) === null) {
    await boss.createQueue(queueName, { partition: true, notify: true });
  }

  return {
    empty: async () => {
      await boss.deleteAllJobs(queueName);
    },
    enqueue: async (jobs) => {
      await boss.insert(
        queueName,
        jobs.map((data) => ({ data, ...(data.dueMs !== undefined && { startAfter: new Date(data.dueMs) }) })),
      );
    },
    work: async (serve, atOnce, lookEveryMs) => {
      const options = {
        batchSize: Math.ceil(atOnce / fetchers),
        localConcurrency: fetchers,
        burstWhenBatchFull: true,
        pollingIntervalSeconds: leastSeconds,
        // NOTIFY reports added jobs, not jobs that have become due. Without this option pg-boss polls for due jobs only
        // every 30 s.
        ...(lookEveryMs !== undefined && { notifyPollingIntervalSeconds: Math.max(leastSeconds, lookEveryMs / 1000) }),
      };
      await boss.work<BatchJob>(queueName, options, async (jobs) => {
        // Otherwise a failure would count as a batch without cost.
        await Promise.all(jobs.map(({ data }) => serve(batchJob.parse(data)))).catch(failLoudly);
      });
      return () => boss.offWork(queueName);
    },
    close: () => boss.stop({ graceful: false }),
  };
}

function failLoudly(error: unknown): never {
  console.error(error);
  process.exit(1);
}

/** Opens an adder. A job's key is its id, so a second job with the same key is not inserted. */
export async function openAdder({ databaseUrl }: QueueServers): Promise<Adder> {
  const boss = new PgBoss({ connectionString: databaseUrl, schedule: false });
  boss.on('error', (error) => console.error(error));
  await boss.start();
  await boss.createQueue('jobs', { partition: true });
  return {
    add: async (jobs) => {
      const [only] = jobs;
      if (jobs.length === 1 && only)
        await boss.send('jobs', only, { id: only.idempotencyKey, startAfter: delaySeconds });
      else {
        const rows = jobs.map((data) => ({ id: data.idempotencyKey, data, startAfter: delaySeconds }));
        await boss.insert('jobs', rows);
      }
    },
    empty: async () => {
      await boss.deleteAllJobs('jobs');
    },
    close: () => boss.stop({ graceful: false }),
  };
}
