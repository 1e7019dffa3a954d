import { expect, test } from 'vitest';
import { looserBound, noBounds } from './key-bounds.ts';

test.each([
  ['no bounds within none', noBounds, noBounds, undefined],
  ['a bound within none', { ...noBounds, storedJobs: 5 }, noBounds, undefined],
  ['the same bound', { ...noBounds, storedJobs: 5 }, { ...noBounds, storedJobs: 5 }, undefined],
  ['a higher bound', { ...noBounds, jobsPerSecond: 6 }, { ...noBounds, jobsPerSecond: 5 }, 'jobsPerSecond'],
  ['none where there has to be one', noBounds, { ...noBounds, requestsPerMinute: 5 }, 'requestsPerMinute'],
])('%s', (_, inner, outer, looser) => {
  expect(looserBound(inner, outer)).toBe(looser);
});
