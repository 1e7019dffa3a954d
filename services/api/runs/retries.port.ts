import type { RetryAnswer } from '../../../shared/contracts/runs/retries.ts';
import type { Asker } from '../../../shared/domain/run/asker.ts';

export interface RetryFilter {
  steps: readonly number[] | null;
  countries: readonly string[] | null;
  reasons: readonly string[] | null;
}

/** Users grouped by their newest failure. */
export type RetryGroup = Omit<RetryAnswer['groups'][number], 'action'>;

export interface NewRetry {
  /** Id of the run to create. If the run exists, it is not created again. */
  runId: string;
  /** Run whose failures are retried. If it is not a child run, failures of its child runs are included. */
  parentRunId: string;
  filter: RetryFilter;
  /** Null means the campaign's deadline. */
  deadlineSeconds: number | null;
  /** The person or key that requested the retry, for the history of the run. */
  asker?: Asker | null;
}

/** - `running`: another child run has not ended, so the newest failures are not settled yet. */
export type RetryVerdict = { kind: 'created' } | { kind: 'running'; runId: string } | { kind: 'not-ended' };

/** Outcomes of a child run that retries failures of its parent, in users. */
export interface RetrySums {
  runId: string;
  retried: number;
  /** Retried users that succeeded in the chain's last step. */
  recovered: number;
  failedAgain: number;
}

/**
 * Retries of failed users in child runs. A user's *newest* failure counts: once a child run has fed a user, the
 * parent's failure no longer counts, whatever the outcome. Users with an unknown outcome and unsendable ids are
 * excluded.
 */
export interface Retries {
  groups(parentRunId: string, filter: RetryFilter): Promise<RetryGroup[]>;
  /** Inserts the child run in state `preparing`, due now. */
  create(retry: NewRetry): Promise<RetryVerdict>;
  sums(parentRunId: string): Promise<RetrySums[]>;
}
