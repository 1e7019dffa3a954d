import { backoffMs } from '../retry.ts';
import { createAdaptiveLimit, type AdaptiveLimit } from './adaptive-limit.ts';
import { createCallTimes, type CallTimes } from './call-times.ts';
import type { CallEnd, Pressure, SourceEvidence } from './own-matter.ts';

/** Calls in a row without an answer, until the source is called seldom. */
const failuresToTrouble = 10;
/** From one call to the next of a source in trouble. Short: others are served, so it is probably mended soon. */
const troubleBackoff = { firstDelayMs: 500, maxDelayMs: 5000 };
/** Calls in flight after the first answer; one more with each further answer. */
const firstCallsAfter = 2;
/** A source with calls in flight is stuck if none has begun or ended for so long, or for several times the usual. */
const stuckAfterMs = 500;
const stuckAfterCalls = 4;
/** Time after which a source that was never answered counts as stuck. */
const stuckUnknownMs = 1000;

/** A call of the source that has ended. */
export interface GuardedCall {
  end: CallEnd;
  startedMs: number;
  nowMs: number;
  /** Calls of the source in flight, this one included. */
  inFlight: number;
  /** Null if the endpoint took the call well. */
  pressure: Pressure | null;
  /** Pause that the endpoint asked for; null if it did not. */
  retryAfterMs: number | null;
  /** True if the endpoint serves another source meanwhile. */
  isOwnMatter: boolean;
}

/**
 * The guard of one source, under the guards of the whole: its limit, its pause and its backoff. A source is a feed in
 * its shard, or a route in its outlet. The guard learns from the calls of this source alone, in this process, and it is
 * dropped with the source's line.
 */
export interface SourceGuard extends SourceEvidence {
  readonly times: CallTimes;
  /** True if the last call ended without an answer. */
  readonly isFailing: boolean;
  /** True if the source is called seldom, one call at a time, because its calls are not answered. */
  readonly isTroubled: boolean;
  /** Calls of the source that may be in flight. */
  allowed(nowMs: number): number;
  /** Calls that may be in flight without the limit of a new source: as many as the endpoint takes well. */
  takenWell(nowMs: number): number;
  /** Milliseconds until the source may be called again; 0 if it may. */
  waitMs(nowMs: number): number;
  /** Milliseconds without begin or end of a call after which the source's calls count as stuck. */
  readonly stuckAfterMs: number;
  onEnd(call: GuardedCall): void;
  /** The breaker of the whole was open and starts slowly: it takes care of all its sources. */
  onSlowStart(): void;
  /** The breaker of the whole has opened: it takes care of limit and pause. */
  onOpened(): void;
  resize(min: number, max: number): void;
}

export interface SourceGuardTerms {
  id: string;
  minConcurrency: number;
  maxConcurrency: number;
  /** Calls in flight of a source of which nothing is known; one more with each answer. */
  firstCalls: number;
  /** In [0, 1). */
  random: () => number;
}

interface TroubleOfSource {
  sinceMs: number;
  /** Failed tries in a row, from 1. */
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
    // A call from before the trouble says nothing about it.
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
    // Parameters or access that are wrong hold the step itself (held-steps.ts).
    if (end === 'misconfigured') return;
    // Breakers are for calls that fail quickly: a source in trouble is one whose calls keep slots.
    if (end === 'failed') return;
    if (trouble) {
      if (startedMs >= trouble.sinceMs) enterTrouble(trouble.sinceMs, nowMs);
      return;
    }
    failures++;
    // Others are served: with few calls at a time, few failures are all that there are.
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

  function takenWell(nowMs: number): number {
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
    allowed: (nowMs) => Math.min(limit, restart ?? limit, takenWell(nowMs)),
    takenWell,
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
