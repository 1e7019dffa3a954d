import type { RetryAnswer } from '../../../shared/contracts/runs/retries.ts';
import type { Requester } from '../../../shared/domain/run/requester.ts';

export interface RetryFilter {
  steps: readonly number[] | null;
  countries: readonly string[] | null;
  reasons: readonly string[] | null;
}

/** Number of users with the same newest failure. */
export type RetryGroup = Omit<RetryAnswer['groups'][number], 'action'>;

export interface NewRetry {
  /** Id of the run to create. If the run exists, nothing is created. */
  runId: string;
  /** Run whose failures are retried. Unless it is itself a retry, failures of its retries are included. */
  parentRunId: string;
  filter: RetryFilter;
  /** Deadline of the retry; null means the deadline of the campaign. */
  deadlineSeconds: number | null;
  /** Person or key that requested the retry, for the history of the run. */
  asker?: Requester | null;
}

/**
 * Result of a request for a retry. `running`: another retry has not ended, so the newest failures are not known yet.
 */
export type RetryVerdict = { kind: 'created' } | { kind: 'running'; runId: string } | { kind: 'not-ended' };

/** Results of a retry, as numbers of users. */
export interface RetrySums {
  runId: string;
  retried: number;
  /** Number of retried users who succeeded in the last step of the chain. */
  recovered: number;
  failedAgain: number;
}

/**
 * Retries of failed users in runs of their own. Only the *newest* failure of a user counts: once a retry has fed a
 * user, the failure in the earlier run no longer counts, whatever the result of the retry. Users with an unknown
 * outcome and ids that break the rules are excluded.
 */
export interface Retries {
  groups(parentRunId: string, filter: RetryFilter): Promise<RetryGroup[]>;
  /** Inserts a retry in state `preparing`, due now. */
  create(retry: NewRetry): Promise<RetryVerdict>;
  sums(parentRunId: string): Promise<RetrySums[]>;
}
