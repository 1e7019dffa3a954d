import { fc } from '../../../test/support/properties.ts';
import { describe, expect, it } from 'vitest';
import { maxRequestedDelayMs, retryDelayMs, type JobRetries } from './job-retries.ts';

const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const exponential = fc.record({
  strategy: fc.constant('exponential' as const),
  attempts: fc.integer({ min: 2, max: 50 }),
  firstDelayMs: fc.integer({ min: 100, max: 3_600_000 }),
  maxDelayMs: fc.integer({ min: 100, max: 86_400_000 }),
});
const fixed = fc.record({
  strategy: fc.constant('fixed' as const),
  attempts: fc.integer({ min: 2, max: 50 }),
  delayMs: fc.integer({ min: 100, max: 86_400_000 }),
});
const requested = fc.option(fc.integer({ min: 0, max: 1e12 }), { nil: null });

describe('the retry delay of a job', () => {
  it('is null without a strategy', () => {
    expect(retryDelayMs({ strategy: 'none' }, 1, 5000, 0.5)).toBeNull();
  });

  it('is null exactly after the last attempt, for any Retry-After', () => {
    fc.assert(
      fc.property(
        fc.oneof(fixed, exponential),
        fc.integer({ min: 1, max: 60 }),
        requested,
        random,
        (retries, n, ms, r) => {
          expect(retryDelayMs(retries, n, ms, r) === null).toBe(n >= retries.attempts);
        },
      ),
    );
  });

  it('is constant for a fixed strategy', () => {
    const retries: JobRetries = { strategy: 'fixed', attempts: 4, delayMs: 700 };
    expect([1, 2, 3, 4].map((attempt) => retryDelayMs(retries, attempt, null, 0.9))).toEqual([700, 700, 700, null]);
  });

  it('is random below a ceiling that doubles up to the maximum, and never 0', () => {
    fc.assert(
      fc.property(exponential, fc.integer({ min: 1, max: 49 }), random, (retries, attempt, r) => {
        const delayMs = retryDelayMs(retries, attempt, null, r);
        if (delayMs === null) return;
        const ceilingMs = Math.min(retries.maxDelayMs, retries.firstDelayMs * 2 ** (attempt - 1));
        expect(delayMs).toBeLessThanOrEqual(ceilingMs);
        expect(delayMs).toBeGreaterThanOrEqual(Math.floor(ceilingMs / 10));
      }),
    );
  });

  it('is at least as long as Retry-After, but at most an hour because of it', () => {
    fc.assert(
      fc.property(
        fc.oneof(fixed, exponential),
        fc.integer({ min: 0, max: 1e12 }),
        random,
        (retries, requestedMs, r) => {
          const own = retryDelayMs(retries, 1, null, r) ?? 0;
          expect(retryDelayMs(retries, 1, requestedMs, r)).toBe(
            Math.max(own, Math.min(requestedMs, maxRequestedDelayMs)),
          );
        },
      ),
    );
  });
});
