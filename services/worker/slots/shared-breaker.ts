import { partOf, slowStartCalls } from '../../../shared/domain/endpoint/endpoint-guards.ts';
import type { GuardLook } from '../../../shared/ports/endpoint-guards.ts';
import { createBreaker, type CallEnd, type EndedCall } from './breaker.ts';

/** What was looked at longer ago says nothing any more: then this worker is on its own. */
const lookLastsMs = 5000;

/** What the store has to be told: the calls met nothing but failures, or the probe has ended. */
export interface GuardReport {
  kind: 'open' | 'probe-answered' | 'probe-failed';
  cause: string;
  retryAfterMs: number | null;
}

/**
 * A shard's breaker as all workers share it. This worker finds out by its own calls that the endpoint is down, and tells the store; from
 * then on the store's word counts, whoever told it: nobody calls but the one that was given the probe, and when that is answered, all start
 * slowly together. As long as the store cannot be asked, the worker's own breaker decides.
 */
export interface SharedBreaker {
  isOpen(nowMs: number): boolean;
  /** What people are shown; null unless it is open. */
  cause(nowMs: number): string | null;
  /** Calls of this worker that may be in flight now; infinite where nothing is wrong. */
  allowed(nowMs: number): number;
  /** When it is open: until somebody may probe. */
  retryInMs(nowMs: number): number;
  /** When it is open: until this worker may probe without asking; infinite where it has to ask, or does already. */
  callInMs(nowMs: number): number;
  onBegin(nowMs: number): void;
  /** A call has ended. @returns true when the breaker opened by it */
  onEnd(end: CallEnd, call: EndedCall): boolean;
  /** What was begun was not called after all. */
  onNoCall(): void;
  /** To be told to the store, and then to be crossed off. */
  readonly report: GuardReport | null;
  onTold(nowMs: number): void;
  /** @param look null: it is well. @param askedAtMs when it was asked. @returns true when the breaker opened by it */
  onLook(look: GuardLook | null, askedAtMs: number): boolean;
  wantsProbe(nowMs: number): boolean;
  /** The next probe is this worker's, if it begins by then. */
  onGrant(untilMs: number): void;
}

interface SeenOpen {
  state: 'open';
  cause: string;
  retryAtMs: number;
}

interface SeenSlowStart {
  state: 'slow-start';
  sinceMs: number;
  workers: number;
  rank: number;
}

/** @param random in [0, 1) */
export function createSharedBreaker(random: () => number): SharedBreaker {
  const own = createBreaker(random);
  let seen: SeenOpen | SeenSlowStart | null = null;
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  let report: GuardReport | null = null;
  /** What was asked before does not know yet what was told. */
  let toldAtMs = Number.NEGATIVE_INFINITY;
  let grantedUntilMs = Number.NEGATIVE_INFINITY;
  let isProbing = false;

  const isAlone = (nowMs: number) => nowMs - lookedAtMs > lookLastsMs;
  const seenOpen = (nowMs: number) => (isAlone(nowMs) || seen?.state !== 'open' ? null : seen);
  const isOpen = (nowMs: number) => own.isOpen || seenOpen(nowMs) !== null;

  function allowed(nowMs: number): number {
    if (isAlone(nowMs)) return own.allowed(nowMs);
    if (isOpen(nowMs)) return nowMs < grantedUntilMs ? 1 : 0;
    if (seen?.state !== 'slow-start') return Number.POSITIVE_INFINITY;
    return partOf(slowStartCalls(nowMs - seen.sinceMs), seen.workers, seen.rank);
  }

  function ownEnd(end: CallEnd, call: EndedCall, atMost?: number): boolean {
    const opened = own.onEnd(end, call, atMost);
    if (opened) report = { kind: 'open', cause: call.cause, retryAfterMs: call.retryAfterMs };
    return opened;
  }

  function onEndAlone(end: CallEnd, call: EndedCall): boolean {
    const opened = ownEnd(end, call);
    // It is over before it could be told.
    if (report?.kind === 'open' && !own.isOpen) report = null;
    return opened;
  }

  return {
    isOpen,
    cause: (nowMs) => own.cause ?? seenOpen(nowMs)?.cause ?? null,
    allowed,
    retryInMs: (nowMs) => Math.max(own.retryInMs(nowMs), (seenOpen(nowMs)?.retryAtMs ?? nowMs) - nowMs, 0),
    callInMs: (nowMs) => {
      if (isProbing) return Number.POSITIVE_INFINITY;
      if (isAlone(nowMs)) return own.retryInMs(nowMs);
      return nowMs < grantedUntilMs ? 0 : Number.POSITIVE_INFINITY;
    },
    onBegin: (nowMs) => {
      if (isOpen(nowMs)) isProbing = true;
    },
    onNoCall: () => {
      isProbing = false;
    },
    onEnd: (end, call) => {
      const { nowMs, cause, retryAfterMs } = call;
      const wasProbe = isProbing;
      isProbing = false;
      if (isAlone(nowMs)) return onEndAlone(end, call);
      if (wasProbe) {
        grantedUntilMs = Number.NEGATIVE_INFINITY;
        report = { kind: end === 'answered' ? 'probe-answered' : 'probe-failed', cause, retryAfterMs };
        return false;
      }
      // Calls that were under way when it opened say nothing new.
      if (isOpen(nowMs)) return false;
      return ownEnd(end, call, allowed(nowMs));
    },
    get report() {
      return report;
    },
    onTold: (nowMs) => {
      report = null;
      toldAtMs = nowMs;
    },
    onLook: (look, askedAtMs) => {
      const wasOpen = isOpen(askedAtMs);
      lookedAtMs = askedAtMs;
      if (report !== null || askedAtMs < toldAtMs) return false;
      // From here on it is the store's.
      if (own.isOpen || own.allowed(askedAtMs) !== Number.POSITIVE_INFINITY) own.reset();
      seen = look && seenOf(look, askedAtMs);
      if (seen?.state !== 'open') grantedUntilMs = Number.NEGATIVE_INFINITY;
      return !wasOpen && isOpen(askedAtMs);
    },
    wantsProbe: (nowMs) => {
      const { retryAtMs } = seenOpen(nowMs) ?? { retryAtMs: Number.POSITIVE_INFINITY };
      return nowMs >= retryAtMs && nowMs >= grantedUntilMs && !isProbing && report === null;
    },
    onGrant: (untilMs) => {
      grantedUntilMs = untilMs;
    },
  };
}

function seenOf(look: GuardLook, askedAtMs: number): SeenOpen | SeenSlowStart {
  if (look.state === 'open') return { state: 'open', cause: look.cause, retryAtMs: askedAtMs + look.retryInMs };
  const { state, sinceMs, workers, rank } = look;
  return { state, sinceMs: askedAtMs - sinceMs, workers, rank };
}
