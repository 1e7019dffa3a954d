import { Queue, Worker } from 'bullmq';
import { firstStepOf, nextStepsOf, type StepJob } from '../step-job.ts';
import { createOutcomeCommit, failLoudly, stepsPerCall, type StepPeer, type StepServers } from '../step-peer.ts';

const queueName = 'steps';
/** A worker that has crashed loses its jobs after this time, and they are repeated. */
const lockDuration = 10_000;
const stalledInterval = 5000;
/** A step may be repeated after each of several crashes. */
const maxStalledCount = 10;

/**
 * Opens BullMQ on Redis with a job for each step, set up as its guide recommends: jobs are added in bulk, one worker
 * runs many jobs at once, and completed jobs are removed. Outcome rows are committed in groups, then the jobs of the
 * next steps are added in bulk, and only then the jobs are completed.
 */
export async function openStepPeer({ redisPort }: StepServers): Promise<StepPeer> {
  const connection = { host: '127.0.0.1', port: redisPort, maxRetriesPerRequest: null };
  const queue = new Queue<StepJob>(queueName, { connection, defaultJobOptions: { removeOnComplete: true } });
  await queue.waitUntilReady();
  const add = async (jobs: readonly StepJob[]) => {
    await queue.addBulk(jobs.map((data) => ({ name: 'step', data, opts: { jobId: `b${data.batch}-${data.step}` } })));
  };

  return {
    prepare: () => Promise.resolve(),
    empty: () => queue.obliterate({ force: true }),
    enqueue: (jobs) => add(jobs.map(firstStepOf)),
    work: async (terms) => {
      const commit = createOutcomeCommit(terms, {
        afterwards: async (outcomes) => {
          const next = nextStepsOf(outcomes);
          if (next.length > 0) await add(next);
        },
      });
      const worker = new Worker<StepJob>(queueName, async ({ data }) => commit(await terms.serve(data)), {
        connection,
        concurrency: terms.inFlight * stepsPerCall,
        lockDuration,
        stalledInterval,
        maxStalledCount,
      });
      worker.on('failed', (_job, error) => failLoudly(error));
      worker.on('error', failLoudly);
      await worker.waitUntilReady();
      return () => worker.close();
    },
  };
}
