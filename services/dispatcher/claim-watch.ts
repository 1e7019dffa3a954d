import type { Clock } from '../../shared/ports/clock.ts';
import type { JobVerdict } from './ports/call-ledger.ts';

/**
 * Longest time that claimed jobs may wait while this process calls nothing. Each of them begins or is released within
 * two seconds, so more is a bug, and a new process gets on where this one does not.
 */
const stuckAfterMs = 10_000;
/** Between two turns no more counts: a process that was frozen was not stuck. */
const longestTurnMs = 1000;

/** Longest time that a flush may take while beats are stored: Postgres and its adapter end a statement after 40 s. */
const longestFlushMs = 45_000;
/** Between two beats no more counts, for the same reason. */
const longestBeatMs = 2000;

export interface ClaimLevels {
  /** Claimed jobs without a slot. */
  waiting: number;
  inFlight: number;
}

/** The watchdog of claimed jobs. */
export interface ClaimWatch {
  /** Resolves when claimed jobs have waited for ten seconds in which no call was under way, or when a flush hangs. */
  readonly stuck: Promise<Error>;
  /** Reports the outcome of a job that had a slot. One that was released without a call is no progress. */
  ended(verdict: Pick<JobVerdict, 'kind'>): void;
  /** Reports one turn. Turns count, not time alone: while Postgres answers nothing there are none. */
  turned(levels: ClaimLevels): void;
  /** Resolves as the flush does, whose time is watched until then. */
  flushing<Written>(flush: Promise<Written>): Promise<Written>;
  /** Reports a beat that is stored: Postgres answers. */
  beaten(): void;
}

export function createClaimWatch({ clock }: { clock: Pick<Clock, 'monotonicMs'> }): ClaimWatch {
  const stuck = Promise.withResolvers<Error>();
  let lastMs = clock.monotonicMs();
  let [hasEnded, forMs] = [false, 0];
  let lastBeatMs = clock.monotonicMs();
  /** Age of the flush that is under way; null if there is none. */
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
