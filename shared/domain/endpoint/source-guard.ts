import { backoffMs } from '../retry.ts';
import { createAdaptiveLimit, type AdaptiveLimit } from './adaptive-limit.ts';
import { createCallTimes, type CallTimes } from './call-times.ts';
import type { CallEnd, Pressure, SourceEvidence } from './own-matter.ts';

/** Consecutive calls without an answer before the source is called rarely. */
const failuresToTrouble = 10;
/** Short backoff of a source in trouble: the endpoint serves other sources, so a recovery is likely soon. */
const troubleBackoff = { firstDelayMs: 500, maxDelayMs: 5000 };
/** Calls in flight after the first answer; each further answer adds one. */
const firstCallsAfter = 2;
/**
 * A source is stuck if no call has begun or ended for this many milliseconds, or this multiple of the usual duration.
 */
const stuckAfterMs = 500;
const stuckAfterCalls = 4;
/** Milliseconds after which a source that was never answered counts as stuck. */
const stuckUnknownMs = 1000;

export interface GuardedCall {
  end: CallEnd;
  startedMs: number;
  nowMs: number;
  /** Calls of the source in flight, this call included. */
  inFlight: number;
  /** Sign of overload in the call; null if there was none. */
  pressure: Pressure | null;
  /** Delay that the endpoint requested, in milliseconds; null if it requested none. */
  retryAfterMs: number | null;
  isOwnMatter: boolean;
}

/**
 * Guard of one source, in addition to the guards of the shard or host: its limit, its pause and its backoff. A source
 * is a feed in its shard, or a route of a client's endpoint. The guard learns from the calls of this source
 * alone, in this process, and is dropped with the source's queue.
 */
export interface SourceGuard extends SourceEvidence {
  readonly times: CallTimes;
  /** True if the last call ended without an answer. */
  readonly isFailing: boolean;
  /** True if the source is called rarely, one call at a time, because its calls are not answered. */
  readonly isTroubled: boolean;
  allowed(nowMs: number): number;
  /** Returns the allowed calls in flight without the limit of a new source. */
  allowedAfterWarmUp(nowMs: number): number;
  /** Returns the milliseconds until the source may be called again; 0 if it may be called now. */
  waitMs(nowMs: number): number;
  /** Milliseconds without a begin or an end of a call after which the source's calls count as stuck. */
  readonly stuckAfterMs: number;
  onEnd(call: GuardedCall): void;
  /** Resets the guard: the breaker of the shard or host has closed, and its slow start limits all sources. */
  onSlowStart(): void;
  /** Resets limit and pause: the breaker of the shard or host has opened and handles both. */
  onOpened(): void;
  resize(min: number, max: number): void;
}

export interface SourceGuardTerms {
  id: string;
  minConcurrency: number;
  maxConcurrency: number;
  /** Calls in flight of a new source; each answer adds one. */
  firstCalls: number;
  /** Random number in [0, 1). */
  random: () => number;
}

interface TroubleOfSource {
  sinceMs: number;
  /** Consecutive failed tries, from 1. */
  tries: number;
  retryAtMs: number;
}

export function createSourceGuard(terms: SourceGuardTerms): SourceGuard {
  const { id, minConcurrency, maxConcurrency, firstCalls, random } = terms;
  const times = createCallTimes();
  const adaptive: AdaptiveLimit = createAdaptiveLimit(minConcurrency, maxConcurrency);
  let limit = firstCalls;
  /** Limit of a source that was in trouble; null once it has grown to the other limits. */
  let restart: number | null = null;
  let trouble: TroubleOfSource | null = null;
  let tries = 0;
  let failures = 0;
  let isFailing = false;
  let answeredAtMs = Number.NEGATIVE_INFINITY;
  let failedAtMs = Number.NEGATIVE_INFINITY;
  let pressedAtMs = Number.NEGATIVE_INFINITY;

  function onAnswer({ startedMs, nowMs }: GuardedCall): void {
    answeredAtMs = nowMs;
    isFailing = false;
    times.onAnswer(nowMs - startedMs, nowMs);
    limit++;
    // A call that began before the trouble is no evidence about it.
    if (trouble && startedMs < trouble.sinceMs) return;
    failures = 0;
    if (trouble) {
      trouble = null;
      restart = firstCallsAfter;
    } else if (restart !== null) {
      restart = restart + 1 < limit ? restart + 1 : null;
    } else tries = 0;
  }

  function onFailure({ end, startedMs, nowMs, isOwnMatter }: GuardedCall): void {
    failedAtMs = nowMs;
    isFailing = true;
    // Wrong parameters or credentials hold the step itself (held-steps.ts).
    if (end === 'misconfigured') return;
    // Breakers handle calls that fail quickly; a source is in trouble only if its calls occupy slots.
    if (end === 'failed') return;
    if (trouble) {
      if (startedMs >= trouble.sinceMs) enterTrouble(trouble.sinceMs, nowMs);
      return;
    }
    failures++;
    // A few failures are enough if other sources are served and the limit is low.
    const enough = isOwnMatter ? Math.min(failuresToTrouble, limit, restart ?? limit) : failuresToTrouble;
    if (failures >= enough) enterTrouble(nowMs, nowMs);
  }

  function enterTrouble(sinceMs: number, nowMs: number): void {
    tries++;
    trouble = { sinceMs, tries, retryAtMs: nowMs + backoffMs(troubleBackoff, tries, random()) };
  }

  function waitMs(nowMs: number): number {
    return Math.max(0, adaptive.pausedForMs(nowMs), trouble ? trouble.retryAtMs - nowMs : 0);
  }

  function allowedAfterWarmUp(nowMs: number): number {
    if (trouble) return waitMs(nowMs) > 0 ? 0 : 1;
    return adaptive.allowed(nowMs);
  }

  return {
    id,
    times,
    get answeredAtMs() {
      return answeredAtMs;
    },
    get failedAtMs() {
      return failedAtMs;
    },
    get pressedAtMs() {
      return pressedAtMs;
    },
    get isFailing() {
      return isFailing;
    },
    get isTroubled() {
      return trouble !== null;
    },
    allowed: (nowMs) => Math.min(limit, restart ?? limit, allowedAfterWarmUp(nowMs)),
    allowedAfterWarmUp,
    waitMs,
    get stuckAfterMs() {
      return times.recentMs === 0 ? stuckUnknownMs : Math.max(stuckAfterMs, stuckAfterCalls * times.recentMs);
    },
    onEnd: (call) => {
      const { end, pressure, startedMs, nowMs, inFlight, retryAfterMs } = call;
      if (pressure !== null) pressedAtMs = nowMs;
      if (end === 'answered') onAnswer(call);
      else onFailure(call);
      if (pressure !== null || end === 'answered') {
        adaptive.onEnd({ startedMs, nowMs, inFlight, pressure, pauseMs: retryAfterMs, isSlower: times.isSlower });
      }
    },
    onSlowStart: () => {
      trouble = null;
      restart = null;
      tries = 0;
      failures = 0;
      adaptive.reset();
    },
    onOpened: () => adaptive.reset(),
    resize: (min, max) => adaptive.resize(min, max),
  };
}
