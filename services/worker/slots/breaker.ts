import { partOf, probeDelayMs, slowStartCalls } from '../../../shared/domain/endpoint/endpoint-guards.ts';
import type { CallEnd } from '../../../shared/domain/endpoint/own-matter.ts';
import type { GuardState } from '../../../shared/ports/endpoint-guards.ts';

/** Number of consecutive calls without an answer, over all runs, at which the shard's endpoint counts as down. */
const failuresToOpen = 10;
/**
 * Number of runs with configuration faults at which the fault is attributed to the endpoint, if no other run is served.
 */
const runsToOpen = 3;
/**
 * Milliseconds for which a state that was read from the store applies. If the last read is older, this worker decides
 * alone.
 */
const guardStateLastsMs = 5000;
/** Number of concurrent calls at which a slow start is complete, so that the breaker closes. */
const wholeStart = 1000;

export interface EndedCall {
  feedId: string;
  cause: string;
  /** True if the endpoint serves another run of the shard. The failure then concerns only the call's own run. */
  othersAreServed: boolean;
  /** Pause in milliseconds that the endpoint requested; null if it requested none. */
  retryAfterMs: number | null;
  startedMs: number;
  nowMs: number;
}

/**
 * Report to the store. `open`: the endpoint seems to be down. `probe-answered`, `probe-failed`: the probe has ended.
 * `alive`: the breaker is open, but a feed was answered. `recovered`: like `alive`, and the endpoint needs a slow
 * start.
 */
export interface GuardReport {
  kind: 'open' | 'probe-answered' | 'probe-failed' | 'alive' | 'recovered';
  cause: string;
  retryAfterMs: number | null;
}

/**
 * Circuit breaker of an endpoint, which all workers share. By its own calls, this worker detects that the endpoint is
 * down, and reports this to the store. From then on, the state in the store applies, whichever worker has reported it:
 * only the worker with the grant for a probe may call. When a probe is answered, all workers together start slowly.
 * While the store cannot be reached, this worker decides alone.
 */
export interface Breaker {
  isOpen(nowMs: number): boolean;
  /** Returns the cause to display to users; null if the breaker is not open. */
  cause(nowMs: number): string | null;
  /** Returns how many calls of this worker may be in flight now; infinite if the breaker is closed. */
  allowed(nowMs: number): number;
  /** Returns the milliseconds until the next probe, by any worker, if the breaker is open. */
  retryInMs(nowMs: number): number;
  /**
   * Returns the milliseconds until this worker may make the probe; 0 if it has the grant. Infinite if it needs a grant,
   * or if its probe is in flight.
   */
  callInMs(nowMs: number): number;
  onBegin(nowMs: number): void;
  /**
   * Reports that a call has ended.
   * @returns true if the breaker opened because of this call
   */
  onEnd(end: CallEnd, call: EndedCall): boolean;
  /**
   * Reports an answer to a feed whose own calls had not failed. The endpoint then works, and the fault that opened the
   * breaker concerns only other feeds. Has no effect if the call began before the breaker opened.
   * @param isRecovery true if the endpoint was probably down for all feeds, so that it needs a slow start
   */
  onAlive(startedMs: number, nowMs: number, isRecovery: boolean): void;
  /** Reports that a call was begun for this breaker, but was not made. */
  onNoCall(): void;
  readonly report: GuardReport | null;
  /** Returns the report to write; null if there is none. From this call on, the store may have the report. */
  takeReport(): GuardReport | null;
  /** Removes a report that the store has received. If there is a newer report by now, it is kept. */
  onReported(written: GuardReport, nowMs: number): void;
  /**
   * Applies the state that was read from the store.
   * @param guardState state in the store; null if the store does not know of an outage
   * @param requestedAtMs time at which the state was requested
   * @returns true if the breaker opened because of this state
   */
  onGuardRead(guardState: GuardState | null, requestedAtMs: number): boolean;
  wantsProbe(nowMs: number): boolean;
  /** Grants the next probe to this worker. The probe must begin before `untilMs`. */
  onGrant(untilMs: number): void;
}

type Mode =
  | { kind: 'closed' }
  /**
   * The endpoint is down, according to this worker's own calls. If the store cannot be reached, this worker makes the
   * probes itself.
   */
  | { kind: 'found-down'; cause: string; retryAtMs: number }
  /**
   * A probe of this worker was answered, and the store cannot be reached. The number of allowed calls doubles with each
   * round of answers.
   */
  | { kind: 'starting-alone'; limit: number; answered: number }
  /**
   * The endpoint is down, according to the store. Only the worker with the grant for the probe may call. Valid for
   * `lookLastsMs`.
   */
  | { kind: 'known-down'; cause: string; retryAtMs: number }
  /** The endpoint is starting slowly, according to the store, together for all workers. Valid for `lookLastsMs`. */
  | { kind: 'starting-together'; sinceMs: number; workers: number; rank: number };

const closed: Mode = { kind: 'closed' };

/**
 * @param random returns a random number in [0, 1)
 * @param onSlowStart called when the endpoint is back, and the number of its calls begins to grow
 */
export function createBreaker(random: () => number, onSlowStart: () => void = () => undefined): Breaker {
  let mode: Mode = closed;
  /** Time at which the breaker opened, as far as this worker knows. */
  let openedAtMs = Number.NEGATIVE_INFINITY;
  /** Time at which this worker learned that the endpoint is back. Failures of calls that began earlier are ignored. */
  let backAtMs = Number.NEGATIVE_INFINITY;
  const evidence = { failures: 0, misconfiguredRuns: new Set<string>(), openings: 0 };
  const probe = { grantedUntilMs: Number.NEGATIVE_INFINITY, isUnderWay: false };
  let readAtMs = Number.NEGATIVE_INFINITY;
  let report: GuardReport | null = null;
  let taken: GuardReport | null = null;
  /** Time of the last report. A state that was requested from the store earlier does not include this report. */
  let reportedAtMs = Number.NEGATIVE_INFINITY;

  const isAlone = (nowMs: number) => nowMs - readAtMs > guardStateLastsMs;

  function modeAt(nowMs: number): Mode {
    const isOfStore = mode.kind === 'known-down' || mode.kind === 'starting-together';
    return isOfStore && isAlone(nowMs) ? closed : mode;
  }

  function downAt(nowMs: number) {
    const now = modeAt(nowMs);
    return now.kind === 'found-down' || now.kind === 'known-down' ? now : null;
  }

  function allowed(nowMs: number): number {
    const now = modeAt(nowMs);
    switch (now.kind) {
      case 'closed':
        return Number.POSITIVE_INFINITY;
      case 'starting-alone':
        return now.limit;
      case 'starting-together':
        return partOf(slowStartCalls(nowMs - now.sinceMs), now.workers, now.rank);
      default:
        return (isAlone(nowMs) ? nowMs >= now.retryAtMs : nowMs < probe.grantedUntilMs) ? 1 : 0;
    }
  }

  function open({ cause, retryAfterMs, nowMs }: EndedCall): void {
    if (mode.kind !== 'found-down') openedAtMs = nowMs;
    evidence.openings++;
    mode = { kind: 'found-down', cause, retryAtMs: nowMs + probeDelayMs(evidence.openings, retryAfterMs, random()) };
  }

  function onAnswer(nowMs: number): void {
    evidence.failures = 0;
    evidence.misconfiguredRuns.clear();
    if (mode.kind === 'found-down') {
      backAtMs = nowMs;
      mode = { kind: 'starting-alone', limit: 2, answered: 0 };
      onSlowStart();
      // The outage has ended before it was reported, so the report is not needed any more.
      if (report?.kind === 'open') report = null;
    } else if (mode.kind === 'starting-alone') onRoundOf(mode);
  }

  function onRoundOf({ limit, answered }: Extract<Mode, { kind: 'starting-alone' }>): void {
    if (answered + 1 < limit) mode = { kind: 'starting-alone', limit, answered: answered + 1 };
    else if (limit < wholeStart) mode = { kind: 'starting-alone', limit: limit * 2, answered: 0 };
    else {
      mode = closed;
      evidence.openings = 0;
    }
  }

  /**
   * Counts a failed call.
   * @returns true if the breaker opened because of this call
   */
  function onFailure(end: CallEnd, call: EndedCall): boolean {
    const { startedMs, nowMs, feedId } = call;
    if (startedMs < backAtMs) return false;
    const atMost = allowed(nowMs);
    if (end === 'misconfigured') evidence.misconfiguredRuns.add(feedId);
    else evidence.failures++;
    if (call.othersAreServed) return false;
    // If the breaker allows fewer calls than `failuresToOpen`, that many failures open it.
    const isDown = evidence.failures >= Math.min(failuresToOpen, atMost);
    if (!isDown && evidence.misconfiguredRuns.size < runsToOpen) return false;
    open(call);
    report = { kind: 'open', cause: call.cause, retryAfterMs: call.retryAfterMs };
    return true;
  }

  /**
   * Keeps the breaker open until the store begins the slow start of all workers. If the store cannot be reached, this
   * worker starts slowly alone.
   */
  function onRecovery(cause: string, nowMs: number): void {
    if (isAlone(nowMs)) {
      onAnswer(nowMs);
      return;
    }
    const isKnown = report?.kind !== 'open' || report === taken;
    if (isKnown && report?.kind !== 'recovered') report = { kind: 'recovered', cause, retryAfterMs: null };
  }

  function forgetOwn(): void {
    if (mode.kind !== 'found-down' && mode.kind !== 'starting-alone') return;
    evidence.failures = 0;
    evidence.openings = 0;
  }

  return {
    isOpen: (nowMs) => downAt(nowMs) !== null,
    cause: (nowMs) => downAt(nowMs)?.cause ?? null,
    allowed,
    retryInMs: (nowMs) => Math.max(0, (downAt(nowMs)?.retryAtMs ?? nowMs) - nowMs),
    callInMs: (nowMs) => {
      if (probe.isUnderWay) return Number.POSITIVE_INFINITY;
      if (isAlone(nowMs)) return Math.max(0, (downAt(nowMs)?.retryAtMs ?? nowMs) - nowMs);
      return nowMs < probe.grantedUntilMs ? 0 : Number.POSITIVE_INFINITY;
    },
    onBegin: (nowMs) => {
      if (downAt(nowMs)) probe.isUnderWay = true;
    },
    onAlive: (startedMs, nowMs, isRecovery) => {
      const down = downAt(nowMs);
      if (!down || startedMs < openedAtMs) return;
      if (isRecovery) {
        onRecovery(down.cause, nowMs);
        return;
      }
      mode = closed;
      backAtMs = nowMs;
      evidence.failures = 0;
      evidence.misconfiguredRuns.clear();
      evidence.openings = 0;
      probe.grantedUntilMs = Number.NEGATIVE_INFINITY;
      // If the store has not received the report of the outage yet, the recovery need not be reported either.
      const isKnown = report?.kind !== 'open' || report === taken;
      report = isKnown ? { kind: 'alive', cause: down.cause, retryAfterMs: null } : null;
    },
    onNoCall: () => {
      probe.isUnderWay = false;
    },
    onEnd: (end, call) => {
      const { nowMs, cause, retryAfterMs } = call;
      const wasProbe = probe.isUnderWay;
      probe.isUnderWay = false;
      if (wasProbe && !isAlone(nowMs)) {
        probe.grantedUntilMs = Number.NEGATIVE_INFINITY;
        report = { kind: end === 'answered' ? 'probe-answered' : 'probe-failed', cause, retryAfterMs };
        return false;
      }
      const down = downAt(nowMs);
      // A call that was in flight when the breaker opened proves nothing new. If the store cannot be reached, only a
      // failed probe postpones the next one.
      if (down && !isAlone(nowMs)) return false;
      if (end === 'answered') onAnswer(nowMs);
      else if (!down) return onFailure(end, call);
      else if (nowMs >= down.retryAtMs) open(call);
      return false;
    },
    get report() {
      return report;
    },
    takeReport: () => (taken = report),
    onReported: (written, nowMs) => {
      if (report === written) report = null;
      reportedAtMs = nowMs;
    },
    onGuardRead: (state, requestedAtMs) => {
      const wasOpen = downAt(requestedAtMs) !== null;
      readAtMs = requestedAtMs;
      if (report !== null || requestedAtMs < reportedAtMs) return false;
      forgetOwn();
      mode = state ? modeOf(state, requestedAtMs) : closed;
      const isOpen = downAt(requestedAtMs) !== null;
      if (!wasOpen && isOpen) openedAtMs = requestedAtMs;
      if (wasOpen && !isOpen) backAtMs = requestedAtMs;
      if (wasOpen && mode.kind === 'starting-together') onSlowStart();
      if (!isOpen) probe.grantedUntilMs = Number.NEGATIVE_INFINITY;
      return !wasOpen && isOpen;
    },
    wantsProbe: (nowMs) => {
      const now = modeAt(nowMs);
      if (now.kind !== 'known-down' || probe.isUnderWay || report !== null) return false;
      return nowMs >= now.retryAtMs && nowMs >= probe.grantedUntilMs;
    },
    onGrant: (untilMs) => {
      probe.grantedUntilMs = untilMs;
    },
  };
}

function modeOf(guard: GuardState, requestedAtMs: number): Mode {
  if (guard.state === 'open')
    return { kind: 'known-down', cause: guard.cause, retryAtMs: requestedAtMs + guard.retryInMs };
  const { sinceMs, workers, rank } = guard;
  return { kind: 'starting-together', sinceMs: requestedAtMs - sinceMs, workers, rank };
}
