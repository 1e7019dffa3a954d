import type { FeedAudience } from '../../../../shared/contracts/runs/feed-audience.ts';
import type { RunState } from '../../../../shared/domain/run/run-states.ts';
import type { AttemptNote } from '../../../../shared/ports/step-ledger.ts';

/** All that the ledger knows of one user in one run. */
export interface UserHistory {
  runId: string;
  campaignId: string;
  state: RunState;
  asOf: Date;
  chain: readonly { action: string }[];
  /** In the order of countries and steps. */
  feeds: readonly HistoryFeed[];
  /** Null where no feed of the run holds the user, or that is not known any more. */
  place: UserPlace | null;
}

export interface HistoryFeed {
  country: string;
  audience: FeedAudience;
  /** The step that its users begin with. */
  fromStep: number;
  complete: boolean;
  /** The last user that was fed. */
  cursor: string | null;
  /** False once its users were dropped: then it cannot be said who they were. */
  usersKept: boolean;
}

export interface UserPlace {
  /** Part of the key of every call for the user. */
  feedId: string;
  country: string;
  /** Other countries in which the run was fed the user: one segment held it in several. */
  alsoIn: readonly string[];
  fromStep: number;
  /**
   * The batch that the user was fed with and the child batches that it went on in, in that order. Empty for one that
   * could not be sent.
   */
  batches: readonly HistoryBatch[];
  /** Why the user could never be sent: its id breaks a rule. */
  unsendable: HistoryFailure | null;
  /** What providers said of what they accepted, in the order of the steps. */
  receipts: readonly HistoryReceipt[];
}

export interface HistoryReceipt {
  step: number;
  delivered: boolean;
  code: string | null;
  at: Date;
  receivedAt: Date;
}

export interface HistoryBatch {
  batchNo: number;
  parent: number | null;
  /** First step that is this batch's own. */
  fromStep: number;
  users: number;
  /** Those that were claimed, in their order. */
  steps: readonly HistoryStep[];
}

export interface HistoryStep {
  step: number;
  state: 'running' | 'waiting' | 'done';
  /** Of a done one: when it was recorded. */
  endedAt: Date | null;
  /** Of a waiting one. */
  nextAttemptAt: Date | null;
  /** What it waits for. */
  cause: string | null;
  /** Outcome of everybody without a failure and in no child batch; null while it is not done. */
  rest: 'succeeded' | 'expired' | 'cancelled' | null;
  /** The user's own. */
  failure: HistoryFailure | null;
  /** Earlier calls, the first one first. */
  attempts: readonly HistoryAttempt[];
}

/** An outcome of the user's own, apart from the rest of its batch. */
export interface HistoryFailure {
  /** `succeeded`: was unknown and was settled so after the run. It did not go on. */
  outcome: 'failed' | 'unknown' | 'succeeded';
  reason: string;
  detail: string | null;
  attempts: number;
  failedAt: Date;
}

/** A call that was not the last word: the step was put back, split, or its worker was lost. */
export interface HistoryAttempt {
  at: Date;
  reading: AttemptNote['reading'] | 'lost';
  cause: string | null;
  /** What was said of this user, where users were spoken of one by one. */
  code: string | null;
  detail: string | null;
}
