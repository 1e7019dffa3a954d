import { expect, test } from 'vitest';
import { looserBound, noBounds } from './key-bounds.ts';

test.each([
  ['no bounds are within no bounds', noBounds, noBounds, undefined],
  ['a bound is within no bounds', { ...noBounds, storedJobs: 5 }, noBounds, undefined],
  ['an equal bound is within the bound', { ...noBounds, storedJobs: 5 }, { ...noBounds, storedJobs: 5 }, undefined],
  [
    'a higher bound is not within the bound',
    { ...noBounds, jobsPerSecond: 6 },
    { ...noBounds, jobsPerSecond: 5 },
    'jobsPerSecond',
  ],
  ['no bound is not within a bound', noBounds, { ...noBounds, requestsPerMinute: 5 }, 'requestsPerMinute'],
])('the bounds of two API keys are compared: %s', (_, inner, outer, looser) => {
  expect(looserBound(inner, outer)).toBe(looser);
});
