import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exitCodes } from '../frame/exit-codes.ts';
import { startTestApi, type TestApi } from '../api/test-api.ts';
import { runMuster } from '../test-muster.ts';

const time = '2026-11-22T03:00:00.000Z';
const schedule = {
  id: 'sch_1',
  name: 'nightly',
  revision: 2,
  state: 'active',
  stateReason: null,
  stateSince: time,
  cron: '0 9 * * *',
  zone: 'Asia/Singapore',
  misfire: 'fire-once',
  catchUpSeconds: 3600,
  overlap: 'skip',
  spreadSeconds: 0,
  target: { client: 'cli_1', url: 'https://shop.test/hook', method: 'POST', headers: {}, body: null },
  campaignId: null,
  groups: { tags: ['rides'] },
  note: null,
  nextAt: '2026-11-23T01:00:00.000Z',
  decidedUntil: time,
  createdAt: time,
  updatedAt: time,
  links: { self: '', occurrences: '', preview: '' },
};
const occurrence = {
  scheduledFor: time,
  lastInstant: time,
  instants: 3,
  group: 'SG',
  state: 'skipped',
  kind: null,
  cause: 'paused',
  jobId: null,
  runId: null,
  dueAt: null,
  region: null,
  decidedAt: time,
};

let api: TestApi;
beforeEach(async () => {
  api = await startTestApi();
});
afterEach(() => api.stop());

const muster = (...args: string[]) => runMuster(args, { api });

const lines = () => api.requests.map(({ line }) => line);

describe('muster schedules', () => {
  it('list and show print the recurrence and the next fire time of a schedule', async () => {
    api.answers['GET /v1/schedules?state=active'] = { status: 200, body: { items: [schedule], next: 'sch_0' } };
    const list = await muster('schedules', 'list', '--state', 'active');
    expect(list).toMatchObject({ code: exitCodes.ok, notes: 'more: --cursor sch_0\n' });
    expect(list.out).toMatch(
      /sch_1 +nightly +active +0 9 \* \* \* Asia\/Singapore +2026-11-23 01:00 UTC +POST https:\/\/shop\.test\/hook/,
    );
    api.answers['GET /v1/schedules/sch_1'] = { status: 200, body: schedule };
    const printed = await muster('schedules', 'show', 'sch_1');
    expect(printed.out).toContain('2026-11-23 09:00 Asia/Singapore');
    expect(printed.out).toContain('tags rides');
  });

  it('create and set send field=value arguments, including nested fields of the target', async () => {
    api.answers['POST /v1/schedules'] = { status: 201, body: schedule };
    api.answers['PATCH /v1/schedules/sch_1'] = { status: 200, body: schedule };
    const words = ['name=nightly', 'cron=0 9 * * *', 'target.client=shop', 'target.url=https://shop.test/hook'];
    expect(await muster('schedules', 'create', ...words)).toMatchObject({ code: exitCodes.ok, out: 'sch_1\n' });
    await muster('schedules', 'set', 'sch_1', 'everySeconds=60', 'cron=null');
    expect(api.bodies).toEqual([
      { name: 'nightly', cron: '0 9 * * *', target: { client: 'shop', url: 'https://shop.test/hook' } },
      { everySeconds: 60, cron: null },
    ]);
    expect(api.requests[0]?.headers['idempotency-key']).toMatch(/^cli-/);
  });

  it('create prints a problem under the field that caused it', async () => {
    const errors = [{ pointer: '/target/client', code: 'unknown-client', detail: 'there is no client "x"' }];
    api.answers['POST /v1/schedules'] = {
      status: 422,
      body: { title: 'no', status: 422, code: 'invalid-request', detail: 'no', errors },
    };
    const refused = await muster('schedules', 'create', 'name=nightly');
    expect(refused.code).toBe(exitCodes.refused);
    expect(refused.notes).toContain('target.client');
  });

  it.each(['pause', 'resume', 'disable', 'enable'])('%s sends the request with its reason', async (verb) => {
    api.answers[`POST /v1/schedules/sch_1/${verb}`] = { status: 200, body: schedule };
    const done = await muster('schedules', verb, 'sch_1', '--reason', 'holiday');
    expect(done).toMatchObject({ code: exitCodes.ok, out: 'sch_1\n' });
    expect(api.bodies).toEqual([{ reason: 'holiday' }]);
  });

  it('run-now fires an occurrence at once, and backfill fires those of a past range', async () => {
    const fired = { ...occurrence, state: 'fired', kind: 'manual', cause: null, instants: 1, jobId: 'job_1' };
    api.answers['POST /v1/schedules/sch_1/run-now'] = { status: 200, body: { fired: [fired], alreadyFired: 0 } };
    const now = await muster('schedules', 'run-now', 'sch_1', '--group', 'SG');
    expect(now).toMatchObject({ code: exitCodes.ok, notes: '1 fired\n' });
    expect(now.out).toMatch(/SG +fired \(manual\) +1 +job_1/);
    api.answers['POST /v1/schedules/sch_1/backfill'] = { status: 200, body: { fired: [], alreadyFired: 4 } };
    const filled = await muster('schedules', 'backfill', 'sch_1', '--from', 'a', '--until', 'b');
    expect(filled.notes).toBe('0 fired; 4 had fired before\n');
    expect(api.bodies).toEqual([{ groups: ['SG'] }, { from: 'a', until: 'b' }]);
  });

  it('preview prints the fire times of a stored schedule, or of a cron expression or interval without a schedule', async () => {
    const preview = {
      zone: 'UTC',
      fires: [{ at: null, localTime: '2026-03-08T02:00:00', mark: 'skipped', instants: 2 }],
      lookedUntil: null,
    };
    api.answers['GET /v1/schedules/sch_1/preview?count=3'] = { status: 200, body: preview };
    expect((await muster('schedules', 'preview', 'sch_1', '--count', '3')).out).toMatch(
      /not at all +2026-03-08T02:00:00 +skipped, 2 times/,
    );
    api.answers['POST /v1/schedules/preview'] = {
      status: 200,
      body: { ...preview, lookedUntil: '2046-03-08T02:00:00.000Z' },
    };
    expect((await muster('schedules', 'preview', 'cron=0 * * * *')).out).toMatch(
      /skipped, 2 times\nWhat fires after 2046-03-08 02:00.* was not looked for\.\n$/,
    );
    expect(lines()).toEqual(['GET /v1/schedules/sch_1/preview?count=3', 'POST /v1/schedules/preview']);
    expect(api.bodies).toEqual([{ cron: '0 * * * *' }]);
  });

  it('occurrences prints skipped occurrences with their causes', async () => {
    api.answers['GET /v1/schedules/sch_1/occurrences?state=skipped'] = {
      status: 200,
      body: { items: [occurrence], next: null },
    };
    const { out } = await muster('schedules', 'occurrences', 'sch_1', '--state', 'skipped');
    expect(out).toMatch(/SG +skipped: paused +3/);
  });
});

describe('muster work-calendars', () => {
  const calendar = {
    name: 'SG',
    revision: 2,
    weekDaysOff: ['SAT', 'SUN'],
    schedules: 3,
    createdAt: time,
    updatedAt: time,
    links: { self: '' },
  };
  const dates = [{ date: '2026-12-25', name: 'Christmas Day' }];

  it('put, list, show and delete work calendars', async () => {
    api.answers['PUT /v1/work-calendars/SG'] = { status: 200, body: { ...calendar, dates } };
    api.answers['GET /v1/work-calendars'] = {
      status: 200,
      body: { items: [{ ...calendar, datesOff: 1 }], next: null },
    };
    api.answers['GET /v1/work-calendars/SG'] = { status: 200, body: { ...calendar, dates } };
    api.answers['DELETE /v1/work-calendars/SG'] = { status: 204, body: '' };
    const put = await muster('work-calendars', 'put', 'SG', 'weekDaysOff=["SAT","SUN"]');
    expect([put.out, api.bodies]).toEqual(['SG revision 2\n', [{ weekDaysOff: ['SAT', 'SUN'] }]]);
    expect((await muster('work-calendars', 'list')).out).toMatch(/SG +SAT, SUN +1 +3/);
    expect((await muster('work-calendars', 'show', 'SG')).out).toContain('2026-12-25 Christmas Day');
    const deleted = await muster('work-calendars', 'delete', 'SG');
    expect(deleted).toMatchObject({ code: exitCodes.ok, notes: 'SG is deleted\n' });
  });
});

describe('muster groups', () => {
  const group = {
    name: 'SG',
    revision: 1,
    homeRegion: 'asia',
    fallbackSeconds: 60,
    tags: ['rides'],
    countries: ['SG'],
    createdAt: time,
    updatedAt: time,
    links: { self: '' },
  };

  it('put, list, show and delete groups', async () => {
    api.answers['PUT /v1/groups/SG'] = { status: 200, body: group };
    api.answers['GET /v1/groups'] = { status: 200, body: { items: [group], next: null } };
    api.answers['GET /v1/groups/SG'] = { status: 200, body: group };
    api.answers['DELETE /v1/groups/SG'] = { status: 204, body: '' };
    expect((await muster('groups', 'put', 'SG', 'homeRegion=asia', 'tags=["rides"]')).out).toBe('SG revision 1\n');
    expect(api.bodies).toEqual([{ homeRegion: 'asia', tags: ['rides'] }]);
    expect((await muster('groups', 'list')).out).toMatch(/SG +asia +60 s +rides +SG/);
    expect((await muster('groups', 'show', 'SG')).code).toBe(exitCodes.ok);
    expect(await muster('groups', 'delete', 'SG')).toMatchObject({ code: exitCodes.ok, notes: 'SG is deleted\n' });
  });
});
