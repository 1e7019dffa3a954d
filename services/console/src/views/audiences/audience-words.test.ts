import { expect, test } from 'vitest';
import { partners, rejects } from '../../testing/audiences.ts';
import { byCountry, fileEquation, midCut, rejectGroups } from './audience-words.ts';

test('what became of the lines of a file adds up', () => {
  const { rows, users, duplicates, rejected } = partners;
  expect(users + duplicates + rejected).toBe(rows);
  expect(fileEquation(partners)).toBe('41,206 lines = 40,818 users + 164 repeated + 224 rejected.');
  expect(fileEquation({ ...partners, rows: 1, users: 1, duplicates: 0, rejected: 0 })).toBe('1 line = 1 user.');
});

test('countries stand by their users, and beyond six of them how many there are', () => {
  expect(byCountry(partners)).toBe('VN 40,000 · ID 818');
  const countries = ['AA', 'BB', 'CC', 'DD', 'EE', 'FF', 'GG', 'HH'].map((country, users) => ({ country, users }));
  expect(byCountry({ countries })).toBe('HH 7 · GG 6 · FF 5 · EE 4 · DD 3 · CC 2 · 2 more countries');
});

test('rejected lines stand by reason, the most frequent first, each with its first line', () => {
  expect(rejectGroups(rejects.items).map(({ words, first, lines }) => [words, first.line, lines])).toEqual([
    ['No country', 88, 2],
    ['Country is not set up', 402, 1],
  ]);
});

test('the name of a file is cut in its middle, another name is not', () => {
  expect(midCut('hcmc-airport-partners-of-the-city-2026-11-18.csv')).toBe('hcmc-airport-p…026-11-18.csv');
  expect(midCut('hcmc-airport-partners-2026-11-18.csv', 22)).toBe('hcmc-airport…11-18.csv');
  expect(midCut('pilot-penang.csv')).toBe('pilot-penang.csv');
  expect(midCut('Everybody who was there on the evening of the launch')).toContain('of the launch');
});
