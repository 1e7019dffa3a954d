import { expect, it } from 'vitest';
import { marksOf } from './section-marks.ts';

const problems = [{ pointer: '/chain/0/params/units' }];
const warnings = [{ pointer: '/deadlineSeconds' }, { pointer: '/chain' }];

it.each([
  [false, 'open'],
  [true, 'wrong'],
] as const)('a section with a problem is marked as wrong only after an attempt to start: %s, %s', (isTried, chain) => {
  expect(marksOf({ problems, warnings, isTried })).toMatchObject({ chain, audience: 'done' });
});

it('a section with only a warning is marked with a warning', () => {
  expect(marksOf({ problems: [], warnings, isTried: true })).toMatchObject({ chain: 'warned', audience: 'done' });
});
