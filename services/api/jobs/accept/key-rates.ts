import type { Clock } from '../../../../shared/ports/clock.ts';
import { createLoop } from '../../../../shared/runtime/loop.ts';
import type { Logger } from '../../../../shared/runtime/logger.ts';
import { refill, secondsUntilOne, type RateShare } from '../../clients/rate-share.ts';

/** Between two looks at what the other processes have taken. */
const lookEveryMs = 1000;
/** Keys that brought nothing for so long are not looked at. */
const forgetAfterMs = 60_000;

export interface KeyRatesDeps {
  /** Adds what keys brought here since the last time, and says how much of each all others have brought in all. */
  exchange: (brought: ReadonlyMap<string, number>) => Promise<ReadonlyMap<string, number>>;
  clock: Clock;
  logger: Logger;
}

interface KeyRate extends RateShare {
  usedAtMs: number;
  /** Taken here, and not told yet. */
  untold: number;
  /** Of the others, in all. */
  looked: { others: number; atMs: number } | null;
}

/**
 * The rates of keys that have one of their own. A process knows what the others took a second ago, so a rate may be
 * passed for as long. While no such key brings anything, nothing is asked.
 */
export interface KeyRates {
  /** @returns undefined where there is room for one job, and seconds to wait where there is none */
  take(key: string, perSecond: number): number | undefined;
  /** Gives room back: the job was a duplicate, or was not stored. */
  giveBack(key: string, jobs: number): void;
  start(): void;
  stop(): Promise<void>;
}

export function createKeyRates({ exchange, clock, logger }: KeyRatesDeps): KeyRates {
  const rates = new Map<string, KeyRate>();

  function rateOf(key: string, perSecond: number, nowMs: number): KeyRate {
    const known = rates.get(key);
    if (known) return known;
    const fresh = { usedAtMs: nowMs, tokens: perSecond, filledAtMs: nowMs, othersPerSecond: 0, untold: 0 };
    const rate = { ...fresh, looked: null };
    rates.set(key, rate);
    return rate;
  }

  async function look(): Promise<number> {
    const nowMs = clock.monotonicMs();
    for (const [key, { usedAtMs, untold }] of rates) {
      if (untold === 0 && nowMs - usedAtMs > forgetAfterMs) rates.delete(key);
    }
    if (rates.size === 0) return lookEveryMs;
    const told = new Map([...rates].map(([key, { untold }]) => [key, untold]));
    const others = await exchange(told);
    for (const [key, jobs] of told) {
      const rate = rates.get(key);
      if (rate) note(rate, jobs, others.get(key) ?? 0);
    }
    return lookEveryMs;
  }

  function note(rate: KeyRate, told: number, others: number): void {
    const atMs = clock.monotonicMs();
    const { looked } = rate;
    if (looked) {
      // Less than before: a process that has long ended was forgotten.
      rate.othersPerSecond = (Math.max(0, others - looked.others) * 1000) / Math.max(1, atMs - looked.atMs);
    }
    rate.looked = { others, atMs };
    rate.untold -= told;
  }

  const loop = createLoop({ name: 'exchange-key-rates', turn: look, afterErrorMs: lookEveryMs, clock, logger });

  return {
    take: (key, perSecond) => {
      const nowMs = clock.monotonicMs();
      const rate = rateOf(key, perSecond, nowMs);
      rate.usedAtMs = nowMs;
      const share = refill(rate, perSecond, nowMs);
      if (rate.tokens < 1) return secondsUntilOne(rate, share);
      rate.tokens -= 1;
      rate.untold += 1;
      return undefined;
    },
    giveBack: (key, jobs) => {
      const rate = rates.get(key);
      if (!rate) return;
      rate.tokens += jobs;
      // Below zero: what was told already is taken back with the next exchange.
      rate.untold -= jobs;
    },
    start: () => loop.start(),
    stop: () => loop.stop(),
  };
}
