import type { Pressure } from './own-matter.ts';

/** A call that has ended, as the limit sees it. */
export interface LimitedCall {
  startedMs: number;
  nowMs: number;
  /** Calls that the limit counts and that were in flight, this one included. */
  inFlight: number;
  /** Null if the endpoint took the call well. */
  pressure: Pressure | null;
  /** Pause that the endpoint asked for; null if it did not. */
  pauseMs: number | null;
  /** True if the calls of this source take much longer than they used to. */
  isSlower: boolean;
}

/**
 * Calls in flight of one source, or of one shard, in this process: as many as the endpoint takes well, between the
 * action type's bounds. The limit starts at the upper bound and halves when the endpoint times out or answers 429, once
 * for the calls that were under way together. It grows by a part of the bound with each round of answers that are as
 * quick as they used to be (AIMD: additive increase, multiplicative decrease).
 */
export interface AdaptiveLimit {
  /** 0 while the endpoint has asked for a pause. */
  allowed(nowMs: number): number;
  /** Until a pause ends; 0 when there is none. */
  pausedForMs(nowMs: number): number;
  onEnd(call: LimitedCall): void;
  /** Back to the upper bound: the breaker takes care of a slow start. */
  reset(): void;
  /** The action type's bounds have changed: nothing that was learned is forgotten. */
  resize(min: number, max: number): void;
}

/** From half the bound to the whole in 25 rounds. */
const partPerRound = 1 / 50;
/**
 * Claims wait for their calls meanwhile, and their leases run: who asks for more is left to the breaker and to the
 * steps' own delays.
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
    // It was under way when the limit was cut: that it met the same is no news.
    if (startedMs < cutAtMs) return;
    limit = Math.max(least, Math.floor(Math.min(limit, inFlight) / 2));
    answered = 0;
    cutAtMs = nowMs;
  }

  function grow({ inFlight, isSlower }: LimitedCall): void {
    // Only what is used shows whether more would be taken well.
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
