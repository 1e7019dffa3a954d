import { expect, it } from 'vitest';
import { sparkPath } from './spark-path.ts';

const frame = { width: 86, height: 22, atLeast: 10 };

it('a sparkline of small values is flat: its top is at least ten', () => {
  expect(sparkPath([0, 0, 0], frame)).toEqual({ path: 'M3 19L43 19L83 19', end: { x: 83, y: 19 } });
  expect(sparkPath([5], frame)).toEqual({ path: 'M3 11', end: { x: 3, y: 11 } });
});

it('a sparkline reaches up to its largest value', () => {
  expect(sparkPath([0, 40], frame)).toEqual({ path: 'M3 19L83 3', end: { x: 83, y: 3 } });
});

it('a sparkline has gaps for unknown values, and ends at the last known one', () => {
  expect(sparkPath([10, null, 10, null], frame)).toEqual({ path: 'M3 3M56.3 3', end: { x: 56.3, y: 3 } });
  expect(sparkPath([null, null], frame)).toEqual({ path: '', end: null });
});
