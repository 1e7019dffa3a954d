import { expect, test } from 'vitest';
import { nextClockChange } from './clock-change.ts';

const november = Date.parse('2026-11-24T10:00:00Z');

test.each([
  ['Europe/Berlin', '2027-03-28T01:00:00.000Z', true],
  ['America/New_York', '2027-03-14T07:00:00.000Z', true],
  ['Australia/Sydney', '2027-04-03T16:00:00.000Z', false],
])('the clocks of %s change at %s', (zone, at, isForward) => {
  expect(nextClockChange(zone, november)).toEqual({ at, isForward });
});

test('a zone without clock changes has no next clock change', () => {
  expect(nextClockChange('Asia/Singapore', november)).toBeNull();
  expect(nextClockChange('UTC', november)).toBeNull();
});
