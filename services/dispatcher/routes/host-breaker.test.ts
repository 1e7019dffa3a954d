import { fc } from '../../../test/support/properties.ts';
import { describe, expect, it } from 'vitest';
import { broughtBack, createHostBreaker, probeInMs, type HostSign, type HostState } from './host-breaker.ts';

const calls = fc.array(
  fc.record({
    job: fc.integer({ min: 1, max: 30 }),
    sign: fc.constantFrom<HostSign>('answers', 'fails', 'gone', 'none'),
  }),
  { maxLength: 120 },
);
const limitsOf = fc.record({
  afterFailures: fc.integer({ min: 1, max: 12 }),
  failureRate: fc.constantFrom(0.1, 0.25, 0.3, 0.5, 0.7, 0.9, 1),
});
const limits = { afterFailures: 10, failureRate: 0.5 };

/**
 * Counts calls with these signs in a breaker.
 * @returns the numbers of the calls, from 1, at which the circuit had to open
 */
function openings(given: readonly [HostSign, string][], state: HostState = 'closed'): number[] {
  const breaker = createHostBreaker();
  return given.flatMap(([sign, jobId], index) => (breaker.onCalled({ jobId, sign }, state, limits) ? [index + 1] : []));
}

const jobs = (sign: HostSign, count: number, name: string) =>
  Array.from({ length: count }, (_, index): [HostSign, string] => [sign, `${name}${index}`]);

describe('the breaker of a host', () => {
  it('opens exactly if both the number and the share of recently failed jobs reach their limits', () => {
    fc.assert(
      fc.property(calls, limitsOf, fc.constantFrom<HostState>('closed', 'closing'), (given, wanted, state) => {
        const breaker = createHostBreaker();
        const lately = Math.floor(wanted.afterFailures / wanted.failureRate);
        const needed = state === 'closing' ? Math.ceil(wanted.afterFailures / 2) : wanted.afterFailures;
        /** The distinct jobs in the order of their last calls, and whether the last call of each failed. */
        let seen: { jobId: string; isFailed: boolean }[] = [];
        for (const { job, sign } of given) {
          const jobId = `${job}`;
          const known = seen.slice(-lately).find((entry) => entry.jobId === jobId && entry.isFailed);
          if (known && sign === 'answers') known.isFailed = false;
          if (!known && (sign === 'answers' || sign === 'fails')) seen.push({ jobId, isFailed: sign === 'fails' });
          const recent = seen.slice(-lately);
          const failures = recent.filter(({ isFailed }) => isFailed).length;
          const isNew = sign === 'fails' && !known;
          const opens = isNew && failures >= needed && failures >= wanted.failureRate * recent.length;
          expect(breaker.onCalled({ jobId, sign }, state, wanted)).toBe(opens);
          if (opens) seen = [];
        }
      }),
    );
  });

  it('opens at the tenth failed job in a row, even after 500 jobs that were answered', () => {
    expect(openings(jobs('fails', 12, 'bad'))).toEqual([10]);
    expect(openings([...jobs('answers', 500, 'good'), ...jobs('fails', 12, 'bad')])).toEqual([510]);
  });

  it('does not open for nine failed jobs, even if each is retried three times', () => {
    const nine = jobs('fails', 9, 'bad');
    expect(openings([...nine, ...nine, ...nine, ...nine])).toEqual([]);
  });

  it('does not open if ten of thirty jobs fail, even if the failed jobs are retried among the others', () => {
    const mixed = Array.from({ length: 30 }, (_, index): [HostSign, string] => [
      index % 3 === 0 ? 'fails' : 'answers',
      `job${index}`,
    ]);
    const again = mixed.filter(([sign]) => sign === 'fails');
    expect(
      openings([...mixed, ...again.flatMap((call, index) => [call, ...jobs('answers', 2, `more${index}-`)])]),
    ).toEqual([]);
  });

  it('needs half as many failures while the host recovers', () => {
    expect(openings(jobs('fails', 7, 'bad'), 'closing')).toEqual([5]);
    expect(openings([...jobs('answers', 6, 'good'), ...jobs('fails', 5, 'bad')], 'closing')).toEqual([]);
  });

  it.each<HostState>(['open', 'disabled'])('ignores calls in flight in the state %s', (state) => {
    const breaker = createHostBreaker();
    for (const [sign, jobId] of jobs('fails', 30, 'bad')) {
      expect(breaker.onCalled({ jobId, sign }, state, limits)).toBe(false);
    }
    expect(breaker.onCalled({ jobId: 'next', sign: 'fails' }, 'closed', limits)).toBe(false);
  });
});

it("the probe interval of a host grows from one second to the client's limit", () => {
  expect([0, 1000, 4000, 29_000, 3_600_000].map((ms) => probeInMs(ms, 30_000))).toEqual([
    1000, 1000, 4000, 29_000, 30_000,
  ]);
  expect(probeInMs(0, 500)).toBe(500);
});

it('the number of released jobs of a recovering host doubles each second, from 10 to 10,000', () => {
  expect([0, 999, 1000, 2000, 5000].map(broughtBack)).toEqual([10, 10, 20, 40, 320]);
  fc.assert(
    fc.property(fc.integer({ min: -1000, max: 1e9 }), (ms) => broughtBack(ms) >= 10 && broughtBack(ms) <= 10_000),
  );
});
