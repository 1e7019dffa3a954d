import { expect, test } from 'vitest';
import { clockTime, count, duration, percent } from './numbers.ts';

test('count renders a number with its digits grouped by thousands', () => {
  expect(count(1_250_000)).toBe('1,250,000');
});

test.each([
  [0, 100, '0 %'],
  [1, 1000, '1 %'],
  [505, 1000, '51 %'],
  [999_999, 1_000_000, '99 %'],
  [1000, 1000, '100 %'],
  [0, 0, '–'],
])('percent renders %i of %i as %s', (part, whole, text) => {
  expect(percent(part, whole)).toBe(text);
});

test.each([
  [0, '0 s'],
  [7.2, '8 s'],
  [125, '2 min 05 s'],
  [3720, '1 h 02 min'],
  [54 * 86_400 + 12.5 * 3600, '54 d 12 h'],
])('duration renders %d seconds as %s', (seconds, text) => {
  expect(duration(seconds)).toBe(text);
});

test('clockTime renders elapsed time as minutes and seconds', () => {
  expect(clockTime(67.9)).toBe('01:07');
});
