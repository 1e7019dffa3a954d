import type { Pressure } from '../call/read-answer.ts';

/** A call that has ended, as its shard's limit sees it. */
export interface LimitedCall {
  startedMs: number;
  nowMs: number;
  /** Calls of the shard that were in flight, this one included. */
  inFlight: number;
  /** Null where the endpoint took it well. */
  pressure: Pressure | null;
  /** What the endpoint asked everybody for; null where it did not. */
  pauseMs: number | null;
}

/**
 * How many calls of one shard this worker may have in flight: between the action type's bounds, as many as its endpoint
 * takes well. It starts at the upper one and halves when the endpoint times out or says 429, once for the calls that
 * were under way together; it grows by a part of the bound with each round of answers, while these come as quickly as
 * they used to (AIMD: additive increase, multiplicative decrease).
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
/** As quickly as they used to: less than twice the time, and never mind what a busy machine adds. */
const slowerBy = 2;
const slackMs = 100;
const newestWeight = 0.1;
/**
 * What calls used to take is forgotten slowly: an endpoint that became slower for good is called as before after some
 * minutes.
 */
const baselineLastsMs = 120_000;
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
  let recentMs = 0;
  let baselineMs = 0;
  let learnedAtMs = 0;
  let cutAtMs = Number.NEGATIVE_INFINITY;
  let pausedUntilMs = Number.NEGATIVE_INFINITY;

  function learn({ startedMs, nowMs }: LimitedCall): void {
    const tookMs = nowMs - startedMs;
    recentMs = recentMs === 0 ? tookMs : recentMs + newestWeight * (tookMs - recentMs);
    if (baselineMs === 0 || recentMs < baselineMs) baselineMs = recentMs;
    else baselineMs += Math.min(1, (nowMs - learnedAtMs) / baselineLastsMs) * (recentMs - baselineMs);
    learnedAtMs = nowMs;
  }

  function cut({ startedMs, nowMs, inFlight, pauseMs }: LimitedCall): void {
    if (pauseMs !== null) pausedUntilMs = Math.max(pausedUntilMs, nowMs + Math.min(pauseMs, maxPauseMs));
    // It was under way when the limit was cut: that it met the same is no news.
    if (startedMs < cutAtMs) return;
    limit = Math.max(least, Math.floor(Math.min(limit, inFlight) / 2));
    answered = 0;
    cutAtMs = nowMs;
  }

  function grow({ inFlight }: LimitedCall): void {
    // Only what is used shows whether more would be taken well.
    if (inFlight * 2 < limit || recentMs > slowerBy * baselineMs + slackMs) return;
    if (++answered < limit) return;
    answered = 0;
    limit = Math.min(max, limit + perRound);
  }

  return {
    allowed: (nowMs) => (nowMs < pausedUntilMs ? 0 : Math.floor(limit)),
    pausedForMs: (nowMs) => Math.max(0, pausedUntilMs - nowMs),
    onEnd: (call) => {
      if (call.pressure !== null) {
        cut(call);
        return;
      }
      learn(call);
      if (limit < max) grow(call);
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
