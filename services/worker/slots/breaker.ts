import { partOf, probeDelayMs, slowStartCalls } from '../../../shared/domain/endpoint/endpoint-guards.ts';
import type { CallEnd } from '../../../shared/domain/endpoint/own-matter.ts';
import type { GuardLook } from '../../../shared/ports/endpoint-guards.ts';

/** Calls in a row, over all runs, that brought no answer, until the shard's endpoint counts as down. */
const failuresToOpen = 10;
/**
 * Runs that are refused for a fault of configuration, with no other that is served, until it is the endpoint's fault
 * and not theirs.
 */
const runsToOpen = 3;
/** What was looked at longer ago says nothing any more: then this worker is on its own. */
const lookLastsMs = 5000;
/** Beyond this, nothing is left of a slow start. */
const wholeStart = 1000;

export interface EndedCall {
  feedId: string;
  cause: string;
  /** True if the endpoint serves another run of the shard: then the end is this run's own matter. */
  othersAreServed: boolean;
  /** What the endpoint asked for; null where it did not. */
  retryAfterMs: number | null;
  startedMs: number;
  nowMs: number;
}

/**
 * A report to the store: the calls met nothing but failures, the probe has ended, or a feed was answered although the
 * breaker is open (`recovered` if the endpoint is to start slowly).
 */
export interface GuardReport {
  kind: 'open' | 'probe-answered' | 'probe-failed' | 'alive' | 'recovered';
  cause: string;
  retryAfterMs: number | null;
}

/**
 * Keeps the calls to an endpoint that is down few, over all workers. This worker finds out by its own calls that the
 * endpoint is down, and reports it to the store; from then on the store's word counts, whichever worker reported it: no
 * worker calls but the one that was given the probe, and when that is answered, all start slowly together. As long as
 * the store cannot be asked, this worker decides alone.
 */
export interface Breaker {
  isOpen(nowMs: number): boolean;
  /** What people are shown; null unless it is open. */
  cause(nowMs: number): string | null;
  /** Calls of this worker that may be in flight now; infinite where nothing is wrong. */
  allowed(nowMs: number): number;
  /** When it is open: until the next probe, whichever worker makes it. */
  retryInMs(nowMs: number): number;
  /** When it is open: until this worker may probe without asking; infinite where it has to ask, or does already. */
  callInMs(nowMs: number): number;
  onBegin(nowMs: number): void;
  /** A call has ended. @returns true when the breaker opened by it */
  onEnd(end: CallEnd, call: EndedCall): boolean;
  /**
   * A feed that had not met the trouble itself was answered: the endpoint works, and what opened the breaker is the
   * matter of other feeds. No effect unless the call began while the breaker was open.
   * @param isRecovery true if the endpoint was probably down for all feeds: then it starts slowly
   */
  onAlive(startedMs: number, nowMs: number, isRecovery: boolean): void;
  /** What was begun was not called after all. */
  onNoCall(): void;
  /** Report that is to be written to the store. */
  readonly report: GuardReport | null;
  /** Returns the report for writing. From now on the store may know of it. */
  takeReport(): GuardReport | null;
  /** The store has this report. One that was made in the meantime is still to be written. */
  onReported(written: GuardReport, nowMs: number): void;
  /** @param look null: it is well. @param askedAtMs when it was asked. @returns true when the breaker opened by it */
  onLook(look: GuardLook | null, askedAtMs: number): boolean;
  wantsProbe(nowMs: number): boolean;
  /** The next probe is this worker's, if it begins by then. */
  onGrant(untilMs: number): void;
}

type Mode =
  /** Nothing is wrong. */
  | { kind: 'closed' }
  /** Found by this worker's own calls. Without the store, this worker probes. */
  | { kind: 'found-down'; cause: string; retryAtMs: number }
  /** Without the store, after this worker's probe was answered: the calls double with each round that is answered. */
  | { kind: 'starting-alone'; limit: number; answered: number }
  /** The store's word, good until it is `lookLastsMs` old: the worker probes to which the store gives the probe. */
  | { kind: 'known-down'; cause: string; retryAtMs: number }
  /** The store's word likewise: all workers start together. */
  | { kind: 'starting-together'; sinceMs: number; workers: number; rank: number };

const closed: Mode = { kind: 'closed' };

/**
 * @param random in [0, 1)
 * @param onSlowStart the endpoint was down and answers again: its calls become more from here on
 */
export function createBreaker(random: () => number, onSlowStart: () => void = () => undefined): Breaker {
  let mode: Mode = closed;
  /** When it opened, as far as this worker knows. */
  let openedAtMs = Number.NEGATIVE_INFINITY;
  /** When this worker learned that the endpoint is back. Calls that began before and fail say nothing about it. */
  let backAtMs = Number.NEGATIVE_INFINITY;
  const evidence = { failures: 0, misconfiguredRuns: new Set<string>(), openings: 0 };
  const probe = { grantedUntilMs: Number.NEGATIVE_INFINITY, isUnderWay: false };
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  let report: GuardReport | null = null;
  let taken: GuardReport | null = null;
  /** What was asked before does not know yet what was reported. */
  let reportedAtMs = Number.NEGATIVE_INFINITY;

  const isAlone = (nowMs: number) => nowMs - lookedAtMs > lookLastsMs;

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
      // It is over before it could be reported.
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

  /** @returns true when it opened by it */
  function onFailure(end: CallEnd, call: EndedCall): boolean {
    const { startedMs, nowMs, feedId } = call;
    if (startedMs < backAtMs) return false;
    const atMost = allowed(nowMs);
    if (end === 'misconfigured') evidence.misconfiguredRuns.add(feedId);
    else evidence.failures++;
    if (call.othersAreServed) return false;
    // Where few calls are allowed at once, fewer failures count as down.
    const isDown = evidence.failures >= Math.min(failuresToOpen, atMost);
    if (!isDown && evidence.misconfiguredRuns.size < runsToOpen) return false;
    open(call);
    report = { kind: 'open', cause: call.cause, retryAfterMs: call.retryAfterMs };
    return true;
  }

  /** The breaker stays open until the store starts all workers slowly. Without the store, this worker does so alone. */
  function onRecovery(cause: string, nowMs: number): void {
    if (isAlone(nowMs)) {
      onAnswer(nowMs);
      return;
    }
    const isKnown = report?.kind !== 'open' || report === taken;
    if (isKnown && report?.kind !== 'recovered') report = { kind: 'recovered', cause, retryAfterMs: null };
  }

  /** From here on it is the store's. */
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
      // If the store does not know yet that it was down, there is nothing to report.
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
      // Calls that were under way when it opened say nothing new: without the store only a probe may put the next one
      // off.
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
    onLook: (look, askedAtMs) => {
      const wasOpen = downAt(askedAtMs) !== null;
      lookedAtMs = askedAtMs;
      if (report !== null || askedAtMs < reportedAtMs) return false;
      forgetOwn();
      mode = look ? modeOf(look, askedAtMs) : closed;
      const isOpen = downAt(askedAtMs) !== null;
      if (!wasOpen && isOpen) openedAtMs = askedAtMs;
      if (wasOpen && !isOpen) backAtMs = askedAtMs;
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

function modeOf(look: GuardLook, askedAtMs: number): Mode {
  if (look.state === 'open') return { kind: 'known-down', cause: look.cause, retryAtMs: askedAtMs + look.retryInMs };
  const { sinceMs, workers, rank } = look;
  return { kind: 'starting-together', sinceMs: askedAtMs - sinceMs, workers, rank };
}
