import { expect, test } from 'vitest';
import { dateOf, placeIn, formatWeek, weekOf, weeksFrom } from './week.ts';

const hourMs = 3_600_000;

test('a week begins on Monday at midnight of its zone, for any of its days', () => {
  for (const date of ['2026-11-23', '2026-11-25', '2026-11-29']) {
    const week = weekOf(date, 'Asia/Singapore');
    expect(new Date(week.fromMs).toISOString()).toBe('2026-11-22T16:00:00.000Z');
    expect(new Date(week.untilMs).toISOString()).toBe('2026-11-29T16:00:00.000Z');
    expect(week.days.map((day) => day.date.slice(8))).toEqual(['23', '24', '25', '26', '27', '28', '29']);
  }
});

test('a day on which the clocks are set back has 25 hours', () => {
  const { days } = weekOf('2026-10-25', 'Europe/Berlin');
  expect(days.map(({ fromMs, untilMs }) => (untilMs - fromMs) / hourMs)).toEqual([24, 24, 24, 24, 24, 24, 25]);
});

test('weeks are counted across the ends of months and years', () => {
  expect(formatWeek(weekOf('2026-11-24', 'UTC'))).toBe('23 to 29 November 2026');
  expect(formatWeek(weekOf(weeksFrom('2026-11-23', 1), 'UTC'))).toBe('30 November to 6 December 2026');
  expect(formatWeek(weekOf(weeksFrom('2026-11-23', 5), 'UTC'))).toBe('28 December 2026 to 3 January 2027');
  expect(dateOf(Date.parse('2026-11-22T17:00:00Z'), 'Asia/Singapore')).toBe('2026-11-23');
});

test('an instant outside of a week is placed at its edge', () => {
  const week = { fromMs: 1000, untilMs: 2000 };
  expect([0, 1000, 1250, 2000, 9000].map((atMs) => placeIn(week, atMs))).toEqual([0, 0, 25, 100, 100]);
});
