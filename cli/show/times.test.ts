import { expect, test } from 'vitest';
import { localAndUtc, localTime, utcTimeOfDay } from './times.ts';

const instant = '2027-01-15T01:00:20.000Z';

test.each([
  ['Asia/Singapore', '2027-01-15 09:00 Asia/Singapore (2027-01-15 01:00 UTC)'],
  ['America/New_York', '2027-01-14 20:00 America/New_York (2027-01-15 01:00 UTC)'],
  [undefined, '2027-01-15 01:00 UTC'],
  ['Asia/Atlantis', '2027-01-15 01:00 UTC'],
])('localAndUtc renders an instant in the zone %s', (zone, text) => {
  expect(localAndUtc(instant, zone)).toBe(text);
});

test('localTime and utcTimeOfDay mark times as UTC', () => {
  expect([localTime(instant, undefined), utcTimeOfDay(instant)]).toEqual(['2027-01-15 01:00 UTC', '01:00:20 UTC']);
});
