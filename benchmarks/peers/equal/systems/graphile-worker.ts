import { Logger, makeWorkerUtils, run } from 'graphile-worker';
import { Pool } from 'pg';
import { firstStepOf, nextStepsOf, stepJob, type StepJob } from '../step-job.ts';
import { createOutcomeCommit, failLoudly, stepsPerCall, type StepPeer, type StepServers } from '../step-peer.ts';

const task = 'step';
const addNextJobs = `
  select count(*) from graphile_worker.add_jobs(
    array(select json_populate_recordset(null::graphile_worker.job_spec, $1::json)), false)`;

/**
 * Opens graphile-worker on Postgres with a job for each step and the settings of its performance page: jobs are fetched
 * 500 at a time into a local queue, and completed in groups by one statement. Outcome rows and the jobs of the next
 * steps are written in one transaction, in groups.
 */
export async function openStepPeer({ databaseUrl }: StepServers): Promise<StepPeer> {
  const logger = new Logger(() => (level, message) => {
    if (level === 'error') failLoudly(message);
  });
  const pool = new Pool({ connectionString: databaseUrl, max: 12 });
  pool.on('error', failLoudly);
  pool.on('connect', (client) => client.on('error', failLoudly));
  const utils = await makeWorkerUtils({ pgPool: pool, logger });
  const specOf = (payload: StepJob) => ({ identifier: task, payload });

  return {
    prepare: () => utils.migrate(),
    empty: async () => {
      await pool.query('truncate graphile_worker._private_jobs');
    },
    enqueue: async (jobs) => {
      await utils.addJobs(jobs.map((job) => specOf(firstStepOf(job))));
    },
    work: async (terms) => {
      await unlockJobs();
      const commit = createOutcomeCommit(terms, {
        inTransaction: async (outcomes, client) => {
          const specs = nextStepsOf(outcomes).map(specOf);
          if (specs.length === 0) return;
          await client.query({ name: 'next-jobs', text: addNextJobs, values: [JSON.stringify(specs)] });
        },
      });
      const runner = await run({
        pgPool: pool,
        noHandleSignals: true,
        taskList: { [task]: async (payload) => commit(await terms.serve(stepJob.parse(payload))) },
        preset: {
          worker: {
            logger,
            concurrentJobs: terms.inFlight * stepsPerCall,
            localQueue: { size: 500 },
            completeJobBatchDelay: 0,
            failJobBatchDelay: 0,
          },
        },
      });
      return () => runner.stop();
    },
  };

  /** Unlocks the jobs of an earlier worker: otherwise graphile-worker repeats them four hours after a crash. */
  async function unlockJobs(): Promise<void> {
    const { rows } = await pool.query<{ locked_by: string }>(
      'select distinct locked_by from graphile_worker._private_jobs where locked_by is not null',
    );
    if (rows.length > 0) await utils.forceUnlockWorkers(rows.map(({ locked_by }) => locked_by));
  }
}
