import type { RateUnit } from '../../../shared/domain/endpoint/rate-shares.ts';

export type RatePerSecond = Readonly<Partial<Record<RateUnit, number | undefined>>>;

/** Seconds of the rate that may accumulate while no calls are made. They suffice to shorten the first wait. */
const burstSeconds = 0.1;
/**
 * Factor by which the requested rate exceeds the rate that the worker used last. It allows the rate to grow until the
 * next exchange with the database.
 */
const headroom = 1.25;
/** Part of the rate that a worker without recent calls requests. */
const leastPart = 0.01;

export interface RateBucket {
  readonly unit: RateUnit;
  readonly ratePerSecond: number;
  /**
   * Returns the rate per second that this worker could use, estimated from its calls and waits since the last exchange.
   */
  takeDemand(nowMs: number): number;
  /** Returns the rate per second that this worker may use now. */
  using(nowMs: number): number;
  /**
   * Sets this worker's share.
   * @param untilMs time at which the share expires
   */
  hold(share: number, untilMs: number, nowMs: number): void;
}

/**
 * Rate limit of an action type on this worker. The worker has shares of the rate of all workers: one in calls per
 * second, one in users per second. A share that was not renewed in time counts as 0, so that no call begins.
 */
export interface RateLimit {
  /** Returns the milliseconds until a call for so many users may begin; infinite if the worker has no share. */
  waitMs(users: number, nowMs: number): number;
  take(users: number, nowMs: number): void;
  /**
   * Returns how many of the wanted calls the rate allows within `ms`.
   * @param users number of users of each call
   */
  callsIn(wanted: number, ms: number, users: number, nowMs: number): number;
  readonly buckets: readonly RateBucket[];
}

interface Tokens extends RateBucket {
  callsIn(wanted: number, ms: number, cost: number, nowMs: number): number;
  waitMs(cost: number, nowMs: number): number;
  take(cost: number, nowMs: number): void;
}

/** Creates the rate limit; null if the action type has no rate. */
export function createRateLimit(rate: RatePerSecond | undefined, nowMs: number): RateLimit | null {
  const calls = rate?.calls === undefined ? null : createTokens('calls', rate.calls, nowMs);
  const users = rate?.users === undefined ? null : createTokens('users', rate.users, nowMs);
  if (!calls && !users) return null;
  return {
    waitMs: (count, at) => Math.max(calls?.waitMs(1, at) ?? 0, users?.waitMs(count, at) ?? 0),
    take: (count, at) => {
      calls?.take(1, at);
      users?.take(count, at);
    },
    callsIn: (wanted, ms, count, at) => {
      const byCalls = calls?.callsIn(wanted, ms, 1, at) ?? wanted;
      return users?.callsIn(byCalls, ms, Math.max(1, count), at) ?? byCalls;
    },
    buckets: [calls, users].filter((bucket) => bucket !== null),
  };
}

function createTokens(unit: RateUnit, ratePerSecond: number, beginMs: number): Tokens {
  let share = 0;
  let untilMs = Number.NEGATIVE_INFINITY;
  let tokens = 0;
  /**
   * Highest cost of a call so far. For a call that costs more than the burst, tokens accumulate up to its cost, however
   * long that takes.
   */
  let dearest = 1;
  let filledAtMs = beginMs;
  let used = 0;
  let hasWaited = true;
  let requestedAtMs = beginMs;

  const using = (nowMs: number) => (nowMs < untilMs ? share : 0);

  function fill(nowMs: number): void {
    const fromMs = filledAtMs;
    filledAtMs = nowMs;
    tokens += (share * Math.max(0, Math.min(nowMs, untilMs) - fromMs)) / 1000;
    // The burst is added to the cost of the most expensive call. Otherwise, a worker that wakes a moment too late would
    // lose tokens.
    tokens = Math.min(tokens, dearest + share * burstSeconds);
  }

  function waitMs(cost: number, nowMs: number): number {
    dearest = Math.max(dearest, cost);
    fill(nowMs);
    if (using(nowMs) === 0) {
      hasWaited = true;
      return Number.POSITIVE_INFINITY;
    }
    const missing = cost - tokens;
    // A difference that is only a rounding error must not cause another wait.
    if (missing <= 1e-6) return 0;
    hasWaited = true;
    return (missing / share) * 1000;
  }

  return {
    unit,
    ratePerSecond,
    using,
    waitMs,
    callsIn: (wanted, ms, cost, nowMs) => {
      const allowed = Math.ceil((using(nowMs) * ms) / 1000 / cost);
      if (allowed < wanted) hasWaited = true;
      return Math.min(allowed, wanted);
    },
    take: (cost, nowMs) => {
      fill(nowMs);
      tokens -= cost;
      used += cost;
    },
    hold: (next, nextUntilMs, nowMs) => {
      fill(nowMs);
      share = next;
      untilMs = nextUntilMs;
    },
    takeDemand: (nowMs) => {
      const seconds = Math.max(0.001, (nowMs - requestedAtMs) / 1000);
      const wanted = headroom * (used / seconds) + leastPart * ratePerSecond;
      const demand = hasWaited ? ratePerSecond : Math.min(ratePerSecond, wanted);
      requestedAtMs = nowMs;
      used = 0;
      hasWaited = false;
      return demand;
    },
  };
}
