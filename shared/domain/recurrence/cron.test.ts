import { describe, expect, it } from 'vitest';
import { readCron } from './cron.ts';
import { localTimes } from './local-times.ts';

function cronOf(expression: string) {
  const read = readCron(expression);
  if (!read.ok) throw new Error(read.detail);
  return read.cron;
}

function detailOf(expression: string): string {
  const read = readCron(expression);
  return read.ok ? 'was taken' : read.detail;
}

/** Returns the first times from 2026-01-01T00:00 on, to the minute. */
function timesOf(expression: string, count: number): string[] {
  const found: string[] = [];
  for (const at of localTimes(cronOf(expression), Date.UTC(2026, 0, 1), Infinity)) {
    found.push(new Date(at).toISOString().slice(0, 16));
    if (found.length === count) break;
  }
  return found;
}

describe('a cron expression', () => {
  it('has minutes and hours as numbers, lists, ranges and steps', () => {
    expect(timesOf('5,35 9-10 * * *', 4)).toEqual([
      '2026-01-01T09:05',
      '2026-01-01T09:35',
      '2026-01-01T10:05',
      '2026-01-01T10:35',
    ]);
    expect(timesOf('*/25 */12 * * *', 4)).toEqual([
      '2026-01-01T00:00',
      '2026-01-01T00:25',
      '2026-01-01T00:50',
      '2026-01-01T12:00',
    ]);
    expect(timesOf('10-40/15 0 * * *', 3)).toEqual(['2026-01-01T00:10', '2026-01-01T00:25', '2026-01-01T00:40']);
  });

  it('accepts English names of months and days in any case, and Sunday as 0, 7 or the end of a range', () => {
    expect(timesOf('0 9 * mar Mon', 2)).toEqual(['2026-03-02T09:00', '2026-03-09T09:00']);
    expect(timesOf('0 9 * * 0', 1)).toEqual(timesOf('0 9 * * 7', 1));
    expect(timesOf('0 9 * * SAT-SUN', 3)).toEqual(['2026-01-03T09:00', '2026-01-04T09:00', '2026-01-10T09:00']);
  });

  it('fires on either day if both day fields name days, and on both together if one begins with a star', () => {
    expect(timesOf('0 0 13 * FRI', 3)).toEqual(['2026-01-02T00:00', '2026-01-09T00:00', '2026-01-13T00:00']);
    expect(timesOf('0 0 */12 * MON', 3)).toEqual(['2026-04-13T00:00', '2026-05-25T00:00', '2026-06-01T00:00']);
  });

  it.each([
    ['@yearly', ['2026-01-01T00:00', '2027-01-01T00:00']],
    ['@Monthly', ['2026-01-01T00:00', '2026-02-01T00:00']],
    ['@weekly', ['2026-01-04T00:00', '2026-01-11T00:00']],
    ['@daily', ['2026-01-01T00:00', '2026-01-02T00:00']],
    ['@hourly', ['2026-01-01T00:00', '2026-01-01T01:00']],
    // The last day of a month, also in a leap year, and three days before it.
    ['0 9 L * *', ['2026-01-31T09:00', '2026-02-28T09:00', '2026-03-31T09:00']],
    ['0 9 L 2 *', ['2026-02-28T09:00', '2027-02-28T09:00', '2028-02-29T09:00']],
    ['0 9 L-3 * *', ['2026-01-28T09:00', '2026-02-25T09:00']],
    // The 15th of February and of March 2026 are Sundays, the 15th of August is a Saturday.
    ['0 9 15W 1-3,8 *', ['2026-01-15T09:00', '2026-02-16T09:00', '2026-03-16T09:00', '2026-08-14T09:00']],
    // The nearest weekday never moves into another month: 2026-08-01 is a Saturday, 2026-05-31 a Sunday.
    ['0 9 1W 8 *', ['2026-08-03T09:00']],
    ['0 9 31W 5 *', ['2026-05-29T09:00']],
    ['0 9 31W 1-4 *', ['2026-01-30T09:00', '2026-03-31T09:00', '2027-01-29T09:00']],
    ['0 9 LW * *', ['2026-01-30T09:00', '2026-02-27T09:00', '2026-03-31T09:00']],
    ['0 9 * * MON#2', ['2026-01-12T09:00', '2026-02-09T09:00']],
    ['0 9 * * MON#1,MON#3', ['2026-01-05T09:00', '2026-01-19T09:00', '2026-02-02T09:00']],
    ['0 9 * * 7#5', ['2026-03-29T09:00', '2026-05-31T09:00']],
    ['0 9 * * FRIL', ['2026-01-30T09:00', '2026-02-27T09:00']],
    ['0 9 * * 5l', ['2026-01-30T09:00', '2026-02-27T09:00']],
    // Either of the two day fields, as in cron; with a star both.
    ['0 9 L * MON#1', ['2026-01-05T09:00', '2026-01-31T09:00', '2026-02-02T09:00']],
  ])('%j fires at %j', (expression, times) => {
    expect(timesOf(expression, times.length)).toEqual(times);
  });

  it.each([31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31].map((days, index) => [index + 1, days] as const))(
    'for month %i may name day %i, and none after it',
    (month, days) => {
      expect(readCron(`0 9 ${days} ${month} *`)).toMatchObject({ ok: true });
      if (days < 31) expect(readCron(`0 9 ${days + 1} ${month} *`)).toMatchObject({ ok: false });
    },
  );

  it('for 29 February fires in leap years', () => {
    expect(timesOf('0 0 29 2 *', 2)).toEqual(['2028-02-29T00:00', '2032-02-29T00:00']);
  });

  it('counts as a fixed local time unless its minute or hour begins with a star', () => {
    expect(cronOf('0 9-17 * * *').isFixed).toBe(true);
    expect(cronOf('0,30 2 * * *').isFixed).toBe(true);
    expect(cronOf('30 * * * *').isFixed).toBe(false);
    expect(cronOf('*/5 9 * * *').isFixed).toBe(false);
  });

  it.each([
    ['0 9 * *', 'has to be five fields (minute hour day-of-month month day-of-week), not 4'],
    ['', 'has to be five fields (minute hour day-of-month month day-of-week), not 0'],
    ['60 9 * * *', 'minute has "60", which has to be 0 to 59'],
    ['0 24 * * *', 'hour has "24", which has to be 0 to 23'],
    ['0 9 0 * *', 'day of month has "0", which has to be 1 to 31'],
    ['0 9 L-31 * *', 'day of month has "L-31", which has to be L, L-1 to L-30, 1W to 31W, or LW'],
    ['0 9 32W * *', 'day of month has "32W", which has to be L, L-1 to L-30, 1W to 31W, or LW'],
    ['0 9 30W 2 *', 'day of month 30W is in no month of 2: it would never fire'],
    ['0 9 L-29 2 *', 'day of month L-29 is in no month of 2: it would never fire'],
    ['0 9 ? * MON', 'day of month has "?", which is not standard cron'],
    ['0 9 * * MON#6', 'day of week has "MON#6", which has to be MON#1 to MON#5, or MONL'],
    ['0 L * * *', 'hour has "L", which is not standard cron'],
    ['@reboot', '"@reboot" has to be @yearly, @annually, @monthly, @weekly, @daily, @midnight, @hourly'],
    ['0 9 * * Funday', 'day of week has "Funday", which has to be 0 to 7, or SUN to SAT'],
    ['0 9 * 13 *', 'month has "13", which has to be 1 to 12, or JAN to DEC'],
    ['0 17-9 * * *', 'hour has the range "17-9", which ends before it begins: write 17-…,…-9'],
    ['5/15 9 * * *', 'minute has "5/15": a step needs a range, such as 5-59/15'],
    ['*/0 9 * * *', 'minute has a step of 0: it has to be 1 to 59'],
    ['1,,2 9 * * *', 'minute has "", which has to be 0 to 59'],
    ['0 9 31 2,4 *', 'day of month 31 is in no month of 2,4: it would never fire'],
  ])('%j is rejected: %s', (expression, detail) => {
    expect(detailOf(expression)).toBe(detail);
  });
});
