import { beforeEach, describe, expect, it } from 'vitest';
import { createAdaptiveLimit, type AdaptiveLimit } from './adaptive-limit.ts';
import type { Pressure } from './own-matter.ts';
import { createCallTimes, type CallTimes } from './call-times.ts';

describe('the adaptive limit of a shard', () => {
  let limit: AdaptiveLimit;
  let times: CallTimes;
  let nowMs: number;
  beforeEach(() => {
    limit = createAdaptiveLimit(2, 100);
    times = createCallTimes();
    nowMs = 0;
  });

  interface Round {
    tookMs?: number;
    pressure?: Pressure | null;
    pauseMs?: number | null;
    calls?: number;
  }

  /** Ends as many calls as are allowed one after another, and begins others in their place. */
  function round({ tookMs = 20, pressure = null, pauseMs = null, calls = limit.allowed(nowMs) }: Round = {}): void {
    const startedMs = nowMs;
    nowMs += tookMs;
    for (let call = 0; call < calls; call++) {
      if (pressure === null) times.onAnswer(tookMs, nowMs);
      limit.onEnd({ startedMs, nowMs, inFlight: calls, pressure, pauseMs, isSlower: times.isSlower });
    }
  }

  const allowed = () => limit.allowed(nowMs);
  const rounds = (count: number, how: Round = {}) => Array.from({ length: count }, () => round(how));

  it('is the upper bound while calls are answered, quickly or slowly', () => {
    for (const tookMs of [1, 20, 900, 5000]) {
      rounds(20, { tookMs });
      expect(allowed()).toBe(100);
    }
  });

  it.each<Pressure>(['throttled', 'timed-out'])(
    'halves once for concurrent calls that are %s, down to the lower bound',
    (pressure) => {
      const seen = Array.from({ length: 7 }, () => {
        round({ pressure });
        return allowed();
      });
      expect(seen).toEqual([50, 25, 12, 6, 3, 2, 2]);
    },
  );

  it('allows only whole calls while it grows by fractions', () => {
    limit = createAdaptiveLimit(2, 70);
    round({ pressure: 'timed-out' });
    expect(allowed()).toBe(35);
    round();
    expect(allowed()).toBe(36);
  });

  it('becomes half of the calls in flight if fewer calls than the limit are in flight', () => {
    round({ pressure: 'timed-out', calls: 10 });
    expect(allowed()).toBe(5);
  });

  it.each([20, 900])('grows from half to the whole in about 25 rounds of answers of %d ms', (tookMs) => {
    round({ tookMs });
    round({ pressure: 'throttled' });
    rounds(12, { tookMs });
    expect(allowed()).toBeGreaterThan(65);
    expect(allowed()).toBeLessThan(85);
    rounds(15, { tookMs });
    expect(allowed()).toBe(100);
  });

  it('does not grow while answers take much longer than before', () => {
    rounds(5, { tookMs: 20 });
    round({ pressure: 'throttled' });
    rounds(30, { tookMs: 400 });
    expect(allowed()).toBeLessThan(60);
    rounds(60, { tookMs: 20 });
    expect(allowed()).toBe(100);
  });

  it('uses the fastest answers as the normal duration, even after slow first answers', () => {
    rounds(1, { tookMs: 1000 });
    rounds(3, { tookMs: 20 });
    round({ pressure: 'throttled' });
    rounds(30, { tookMs: 400 });
    expect(allowed()).toBeLessThan(60);
  });

  it('does not grow while few calls are in flight', () => {
    round({ pressure: 'throttled' });
    rounds(500, { calls: 10 });
    expect(allowed()).toBe(50);
  });

  it('allows no call during the pause that the endpoint requested, for at most ten seconds', () => {
    round({ pressure: 'throttled', pauseMs: 3000 });
    expect([allowed(), limit.pausedForMs(nowMs)]).toEqual([0, 3000]);
    nowMs += 3000;
    expect([allowed(), limit.pausedForMs(nowMs)]).toEqual([50, 0]);
    round({ pressure: 'throttled', pauseMs: 3_600_000 });
    expect(limit.pausedForMs(nowMs)).toBe(10_000);
  });

  it('is at least one call, and its lower bound is at most the upper bound', () => {
    const narrow = createAdaptiveLimit(50, 3);
    narrow.onEnd({ startedMs: 0, nowMs: 1, inFlight: 3, pressure: 'timed-out', pauseMs: null, isSlower: false });
    expect(narrow.allowed(1)).toBe(3);
  });

  it('follows changed bounds if it is at the upper bound', () => {
    limit.resize(2, 200);
    expect(allowed()).toBe(200);
    limit.resize(2, 30);
    expect(allowed()).toBe(30);
  });

  it('keeps its value within changed bounds', () => {
    round({ pressure: 'throttled' });
    limit.resize(2, 400);
    expect(allowed()).toBe(50);
    limit.resize(70, 400);
    expect(allowed()).toBe(70);
    limit.resize(2, 30);
    expect(allowed()).toBe(30);
  });
});
