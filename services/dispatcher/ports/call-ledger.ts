import type { JobKey, JobReference } from '../../../shared/domain/job/job-key.ts';

/** Job that this dispatcher may call until its lease ends. */
export interface ClaimedJob extends JobKey {
  clientId: string;
  /** Fencing number that excludes all earlier holders of the job. */
  epoch: number;
  /** Number of the attempt, from 1. */
  attempt: number;
  /** Originally requested time, in milliseconds since 1970. It stays the same however often the job is moved. */
  scheduledForMs: number;
  /** Time by the database's clock, in milliseconds since 1970: the clock of the claiming dispatcher may be wrong. */
  claimedAtMs: number;
  /** Milliseconds until the job expires, by the database's clock, 0 or less if it has; null if it never does. */
  expiresInMs: number | null;
  method: string;
  url: string;
  /** Headers as accepted; null if there are none. */
  headers: string | null;
  body: string | null;
  /** Id of the job that this one repeats; null for an original job. */
  repeats: string | null;
  /** The job's own call terms, if it has any: `readOwnTerms`. */
  terms: string | null;
  /** Ordering key: one job per key and client is active at a time; null: the job waits for no other one. */
  orderingKey: string | null;
  /**
   * Milliseconds since the claim of a job with an ordering key during which its call may be in flight. No other
   * dispatcher may claim the job in this time, even if its owner has died. Null: as long as its owner is alive and its
   * lease lasts.
   */
  aloneMs: number | null;
  /** Report on the accepted call (`readKeptReport`), which decides this attempt without a call. Null: to be called. */
  report: string | null;
}

export const usualTimeoutMs = 10_000;

/** Margin beyond the time-out: 10 s from the claim to the call, and a second until its end is noticed. */
export const aloneMarginMs = 11_000;

export interface JobClaim extends JobKey {
  /** Time-out of the outlet's calls; the default unless given. A job's own time-out takes precedence. */
  timeoutMs?: number;
}

export interface CallNote {
  /** Null if there was no answer. */
  status: number | null;
  latencyMs: number | null;
  /** Null if the call succeeded. */
  error: string | null;
  /** First part of the answer, without secrets. */
  answer: string | null;
}

/**
 * Verdict on a claimed job.
 * - `called`, `expired`, `dead`: the job moves to the history. A dead job is kept for a replay.
 * - `retry`: the call failed; the job is due again later, with one attempt more.
 * - `released`: not called; due again later, with the same attempt.
 * - `reporting`: called and accepted; its receiver must report within `delayMs`. Same attempt.
 * - `sidelined`: not called, because its host has an open circuit; due when the host answers again.
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
  /** True if the client keeps no bodies of ended jobs; false by default. */
  forgetsBody?: boolean;
}

export interface Flushed {
  /** Ids of the results that were written. The other jobs belonged to another dispatcher: nothing was written. */
  recorded: ReadonlySet<string>;
  /** Claimed jobs. Missing ones are cancelled, moved, ended or another's, or the region may not claim. */
  claimed: ClaimedJob[];
  /** References to jobs that are not due yet, with the clients that own the jobs. */
  early: JobReference[];
}

export interface CallWork {
  results: readonly JobResult[];
  claims: readonly JobClaim[];
  /** Duration of the claims; by default that of the ledger. */
  leaseMs?: number;
}

export interface CallLedger {
  /**
   * Writes results and makes claims, in one statement. A job must not be in both. A result counts only under the epoch
   * of its claim. A job is claimed if it is due by the database's clock and free: no dispatcher holds it, its holder is
   * dead, or its lease has expired. A job with an ordering key is claimed from a dead dispatcher only when its call has
   * certainly ended.
   */
  flush(work: CallWork): Promise<Flushed>;
}
