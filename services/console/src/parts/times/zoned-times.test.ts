import { expect, it } from 'vitest';
import { isAmbiguousTime, instantOf, isZone, wallClock } from './zoned-times.ts';

it.each([
  ['2026-12-01T09:00', 'Asia/Singapore', '2026-12-01T01:00:00.000Z'],
  ['2026-12-01T09:00:30', 'UTC', '2026-12-01T09:00:30.000Z'],
  ['2026-07-01T09:00', 'America/New_York', '2026-07-01T13:00:00.000Z'],
  // The time occurs twice; the first occurrence counts.
  ['2026-10-25T02:30', 'Europe/Berlin', '2026-10-25T00:30:00.000Z'],
  // The clocks skip the time; the end of the gap counts.
  ['2026-03-29T02:30', 'Europe/Berlin', '2026-03-29T01:00:00.000Z'],
])('the wall-clock time %s in %s is the instant %s', (time, zone, instant) => {
  expect(instantOf(time, zone)).toBe(instant);
});

it('an instant is converted into the wall-clock time of a zone', () => {
  expect(wallClock('2026-12-01T01:00:00Z', 'Asia/Singapore')).toBe('2026-12-01T09:00:00');
  expect(wallClock('2026-12-31T18:00:00Z', 'Asia/Kolkata')).toBe('2026-12-31T23:30:00');
});

it.each([
  ['2027-04-04T02:30:00', 'Australia/Sydney', true],
  ['2027-04-04T03:30:00', 'Australia/Sydney', false],
  ['2026-03-29T02:30:00', 'Europe/Berlin', false],
  ['2026-12-01T09:00:00', 'UTC', false],
])('the wall-clock time %s in %s is ambiguous: %s', (time, zone, twice) => {
  expect(isAmbiguousTime(time, zone)).toBe(twice);
});

it('invalid times and zones are detected', () => {
  expect(instantOf('tomorrow', 'UTC')).toBeNull();
  expect(wallClock('tomorrow', 'UTC')).toBe('');
  expect([isZone('Asia/Jakarta'), isZone('Asia/Nowhere')]).toEqual([true, false]);
});
