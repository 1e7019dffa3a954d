import { describe, expect, it } from 'vitest';
import { scheduleLocal } from '../../../shared/contracts/campaigns/campaign-schedules.ts';
import { instant } from '../../../shared/contracts/instants.ts';
import { newDue } from '../../../shared/contracts/jobs/due-times.ts';
import { dueTimeOf } from '../jobs/accept/due-time.ts';
import { dueInstant } from './due-instant.ts';

function dueAt(time: string, zone?: string): string {
  const due = dueInstant({ type: 'at', time, ...(zone === undefined ? {} : { zone }) });
  return due.ok ? due.dueAt.toISOString() : `${due.problem.pointer} ${due.problem.code}`;
}

describe('the due time of a campaign', () => {
  it.each([
    ['2026-12-01T09:00:00+08:00', undefined, '2026-12-01T01:00:00.000Z'],
    ['2026-12-01T09:00:00Z', undefined, '2026-12-01T09:00:00.000Z'],
    ['2026-12-01T09:00:00.123987-03:30', undefined, '2026-12-01T12:30:00.123Z'],
    ['2026-12-01T09:00:00', 'Asia/Singapore', '2026-12-01T01:00:00.000Z'],
    ['2026-12-01T09:00', 'Asia/Kathmandu', '2026-12-01T03:15:00.000Z'],
    ['2026-12-01T09:00:00+08:00', 'Asia/Singapore', '2026-12-01T01:00:00.000Z'],
    ['2026-12-01T09:00:00Z', 'UTC', '2026-12-01T09:00:00.000Z'],
  ])('is for %s in %s the instant %s', (time, zone, instant) => {
    expect(dueAt(time, zone)).toBe(instant);
  });

  it.each([
    ['an hour', '2027-03-14T02:30:00', 'America/New_York', '2027-03-14T07:00:00.000Z'],
    ['half an hour', '2026-10-04T02:15:00', 'Australia/Lord_Howe', '2026-10-03T15:30:00.000Z'],
    ['a day', '2011-12-30T12:00:00', 'Pacific/Apia', '2011-12-30T10:00:00.000Z'],
  ])('is the first instant after a gap if the clock change skips the local time %s', (_gap, time, zone, instant) => {
    expect(dueAt(time, zone)).toBe(instant);
  });

  it('is the first of two occurrences of a repeated local time', () => {
    expect(dueAt('2026-11-01T01:30:00', 'America/New_York')).toBe('2026-11-01T05:30:00.000Z');
  });

  it('is the second of two occurrences of a repeated local time if the time has the offset of the second', () => {
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
  ])('is refused for %s in %s: %s', (time, zone, refusal) => {
    expect(dueAt(time, zone)).toBe(refusal);
  });
});

const now = new Date('2026-11-01T00:00:00Z');

function jobDueAt(due: object): string {
  const read = newDue.safeParse(due);
  if (!read.success) return 'refused';
  const at = dueTimeOf(read.data, now);
  return 'dueAt' in at ? at.dueAt.toISOString() : 'refused';
}

describe('a time with an offset', () => {
  it.each([
    ['2026-12-01T09:00:00Z', '2026-12-01T09:00:00.000Z'],
    ['2026-12-01t09:00:00z', '2026-12-01T09:00:00.000Z'],
    ['2026-12-01T09:00:00+08:00', '2026-12-01T01:00:00.000Z'],
    ['2026-12-01t09:00:00-03:30', '2026-12-01T12:30:00.000Z'],
    ['2026-12-01T09:00Z', '2026-12-01T09:00:00.000Z'],
    ['2026-12-01T09:00+08:00', '2026-12-01T01:00:00.000Z'],
    ['2026-12-01T09:00:00.5Z', '2026-12-01T09:00:00.500Z'],
    ['2026-12-01T09:00:00.123456789Z', '2026-12-01T09:00:00.123Z'],
    ['2026-12-01T09:00:00-00:00', '2026-12-01T09:00:00.000Z'],
    ['2028-02-29T00:00:00+23:59', '2028-02-28T00:01:00.000Z'],
    ['2026-12-01T09:00:00.1234567890Z', 'refused'],
    ['2026-12-01T09:00:00.Z', 'refused'],
    ['2026-12-01T09:00:60Z', 'refused'],
    ['2026-12-01T24:00:00Z', 'refused'],
    ['2027-02-29T09:00:00Z', 'refused'],
    ['2026-13-01T09:00:00Z', 'refused'],
    ['2026-12-01T09:00:00+24:00', 'refused'],
    ['2026-12-01T09:00:00+08', 'refused'],
    ['2026-12-01T09:00:00+0800', 'refused'],
    ['2026-12-01 09:00:00Z', 'refused'],
    ['2026-12-01T09:00:00 Z', 'refused'],
    ['2026-12-01T09Z', 'refused'],
    ['2026-12-01', 'refused'],
    ['+02026-12-01T09:00:00Z', 'refused'],
    ['20261201T090000Z', 'refused'],
    ['1796115600', 'refused'],
    ['Tue, 01 Dec 2026 09:00:00 GMT', 'refused'],
  ])('has the same result in a campaign, in a job and in a filter: %s, %s', (time, expected) => {
    const campaign = dueInstant({ type: 'at', time });
    const filter = instant.safeParse(time);
    expect({
      campaign: campaign.ok ? campaign.dueAt.toISOString() : 'refused',
      job: jobDueAt({ dueAt: time }),
      filter: filter.success ? new Date(filter.data).toISOString() : 'refused',
    }).toEqual({ campaign: expected, job: expected, filter: expected });
  });
});

it('a time with lower-case letters is converted to capital letters, because other parsers need them', () => {
  expect(instant.parse('2026-12-01t09:00:00z')).toBe('2026-12-01T09:00:00Z');
  expect(newDue.parse({ dueAt: '2026-12-01t09:00:00z' })).toEqual({ dueAt: '2026-12-01T09:00:00Z' });
});

describe('a local time', () => {
  it.each([
    ['2026-12-01T09:00:00', 'Asia/Singapore', '2026-12-01T01:00:00.000Z'],
    ['2026-12-01T09:00', 'Asia/Kathmandu', '2026-12-01T03:15:00.000Z'],
    ['2027-03-14T02:30:00', 'America/New_York', '2027-03-14T07:00:00.000Z'],
    ['2027-11-07T01:30:00', 'America/New_York', '2027-11-07T05:30:00.000Z'],
    ['2027-10-03T02:15:00', 'Australia/Lord_Howe', '2027-10-02T15:30:00.000Z'],
    ['2026-12-01t09:00:00', 'Asia/Singapore', 'refused'],
    ['2026-12-01T09:00:00.5', 'Asia/Singapore', 'refused'],
    ['2026-12-01T09:00:60', 'Asia/Singapore', 'refused'],
    ['2026-12-01T24:00:00', 'Asia/Singapore', 'refused'],
    ['2027-02-29T09:00:00', 'Asia/Singapore', 'refused'],
    ['2026-12-01 09:00:00', 'Asia/Singapore', 'refused'],
    ['2026-12-01', 'Asia/Singapore', 'refused'],
  ])('has the same result in a campaign and in a job: %s in %s, %s', (time, zone, expected) => {
    const campaign = dueInstant({ type: 'at', time, zone });
    expect({
      campaign: campaign.ok ? campaign.dueAt.toISOString() : 'refused',
      job: jobDueAt({ localTime: time, zone }),
      isLocal: scheduleLocal.safeParse({ type: 'local', time }).success,
    }).toEqual({ campaign: expected, job: expected, isLocal: expected !== 'refused' });
  });
});
