import { backoffMs } from '../../shared/domain/retry.ts';

/** Calls in a row, over all runs, that brought no answer, until the shard's endpoint counts as down. */
const failuresToOpen = 10;
/** Runs that are refused for a fault of configuration, with no other that is served, until it is the endpoint's fault and not theirs. */
const runsToOpen = 3;
const probeBackoff = { firstDelayMs: 1000, maxDelayMs: 300_000 };

export type CallEnd = 'answered' | 'unanswered' | 'misconfigured';

/**
 * Keeps the calls to an endpoint that is down few. Closed, until it does not answer; open, with one call now and then to see; and when that
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
   * @param othersAreServed whether another run of the shard, with calls under way, was answered last
   * @returns true when the breaker opened by it
   */
  onEnd(end: CallEnd, call: { feedId: string; cause: string; othersAreServed: boolean; nowMs: number }): boolean;
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

  function open(why: string, nowMs: number): boolean {
    const wasOpen = cause !== null;
    openings++;
    cause = why;
    probeAtMs = nowMs + backoffMs(probeBackoff, openings, random());
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
    onEnd: (end, { feedId, cause: why, othersAreServed, nowMs }) => {
      if (end === 'answered') return onAnswer();
      // Calls that were under way when it opened: only a probe may put the next one off.
      if (cause !== null) return nowMs >= probeAtMs && open(why, nowMs);
      if (end === 'misconfigured') misconfiguredRuns.add(feedId);
      else failures++;
      if (othersAreServed) return false;
      const isDown = failures >= Math.min(failuresToOpen, limit) || misconfiguredRuns.size >= runsToOpen;
      return isDown && open(why, nowMs);
    },
  };
}
