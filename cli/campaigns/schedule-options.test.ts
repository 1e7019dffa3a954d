import { describe, expect, it } from 'vitest';
import { scheduleLabel, scheduleOf } from './schedule-options.ts';

describe('the schedule options of a campaign', () => {
  it('describe a start now, at a time, at a local time or by a cron expression', () => {
    expect(scheduleOf({})).toEqual({ type: 'now' });
    expect(scheduleOf({ at: '2027-01-15T09:00:00', zone: 'Asia/Singapore' })).toEqual({
      type: 'at',
      time: '2027-01-15T09:00:00',
      zone: 'Asia/Singapore',
    });
    expect(scheduleOf({ local: '2027-01-15T09:00:00', countryZone: ['US=America/New_York'] })).toEqual({
      type: 'local',
      time: '2027-01-15T09:00:00',
      zones: { US: 'America/New_York' },
    });
    expect(scheduleOf({ cron: '0 9 * * MON', zone: 'Asia/Singapore', until: 'u', overlap: 'allow' })).toEqual({
      type: 'recurring',
      cron: '0 9 * * MON',
      zone: 'Asia/Singapore',
      until: 'u',
      overlap: 'allow',
    });
    expect(scheduleOf({ everySeconds: 3600 })).toEqual({ type: 'recurring', everySeconds: 3600 });
  });

  it.each([
    [{ at: 'a', cron: 'c' }, 'say one of'],
    [{ zone: 'Asia/Singapore' }, '--zone goes with --at or --cron'],
    [{ countryZone: ['US=x'] }, '--country-zone goes with --local'],
    [{ local: 'l', countryZone: ['US'] }, 'not US'],
    [{ at: 'a', overlap: 'skip' }, 'go with --cron'],
  ])('are rejected if they cannot be combined: %j', (options, message) => {
    expect(() => scheduleOf(options)).toThrow(message);
  });

  it('are named in problems of the schedule', () => {
    expect(scheduleLabel('/schedule/time')).toBe('--at');
    expect(scheduleLabel('/schedule/zones/US')).toBe('--country-zone US');
    expect(scheduleLabel('/schedule/cron')).toBe('--cron');
    expect(scheduleLabel('/schedule')).toBe('--at');
  });
});
