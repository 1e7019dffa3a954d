import type { Pressure } from './own-matter.ts';

export interface LimitedCall {
  startedMs: number;
  nowMs: number;
  /** Calls in flight that the limit counts, this call included. */
  inFlight: number;
  /** Sign of overload in the call; null if there was none. */
  pressure: Pressure | null;
  /** Pause that the endpoint requested, in milliseconds; null if it requested none. */
  pauseMs: number | null;
  isSlower: boolean;
}

/**
 * Limit of concurrent calls of one source, or of one shard, in this process, between the action type's bounds. The
 * limit starts at the upper bound. It halves when the endpoint times out or answers 429, once for the calls that were
 * in flight together. It grows by a fraction of the bound with each round of answers at the usual speed (AIMD: additive
 * increase, multiplicative decrease).
 */
export interface AdaptiveLimit {
  /** Returns 0 during a pause that the endpoint requested. */
  allowed(nowMs: number): number;
  /** Returns the milliseconds until a pause ends; 0 if there is none. */
  pausedForMs(nowMs: number): number;
  onEnd(call: LimitedCall): void;
  /** Resets the limit to the upper bound: the breaker handles the slow start. */
  reset(): void;
  /** Applies new bounds of the action type and keeps the adapted limit. */
  resize(min: number, max: number): void;
}

/** Growth from half the bound to the bound takes 25 rounds. */
const partPerRound = 1 / 50;
/**
 * Upper bound on a pause in milliseconds, because leases run during a pause. The breaker and the delays of steps handle
 * longer pauses.
 */
const maxPauseMs = 10_000;

export function createAdaptiveLimit(initialMin: number, initialMax: number): AdaptiveLimit {
  let max = initialMax;
  let least = Math.min(initialMin, max);
  let perRound = Math.max(1, max * partPerRound);
  let limit = max;
  let answered = 0;
  let cutAtMs = Number.NEGATIVE_INFINITY;
  let pausedUntilMs = Number.NEGATIVE_INFINITY;

  function cut({ startedMs, nowMs, inFlight, pauseMs }: LimitedCall): void {
    if (pauseMs !== null) pausedUntilMs = Math.max(pausedUntilMs, nowMs + Math.min(pauseMs, maxPauseMs));
    // The call began before the limit was cut, so its sign of overload belongs to the same event.
    if (startedMs < cutAtMs) return;
    limit = Math.max(least, Math.floor(Math.min(limit, inFlight) / 2));
    answered = 0;
    cutAtMs = nowMs;
  }

  function grow({ inFlight, isSlower }: LimitedCall): void {
    // Answers show whether a higher limit works only if at least half of the limit is in use.
    if (inFlight * 2 < limit || isSlower) return;
    if (++answered < limit) return;
    answered = 0;
    limit = Math.min(max, limit + perRound);
  }

  return {
    allowed: (nowMs) => (nowMs < pausedUntilMs ? 0 : Math.floor(limit)),
    pausedForMs: (nowMs) => Math.max(0, pausedUntilMs - nowMs),
    onEnd: (call) => {
      if (call.pressure !== null) cut(call);
      else if (limit < max) grow(call);
    },
    reset: () => {
      limit = max;
      answered = 0;
      pausedUntilMs = Number.NEGATIVE_INFINITY;
    },
    resize: (nextMin, nextMax) => {
      const wasWhole = limit === max;
      max = nextMax;
      least = Math.min(nextMin, max);
      perRound = Math.max(1, max * partPerRound);
      limit = wasWhole ? max : Math.max(least, Math.min(limit, max));
    },
  };
}
