import type { RateUnit } from '../../../shared/domain/endpoint/rate-shares.ts';

export type RatePerSecond = Readonly<Partial<Record<RateUnit, number | undefined>>>;

/** What may be saved up while there is nothing to call for: it shortens the first wait, and is gone at once. */
const burstSeconds = 0.1;
/** On top of what a worker used last, so that it can grow without asking again. */
const headroom = 1.25;
/** Of the rate, for a worker that used nothing lately. */
const leastPart = 0.01;

/** One unit of a rate: what this worker holds of it. */
export interface RateBucket {
  readonly unit: RateUnit;
  readonly ratePerSecond: number;
  /** Per second: what this worker could use, by what it used and whether it had to wait since it was asked last. */
  takeDemand(nowMs: number): number;
  /** Per second: what it may use now. */
  using(nowMs: number): number;
  /** @param untilMs the share is void from then on */
  hold(share: number, untilMs: number, nowMs: number): void;
}

/**
 * An action type's rate on this worker: its shares of what all workers may call together, in calls and in users per
 * second. A share that was not renewed in time is nothing: then no call begins.
 */
export interface RateLimit {
  /** Until a call for so many users may begin; infinite without a share. */
  waitMs(users: number, nowMs: number): number;
  /** A call begins. */
  take(users: number, nowMs: number): void;
  /** Of the calls that are wanted, for so many users each, those that this time allows. */
  callsIn(wanted: number, ms: number, users: number, nowMs: number): number;
  readonly buckets: readonly RateBucket[];
}

interface Tokens extends RateBucket {
  callsIn(wanted: number, ms: number, cost: number, nowMs: number): number;
  waitMs(cost: number, nowMs: number): number;
  take(cost: number, nowMs: number): void;
}

/** Null where nothing limits it. */
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
  /** What costs more than the burst is saved up for, however long that takes. */
  let dearest = 1;
  let filledAtMs = beginMs;
  let used = 0;
  let hasWaited = true;
  let askedAtMs = beginMs;

  const using = (nowMs: number) => (nowMs < untilMs ? share : 0);

  function fill(nowMs: number): void {
    const fromMs = filledAtMs;
    filledAtMs = nowMs;
    tokens += (share * Math.max(0, Math.min(nowMs, untilMs) - fromMs)) / 1000;
    // Beyond the dearest call: who wakes a moment late has lost nothing.
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
    // What floating point leaves open is no reason to wake up once more.
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
      const seconds = Math.max(0.001, (nowMs - askedAtMs) / 1000);
      const wanted = headroom * (used / seconds) + leastPart * ratePerSecond;
      const demand = hasWaited ? ratePerSecond : Math.min(ratePerSecond, wanted);
      askedAtMs = nowMs;
      used = 0;
      hasWaited = false;
      return demand;
    },
  };
}
