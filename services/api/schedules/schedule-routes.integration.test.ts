import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { newClientOf } from '../../../test/support/clients.ts';
import { authorized } from '../../../test/support/api-deps.ts';
import { apiOnPostgres } from '../../../test/support/api-on-postgres.ts';
import { recurOnPostgres } from '../../../test/support/recur-on-postgres.ts';

const on = apiOnPostgres();

beforeEach(async () => {
  await on.deps.clientStore.create(newClientOf('shop', { clientId: '01890a5d-ac96-774b-bcce-b302099a8057' }));
});

const hourly = { name: 'hourly', target: { client: 'shop', url: 'https://shop.example.com/hook' }, cron: '0 * * * *' };

type Json = Record<string, unknown>;

async function ask(
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE',
  url: string,
  body?: unknown,
  headers: object = {},
) {
  const payload = body === undefined ? {} : { payload: JSON.stringify(body) };
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  const response = await on.api.server.inject({
    method,
    url: `/v1${url}`,
    headers: { ...authorized, ...type, ...headers },
    ...payload,
  });
  return {
    status: response.statusCode,
    body: response.body === '' ? {} : response.json<Json>(),
    headers: response.headers,
  };
}

async function create(changes: object = {}): Promise<string> {
  const { status, body } = await ask('POST', '/schedules', { ...hourly, ...changes });
  expect([status, body['errors']]).toEqual([201, undefined]);
  return String(body['id']);
}

async function read() {
  await recurOnPostgres(on.pool);
}

const hourMs = 3_600_000;

/** Returns Vitest's `stringMatching`, whose type is `any`, with the type `unknown`. */
const matching = (pattern: RegExp): unknown => expect.stringMatching(pattern);
const containing = (text: string): unknown => expect.stringContaining(text);

describe('the target of a schedule', () => {
  it('is refused if it could never be called', async () => {
    const url = 'http://169.254.169.254/latest';
    const detail = `"${url}" may not be called: 169.254.169.254 is never called`;
    const errors = [{ pointer: '/target/url', code: 'forbidden-address', detail }];
    expect(await ask('POST', '/schedules', { ...hourly, target: { client: 'shop', url } })).toMatchObject({
      status: 422,
      body: { errors },
    });
    const id = await create();
    expect(await ask('PATCH', `/schedules/${id}`, { target: { url } })).toMatchObject({
      status: 422,
      body: { errors },
    });
  });

  it('is refused if it is not a URI, as which responses declare it', async () => {
    const url = 'https://shop.example.com/hook?tags[]=a|b c';
    const errors = [{ pointer: '/target/url', detail: containing(`RFC 3986`) }];
    const { status, body } = await ask('POST', '/schedules', { ...hourly, target: { client: 'shop', url } });
    expect([status, body['errors']]).toMatchObject([422, errors]);
    expect(body['errors']).toMatchObject([{ detail: containing(url) }]);
    const written = new URLSearchParams({ 'tags[]': 'a|b c' }).toString();
    expect(
      (
        await ask('POST', '/schedules', {
          ...hourly,
          target: { client: 'shop', url: `https://shop.example.com/hook?${written}` },
        })
      ).status,
    ).toBe(201);
  });

  it('is a template if requested, and is filled with the values of each occurrence', async () => {
    await ask('PUT', '/groups/SG', {});
    const body = { group: '{{group}}', day: '{{localTime}}', at: '{{scheduledFor}}' };
    const target = { ...hourly.target, body, template: true };
    const id = await create({ target, groups: { names: ['SG'] }, zone: 'Asia/Singapore', spreadSeconds: 600 });
    expect((await ask('GET', `/schedules/${id}`)).body).toMatchObject({ target: { template: true } });
    await on.passTime(hourMs);
    await read();
    const [job] = await on.rowsOf('jobs');
    expect(JSON.parse(String(job?.['terms']))).toMatchObject({
      template: {
        form: 'json',
        values: {
          scheduleId: id,
          group: 'SG',
          key: matching(/^schedule\//),
          scheduledFor: '2026-01-01T01:00:00.000Z',
          localTime: '2026-01-01T09:00:00',
        },
      },
    });
  });

  it('is refused if it uses the group in a template and the schedule has no groups', async () => {
    const target = { ...hourly.target, body: { group: '{{group}}' }, template: true };
    const problems = [{ pointer: '/target/body', code: 'no-value', detail: containing('the schedule has no groups') }];
    const { status, body } = await ask('POST', '/schedules', { ...hourly, target });
    expect([status, body['errors']]).toMatchObject([422, problems]);
    const id = await create({ target, groups: { names: ['SG'] } });
    const changed = await ask('PATCH', `/schedules/${id}`, { groups: null });
    expect([changed.status, changed.body['errors']]).toMatchObject([422, problems]);
    expect((await ask('PATCH', `/schedules/${id}`, { groups: null, target: { template: null } })).status).toBe(200);
  });

  it('is checked against changed egress rules only when the target changes', async () => {
    const id = await create();
    const egress = { allow: [{ host: 'elsewhere.test' }] };
    expect((await ask('PATCH', '/clients/shop/endpoints/default', { egress })).status).toBe(200);
    expect((await ask('PATCH', `/schedules/${id}`, { name: 'renamed' })).status).toBe(200);
    const moved = { target: { url: 'https://other.example.com/hook' } };
    expect((await ask('PATCH', `/schedules/${id}`, moved)).status).toBe(422);
  });
});

describe('the limits of a client', () => {
  const markets = Array.from({ length: 20 }, (_, index) => `M${index}`);
  const jobs = async () => (await on.rowsOf('jobs')).length;
  const everySecond = { cron: null, everySeconds: 1, groups: { names: markets } };

  beforeEach(async () => {
    for (const market of markets) expect((await ask('PUT', `/groups/${market}`, {})).status).toBe(200);
  });

  /**
   * Creates a schedule with twenty groups that recurs each second, and returns the number of jobs after each second.
   */
  async function firesUnder(limits: object, seconds: number): Promise<{ id: string; firedJobs: number[] }> {
    const { cron: _, ...rest } = hourly;
    const { cron: __, ...fields } = everySecond;
    const { body } = await ask('POST', '/schedules', { ...rest, ...fields, misfire: 'fire-all' });
    // The limits are set after the creation of the schedule, because they would not permit to create it.
    expect((await ask('PATCH', '/clients/shop', limits)).status).toBe(200);
    const firedJobs = [];
    for (let second = 0; second < seconds; second++) {
      await on.passTime(1000);
      await read();
      firedJobs.push(await jobs());
    }
    return { id: String(body['id']), firedJobs };
  }

  it('skip occurrences above maxStoredJobs, with the reason', async () => {
    const { id, firedJobs } = await firesUnder({ maxStoredJobs: 25 }, 3);
    expect(firedJobs).toEqual([20, 25, 25]);
    const skipped = await ask('GET', `/schedules/${id}/occurrences?state=skipped`);
    expect(skipped.body).toMatchObject({ items: Array.from({ length: 35 }, () => ({ cause: 'quota' })) });
  });

  it('allow as many jobs at once as acceptPerSecond permits in a minute, and after that no more than the rate', async () => {
    const { firedJobs } = await firesUnder({ acceptPerSecond: 1 }, 6);
    expect(firedJobs).toEqual([20, 40, 60, 63, 64, 65]);
  });

  it('apply to occurrences that people request, and the refusal names the limit', async () => {
    expect((await ask('PATCH', '/clients/shop', { maxStoredJobs: 25 })).status).toBe(200);
    const id = await create({ groups: { names: markets } });
    expect((await ask('POST', `/schedules/${id}/run-now`)).status).toBe(200);
    const refused = await ask('POST', `/schedules/${id}/run-now`);
    expect(refused).toMatchObject({ status: 429, body: { code: 'quota-exceeded' } });
    expect(refused.body['detail']).toBe('these are 20 jobs, and maxStoredJobs of their client (25) leaves room for 5');
    expect(await jobs()).toBe(20);
  });

  it('do not affect schedules of other clients', async () => {
    expect((await ask('POST', '/clients', { name: 'other' })).status).toBe(201);
    const mine = await create({ groups: { names: markets } });
    const theirs = await create({ target: { ...hourly.target, client: 'other' }, groups: { names: markets } });
    expect((await ask('PATCH', '/clients/shop', { maxStoredJobs: 1 })).status).toBe(200);
    await on.passTime(hourMs);
    await read();
    const fired = async (id: string) => (await ask('GET', `/schedules/${id}/occurrences?state=fired`)).body['items'];
    expect([await fired(mine), await fired(theirs)]).toMatchObject([{ length: 1 }, { length: 20 }]);
  });
});

describe('a schedule', () => {
  it('is created with its defaults, returned and listed', async () => {
    const created = await ask('POST', '/schedules', { ...hourly, zone: 'Asia/Singapore', note: 'by hand before' });
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({
      name: 'hourly',
      state: 'active',
      revision: 1,
      zone: 'Asia/Singapore',
      note: 'by hand before',
      campaignId: null,
      misfire: 'fire-once',
      catchUpSeconds: 3600,
      overlap: 'allow',
      spreadSeconds: 0,
      groups: null,
      target: { client: matching(/^cli_/), url: 'https://shop.example.com/hook', method: 'POST' },
      nextAt: '2026-01-01T01:00:00.000Z',
    });
    const self = `/schedules/${String(created.body['id'])}`;
    expect(created.headers.location).toBe(`/v1${self}`);
    expect((await ask('GET', self)).body).toEqual(created.body);
    expect((await ask('GET', '/schedules?state=active')).body).toEqual({ items: [created.body], next: null });
  });

  it('is created once with the same idempotency key', async () => {
    const headers = { 'idempotency-key': 'once' };
    const [first, second] = [
      await ask('POST', '/schedules', hourly, headers),
      await ask('POST', '/schedules', hourly, headers),
    ];
    expect(second.body['id']).toBe(first.body['id']);
    expect((await ask('GET', '/schedules')).body).toMatchObject({ items: [{}] });
  });

  it('is refused with all its problems, each with field and value', async () => {
    const { status, body } = await ask('POST', '/schedules', {
      ...hourly,
      cron: '61 * * * *',
      zone: 'Mars/Olympus',
      misfire: 'maybe',
      hourly: true,
    });
    expect(status).toBe(422);
    expect(body['errors']).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ pointer: '/cron', detail: containing('minute has "61"') }),
        expect.objectContaining({ pointer: '/zone', detail: containing('IANA time zone') }),
        expect.objectContaining({ pointer: '/misfire' }),
        expect.objectContaining({ pointer: '/hourly', code: 'unknown-field' }),
      ]),
    );
  });

  it('requires an existing client, and either cron or everySeconds', async () => {
    const unknown = await ask('POST', '/schedules', { ...hourly, target: { ...hourly.target, client: 'nobody' } });
    expect(unknown.body['errors']).toMatchObject([{ pointer: '/target/client', code: 'unknown-client' }]);
    const two = await ask('POST', '/schedules', { ...hourly, everySeconds: 60 });
    expect(two.body['errors']).toMatchObject([{ pointer: '/everySeconds' }]);
    const { cron: _, ...rhythmless } = hourly;
    expect((await ask('POST', '/schedules', rhythmless)).body['errors']).toMatchObject([{ pointer: '/cron' }]);
  });

  it('is changed field by field, and only at the revision that the caller has read', async () => {
    const id = await create({ note: 'old', groups: { tags: ['rides'] } });
    const patch = { target: { headers: { 'x-shop': '1' } }, note: null, groups: null, everySeconds: 600, cron: null };
    const changed = await ask('PATCH', `/schedules/${id}`, patch, { 'if-match': '"1"' });
    expect(changed.body).toMatchObject({
      revision: 2,
      note: null,
      groups: null,
      everySeconds: 600,
      nextAt: '2026-01-01T00:10:00.000Z',
      target: { url: 'https://shop.example.com/hook', headers: { 'x-shop': { set: true, length: 1 } } },
    });
    expect(changed.body).not.toHaveProperty('cron');
    expect((await ask('PATCH', `/schedules/${id}`, { note: 'x' }, { 'if-match': '"1"' })).status).toBe(412);
    expect((await ask('PATCH', `/schedules/${id}`, { cron: '* * * * *' })).body['errors']).toMatchObject([
      { pointer: '/everySeconds' },
    ]);
    expect((await ask('PATCH', '/schedules/sch_01h455vb4pex5vsknk084sn02q', {})).status).toBe(404);
  });

  it('can be paused, resumed, disabled and enabled, and a repeat changes nothing', async () => {
    const id = await create();
    const paused = await ask('POST', `/schedules/${id}/pause`, { reason: 'holiday' });
    expect(paused.body).toMatchObject({ state: 'paused', stateReason: 'holiday', nextAt: null });
    expect((await ask('POST', `/schedules/${id}/pause`)).body).toEqual(paused.body);
    expect((await ask('POST', `/schedules/${id}/resume`)).body).toMatchObject({ state: 'active' });
    expect((await ask('POST', `/schedules/${id}/disable`)).body).toMatchObject({ state: 'disabled' });
    const refused = await ask('POST', `/schedules/${id}/pause`);
    expect(refused).toMatchObject({
      status: 409,
      body: { code: 'state-forbids', detail: containing('is disabled') },
    });
    expect((await ask('POST', `/schedules/${id}/enable`)).body).toMatchObject({ state: 'active' });
  });

  it('lists its next occurrences, even before its creation, with the effects of clock changes', async () => {
    const id = await create();
    expect((await ask('GET', `/schedules/${id}/preview?count=2`)).body).toEqual({
      zone: 'UTC',
      lookedUntil: null,
      fires: [
        { at: '2026-01-01T01:00:00.000Z', localTime: '2026-01-01T01:00:00', mark: null, instants: 1 },
        { at: '2026-01-01T02:00:00.000Z', localTime: '2026-01-01T02:00:00', mark: null, instants: 1 },
      ],
    });
    const question = { zone: 'America/New_York', after: '2026-03-08T00:00:00-05:00' };
    const fixed = await ask('POST', '/schedules/preview', { ...question, cron: '30 2 * * *', count: 1 });
    expect(fixed.body['fires']).toEqual([
      { at: '2026-03-08T07:00:00.000Z', localTime: '2026-03-08T02:30:00', mark: 'shifted', instants: 1 },
    ]);
    const wild = await ask('POST', '/schedules/preview', { ...question, cron: '*/30 2 * * *', count: 1 });
    expect(wild.body['fires']).toMatchObject([
      { at: null, localTime: '2026-03-08T02:00:00', mark: 'skipped', instants: 2 },
      {},
    ]);
    const autumn = { ...question, after: '2026-11-01T01:30:00-04:00', cron: '30 * * * *', count: 1 };
    expect((await ask('POST', '/schedules/preview', autumn)).body['fires']).toMatchObject([{ mark: 'repeated' }]);
  });

  it('lists the occurrences of a range, even in the past', async () => {
    const span = { after: '2025-11-01T00:00:00Z', before: '2025-11-04T09:00:00Z', count: 1000 };
    const daily = { ...span, cron: '0 9 * * *', zone: 'UTC' };
    const { body } = await ask('POST', '/schedules/preview', daily);
    expect(body).toMatchObject({ lookedUntil: null });
    const days = z.object({ fires: z.array(z.object({ at: z.string() })) });
    const at = (day: number) => `2025-11-0${day}T09:00:00.000Z`;
    expect(days.parse(body).fires.map((fire) => fire.at)).toEqual([at(1), at(2), at(3)]);
    const id = await create({ cron: daily.cron, from: '2025-11-02T00:00:00Z' });
    const query = new URLSearchParams({ after: span.after, before: span.before });
    const ofSaved = await ask('GET', `/schedules/${id}/preview?${query.toString()}`);
    expect(days.parse(ofSaved.body).fires.map((fire) => fire.at)).toEqual([at(2), at(3)]);
    const none = await ask('POST', '/schedules/preview', { ...daily, before: span.after });
    expect(none.body).toMatchObject({ fires: [], lookedUntil: null });
  });

  it('lists the occurrences of at most twenty years, and marks the end', async () => {
    const leapDays = { cron: '0 0 29 2 *', zone: 'Europe/Berlin', count: 1000 };
    const { body } = await ask('POST', '/schedules/preview', leapDays);
    expect(body).toMatchObject({ lookedUntil: '2046-01-16T00:00:00.000Z' });
    expect(body['fires']).toHaveLength(5);
    const id = await create({ cron: leapDays.cron, zone: leapDays.zone });
    expect((await ask('GET', `/schedules/${id}/preview?count=1000`)).body).toEqual(body);
  });

  it('lists occurrences before its creation if the range includes them', async () => {
    const after = '2025-03-08T00:00:00-05:00';
    const question = { zone: 'America/New_York', after, cron: '30 2 * * *', count: 1 };
    const { body } = await ask('POST', '/schedules/preview', question);
    expect(body['fires']).toMatchObject([{ at: '2025-03-08T07:30:00.000Z' }]);
    const interval = { everySeconds: 600, after: '2025-03-08T00:00:01Z', count: 1 };
    expect((await ask('POST', '/schedules/preview', interval)).body['fires']).toMatchObject([
      { at: '2025-03-08T00:10:01.000Z' },
    ]);
  });

  it('accepts times in years that all components can represent, and refuses other times with field and value', async () => {
    const yearly = { cron: '0 0 1 1 *' };
    const far = { from: '9899-06-01T00:00:00Z' };
    expect((await ask('POST', '/schedules', { ...hourly, ...yearly, ...far })).body).toMatchObject({
      nextAt: '9900-01-01T00:00:00.000Z',
    });
    const forEver = await ask('POST', '/schedules', { ...hourly, until: '9999-12-31T23:59:59Z' });
    expect(forEver.status).toBe(201);
    for (const at of ['9999-12-31T12:00:00Z', '9900-01-01T00:00:00Z', '0000-01-01T00:00:00Z', '0999-12-31T23:59:59Z']) {
      const detail = containing(`in a year from 1000 to 9899, not "${at}"`);
      const requests = [
        await ask('POST', '/schedules', { ...hourly, ...yearly, from: at }),
        await ask('POST', '/schedules/preview', { ...yearly, from: at }),
        await ask('POST', '/schedules/preview', { ...yearly, after: at }),
        await ask('GET', `/schedules/${String(forEver.body['id'])}/preview?after=${at}`),
        await ask('PATCH', `/schedules/${String(forEver.body['id'])}`, { from: at }),
        await ask('POST', `/schedules/${String(forEver.body['id'])}/backfill`, { from: at, until: at }),
      ];
      expect(requests.map(({ status }) => status)).toEqual(requests.map(() => 422));
      for (const { body } of requests)
        expect(body['errors']).toEqual(expect.arrayContaining([expect.objectContaining({ detail })]));
    }
  });

  it('creates an occurrence now if requested, once for an idempotency key', async () => {
    const id = await create();
    const headers = { 'idempotency-key': 'now' };
    const fired = await ask('POST', `/schedules/${id}/run-now`, undefined, headers);
    expect(fired.body).toMatchObject({
      alreadyFired: 0,
      fired: [{ state: 'fired', kind: 'manual', jobId: matching(/^job_/) }],
    });
    await ask('POST', `/schedules/${id}/run-now`, undefined, headers);
    expect(await on.rowsOf('jobs')).toHaveLength(1);
    await ask('POST', `/schedules/${id}/disable`);
    expect((await ask('POST', `/schedules/${id}/run-now`)).status).toBe(409);
  });

  it('creates the occurrences of a past range, and lists started and skipped occurrences with the cause', async () => {
    const id = await create();
    await on.passTime(3 * hourMs);
    await read();
    const listed = await ask('GET', `/schedules/${id}/occurrences`);
    expect(listed.body).toMatchObject({
      items: [
        { scheduledFor: '2026-01-01T03:00:00.000Z', state: 'fired', cause: null, group: null, region: 'local' },
        { scheduledFor: '2026-01-01T02:00:00.000Z', state: 'skipped', cause: 'misfire', instants: 1 },
        { scheduledFor: '2026-01-01T01:00:00.000Z', state: 'skipped', cause: 'too-late', instants: 1 },
      ],
    });
    const time = { from: '2026-01-01T01:30:00Z', until: '2026-01-01T05:00:00Z' };
    const filled = await ask('POST', `/schedules/${id}/backfill`, time);
    expect(filled.body).toMatchObject({
      alreadyFired: 1,
      fired: [{ scheduledFor: '2026-01-01T02:00:00.000Z', kind: 'backfill' }],
    });
    const turned = await ask('POST', `/schedules/${id}/backfill`, { from: time.until, until: time.from });
    expect(turned.body['errors']).toMatchObject([{ pointer: '/until' }]);
    const page = await ask('GET', `/schedules/${id}/occurrences?limit=1&state=skipped`);
    expect(page.body).toMatchObject({ items: [{ cause: 'misfire' }], next: matching(/./) });
    expect((await ask('GET', `/schedules/${id}/occurrences?cursor=nonsense`)).status).toBe(422);
  });
});

describe('a group', () => {
  it('is created, returned, listed and deleted, and schedules create jobs for it', async () => {
    const id = await create({ groups: { tags: ['asia'] } });
    expect((await ask('POST', `/schedules/${id}/run-now`)).body).toMatchObject({ code: 'no-groups' });
    const put = await ask('PUT', '/groups/SG', {
      tags: ['asia'],
      countries: ['SG'],
      homeRegion: 'local',
      fallbackSeconds: 5,
    });
    expect(put).toMatchObject({
      status: 200,
      body: { name: 'SG', revision: 1, homeRegion: 'local', fallbackSeconds: 5 },
    });
    expect((await ask('GET', '/groups/SG')).body).toEqual(put.body);
    expect((await ask('GET', '/groups')).body).toEqual({ items: [put.body], next: null });
    expect((await ask('POST', `/schedules/${id}/run-now`, { groups: ['SG'] })).body).toMatchObject({
      fired: [{ group: 'SG' }],
    });
    expect((await ask('DELETE', '/groups/SG')).status).toBe(204);
    expect((await ask('GET', '/groups/SG')).status).toBe(404);
    expect((await ask('PUT', '/groups/SG', { homeRegion: 'Asia!' })).body['errors']).toMatchObject([
      { pointer: '/homeRegion' },
    ]);
  });
});
