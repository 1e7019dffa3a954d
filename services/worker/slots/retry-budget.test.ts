import { beforeEach, describe, expect, it } from 'vitest';
import { createRetryBudget, type RetryBudget } from './retry-budget.ts';

describe('the retry budget of a shard', () => {
  let budget: RetryBudget;
  let nowMs: number;
  beforeEach(() => {
    budget = createRetryBudget(20);
    nowMs = 5000;
  });

  const call = (count: number) => Array.from({ length: count }, () => budget.onCall(nowMs));
  /** As many as it allows, at most `wanted`. */
  function retry(wanted: number): number {
    let made = 0;
    while (made < wanted && budget.take(nowMs) !== null) made++;
    return made;
  }

  it('allows a few retries however few calls there are', () => {
    expect(retry(1000)).toBe(25);
  });

  it('allows a fifth of the calls in ten seconds beyond that, the retries themselves included', () => {
    call(1000);
    expect(retry(10_000)).toBe(275);
  });

  it('keeps the share of a dying endpoint over a long time', () => {
    let made = 0;
    for (let second = 0; second < 100; second++) {
      nowMs += 1000;
      call(100);
      made += retry(10_000);
    }
    expect(made).toBeGreaterThan(0.2 * 10_000);
    // A share of all calls, of which retries are some; and the floor once in each window.
    expect(made).toBeLessThanOrEqual(0.25 * 10_000 + 11 * 25);
  });

  it('forgets what is ten seconds old, however long nothing was called', () => {
    retry(1000);
    nowMs += 9000;
    expect(retry(1)).toBe(0);
    nowMs += 1000;
    expect(retry(1000)).toBe(25);
    nowMs += 3_600_000;
    expect(retry(1000)).toBe(25);
  });

  it('does not count retries that were answered: what works is not held up', () => {
    for (let round = 0; round < 500; round++) {
      const taken = budget.take(nowMs);
      expect(taken).not.toBeNull();
      nowMs += 10;
      budget.giveBack(taken ?? 0);
    }
  });

  it('counts a retry that is answered too late to matter only once', () => {
    const taken = budget.take(nowMs) ?? 0;
    nowMs += 60_000;
    expect(retry(1000)).toBe(25);
    budget.giveBack(taken);
    expect(retry(1)).toBe(0);
  });

  it('allows none beyond the few at 0 percent', () => {
    budget = createRetryBudget(0);
    call(10_000);
    expect(retry(1000)).toBe(20);
  });

  it('follows its share when that changes, with what was called so far', () => {
    call(1000);
    expect(retry(10_000)).toBe(275);
    budget.allow(10);
    expect(retry(10_000)).toBe(0);
    budget.allow(50);
    // 20 + (1000 + 275 + n) / 2 = 275 + n
    expect(retry(10_000)).toBe(765);
  });
});
