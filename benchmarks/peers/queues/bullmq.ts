import { Queue, Worker } from 'bullmq';
import type { BatchJob, JobQueue, QueueServers } from '../job-queue.ts';
import { delaySeconds, type AddedJob } from '../../accept/added-jobs.ts';
import type { Adder } from '../../accept/adder.ts';

const queueName = 'batches';

/**
 * BullMQ on Redis. As its guide says: jobs are added in bulk, one worker runs many of them at once by its local
 * concurrency, and done jobs are removed. Working on several jobs in one call of the processor is part of its paid
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

/** Both of one moment: a job is due when its own time and its delay say so. */
function dueOf({ dueMs }: BatchJob, now: number) {
  return dueMs === undefined ? {} : { timestamp: now, delay: Math.max(0, dueMs - now) };
}

/** A job that fails would be counted as one that cost nothing. */
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
