import { PgBoss } from 'pg-boss';
import { batchJob, type BatchJob, type JobQueue, type QueueServers } from '../job-queue.ts';
import { delaySeconds } from '../../accept/added-jobs.ts';
import type { Adder } from '../../accept/adder.ts';

const queueName = 'batches';
const fetchers = 4;
/** Between two looks; less is refused. */
const leastSeconds = 0.5;

/**
 * pg-boss on Postgres. As its documentation says for throughput: a queue that is a table of its own (`partition`), jobs
 * inserted and fetched by the hundred (`batchSize`), several fetchers in one process (`localConcurrency`), no pause
 * while fetches come back full (`burstWhenBatchFull`), and NOTIFY in place of polling once they do not. A fetched batch
 * is completed by one statement. What becomes due is found by polling, twice a second, which is as often as it allows.
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
        // NOTIFY tells of what was added, not of what has become due: without this, that is looked for every 30 s.
        ...(lookEveryMs !== undefined && { notifyPollingIntervalSeconds: Math.max(leastSeconds, lookEveryMs / 1000) }),
      };
      await boss.work<BatchJob>(queueName, options, async (jobs) => {
        // A failure would be counted as a batch that cost nothing.
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

/** A job's id is its key: a second one with the same id is not inserted. */
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
