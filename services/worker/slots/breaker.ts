import { probeDelayMs } from '../../../shared/domain/endpoint/endpoint-guards.ts';

/** Calls in a row, over all runs, that brought no answer, until the shard's endpoint counts as down. */
const failuresToOpen = 10;
/** Runs that are refused for a fault of configuration, with no other that is served, until it is the endpoint's fault and not theirs. */
const runsToOpen = 3;

export type CallEnd = 'answered' | 'unanswered' | 'misconfigured';

export interface EndedCall {
  feedId: string;
  cause: string;
  /** Whether another run of the shard, with calls under way, was answered last. */
  othersAreServed: boolean;
  /** What the endpoint asked for; null where it did not. */
  retryAfterMs: number | null;
  nowMs: number;
}

/**
 * Keeps the calls of this worker to an endpoint that is down few. Closed, until it does not answer; open, with one call now and then to see; and when that
 * is answered, closed with a slow start: the slots double with each round that is answered.
 */
export interface Breaker {
  readonly isOpen: boolean;
  /** What people are shown; null unless it is open. */
  readonly cause: string | null;
  /** Calls that may be in flight now; infinite where nothing is wrong. */
  allowed(nowMs: number): number;
  /** When it is open: until the next probe. */
  retryInMs(nowMs: number): number;
  /**
   * A call has ended.
   * @param atMost how many were allowed at once: when there are few, fewer failures count as down
   * @returns true when the breaker opened by it
   */
  onEnd(end: CallEnd, call: EndedCall, atMost?: number): boolean;
  /** Closes it, without a slow start. */
  reset(): void;
}

/** @param random in [0, 1) */
export function createBreaker(random: () => number): Breaker {
  let failures = 0;
  let misconfiguredRuns = new Set<string>();
  let cause: string | null = null;
  /** How often in a row it opened. */
  let openings = 0;
  let probeAtMs = 0;
  /** While it closes slowly; infinite otherwise. */
  let limit = Number.POSITIVE_INFINITY;
  let answeredAtLimit = 0;

  function onAnswer(): boolean {
    failures = 0;
    if (misconfiguredRuns.size > 0) misconfiguredRuns = new Set();
    if (cause !== null) {
      cause = null;
      limit = 2;
      answeredAtLimit = 0;
    } else if (limit !== Number.POSITIVE_INFINITY && ++answeredAtLimit >= limit) {
      limit = limit >= 1000 ? Number.POSITIVE_INFINITY : limit * 2;
      answeredAtLimit = 0;
      if (limit === Number.POSITIVE_INFINITY) openings = 0;
    }
    return false;
  }

  function open({ cause: why, retryAfterMs, nowMs }: EndedCall): boolean {
    const wasOpen = cause !== null;
    openings++;
    cause = why;
    probeAtMs = nowMs + probeDelayMs(openings, retryAfterMs, random());
    return !wasOpen;
  }

  return {
    get isOpen() {
      return cause !== null;
    },
    get cause() {
      return cause;
    },
    allowed: (nowMs) => (cause === null ? limit : nowMs >= probeAtMs ? 1 : 0),
    retryInMs: (nowMs) => (cause === null ? 0 : Math.max(0, probeAtMs - nowMs)),
    onEnd: (end, call, atMost = limit) => {
      if (end === 'answered') return onAnswer();
      // Calls that were under way when it opened: only a probe may put the next one off.
      if (cause !== null) return call.nowMs >= probeAtMs && open(call);
      if (end === 'misconfigured') misconfiguredRuns.add(call.feedId);
      else failures++;
      if (call.othersAreServed) return false;
      const isDown = failures >= Math.min(failuresToOpen, atMost) || misconfiguredRuns.size >= runsToOpen;
      return isDown && open(call);
    },
    reset: () => {
      failures = 0;
      cause = null;
      limit = Number.POSITIVE_INFINITY;
      openings = 0;
    },
  };
}
