import type { JobKey, JobReference } from '../../../shared/domain/job/job-key.ts';

/** Job that this dispatcher may call until its lease ends. */
export interface ClaimedJob extends JobKey {
  clientId: string;
  /** Fencing number that grows with each claim: results of earlier holders of the job are refused. */
  epoch: number;
  /** Number of the attempt, from 1. */
  attempt: number;
  /**
   * Time for which the job was originally requested, in milliseconds since 1970. Retries and rescheduling do not change
   * it.
   */
  scheduledForMs: number;
  /**
   * Time of the claim by the database's clock, in milliseconds since 1970. The clock of the dispatcher may be wrong.
   */
  claimedAtMs: number;
  /**
   * Milliseconds until the job expires, by the database's clock; 0 or less if the job has expired; null if it never
   * does.
   */
  expiresInMs: number | null;
  method: string;
  url: string;
  /** The job's headers in their stored form, as the API accepted them; null if there are none. */
  headers: string | null;
  body: string | null;
  /** Id of the job that this job repeats; null if this job repeats none. */
  repeats: string | null;
  /** The job's own call terms, in the format of `readOwnTerms`; null if there are none. */
  terms: string | null;
  /**
   * Ordering key: of all jobs of a client with the same key, only one is active at a time. Null if the job need not
   * wait for others.
   */
  orderingKey: string | null;
  /**
   * Milliseconds after the claim during which the call of a job with an ordering key may be in flight. During this
   * time, no other dispatcher may claim the job, even if its owner has died. Null if the claim is valid as long as the
   * owner is alive and the lease has not expired.
   */
  exclusiveMs: number | null;
  /**
   * Report on the call that the receiver accepted with a 202, in the format of `readKeptReport`. The report decides
   * this attempt, so no call is made. Null if the job has to be called.
   */
  report: string | null;
}

export const usualTimeoutMs = 10_000;

/**
 * Milliseconds added to the time-out of a call: up to 10 s between the claim and the begin of the call, and 1 s until
 * the dispatcher notices the end of the call.
 */
export const exclusiveMarginMs = 11_000;

export interface JobClaim extends JobKey {
  /**
   * Time-out of the endpoint's calls, in milliseconds. Default: `usualTimeoutMs`. The job's own time-out takes
   * precedence.
   */
  timeoutMs?: number;
}

export interface CallNote {
  /** Status of the answer; null if there was no answer. */
  status: number | null;
  latencyMs: number | null;
  /** Cause of the failure; null if the call succeeded. */
  error: string | null;
  /** First part of the answer, without secrets. */
  answer: string | null;
}

/**
 * Verdict on a claimed job.
 * - `called`, `expired`, `dead`: the job moves to the history. A dead job is kept, so that a person can replay it.
 * - `retry`: the call failed. The job is due again later, with the next attempt number.
 * - `released`: no call was made. The job is due again later, with the same attempt number.
 * - `reporting`: the receiver accepted the call, and must report within `delayMs`. The attempt number stays the same.
 * - `sidelined`: no call was made, because the host's circuit is open or disabled. The job becomes due when the host
 *   answers again.
 */
export type JobVerdict =
  | { kind: 'called' }
  | { kind: 'expired' }
  | { kind: 'dead'; cause: string }
  | { kind: 'retry'; delayMs: number }
  | { kind: 'released'; delayMs: number }
  | { kind: 'reporting'; delayMs: number }
  | { kind: 'sidelined'; host: string };

export interface JobResult extends JobKey {
  epoch: number;
  verdict: JobVerdict;
  note: CallNote;
  /** True if the bodies of the client's ended jobs are not kept. Default: false. */
  forgetsBody?: boolean;
}

export interface Flushed {
  /**
   * Ids of the jobs whose results were written. The results of the other jobs were refused, because another dispatcher
   * holds these jobs.
   */
  recorded: ReadonlySet<string>;
  /**
   * Jobs that were claimed. A requested job is missing if it was cancelled, was moved to another time, has ended, or
   * belongs to another dispatcher. All jobs are missing if this region may not claim.
   */
  claimed: ClaimedJob[];
  /** References to jobs that are not due yet, with the clients that own the jobs. */
  early: JobReference[];
}

export interface CallWork {
  results: readonly JobResult[];
  claims: readonly JobClaim[];
  /** Duration of the claims in milliseconds. Default: the duration of the ledger. */
  leaseMs?: number;
}

export interface CallLedger {
  /**
   * Writes results and makes claims, in one statement. No job may be in both. A result counts only under the epoch of
   * its claim. A job is claimed if it is due by the database's clock, and if no dispatcher holds it, its holder is
   * dead, or its lease has expired. A job with an ordering key is claimed from a dead dispatcher only when its call has
   * certainly ended.
   */
  flush(work: CallWork): Promise<Flushed>;
}
