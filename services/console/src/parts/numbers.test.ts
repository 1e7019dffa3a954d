import { describe, expect, it } from 'vitest';
import { count, counted, duration, percent, rate, signed } from './numbers.ts';

describe('a count', () => {
  it('is exact, with commas', () => {
    expect(count(2_213_170)).toBe('2,213,170');
    expect(count(0)).toBe('0');
  });

  it('tells its unit in the singular for one', () => {
    expect([counted(1, 'user'), counted(1204, 'user'), counted(2, 'batch', 'batches')]).toEqual([
      '1 user',
      '1,204 users',
      '2 batches',
    ]);
  });
});

describe('a share in percent', () => {
  it.each([
    [2_136_218, 3_400_000, '62.8'],
    [55, 10_000, '0.55'],
    [1, 4, '25.0'],
    [0, 7, '0'],
    [7, 7, '100'],
  ])('%d of %d is %s', (part, whole, told) => {
    expect(percent(part, whole)).toBe(told);
  });

  it('is not told as all where somebody is missing, nor as nothing where there is somebody', () => {
    expect(percent(999_999, 1_000_000)).toBe('99.9');
    expect(percent(1, 1_000_000)).toBe('< 0.01');
  });

  it('of nothing is a dash', () => {
    expect(percent(0, 0)).toBe('–');
  });
});

describe('a rate', () => {
  it.each([
    [0, '0'],
    [0.4, '0.4'],
    [9.97, '10'],
    [1012.3, '1,012'],
  ])('of %d users a second is told as %s', (perSecond, told) => {
    expect(rate(perSecond)).toBe(told);
  });
});

describe('a length of time', () => {
  it.each([
    [212, '212 ms'],
    [12_345, '12 s'],
    [5_892_000, '1 h 38 min'],
    [3_600_000, '1 h'],
    [90_061_000, '1 d 1 h'],
  ])('%d ms is %s', (ms, told) => {
    expect(duration(ms)).toBe(told);
  });

  it('may be told to the second', () => {
    expect(duration(5_892_000, 3)).toBe('1 h 38 min 12 s');
  });

  it('does not tell small units behind a gap as if they were next', () => {
    expect(duration(3_612_000)).toBe('1 h');
  });
});

describe('a difference', () => {
  it.each([
    [5.13, 1, '+ 5.1'],
    [-14, 0, '− 14'],
    [-1234.5, 1, '− 1,234.5'],
    [0.004, 2, '0'],
  ])('of %d is %s', (difference, digits, told) => {
    expect(signed(difference, digits)).toBe(told);
  });
});
