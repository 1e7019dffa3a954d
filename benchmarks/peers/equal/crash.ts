import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { z } from 'zod';
import { usersPerBatch } from '../../campaign-times.ts';
import { publishTables, type Row } from '../../results.ts';
import type { Stub } from '../../stub/stub.ts';
import { auditSteps, type StoredStep } from './audit.ts';
import { startAuditedEndpoint, type AuditedEndpoint } from './audited-endpoint.ts';
import { openPeerServers, type PeerServers } from './peer-servers.ts';
import { startStepWorker, type ServeTerms, type StepWorker } from './step-workers.ts';
import type { System } from './systems.ts';

/** A peer's worker broke the promise. The message has a line for each step that is wrong. */
export class PromiseBroken extends Error {}

const question = 'Does each peer keep the promise when its worker is killed?';
const latencyMs = 5;
/** The worker is killed when these shares of the second steps have been answered. */
const killedAt = [0.3, 0.6] as const;
const pollEveryMs = 5;
/** The work counts as lost if no further batch ends in this time: pg-boss repeats the jobs of a crash after 25 s. */
const stalledMs = 90_000;
const linesPerPeer = 10;
/**
 * Delays the commit of outcome rows by 50 ms. Without it, a second step that does not wait for the commit would seldom
 * be seen, because a commit takes as long as the way of the next job to the endpoint.
 */
const slowRows = `
  create function wait_before_commit() returns trigger language plpgsql as $$
    begin
      perform pg_sleep(0.05);
      return null;
    end
  $$;
  create trigger slow_rows after insert on step_outcomes for each statement execute function wait_before_commit()`;

export interface CrashTerms {
  /** URL of the Postgres server in which each peer gets a database. */
  serverUrl: string;
  stub: Stub;
  redisCommand: string;
  systems: readonly System[];
  batches: number;
  inFlight: number;
}

/** @throws {PromiseBroken} if a step is lost, stored twice or wrong, or if a second step began too early */
export async function checkCrashes(terms: CrashTerms): Promise<void> {
  const peerServers = await openPeerServers(terms.redisCommand);
  try {
    const checked: Checked[] = [];
    for (const system of terms.systems) {
      console.error(`killing the worker of ${system.title}`);
      checked.push(await checkOne(system, { ...terms, peerServers }));
    }
    publishTables('peers-crash', question, [{ title: 'kill -9, twice', rows: checked.map(({ row }) => row) }]);
    const problems = checked.flatMap((one) => one.problems);
    if (problems.length > 0) throw new PromiseBroken(problems.join('\n'));
  } finally {
    await peerServers.close();
  }
}

interface Checked {
  row: Row;
  problems: readonly string[];
}

type OneTerms = Pick<CrashTerms, 'serverUrl' | 'stub' | 'batches' | 'inFlight'> & { peerServers: PeerServers };

async function checkOne(
  system: System,
  { serverUrl, stub, batches, inFlight, peerServers }: OneTerms,
): Promise<Checked> {
  const opened = await peerServers.openFor(system.name, serverUrl);
  const { databaseUrl } = opened.servers;
  const startWorker = () => startStepWorker(system.name, opened.servers);
  const endpoint = await startAuditedEndpoint(databaseUrl, latencyMs);
  const terms = { url: endpoint.url, form: 'full' as const, campaignId: `crash-${system.name}`, inFlight };
  let worker = await startWorker();
  await worker.tell({ order: 'prepare' });
  await queryOnce(databaseUrl, slowRows);
  const producer = await startWorker();
  try {
    await producer.tell({ order: 'empty' });
    let served = serve(worker, batches, terms);
    const users = batches * usersPerBatch;
    const enqueued = producer.tell({ order: 'enqueue', segmentationUrl: stub.url, users });
    for (const share of killedAt) {
      await answeredAtLeast(endpoint, share * batches, served);
      await worker.end('SIGKILL');
      await served;
      worker = await startWorker();
      served = serve(worker, batches, terms);
    }
    await enqueued;
    const hasEnded = await endsBeforeStalling(endpoint, served);
    return await verdictOf(system, { databaseUrl, endpoint, batches, hasEnded });
  } finally {
    await Promise.all([worker.end('SIGKILL'), producer.end('SIGKILL')]);
    await endpoint.close();
    await opened.close();
  }
}

/** Resolves with true if the worker ended its work, and with false if it was killed before. */
async function serve(worker: StepWorker, batches: number, terms: ServeTerms): Promise<boolean> {
  return await worker.tell({ order: 'serve', batches, terms }).then(
    () => true,
    () => false,
  );
}

/** Resolves when so many second steps have been answered. Throws if the worker ends first. */
async function answeredAtLeast(endpoint: AuditedEndpoint, calls: number, served: Promise<boolean>): Promise<void> {
  while (endpoint.answered(2) < calls) {
    const ended = await Promise.race([served, pause(pollEveryMs)]);
    if (ended !== undefined) throw new Error('the worker ended before it was killed');
  }
}

/** Resolves with true when the worker has ended its work, and with false if nothing is called any more. */
async function endsBeforeStalling(endpoint: AuditedEndpoint, served: Promise<boolean>): Promise<boolean> {
  for (;;) {
    const before = endpoint.answered(1) + endpoint.answered(2);
    const ended = await Promise.race([served, pause(stalledMs, undefined, { ref: false })]);
    if (ended !== undefined) return ended;
    if (endpoint.answered(1) + endpoint.answered(2) === before) return false;
  }
}

interface Crashed {
  databaseUrl: string;
  endpoint: AuditedEndpoint;
  batches: number;
  hasEnded: boolean;
}

async function verdictOf(system: System, { databaseUrl, endpoint, batches, hasEnded }: Crashed): Promise<Checked> {
  const wrong = auditSteps(await storedSteps(databaseUrl), { batches, usersPerBatch });
  const early = endpoint.early.map(({ batch }) => `batch ${batch}: step 2 began before the rows of step 1 were there`);
  const problems = [...(hasEnded ? [] : ['the worker did not end its work']), ...wrong, ...early];
  return {
    row: {
      peer: system.title,
      batches,
      'repeated calls': endpoint.answered(1) + endpoint.answered(2) - 2 * batches,
      'wrong or lost steps': wrong.length,
      'second steps begun too early': early.length,
      verdict: problems.length === 0 ? 'kept' : 'broken',
    },
    problems: problems.slice(0, linesPerPeer).map((problem) => `${system.title}: ${problem}`),
  };
}

const storedShape = z.array(
  z.object({ batch: z.int(), step: z.int(), succeeded: z.int(), failed: z.array(z.string()) }),
);

async function storedSteps(databaseUrl: string): Promise<StoredStep[]> {
  const rows = await queryOnce(
    databaseUrl,
    `select batch, step, succeeded, array(
       select user_id from step_failures f where (f.batch, f.step) = (o.batch, o.step)
     ) failed
     from step_outcomes o`,
  );
  return storedShape.parse(rows);
}

async function queryOnce(databaseUrl: string, text: string): Promise<unknown[]> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}
