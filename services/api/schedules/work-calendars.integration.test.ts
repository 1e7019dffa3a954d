import { beforeEach, describe, expect, it } from 'vitest';
import { newClientOf } from '../../../test/support/clients.ts';
import { authorized } from '../../../test/support/api-deps.ts';
import { apiOnPostgres } from '../../../test/support/api-on-postgres.ts';

const on = apiOnPostgres();

beforeEach(async () => {
  await on.deps.clientStore.create(newClientOf('shop', { clientId: '01890a5d-ac96-774b-bcce-b302099a8057' }));
});

type Json = Record<string, unknown>;

async function ask(method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE', url: string, body?: unknown) {
  const payload = body === undefined ? {} : { payload: JSON.stringify(body) };
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  const headers = { ...authorized, ...type };
  const response = await on.api.server.inject({ method, url: `/v1${url}`, headers, ...payload });
  return { status: response.statusCode, body: response.body === '' ? {} : response.json<Json>() };
}

const singapore = { weekDaysOff: ['SAT', 'SUN'], dates: [{ date: '2026-01-01', name: 'New Year' }] };
const target = { client: 'shop', url: 'https://shop.example.com/hook' };
const daily = { name: 'daily', target, cron: '0 9 * * *', zone: 'Asia/Singapore', workCalendar: 'SG' };
const containing = (text: string): unknown => expect.stringContaining(text);

async function create(changes: object = {}): Promise<string> {
  const { status, body } = await ask('POST', '/schedules', { ...daily, ...changes });
  expect([status, body['errors']]).toEqual([201, undefined]);
  return String(body['id']);
}

describe('a work calendar', () => {
  it('is created, replaced, listed and deleted', async () => {
    expect(await ask('PUT', '/work-calendars/SG', singapore)).toMatchObject({
      status: 200,
      body: { name: 'SG', revision: 1, ...singapore, schedules: 0 },
    });
    expect((await ask('PUT', '/work-calendars/SG', singapore)).body).toMatchObject({ revision: 1 });
    expect((await ask('PUT', '/work-calendars/SG', { dates: [] })).body).toMatchObject({
      revision: 2,
      weekDaysOff: [],
    });
    expect((await ask('GET', '/work-calendars')).body).toMatchObject({ items: [{ name: 'SG', datesOff: 0 }] });
    expect((await ask('DELETE', '/work-calendars/SG')).status).toBe(204);
    expect((await ask('DELETE', '/work-calendars/SG')).status).toBe(204);
    expect(await ask('GET', '/work-calendars/SG')).toMatchObject({
      status: 404,
      body: { code: 'work-calendar-not-found' },
    });
  });

  it.each([
    [{ weekDaysOff: ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'] }, '/weekDaysOff'],
    [{ dates: [{ date: '2026-02-30' }] }, '/dates/0/date'],
    [{ dates: [{ date: '2300-01-01' }] }, '/dates/0/date'],
    [{ dates: [{ date: '2026-01-01' }, { date: '2026-01-01' }] }, '/dates/1/date'],
  ])('must have dates that exist and a working day between them: %j', async (body, pointer) => {
    const { status, body: answer } = await ask('PUT', '/work-calendars/SG', body);
    expect([status, answer['errors']]).toMatchObject([422, [{ pointer }]]);
  });

  it('may have at most 62 consecutive days off', async () => {
    const dates = Array.from({ length: 63 }, (_, day) => {
      return { date: new Date(Date.UTC(2026, 0, 1 + day)).toISOString().slice(0, 10) };
    });
    expect((await ask('PUT', '/work-calendars/SG', { dates: dates.slice(1) })).status).toBe(200);
    const { status, body } = await ask('PUT', '/work-calendars/SG', { dates });
    expect([status, body['errors']]).toMatchObject([422, [{ pointer: '/dates', detail: containing('62 days') }]]);
  });

  it('cannot be deleted while a schedule uses it', async () => {
    await ask('PUT', '/work-calendars/SG', singapore);
    const id = await create();
    expect(await ask('DELETE', '/work-calendars/SG')).toMatchObject({
      status: 409,
      body: { code: 'work-calendar-in-use', detail: containing(`"daily" (${id})`) },
    });
    expect((await ask('PATCH', `/schedules/${id}`, { workCalendar: null })).status).toBe(200);
    expect((await ask('DELETE', '/work-calendars/SG')).status).toBe(204);
  });

  it('is refused if 200 work calendars exist, unless it replaces one of them', async () => {
    await on.pool.query(
      `insert into work_calendars (name, definition) select 'c' || n, '{}' from generate_series(1, 200) n`,
    );
    expect(await ask('PUT', '/work-calendars/SG', singapore)).toMatchObject({
      status: 409,
      body: { code: 'too-many-work-calendars' },
    });
    expect((await ask('PUT', '/work-calendars/c1', singapore)).status).toBe(200);
  });
});

describe('a schedule with a work calendar', () => {
  beforeEach(async () => {
    await ask('PUT', '/work-calendars/SG', singapore);
  });

  it('shows skipped instants with the reason in its preview', async () => {
    const id = await create();
    // The time is 08:00 on Thursday, 1 January, in Singapore.
    expect((await ask('GET', `/schedules/${id}/preview?count=2`)).body).toMatchObject({
      fires: [
        { at: null, localTime: '2026-01-01T09:00:00', mark: 'day-off', why: 'New Year', instants: 1 },
        { at: '2026-01-02T01:00:00.000Z', mark: null },
        { at: null, localTime: '2026-01-03T09:00:00', mark: 'day-off', why: 'Saturday' },
        { at: null, localTime: '2026-01-04T09:00:00', mark: 'day-off', why: 'Sunday' },
        { at: '2026-01-05T01:00:00.000Z', mark: null },
      ],
    });
  });

  it('shows moved instants with their original times in its preview, also after a change of the calendar', async () => {
    const request = { cron: '0 9 4 * *', zone: 'Asia/Singapore', workCalendar: 'SG', onDayOff: 'before', count: 1 };
    const preview = () => ask('POST', '/schedules/preview', request);
    expect((await preview()).body).toMatchObject({
      fires: [
        {
          at: '2026-01-02T01:00:00.000Z',
          localTime: '2026-01-02T09:00:00',
          mark: null,
          movedFrom: [{ localTime: '2026-01-04T09:00:00', why: 'Sunday' }],
        },
      ],
    });
    await ask('PUT', '/work-calendars/SG', { weekDaysOff: ['SUN'] });
    expect((await preview()).body).toMatchObject({ fires: [{ localTime: '2026-01-03T09:00:00' }] });
  });

  it.each([
    [{ workCalendar: 'ID' }, '/workCalendar', 'unknown-work-calendar'],
    [{ cron: '0 9 * * SUN' }, '/workCalendar', 'never-fires'],
    [{ cron: undefined, everySeconds: 3600 }, '/workCalendar', undefined],
    [{ workCalendar: undefined, onDayOff: 'after' }, '/workCalendar', undefined],
    [{ onDayOff: 'nearest' }, '/onDayOff', undefined],
  ])('is refused with a calendar that cannot be used: %j', async (changes, pointer, code) => {
    const { status, body } = await ask('POST', '/schedules', { ...daily, ...changes });
    expect([status, body['errors']]).toMatchObject([422, [{ pointer, ...(code !== undefined && { code }) }]]);
  });

  it('cannot be changed to an unknown calendar', async () => {
    const id = await create({ workCalendar: undefined });
    await ask('DELETE', '/work-calendars/SG');
    const { status, body } = await ask('PATCH', `/schedules/${id}`, { workCalendar: 'SG' });
    expect([status, body['errors']]).toMatchObject([422, [{ code: 'unknown-work-calendar' }]]);
  });
});

describe('a campaign that recurs by a work calendar', () => {
  const campaign = {
    name: 'Lapsed',
    countries: ['SG'],
    audience: { include: [{ segment: 'lapsed' }] },
    chain: [{ action: 'award-reward', params: { rewardId: 'ride-5' } }],
    schedule: { type: 'recurring', cron: '0 9 * * *', zone: 'Asia/Singapore', workCalendar: 'SG', onDayOff: 'after' },
  };

  it('starts runs on working days, and cannot be started without its calendar', async () => {
    const made = await ask('POST', '/campaigns', campaign);
    expect([made.status, made.body['errors']]).toEqual([201, undefined]);
    const start = () => ask('POST', `/campaigns/${String(made.body['id'])}/start`);
    expect((await start()).body['errors']).toMatchObject([{ code: 'unknown-work-calendar' }]);
    await ask('PUT', '/work-calendars/SG', singapore);
    const started = await start();
    expect([started.status, started.body['nextRunAt']]).toEqual([200, '2026-01-02T01:00:00.000Z']);
    const calendar = await ask('GET', '/campaigns/calendar?from=2026-01-01T00:00:00Z&until=2026-01-08T00:00:00Z');
    const starts = ['02', '05', '06', '07'].map((day) => ({ at: `2026-01-${day}T01:00:00.000Z` }));
    expect(calendar.body).toMatchObject({ items: [{ starts }] });
  });
});
