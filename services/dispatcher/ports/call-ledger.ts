import type { JobKey, JobReference } from '../../../shared/domain/job/job-key.ts';

/** A job that is ours to call until its lease ends. */
export interface ClaimedJob extends JobKey {
  clientId: string;
  /** Fences everybody who held the job before. */
  epoch: number;
  /** How many calls with this one, from 1. */
  attempt: number;
  /** When it was asked for, in milliseconds since 1970. It stays the same however often the job is moved. */
  scheduledForMs: number;
  /** By the database's clock, in milliseconds since 1970: the dispatcher that claims may have a wrong one. */
  claimedAtMs: number;
  /**
   * Until it is not worth calling any more, by the database's clock, 0 or less when that is over; null when it always
   * is.
   */
  expiresInMs: number | null;
  method: string;
  url: string;
  /** As they were accepted; null when there are none. */
  headers: string | null;
  body: string | null;
  /** The job that it sends again; null where it was asked for by itself. */
  repeats: string | null;
  /** How it is called, where it says so itself: `readOwnTerms`. */
  terms: string | null;
  /** One of this key of its client is active at a time; null: it waits for none. */
  orderingKey: string | null;
  /**
   * Of one with such a key: for so long from its claim its call may be under way, and no other may claim it, though
   * its owner may have died. Null: as long as its owner is alive and its lease lasts.
   */
  aloneMs: number | null;
  /**
   * What came of its call that was accepted (`readKeptReport`): this attempt is to be judged by it, not called. Null:
   * it is to be called.
   */
  report: string | null;
}

/** Of a call of which nothing else is said. */
export const usualTimeoutMs = 10_000;

/** A call of a job with an ordering key begins at most so long after its claim, and its end is seen a second late. */
export const aloneMarginMs = 11_000;

export interface JobClaim extends JobKey {
  /** Of a call, as its outlet says; the usual one unless given. A job's own goes before it. */
  timeoutMs?: number;
}

/** What one call brought. */
export interface CallNote {
  /** Null when nothing was answered. */
  status: number | null;
  latencyMs: number | null;
  /** Null when all is well. */
  error: string | null;
  /** The first of the answer, without secrets. */
  answer: string | null;
}

/**
 * What becomes of a claimed job.
 * - `called`, `expired`, `dead`: it is gone from the jobs, and in the history. A dead one is kept for a replay.
 * - `retry`: called without luck, due again later, with one attempt more.
 * - `released`: not called, due again later, the same attempt.
 * - `reporting`: called, and accepted: its receiver reports until then, the same attempt.
 * - `sidelined`: not called, as its host is left alone; due when the host answers again.
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
  /** Its client has no bodies kept of jobs that have ended; they are unless said. */
  forgetsBody?: boolean;
}

export interface Flushed {
  /** Ids of the results that were written. The others were not ours any more: nothing was written of them. */
  recorded: ReadonlySet<string>;
  /** Of the claims. What is missing here was cancelled, moved, ended or is another's, or the region may not claim. */
  claimed: ClaimedJob[];
  /** Claims of jobs whose time has not come, and whose they are. */
  early: JobReference[];
}

export interface CallWork {
  results: readonly JobResult[];
  claims: readonly JobClaim[];
  /** How long the claims last; as long as others of this ledger unless given. */
  leaseMs?: number;
}

export interface CallLedger {
  /**
   * Writes results and makes claims, in one statement. A job must not stand in both. A result counts only under the
   * epoch that its claim gave; a job is claimed when it is due by the database's clock and no dispatcher holds it, or
   * the one that did is dead, or let its lease run out. One with an ordering key is claimed from a dead one only when
   * its call is certainly over.
   */
  flush(work: CallWork): Promise<Flushed>;
}
