import type { RetryAnswer } from '../../../../shared/contracts/runs/retries.ts';
import type { Asker } from '../../../../shared/domain/run/asker.ts';

/** Whose failures are meant; null: all. */
export interface RetryFilter {
  steps: readonly number[] | null;
  countries: readonly string[] | null;
  reasons: readonly string[] | null;
}

/** Users whose newest failure is of this kind. */
export type RetryGroup = Omit<RetryAnswer['groups'][number], 'action'>;

export interface NewRetry {
  /** Of the run to be created; one that exists is not created again. */
  runId: string;
  /** Whose failures: of this run, and where it is no child run itself, of its child runs too. */
  of: string;
  filter: RetryFilter;
  /** Null: as long as the campaign's. */
  deadlineSeconds: number | null;
  /** Who asks, for the history of the run. */
  asker?: Asker | null;
}

/** - `running`: another child run has not ended; whose failures are whose is not settled before. */
export type RetryVerdict = { kind: 'created' } | { kind: 'running'; runId: string } | { kind: 'not-ended' };

/** What a child run has done about the failures of its parent. All counts in users. */
export interface RetrySums {
  runId: string;
  retried: number;
  /** Of those, who succeeded in the chain's last step. */
  recovered: number;
  failedAgain: number;
}

/**
 * Failed users, tried again in child runs. A user's *newest* failure counts: a user that a child run has taken on is no
 * failure of its parent any more, however that ended. Users whose outcome is unknown, and ids that can never be sent,
 * are left out.
 */
export interface Retries {
  groups(of: string, filter: RetryFilter): Promise<RetryGroup[]>;
  /** Inserts the child run in state `preparing`, due now. */
  create(retry: NewRetry): Promise<RetryVerdict>;
  /** Of the child runs of a run, the oldest first. */
  sums(parentRunId: string): Promise<RetrySums[]>;
}
