import { describe, expect, it } from 'vitest';
import { dueInstant } from './due-instant.ts';

function dueAt(time: string, zone?: string): string {
  const due = dueInstant({ type: 'at', time, ...(zone === undefined ? {} : { zone }) });
  return due.ok ? due.dueAt.toISOString() : `${due.problem.pointer} ${due.problem.code}`;
}

describe('when a campaign is due', () => {
  it.each([
    ['2026-12-01T09:00:00+08:00', undefined, '2026-12-01T01:00:00.000Z'],
    ['2026-12-01T09:00:00Z', undefined, '2026-12-01T09:00:00.000Z'],
    ['2026-12-01T09:00:00.123987-03:30', undefined, '2026-12-01T12:30:00.123Z'],
    ['2026-12-01T09:00:00', 'Asia/Singapore', '2026-12-01T01:00:00.000Z'],
    ['2026-12-01T09:00', 'Asia/Kathmandu', '2026-12-01T03:15:00.000Z'],
    ['2026-12-01T09:00:00+08:00', 'Asia/Singapore', '2026-12-01T01:00:00.000Z'],
    ['2026-12-01T09:00:00Z', 'UTC', '2026-12-01T09:00:00.000Z'],
  ])('takes %s in %s for %s', (time, zone, instant) => {
    expect(dueAt(time, zone)).toBe(instant);
  });

  it.each([
    ['an hour', '2027-03-14T02:30:00', 'America/New_York', '2027-03-14T07:00:00.000Z'],
    ['half an hour', '2026-10-04T02:15:00', 'Australia/Lord_Howe', '2026-10-03T15:30:00.000Z'],
    ['a day', '2011-12-30T12:00:00', 'Pacific/Apia', '2011-12-30T10:00:00.000Z'],
  ])('moves a time that a gap of %s skips to the first instant after it', (_gap, time, zone, instant) => {
    expect(dueAt(time, zone)).toBe(instant);
  });

  it('takes the first pass of a time that comes twice', () => {
    expect(dueAt('2026-11-01T01:30:00', 'America/New_York')).toBe('2026-11-01T05:30:00.000Z');
  });

  it('takes the second pass of a time that comes twice when the offset says so', () => {
    expect(dueAt('2026-11-01T01:30:00-05:00', 'America/New_York')).toBe('2026-11-01T06:30:00.000Z');
  });

  it.each([
    ['tomorrow', undefined, '/time invalid-time'],
    ['2026-02-30T09:00:00Z', undefined, '/time invalid-time'],
    ['2026-12-01T25:00:00Z', undefined, '/time invalid-time'],
    ['2026-12-01T09:00:00+25:00', undefined, '/time invalid-time'],
    ['2026-12-01', 'Asia/Singapore', '/time invalid-time'],
    ['2026-12-01T09:00:00[Asia/Singapore]', undefined, '/time invalid-time'],
    ['', 'Asia/Singapore', '/time invalid-time'],
    ['2026-12-01T09:00:00', undefined, '/zone missing'],
    ['2026-12-01T09:00:00', 'Asia/Atlantis', '/zone unknown-zone'],
    ['2026-12-01T09:00:00', '+08:00', '/zone unknown-zone'],
    ['2026-12-01T09:00:00', '', '/zone unknown-zone'],
    ['2026-12-01T09:00:00Z', 'Mars', '/zone unknown-zone'],
    ['2026-12-01T09:00:00+07:00', 'Asia/Singapore', '/zone contradicting-zone'],
    ['2026-12-01T09:00:00Z', 'Asia/Singapore', '/zone contradicting-zone'],
  ])('refuses %s in %s: %s', (time, zone, refusal) => {
    expect(dueAt(time, zone)).toBe(refusal);
  });
});
