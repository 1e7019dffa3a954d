import { expect, it } from 'vitest';
import { describePattern } from './pattern-words.ts';

it.each([
  ['^[A-Za-z0-9._-]{1,64}$', 'letters, digits and . _ -; at most 64'],
  ['^[A-Z]+$', 'capitals'],
  ['^[a-z0-9]{8,12}$', 'lowercase letters and digits; 8 to 12'],
  ['^[A-Z]{2}$', 'has to match ^[A-Z]{2}$'],
  ['^[!-~]+$', 'has to match ^[!-~]+$'],
  ['^a|b$', 'has to match ^a|b$'],
])('the pattern %s is described as: %s', (pattern, words) => {
  expect(describePattern(pattern)).toBe(words);
});
