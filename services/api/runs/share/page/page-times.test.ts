import { expect, it } from 'vitest';
import { spanText } from './page-times.ts';

it.each([
  [-5, '0 s'],
  [38_400, '38 s'],
  [59_600, '1 min'],
  [161_000, '2 min 41 s'],
  [3_599_499, '59 min 59 s'],
  [5_880_000, '1 h 38 min'],
  [7_200_000, '2 h'],
  [86_370_000, '1 d'],
  [183_600_000, '2 d 3 h'],
])('%i ms are shown with the two largest units as "%s"', (ms, text) => {
  expect(spanText(ms)).toBe(text);
});
