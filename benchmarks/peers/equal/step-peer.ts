import type { PoolClient } from 'pg';
import { z } from 'zod';
import type { BatchJob } from '../job-queue.ts';
import { createGroupCommit } from './group-commit.ts';
import { endsBatch, type StepOutcome } from './step-job.ts';
import type { StepRows } from './step-rows.ts';
import type { StepServer } from './step-server.ts';

export const stepServers = z.object({
  redisPort: z.int(),
  /** URL of a database that only this peer uses. */
  databaseUrl: z.string(),
  /** Ports of Restate: for invocations, for its administration, and of the worker that it calls. */
  restate: z.object({ ingressPort: z.int(), adminPort: z.int(), workerPort: z.int() }),
});

export type StepServers = z.infer<typeof stepServers>;

export interface WorkTerms {
  serve: StepServer['serve'];
  rows: StepRows;
  /** Maximum number of concurrent calls. `serve` enforces this limit: further calls wait. */
  inFlight: number;
  /** Called with a number of batches when their last outcome rows are committed. A crash may report a batch twice. */
  onEnded(batches: number): void;
}

/**
 * A system that keeps Muster's promise for a chain of two steps: each step's outcome rows are committed before the next
 * step begins, failed users are listed, and a crash loses nothing.
 */
export interface StepPeer {
  /** Creates what the peer needs on its servers. The worker's process does so once, before any other order. */
  prepare(): Promise<void>;
  /** Deletes the jobs of earlier turns. */
  empty(): Promise<void>;
  /** Stores the first steps of batches. Resolves when they are stored. */
  enqueue(jobs: readonly BatchJob[]): Promise<void>;
  /**
   * Works on steps. Resolves with a function that ends the work. At the start it takes over what an earlier
   * worker, which has ended, had in work.
   */
  work(terms: WorkTerms): Promise<() => Promise<void>>;
}

export type OpenStepPeer = (servers: StepServers) => Promise<StepPeer>;

/** Steps that a peer may have in work for each concurrent call, so that a call slot never waits for a commit. */
export const stepsPerCall = 4;

/** Groups begin 5 ms apart: a larger group costs less, and with four steps in work for each slot no slot waits. */
const commitTerms = { gapMs: 5, atOnce: 2 };

/**
 * Returns a function that commits the outcome rows of steps in groups and then reports ended batches. It resolves when
 * the rows are committed and `afterwards` has ended.
 * @param inTransaction writes in the transaction of the rows
 * @param afterwards runs when the rows are committed
 */
export function createOutcomeCommit<Outcome extends StepOutcome>(
  { rows, onEnded }: Pick<WorkTerms, 'rows' | 'onEnded'>,
  also: {
    inTransaction?: (outcomes: readonly Outcome[], client: PoolClient) => Promise<void>;
    afterwards?: (outcomes: readonly Outcome[]) => Promise<void>;
  } = {},
): (outcome: Outcome) => Promise<void> {
  const { inTransaction, afterwards } = also;
  return createGroupCommit<Outcome>(async (outcomes) => {
    await rows.write(outcomes, inTransaction && ((client) => inTransaction(outcomes, client)));
    await afterwards?.(outcomes);
    onEnded(outcomes.filter(endsBatch).length);
  }, commitTerms);
}

/** Ends the process: otherwise a failed step would count as a step without cost. */
export function failLoudly(error: unknown): never {
  console.error(error);
  process.exit(1);
}
