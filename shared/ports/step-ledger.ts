import type { Verdict } from '../domain/admission.ts';
import type { UsersText } from '../domain/users-text.ts';

export interface StepRef {
  feedId: string;
  batchNo: number;
  step: number;
}

/** A step of a batch that this worker owns until its lease ends or somebody takes it over with a higher epoch. */
export interface ClaimedStep extends StepRef {
  epoch: number;
  /** Which attempt this is, from 1. */
  attempt: number;
  /** All users of the batch as they were fed, those lost earlier in the chain included. */
  users: UsersText;
  /** How many they are. */
  size: number;
}

export interface UserFailure {
  user: string;
  outcome: 'failed' | 'unknown';
  reason: string;
  detail: string | null;
}

/** Users of a batch that go on by themselves: to be retried, or one part of a refused batch. */
export interface ChildBatch {
  users: readonly string[];
  /** From now, by the database's clock. */
  delayMs: number;
  /** Attempts made so far for these users. */
  attempts: number;
}

/** What became of a claimed step. Users that stand in no list had the outcome `rest`. */
export interface StepDone extends StepRef {
  state: 'done';
  epoch: number;
  rest: 'succeeded' | 'expired' | 'cancelled';
  /** How many users had `rest`. */
  restUsers: number;
  failures: readonly UserFailure[];
  children: readonly ChildBatch[];
}

/** The whole step is to be sent again, with the same key, by whoever claims it when it is due. */
export interface StepWaiting extends StepRef {
  state: 'waiting';
  epoch: number;
  delayMs: number;
  /** False where the call is known not to have been applied, or was never made: the attempt is given back. */
  burnsAttempt: boolean;
  /** What it waits for, for people: shown as the run's stall. Null when it was merely released. */
  cause: string | null;
}

export type StepResult = StepDone | StepWaiting;

export interface LedgerFlush {
  records: readonly StepResult[];
  claims: readonly StepRef[];
}

export interface LedgerFlushed {
  /**
   * Those of the records that were still ours, by epoch, now or in an earlier flush whose answer was lost: a repeat counts once. The others
   * were taken over: nothing of them was written.
   */
  recorded: StepResult[];
  /** Those of the claims that are ours now. The others are done, owned by another, not due, or refer to no batch. */
  claimed: ClaimedStep[];
  /** What the store will never take, told apart from its neighbours: a bug on our side. Repeating it is of no use. */
  refused: RefusedStep[];
}

export interface RefusedStep {
  /** The record or the claim itself. */
  step: StepResult | StepRef;
  error: Error;
}

/** The steps of batches: the truth of what was done. One row per (feed, batch, step), born by its claim. */
export interface StepLedger {
  /**
   * Records finished steps and claims new ones, in one transaction: outcomes, failures, child batches and totals are written whole or not
   * at all. (Only where something is refused, the rest goes in several transactions.) Claims last `leaseMs` by the database's clock. A claim
   * of a step that is recorded in the same flush is passed over. Throws when the store cannot be reached; the same flush may then be repeated.
   */
  flush(flush: LedgerFlush): Promise<LedgerFlushed>;
  /** For each ref, the users of its batch that did not succeed in an earlier step or went on in a child batch, in the refs' order. */
  lostUsers(refs: readonly StepRef[]): Promise<string[][]>;
}

/** What a worker has to know of a feed to serve its steps. */
export interface FeedContext {
  feedId: string;
  runId: string;
  campaignId: string;
  country: string;
  chain: readonly { action: string; params: Readonly<Record<string, unknown>> }[];
}

/** Whether work of a run may start, as of the last look. */
export interface RunAdmission {
  runId: string;
  verdict: Verdict;
}

export interface FeedContexts {
  /** Contexts of the feeds that exist; unknown ids are left out. They never change. */
  load(feedIds: readonly string[]): Promise<FeedContext[]>;
  /** Read anew at every call, deadlines judged by the database's clock. */
  admissions(runIds: readonly string[]): Promise<RunAdmission[]>;
}
