import type {
  ListGroupsResponse,
  ListWorkCalendarsResponse,
  WorkCalendar,
  ListOccurrencesResponse,
  ListSchedulesResponse,
  Occurrence,
  Schedule,
  SchedulePreview,
} from '#client/types.gen.ts';

/** A schedule that calls a service every 15 minutes. */
export const settlement: Schedule = {
  id: 'sch_settle',
  revision: 2,
  state: 'active',
  stateReason: null,
  stateSince: '2026-11-01T09:00:00.000Z',
  name: 'Quarter-hour settlement',
  target: { client: 'cli_shop', url: 'https://shop.example/settle', method: 'POST', headers: {}, body: null },
  withheld: false,
  cron: '*/15 * * * *',
  zone: 'Europe/Berlin',
  misfire: 'fire-once',
  catchUpSeconds: 1800,
  overlap: 'skip',
  spreadSeconds: 120,
  groups: null,
  note: null,
  unreadable: null,
  campaignId: null,
  nextAt: '2030-01-01T09:15:00.000Z',
  decidedUntil: '2026-11-22T19:30:00.000Z',
  createdAt: '2026-11-01T09:00:00.000Z',
  updatedAt: '2026-11-01T09:00:00.000Z',
  links: { self: '', occurrences: '', preview: '' },
};

export const schedules: ListSchedulesResponse = {
  items: [
    settlement,
    {
      ...settlement,
      id: 'sch_close',
      name: 'Close the day',
      cron: '0 22 * * *',
      zone: 'Asia/Singapore',
      groups: { names: ['SG', 'ID'] },
    },
  ],
  next: null,
};

export const fires: SchedulePreview = {
  zone: 'Europe/Berlin',
  lookedUntil: null,
  fires: [
    { at: '2030-01-01T09:15:00.000Z', localTime: '2030-01-01T10:15:00', mark: null, instants: 1 },
    { at: '2030-03-31T01:00:00.000Z', localTime: '2030-03-31T02:30:00', mark: 'shifted', instants: 1 },
  ],
};

const fired: Occurrence = {
  scheduledFor: '2026-11-22T19:30:00.000Z',
  lastInstant: '2026-11-22T19:30:00.000Z',
  instants: 1,
  group: null,
  state: 'fired',
  kind: 'planned',
  cause: null,
  jobId: 'job_dead',
  runId: null,
  region: 'east',
  dueAt: '2026-11-22T19:30:04.000Z',
  decidedAt: '2026-11-22T19:30:00.010Z',
};

export const occurrences: ListOccurrencesResponse = {
  items: [
    fired,
    {
      ...fired,
      scheduledFor: '2026-11-22T19:15:00.000Z',
      state: 'skipped',
      cause: 'overlap',
      jobId: null,
      dueAt: null,
    },
  ],
  next: null,
};

const workCalendar = {
  name: 'SG',
  revision: 1,
  weekDaysOff: ['SAT', 'SUN'] as const,
  schedules: 1,
  links: { self: '' },
  createdAt: '2026-11-01T09:00:00.000Z',
  updatedAt: '2026-11-01T09:00:00.000Z',
};

export const workCalendars: ListWorkCalendarsResponse = {
  items: [{ ...workCalendar, weekDaysOff: [...workCalendar.weekDaysOff], datesOff: 1 }],
  next: null,
};

export const singapore: WorkCalendar = {
  ...workCalendar,
  weekDaysOff: [...workCalendar.weekDaysOff],
  dates: [{ date: '2026-12-25', name: 'Christmas Day' }],
};

export const groups: ListGroupsResponse = {
  items: [
    {
      name: 'SG',
      revision: 1,
      homeRegion: null,
      fallbackSeconds: 60,
      tags: ['rides'],
      countries: ['SG'],
      createdAt: '2026-11-01T09:00:00.000Z',
      updatedAt: '2026-11-01T09:00:00.000Z',
      links: { self: '' },
    },
  ],
  next: null,
};
