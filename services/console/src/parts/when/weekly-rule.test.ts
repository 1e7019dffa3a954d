import { describe, expect, it } from 'vitest';
import { cronOf, weeklyOf } from './weekly-rule.ts';

describe('a rule of days and a time', () => {
  it.each([
    ['0 9 * * MON', { days: ['MON'], time: '09:00' }],
    ['5 23 * * SUN,MON', { days: ['MON', 'SUN'], time: '23:05' }],
    ['30 2 * * *', { days: ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'], time: '02:30' }],
  ])('is parsed from %s', (cron, weekly) => expect(weeklyOf(cron)).toEqual(weekly));

  it.each(['30 2 4 * *', '*/5 * * * *', '0 9 * * MON#1', '0 9 * * 1', '0 25 * * *', '0 9 * * MON,DAY', ''])(
    'is not parsed from %s, which has more than days and a time',
    (cron) => expect(weeklyOf(cron)).toBeNull(),
  );

  it('is formatted as a cron expression of five fields, and as empty without a day or a time', () => {
    expect(cronOf({ days: ['WED', 'MON'], time: '9:05' })).toBe('5 9 * * MON,WED');
    expect(cronOf({ days: [], time: '09:00' })).toBe('');
    expect(cronOf({ days: ['MON'], time: '9 h' })).toBe('');
  });
});
