import { describe, expect, it } from 'vitest';
import { formatDifference, formatFineShare, joinWords, formatSentence } from './figures.ts';

describe('a small share', () => {
  it.each([
    [2_136_218, 3_400_000, '62.8 %'],
    [55, 10_000, '0.55 %'],
    [0, 7, '0 %'],
    [7, 7, '100 %'],
  ])('is formatted for %d of %d as %s', (part, whole, words) => {
    expect(formatFineShare(part, whole)).toBe(words);
  });

  it('is 100 % only if no user is missing, and 0 % only if there is no user', () => {
    expect(formatFineShare(999_999, 1_000_000)).toBe('99.9 %');
    expect(formatFineShare(1, 1_000_000)).toBe('< 0.01 %');
  });

  it('is a dash if the whole is zero', () => {
    expect(formatFineShare(0, 0)).toBe('–');
  });
});

describe('a difference', () => {
  it.each([
    [5.13, 1, '+ 5.1'],
    [-14, 0, '− 14'],
    [-1234.5, 1, '− 1,234.5'],
    [0.004, 2, '0'],
  ])('is formatted for %d as %s', (difference, decimals, words) => {
    expect(formatDifference(difference, decimals)).toBe(words);
  });
});

describe('words in a text of the console', () => {
  it.each([
    [[], ''],
    [['SG'], 'SG'],
    [['SG', 'PH', 'ID'], 'SG, PH and ID'],
  ])('%j are listed as "%s"', (listedWords, words) => {
    expect(joinWords(listedWords)).toBe(words);
  });

  it('are not capitalized if they begin with an id', () => {
    expect(formatSentence('run_01m824dab0 is running')).toBe('run_01m824dab0 is running.');
  });

  it('become a sentence, and a sentence stays unchanged', () => {
    expect(formatSentence('out of stock')).toBe('Out of stock.');
    expect(formatSentence('Try again!')).toBe('Try again!');
    expect(formatSentence('  ')).toBe('');
  });
});
