import { Queue, Worker } from 'bullmq';
import type { BatchJob, JobQueue, QueueServers } from '../job-queue.ts';
import { delaySeconds, type AddedJob } from '../../accept/added-jobs.ts';
import type { Adder } from '../../accept/adder.ts';

const queueName = 'batches';

/**
 * Opens BullMQ on Redis, set up as its guide recommends: jobs are added in bulk, one worker runs many jobs at once by
 * its local concurrency, and completed jobs are removed. Processing several jobs in one call is a feature of its paid
 * edition.
 */
export async function openQueue({ redisPort }: QueueServers): Promise<JobQueue> {
  const connection = { host: '127.0.0.1', port: redisPort, maxRetriesPerRequest: null };
  const queue = new Queue<BatchJob>(queueName, {
    connection,
    defaultJobOptions: { removeOnComplete: true, removeOnFail: true },
  });
  await queue.waitUntilReady();

  return {
    empty: () => queue.obliterate({ force: true }),
    enqueue: async (jobs) => {
      const now = Date.now();
      await queue.addBulk(jobs.map((data) => ({ name: 'batch', data, opts: dueOf(data, now) })));
    },
    work: async (serve, atOnce) => {
      const worker = new Worker<BatchJob>(queueName, (job) => serve(job.data), { connection, concurrency: atOnce });
      worker.on('failed', (_job, error) => failLoudly(error));
      worker.on('error', failLoudly);
      await worker.waitUntilReady();
      return () => worker.close();
    },
    close: () => queue.close(),
  };
}

/** Returns timestamp and delay computed from the same `now`, because BullMQ adds them up to the due time. */
function dueOf({ dueMs }: BatchJob, now: number) {
  return dueMs === undefined ? {} : { timestamp: now, delay: Math.max(0, dueMs - now) };
}

/** Ends the process: otherwise a failed job would count as a job without cost. */
function failLoudly(error: Error): never {
  console.error(error);
  process.exit(1);
}

export async function openAdder({ redisPort }: QueueServers): Promise<Adder> {
  const queue = new Queue<AddedJob>('jobs', {
    connection: { host: '127.0.0.1', port: redisPort, maxRetriesPerRequest: null },
  });
  await queue.waitUntilReady();
  const optionsOf = ({ idempotencyKey }: AddedJob) => ({ jobId: idempotencyKey, delay: delaySeconds * 1000 });
  return {
    add: async (jobs) => {
      const [only] = jobs;
      if (jobs.length === 1 && only) await queue.add('call', only, optionsOf(only));
      else await queue.addBulk(jobs.map((data) => ({ name: 'call', data, opts: optionsOf(data) })));
    },
    empty: () => queue.obliterate({ force: true }),
    close: () => queue.close(),
  };
}
