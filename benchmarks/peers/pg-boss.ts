import { PgBoss } from 'pg-boss';
import { z } from 'zod';
import type { BatchJob, JobQueue, QueueServers } from './job-queue.ts';

const queueName = 'batches';
const batchJob = z.object({ batch: z.int(), users: z.string(), count: z.int() });
const fetchers = 4;

/**
 * pg-boss on Postgres. As its documentation says for throughput: a queue that is a table of its own (`partition`), jobs inserted and fetched by
 * the hundred (`batchSize`), several fetchers in one process (`localConcurrency`), no pause while fetches come back full
 * (`burstWhenBatchFull`), and NOTIFY in place of polling once they do not. A fetched batch is completed by one statement.
 */
export async function openPgBoss({ databaseUrl }: QueueServers): Promise<JobQueue> {
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
        jobs.map((data) => ({ data })),
      );
    },
    work: async (serve, atOnce) => {
      const options = {
        batchSize: Math.ceil(atOnce / fetchers),
        localConcurrency: fetchers,
        burstWhenBatchFull: true,
        pollingIntervalSeconds: 0.5,
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
