import { expect, test } from 'vitest';
import { countOf, formatCount, formatEstimate, formatRate, formatShare } from './numbers.ts';

test('counts are exact, with commas', () => {
  expect(formatCount(3_400_000)).toBe('3,400,000');
});

test('only estimates are written in millions', () => {
  expect(formatEstimate(11_900_000)).toBe('11.9 M');
  expect(formatEstimate(640_000)).toBe('640,000');
});

test.each([
  [2_136_218, 3_400_000, '62.8 %'],
  [12_408, 12_408, '100 %'],
  [0, 500, '0 %'],
  [999_999, 1_000_000, '99.9 %'],
  [1, 1_000_000, '0.1 %'],
  [0, 0, '–'],
])('a share of %i in %i is %s: never rounded to all or nothing', (part, whole, text) => {
  expect(formatShare(part, whole)).toBe(text);
});

test('a rate has a decimal only if it is small', () => {
  expect([formatRate(684.4), formatRate(0), formatRate(2.25)]).toEqual(['684', '0', '2.3']);
});

test('a count of one uses the singular', () => {
  expect([countOf(1, 'user'), countOf(1200, 'user'), countOf(2, 'country', 'countries')]).toEqual([
    '1 user',
    '1,200 users',
    '2 countries',
  ]);
});
