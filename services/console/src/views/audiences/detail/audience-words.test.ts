import { expect, test } from 'vitest';
import { partners, rejects } from '../../../../testing/audiences/audiences.ts';
import { formatByCountry, formatFileEquation, truncateMiddle, groupRejects } from './audience-words.ts';

test('the lines of a file add up to users, repeated and rejected lines', () => {
  const { rows, users, duplicates, rejected } = partners;
  expect(users + duplicates + rejected).toBe(rows);
  expect(formatFileEquation(partners)).toBe('41,206 lines = 40,818 users + 164 repeated + 224 rejected.');
  expect(formatFileEquation({ ...partners, rows: 1, users: 1, duplicates: 0, rejected: 0 })).toBe('1 line = 1 user.');
});

test('countries are listed by their users, and after six of them only counted', () => {
  expect(formatByCountry(partners)).toBe('VN 40,000 · ID 818');
  const countries = ['AA', 'BB', 'CC', 'DD', 'EE', 'FF', 'GG', 'HH'].map((country, users) => ({ country, users }));
  expect(formatByCountry({ countries })).toBe('HH 7 · GG 6 · FF 5 · EE 4 · DD 3 · CC 2 · 2 more countries');
});

test('rejected lines are grouped by reason, most frequent first, each with its first line', () => {
  expect(groupRejects(rejects.items).map(({ words, first, lines }) => [words, first.line, lines])).toEqual([
    ['No country', 88, 2],
    ['Country is not configured', 402, 1],
  ]);
});

test('a file name is shortened in the middle, another name is not', () => {
  expect(truncateMiddle('hcmc-airport-partners-of-the-city-2026-11-18.csv')).toBe('hcmc-airport-p…026-11-18.csv');
  expect(truncateMiddle('hcmc-airport-partners-2026-11-18.csv', 22)).toBe('hcmc-airport…11-18.csv');
  expect(truncateMiddle('pilot-penang.csv')).toBe('pilot-penang.csv');
  expect(truncateMiddle('Everybody who was there on the evening of the launch')).toContain('of the launch');
});
