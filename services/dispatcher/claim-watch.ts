import type { Clock } from '../../shared/ports/clock.ts';
import type { JobVerdict } from './ports/call-ledger.ts';

/**
 * Maximum time in milliseconds that claimed jobs may wait while this process makes no calls. Normally, each claimed job
 * begins or is released within two seconds. A longer wait is a bug, from which a new process may recover.
 */
const stuckAfterMs = 10_000;
/**
 * Upper bound in milliseconds on the time that is counted between two turns. A longer time means that the process was
 * frozen, which does not count as stuck.
 */
const longestTurnMs = 1000;

/**
 * Maximum time in milliseconds that a flush (a write of results and claims) may take while heartbeats are stored.
 * Postgres and its adapter end a statement after 40 s.
 */
const longestFlushMs = 45_000;
/**
 * Upper bound in milliseconds on the time that is counted between two heartbeats. A longer time means that the process
 * was frozen, which does not count as stuck.
 */
const longestBeatMs = 2000;

export interface ClaimLevels {
  /** Number of claimed jobs that wait for a slot. */
  waiting: number;
  inFlight: number;
}

export interface ClaimWatch {
  /** Resolves if claimed jobs have waited for ten seconds without a call in flight, or if a flush hangs. */
  readonly stuck: Promise<Error>;
  /**
   * Reports the verdict on a job that had a slot. A job that was released without a call does not count as progress.
   */
  ended(verdict: Pick<JobVerdict, 'kind'>): void;
  /**
   * Reports a turn of the dispatcher. Only the time between turns counts: while Postgres does not answer, the
   * dispatcher has no turns.
   */
  turned(levels: ClaimLevels): void;
  /** Watches the duration of a flush. The returned promise settles like the flush. */
  flushing<Written>(flush: Promise<Written>): Promise<Written>;
  /** Reports that a heartbeat was stored, which proves that Postgres answers. */
  beaten(): void;
}

export function createClaimWatch({ clock }: { clock: Pick<Clock, 'monotonicMs'> }): ClaimWatch {
  const stuck = Promise.withResolvers<Error>();
  let lastMs = clock.monotonicMs();
  let [hasEnded, forMs] = [false, 0];
  let lastBeatMs = clock.monotonicMs();
  /** Age of the current flush in milliseconds; null if there is none. */
  let flushMs: number | null = null;

  return {
    stuck: stuck.promise,
    ended: ({ kind }) => {
      if (kind !== 'released') hasEnded = true;
    },
    turned: ({ waiting, inFlight }) => {
      const nowMs = clock.monotonicMs();
      const isStuck = waiting > 0 && inFlight === 0 && !hasEnded;
      forMs = isStuck ? forMs + Math.min(longestTurnMs, nowMs - lastMs) : 0;
      [lastMs, hasEnded] = [nowMs, false];
      if (forMs < stuckAfterMs) return;
      const seconds = stuckAfterMs / 1000;
      stuck.resolve(new Error(`${waiting} claimed jobs have waited for ${seconds} s in which nothing was called`));
    },
    flushing: async (flush) => {
      flushMs = 0;
      try {
        return await flush;
      } finally {
        flushMs = null;
      }
    },
    beaten: () => {
      const sinceMs = Math.min(longestBeatMs, clock.monotonicMs() - lastBeatMs);
      lastBeatMs += clock.monotonicMs() - lastBeatMs;
      if (flushMs === null) return;
      flushMs += sinceMs;
      if (flushMs < longestFlushMs) return;
      stuck.resolve(new Error(`a flush has been under way for ${longestFlushMs / 1000} s, in which Postgres answered`));
    },
  };
}
