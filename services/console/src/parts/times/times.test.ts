import { describe, expect, it, test } from 'vitest';
import { formatFollowingTime, formatDuration, formatSetDuration, formatTime, formatZone } from './times.ts';

const now = new Date('2026-11-24T02:42:00Z');
const singapore = { zone: 'Asia/Singapore', now };

test.each([
  ['today', '2026-11-24T03:36:12Z', '11:36'],
  ['today there, though the day before in UTC', '2026-11-23T23:05:00Z', '07:05'],
  ['another day', '2026-11-26T16:00:00Z', 'Fri 27 Nov, 00:00'],
  ['another year', '2027-01-15T01:00:00Z', 'Fri 15 Jan 2027, 09:00'],
])('a time is formatted as short as possible: %s', (_, instant, text) => {
  expect(formatTime(instant, singapore)).toBe(text);
});

test('a time in a text outside the console has its day and year, even for today', () => {
  expect(formatTime('2026-11-24T03:36:12Z', { ...singapore, withDay: true })).toBe('Tue 24 Nov 2026, 11:36');
});

test('seconds are shown on request', () => {
  expect(formatTime('2026-11-24T02:41:28Z', { ...singapore, withSeconds: true })).toBe('10:41:28');
});

test.each([
  [0, '0 s'],
  [850, '850 ms'],
  [48_000, '48 s'],
  [161_000, '2 min 41 s'],
  [38 * 60_000, '38 min'],
  [98 * 60_000, '1 h 38 min'],
  [(5 * 24 + 22) * 3_600_000 + 59_000, '5 d 22 h'],
])('a duration of %i ms is formatted in its two largest units: %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

describe('a duration', () => {
  it.each([
    [999.6, '1 s'],
    [2500, '3 s'],
    [59_600, '1 min'],
    [161_600, '2 min 42 s'],
    [3_599_600, '1 h'],
    [86_399_000, '1 d'],
    [36.6 * 3_600_000, '1 d 13 h'],
  ])('is rounded for %d ms to %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });

  it.each([
    [250, '250 ms'],
    [1000, '1 s'],
    [2500, '2.5 s'],
    [61_500, '61.5 s'],
    [90_000, '1 min 30 s'],
  ])('is exact for a configured value of %d ms: %s', (ms, text) => {
    expect(formatSetDuration(ms)).toBe(text);
  });
});

test('a zone is formatted with its offset to UTC on that day', () => {
  expect(formatZone('Asia/Singapore', now)).toBe('Asia/Singapore (UTC+8)');
  expect(formatZone('Europe/Berlin', new Date('2026-07-01T00:00:00Z'))).toBe('Europe/Berlin (UTC+2)');
  expect(formatZone('UTC', now)).toBe('UTC');
});

test('a time after an earlier one has its day only if the day differs', () => {
  expect(formatFollowingTime('Mon 23 Nov, 00:02', 'Mon 23 Nov, 00:01')).toBe('00:02');
  expect(formatFollowingTime('Tue 24 Nov, 00:02', 'Mon 23 Nov, 23:58')).toBe('Tue 24 Nov, 00:02');
  expect(formatFollowingTime('11:50', '11:36')).toBe('11:50');
});
