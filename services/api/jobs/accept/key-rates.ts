import type { Clock } from '../../../../shared/ports/clock.ts';
import { createLoop } from '../../../../shared/runtime/loop.ts';
import type { Logger } from '../../../../shared/runtime/logger.ts';
import { refill, secondsUntilOne, type RateShare } from '../../clients/rate-share.ts';

/** Milliseconds between two exchanges with other processes. */
const pollEveryMs = 1000;
/** Milliseconds without submitted jobs after which a key is dropped. */
const forgetAfterMs = 60_000;

export interface KeyRatesDeps {
  /**
   * Adds the jobs that this process has submitted since the last exchange. Returns the total of all other processes by
   * key.
   */
  exchange: (submitted: ReadonlyMap<string, number>) => Promise<ReadonlyMap<string, number>>;
  clock: Clock;
  logger: Logger;
}

interface KeyRate extends RateShare {
  usedAtMs: number;
  /** Number of jobs that this process has counted and not exchanged yet. */
  unreported: number;
  /** Total of the other processes, and the time at which it was read. */
  lastExchange: { others: number; atMs: number } | null;
}

/**
 * Rate limits of keys that have limits of their own. A process learns of the use by other processes with a delay of a
 * second, so a limit may be exceeded for that long. While no such key submits jobs, nothing is exchanged.
 */
export interface KeyRates {
  /**
   * Uses the rate for one job.
   * @returns undefined if the rate allows the job, otherwise the seconds to wait
   */
  take(key: string, perSecond: number): number | undefined;
  refund(key: string, jobs: number): void;
  start(): void;
  stop(): Promise<void>;
}

export function createKeyRates({ exchange, clock, logger }: KeyRatesDeps): KeyRates {
  const rates = new Map<string, KeyRate>();

  function rateOf(key: string, perSecond: number, nowMs: number): KeyRate {
    const known = rates.get(key);
    if (known) return known;
    const fresh = { usedAtMs: nowMs, tokens: perSecond, filledAtMs: nowMs, othersPerSecond: 0, unreported: 0 };
    const rate = { ...fresh, lastExchange: null };
    rates.set(key, rate);
    return rate;
  }

  async function poll(): Promise<number> {
    const nowMs = clock.monotonicMs();
    for (const [key, { usedAtMs, unreported: unreported }] of rates) {
      if (unreported === 0 && nowMs - usedAtMs > forgetAfterMs) rates.delete(key);
    }
    if (rates.size === 0) return pollEveryMs;
    const reported = new Map([...rates].map(([key, { unreported: unreported }]) => [key, unreported]));
    const others = await exchange(reported);
    for (const [key, jobs] of reported) {
      const rate = rates.get(key);
      if (rate) note(rate, jobs, others.get(key) ?? 0);
    }
    return pollEveryMs;
  }

  function note(rate: KeyRate, reported: number, others: number): void {
    const atMs = clock.monotonicMs();
    const { lastExchange } = rate;
    if (lastExchange) {
      // The total decreases when the row of a process that ended long ago is deleted.
      rate.othersPerSecond = (Math.max(0, others - lastExchange.others) * 1000) / Math.max(1, atMs - lastExchange.atMs);
    }
    rate.lastExchange = { others, atMs };
    rate.unreported -= reported;
  }

  const loop = createLoop({ name: 'exchange-key-rates', turn: poll, afterErrorMs: pollEveryMs, clock, logger });

  return {
    take: (key, perSecond) => {
      const nowMs = clock.monotonicMs();
      const rate = rateOf(key, perSecond, nowMs);
      rate.usedAtMs = nowMs;
      const share = refill(rate, perSecond, nowMs);
      if (rate.tokens < 1) return secondsUntilOne(rate, share);
      rate.tokens -= 1;
      rate.unreported += 1;
      return undefined;
    },
    refund: (key, jobs) => {
      const rate = rates.get(key);
      if (!rate) return;
      rate.tokens += jobs;
      // The number may become negative. The next exchange then subtracts jobs that were counted before.
      rate.unreported -= jobs;
    },
    start: () => loop.start(),
    stop: () => loop.stop(),
  };
}
