import { setTimeout as pause } from 'node:timers/promises';
import { DBOS, DBOSClient } from '@dbos-inc/dbos-sdk';
import { Pool } from 'pg';
import { firstStepOf, nextStepOf, type StepJob, type StepOutcome } from '../step-job.ts';
import { createOutcomeCommit, stepsPerCall, type StepPeer, type StepServers, type WorkTerms } from '../step-peer.ts';

const queueName = 'batches';
const workflowName = 'serveBatch';
const applicationName = 'benchmark';
const applicationVersion = '1';
/** DBOS polls its queues once a second by default; with 400 workflows in work that would be the bound. */
const minPollingIntervalMs = 20;
const poolSize = 20;
const lookEveryMs = 20;

let current: { terms: WorkTerms; commit: (outcome: StepOutcome) => Promise<void> } | undefined;

/** A workflow for each batch. DBOS repeats a step whose result it has not stored. */
async function serveBatch(first: StepJob): Promise<void> {
  for (let job: StepJob | undefined = first; job;) {
    const served = job;
    const { failed } = await DBOS.runStep(() => serveStep(served), { name: `step ${served.step}` });
    job = nextStepOf({ job: served, failed });
  }
}

/** Calls the endpoint and commits the step's outcome rows. DBOS stores the returned ids in a table of its own. */
async function serveStep(job: StepJob): Promise<{ failed: readonly string[] }> {
  if (!current) throw new Error('a workflow began before the worker was told to work');
  const outcome = await current.terms.serve(job);
  await current.commit(outcome);
  return { failed: outcome.failed };
}

DBOS.registerWorkflow(serveBatch, { name: workflowName });

/**
 * Opens DBOS Transact on Postgres: a workflow for each batch, whose two steps are durable. Steps write the same outcome
 * rows as those of other peers, in groups.
 */
export async function openStepPeer({ databaseUrl }: StepServers): Promise<StepPeer> {
  const pool = new Pool({ connectionString: databaseUrl, max: 2 });
  let client: Promise<DBOSClient> | undefined;
  let turn = '';
  DBOS.setConfig({
    name: applicationName,
    systemDatabaseUrl: databaseUrl,
    systemDatabasePoolSize: poolSize,
    logLevel: 'warn',
    applicationVersion,
    executorID: 'worker',
  });

  async function unfinished(): Promise<number> {
    const { rows } = await pool.query<{ n: number }>(
      "select count(*)::int n from dbos.workflow_status where status <> 'SUCCESS'",
    );
    return rows[0]?.n ?? 0;
  }

  return await Promise.resolve({
    prepare: async () => {
      await DBOS.launch();
      await DBOS.shutdown();
    },
    empty: async () => {
      turn = String(Date.now());
      await pool.query('truncate dbos.workflow_status cascade');
    },
    enqueue: async (jobs) => {
      const adder = await (client ??= DBOSClient.create({ systemDatabaseUrl: databaseUrl, applicationName }));
      const connection = await pool.connect();
      await connection.query('begin');
      for (const job of jobs) {
        const options = { queueName, workflowName, workflowID: `${turn}-${job.batch}`, appVersion: applicationVersion };
        await adder.enqueueInTransaction(connection, options, firstStepOf(job));
      }
      await connection.query('commit');
      connection.release();
    },
    work: async (terms: WorkTerms) => {
      current = { terms, commit: createOutcomeCommit(terms) };
      await DBOS.launch();
      await DBOS.registerQueue(queueName, {
        workerConcurrency: terms.inFlight * stepsPerCall,
        minPollingIntervalMs,
        onConflict: 'always_update',
      });
      return async () => {
        while ((await unfinished()) > 0) await pause(lookEveryMs);
        await DBOS.shutdown();
      };
    },
  });
}
