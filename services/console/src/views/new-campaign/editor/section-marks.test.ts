import { expect, it } from 'vitest';
import { marksOf } from './section-marks.ts';

const problems = [{ pointer: '/chain/0/params/units' }];
const warnings = [{ pointer: '/deadlineSeconds' }, { pointer: '/chain' }];

it.each([
  [false, 'open'],
  [true, 'wrong'],
] as const)('a part with a problem is called wrong once starting was tried: %s, %s', (isTried, chain) => {
  expect(marksOf({ problems, warnings, isTried })).toMatchObject({ chain, audience: 'done' });
});

it('a part with a warning alone is done, and to be looked at', () => {
  expect(marksOf({ problems: [], warnings, isTried: true })).toMatchObject({ chain: 'warned', audience: 'done' });
});
