import { expect, it } from 'vitest';
import { formatTypedTime } from './format-typed-time.ts';

it.each([
  ['2026-12-01 09:00', 'Tue 1 Dec 2026, 09:00'],
  ['2026-12-01T09:00:30', 'Tue 1 Dec 2026, 09:00:30'],
  ['2026-12-1 09:00', null],
  ['2026-02-30 09:00', null],
  ['2026-12-01 24:30', null],
  ['', null],
])('formatTypedTime formats %j as %j', (time, words) => {
  expect(formatTypedTime(time)).toBe(words);
});
