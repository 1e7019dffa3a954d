import { setTimeout as pause } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import { PgBoss } from 'pg-boss';
import { firstStepOf, nextStepsOf, stepJob, type StepOutcome } from '../step-job.ts';
import { createOutcomeCommit, failLoudly, stepsPerCall, type StepPeer, type StepServers } from '../step-peer.ts';

const queueName = 'steps';
const fewestPerFetch = 50;
const emptyPauseMs = 20;
/** Seconds after which pg-boss repeats a job whose worker has crashed; longer than a step with its commit takes. */
const expireInSeconds = 20;
const superviseSeconds = 5;
/** A step may be repeated after each of several crashes. */
const retryLimit = 5;

/**
 * Opens pg-boss on Postgres with a job for each step and a table of its own for the queue (`partition`). Jobs are
 * fetched as many at a time as there is room for. Outcome rows, the jobs of the next steps, and the completion of the
 * jobs are written in one transaction, in groups: its own `work` completes a fetched group in a statement of its own,
 * when the last of the group is done.
 */
export async function openStepPeer({ databaseUrl }: StepServers): Promise<StepPeer> {
  const boss = new PgBoss({
    connectionString: databaseUrl,
    schedule: false,
    superviseIntervalSeconds: superviseSeconds,
    monitorIntervalSeconds: superviseSeconds,
  });
  boss.on('error', failLoudly);
  await boss.start();

  return {
    prepare: async () => {
      await boss.createQueue(queueName, { partition: true, expireInSeconds, retryLimit });
    },
    empty: async () => {
      await boss.deleteAllJobs(queueName);
    },
    enqueue: async (jobs) => {
      await boss.insert(
        queueName,
        jobs.map((job) => ({ data: firstStepOf(job) })),
      );
    },
    work: (terms) => {
      const commit = createOutcomeCommit<StepOutcome & { id: string }>(terms, {
        inTransaction: async (outcomes, client) => {
          const options = { db: databaseOf(client) };
          const next = nextStepsOf(outcomes).map((data) => ({ data }));
          if (next.length > 0) await boss.insert(queueName, next, options);
          await boss.complete(
            queueName,
            outcomes.map(({ id }) => id),
            null,
            options,
          );
        },
      });
      const serveJob = async (id: string, data: unknown) => commit({ ...(await terms.serve(stepJob.parse(data))), id });
      return Promise.resolve(keepFetching(boss, terms.inFlight * stepsPerCall, serveJob));
    },
  };
}

/** Keeps up to `atOnce` jobs in work, until the returned function is called. */
function keepFetching(boss: PgBoss, atOnce: number, serveJob: (id: string, data: unknown) => Promise<void>) {
  let isStopped = false;
  let onRoom: () => void = () => undefined;
  const inWork = new Set<Promise<void>>();

  async function fetchOn(): Promise<void> {
    while (!isStopped) {
      const room = atOnce - inWork.size;
      if (room < fewestPerFetch) {
        await new Promise<void>((resolve) => (onRoom = resolve));
        continue;
      }
      const jobs = await boss.fetch(queueName, { batchSize: room });
      for (const { id, data } of jobs) {
        const work: Promise<void> = serveJob(id, data)
          .catch(failLoudly)
          .finally(() => {
            inWork.delete(work);
            onRoom();
          });
        inWork.add(work);
      }
      if (jobs.length === 0) await pause(emptyPauseMs);
    }
  }

  const fetching = fetchOn().catch(failLoudly);
  return async () => {
    isStopped = true;
    onRoom();
    await fetching;
    await Promise.all(inWork);
  };
}

/** Returns the connection in the form in which pg-boss takes part in a transaction. */
function databaseOf(client: PoolClient) {
  return { executeSql: (text: string, values?: unknown[]) => client.query(text, values) };
}
