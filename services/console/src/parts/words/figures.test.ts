import { describe, expect, it } from 'vitest';
import { formatDifference, formatFineShare, listed, sentence } from './figures.ts';

describe('a small share', () => {
  it.each([
    [2_136_218, 3_400_000, '62.8 %'],
    [55, 10_000, '0.55 %'],
    [0, 7, '0 %'],
    [7, 7, '100 %'],
  ])('of %d in %d is %s', (part, whole, words) => {
    expect(formatFineShare(part, whole)).toBe(words);
  });

  it('is not shown as all where somebody is missing, nor as nothing where there is somebody', () => {
    expect(formatFineShare(999_999, 1_000_000)).toBe('99.9 %');
    expect(formatFineShare(1, 1_000_000)).toBe('< 0.01 %');
  });

  it('of nothing is a dash', () => {
    expect(formatFineShare(0, 0)).toBe('–');
  });
});

describe('a difference', () => {
  it.each([
    [5.13, 1, '+ 5.1'],
    [-14, 0, '− 14'],
    [-1234.5, 1, '− 1,234.5'],
    [0.004, 2, '0'],
  ])('of %d is %s', (difference, decimals, words) => {
    expect(formatDifference(difference, decimals)).toBe(words);
  });
});

describe('words', () => {
  it.each([
    [[], ''],
    [['SG'], 'SG'],
    [['SG', 'PH', 'ID'], 'SG, PH and ID'],
  ])('%j are listed as "%s"', (listedWords, words) => {
    expect(listed(listedWords)).toBe(words);
  });

  it('that begin with an id are not changed: it can be pasted back', () => {
    expect(sentence('run_01m824dab0 is running')).toBe('run_01m824dab0 is running.');
  });

  it('become a sentence, and a sentence stays one', () => {
    expect(sentence('out of stock')).toBe('Out of stock.');
    expect(sentence('Try again!')).toBe('Try again!');
    expect(sentence('  ')).toBe('');
  });
});
