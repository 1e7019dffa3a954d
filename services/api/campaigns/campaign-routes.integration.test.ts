import { describe, expect, it } from 'vitest';
import { campaign } from '../../../shared/contracts/campaigns/campaigns.ts';
import { uuidOf } from '../../../shared/domain/ids/ids.ts';
import { pageShape } from '../frame/pages.contract.ts';
import { problem } from '../frame/problems.contract.ts';
import { authorized, someCampaign } from '../../../test/support/api-deps.ts';
import { apiOnPostgres } from '../../../test/support/api-on-postgres.ts';
import { reportShards } from '../../../test/support/report-shards.ts';
import { createActionTypeStore } from '../action-types/postgres/action-type-store.ts';

const on = apiOnPostgres();

const campaignPage = pageShape(campaign);

function post(url: string, payload?: object | string, headers: Record<string, string> = {}) {
  const body = payload === undefined ? {} : { payload };
  const type = payload === undefined ? {} : { 'content-type': 'application/json' };
  return on.api.server.inject({ method: 'POST', url, headers: { ...authorized, ...type, ...headers }, ...body });
}

function get(url: string) {
  return on.api.server.inject({ method: 'GET', url, headers: authorized });
}

async function created(body: object = someCampaign) {
  return campaign.parse((await post('/v1/campaigns', body)).json());
}

describe('creating a campaign', () => {
  it('returns the definition with the campaign’s id and links', async () => {
    const response = await post('/v1/campaigns', someCampaign);

    expect(response.statusCode).toBe(201);
    const found = campaign.parse(response.json());
    expect(found).toMatchObject({ ...someCampaign, state: 'draft', revision: 1, nextRunAt: null });
    expect(found.schedule).toEqual({ type: 'now' });
    expect(found.links.latestRun).toBeNull();
    expect(response.headers.location).toBe(`/v1/campaigns/${found.id}`);
  });

  it('returns the start time of the schedule, even for a draft', async () => {
    const schedule = { type: 'at', time: '2026-12-01T09:00:00', zone: 'Asia/Singapore' };
    expect((await created({ ...someCampaign, schedule })).startsAt).toBe('2026-12-01T01:00:00.000Z');
    expect((await created()).startsAt).toBeNull();
  });

  it('keeps a schedule in the form in which it was sent', async () => {
    const schedule = { type: 'at', time: '2026-12-01T09:00:00', zone: 'Asia/Singapore' };
    expect((await created({ ...someCampaign, schedule })).schedule).toEqual(schedule);
  });
});

describe('an invalid campaign', () => {
  const step = { action: 'award-reward', params: {} };
  const at = (time: string, zone?: string) => ({
    schedule: { type: 'at', time, ...(zone === undefined ? {} : { zone }) },
  });

  it.each<[string, object, string, string, string]>([
    ['an unknown field', { colour: 'red' }, '/colour', 'unknown-field', '"colour"'],
    [
      'a hold-out that leaves nobody',
      { audience: { ...someCampaign.audience, holdOutPercent: 100 } },
      '/audience/holdOutPercent',
      'out-of-range',
      'at most 99, not 100',
    ],
    [
      'an audience with a slip',
      { audience: { ...someCampaign.audience, holdoutPercent: 5 } },
      '/audience/holdoutPercent',
      'unknown-field',
      'known are include, exclude, holdOutPercent, holdOutSeed',
    ],
    [
      'a source that names nothing',
      { audience: { include: [{ segment: 'riders' }, {}] } },
      '/audience/include/1',
      'invalid-value',
      'has to name a segment, a list or an earlier run',
    ],
    [
      'a source that names two things',
      { audience: { include: [{ segment: 'riders', list: 'aud_1' }] } },
      '/audience/include/0',
      'invalid-value',
      'has to name a segment, a list or an earlier run',
    ],
    [
      'an outcome that there is not',
      { audience: { ...someCampaign.audience, exclude: [{ runId: 'run_1', outcomes: ['happy'] }] } },
      '/audience/exclude/0/outcomes/0',
      'invalid-value',
      '"succeeded" or "failed"',
    ],
    ['no name', { name: '' }, '/name', 'wrong-length', 'at least 1 character'],
    ['a name of blanks', { name: '   ' }, '/name', 'wrong-length', 'at least 1 character'],
    ['a name that cannot be seen', { name: '\u200d\u200d' }, '/name', 'invisible-text', 'that can be seen'],
    ['a name turned round', { name: '\u202eevil' }, '/name', 'invalid-value', String.raw`"\u202eevil"`],
    ['an owner that clears a terminal', { owner: 'a\u001b[2J' }, '/owner', 'invalid-value', String.raw`"a\u001b[2J"`],
    ['a name of 201 characters', { name: 'n'.repeat(201) }, '/name', 'wrong-length', 'at most 200'],
    ['no country', { countries: [] }, '/countries', 'wrong-length', 'at least 1 item'],
    ['a country in small letters', { countries: ['SG', 'id'] }, '/countries/1', 'invalid-country', '"id"'],
    [
      'a country in small letters that is configured',
      { countries: ['sg'] },
      '/countries/0',
      'invalid-country',
      'did you mean SG?',
    ],
    ['an unknown country', { countries: ['FR'] }, '/countries/0', 'unknown-country', 'configured are SG, ID, VN'],
    ['a country twice', { countries: ['SG', 'SG'] }, '/countries/1', 'repeated-country', '"SG"'],
    ['an empty chain', { chain: [] }, '/chain', 'wrong-length', 'at least 1 item'],
    ['a chain of 21 steps', { chain: Array.from({ length: 21 }, () => step) }, '/chain', 'wrong-length', 'at most 20'],
    [
      'an unknown action',
      { chain: [step, { action: 'award-yacht' }] },
      '/chain/1/action',
      'unknown-action',
      'configured are award-reward, send-message',
    ],
    [
      'an action of every object',
      { chain: [{ action: 'constructor' }] },
      '/chain/0/action',
      'unknown-action',
      '"const',
    ],
    [
      'parameters beyond 64 KiB',
      { chain: [{ ...step, params: { text: '€'.repeat(22_000) } }] },
      '/chain/0/params',
      'too-large',
      '65536',
    ],
    ['no segment', { audience: { include: [] } }, '/audience/include', 'wrong-length', 'at least 1 item'],
    ['a schedule of no known type', { schedule: { type: 'cron' } }, '/schedule/type', 'invalid-value', '"now" or "at"'],
    ['a past date', at('2025-12-31T00:00:00Z'), '/schedule/time', 'past-time', '2026-01-01T00:00:00.000Z now'],
    ['a time that is none', at('tomorrow'), '/schedule/time', 'invalid-time', '"tomorrow"'],
    [
      'a day that does not exist',
      at('2027-02-30T09:00:00Z'),
      '/schedule/time',
      'invalid-time',
      'the day, time of day or offset does not exist',
    ],
    [
      'an hour that does not exist',
      at('2027-02-20T24:30:00Z'),
      '/schedule/time',
      'invalid-time',
      'the day, time of day or offset does not exist',
    ],
    [
      'a zone with a slip',
      at('2026-12-01T09:00:00', 'Asia/Singapur'),
      '/schedule/zone',
      'unknown-zone',
      'did you mean Asia/Singapore?',
    ],
    [
      'an action with a slip',
      { chain: [{ action: 'award-rewards' }] },
      '/chain/0/action',
      'unknown-action',
      'did you mean award-reward?',
    ],
    ['a bad zone', at('2026-12-01T09:00:00', 'Asia/Atlantis'), '/schedule/zone', 'unknown-zone', '"Asia/Atlantis"'],
    ['a local time without a zone', at('2026-12-01T09:00:00'), '/schedule/zone', 'missing', 'IANA'],
    [
      'an offset that contradicts the zone',
      at('2026-12-01T09:00:00+07:00', 'Asia/Singapore'),
      '/schedule/zone',
      'contradicting-zone',
      '+08:00',
    ],
    ['a deadline of a second', { deadlineSeconds: 1 }, '/deadlineSeconds', 'out-of-range', 'at least 60, not 1'],
    ['a deadline in words', { deadlineSeconds: 'soon' }, '/deadlineSeconds', 'wrong-type', '"soon"'],
    ['an unknown priority', { priority: 'urgent' }, '/priority', 'invalid-value', '"low" or "normal" or "high"'],
  ])('is refused for %s, and the problem contains its name', async (_fault, fault, pointer, code, detail) => {
    const response = await post('/v1/campaigns', { ...someCampaign, ...fault });

    expect(response.statusCode).toBe(422);
    expect(response.headers['content-type']).toContain('application/problem+json');
    const { errors } = problem.parse(response.json());
    expect(errors).toMatchObject([{ pointer, code }]);
    expect(errors[0]?.detail).toContain(detail);
  });

  it('is refused with all its problems at once: violations of the schema and of other rules', async () => {
    const response = await post('/v1/campaigns', {
      name: 7,
      countries: ['SG', 'FR'],
      chain: [{ action: 'award-yacht', units: 2 }],
      schedule: { type: 'at', time: '2025-01-01T00:00:00Z' },
    });

    const { errors } = problem.parse(response.json());
    expect(errors.map(({ pointer }) => pointer)).toEqual([
      '/name',
      '/audience',
      '/chain/0/units',
      '/countries/1',
      '/chain/0/action',
      '/schedule/time',
    ]);
  });

  it('is refused with no more than a hundred problems', async () => {
    const absurd = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`field${index}`, index]));

    const { errors, detail } = problem.parse((await post('/v1/campaigns', { ...someCampaign, ...absurd })).json());

    expect(errors).toHaveLength(100);
    expect(detail).toContain('4900 more');
  });

  it('is accepted if its only problem is a start time that has passed less than a minute ago', async () => {
    const response = await post('/v1/campaigns', { ...someCampaign, ...at('2025-12-31T23:59:10Z') });
    expect(response.statusCode).toBe(201);
  });

  it.each<[string, number, string, string | undefined, Record<string, string>]>([
    ['no body', 422, 'invalid-request', undefined, {}],
    ['half a body', 400, 'malformed-json', '{"name":', {}],
    ['a body of 1 MiB', 413, 'body-too-large', `{"name":"${'n'.repeat(1024 * 1024)}"}`, {}],
    [
      'a body that is nested absurdly',
      422,
      'invalid-request',
      `{"chain":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
      {},
    ],
    ['a name that changes prototypes', 422, 'invalid-request', '{"__proto__":{"name":"x"}}', {}],
    ['a form', 415, 'unsupported-media-type', 'name=x', { 'content-type': 'application/x-www-form-urlencoded' }],
    [
      'JSON in another charset',
      415,
      'unsupported-charset',
      '{}',
      { 'content-type': 'application/json; charset=latin1' },
    ],
    ['plain text', 415, 'unsupported-media-type', '{}', { 'content-type': 'text/plain' }],
  ])('is refused for %s with %i %s', async (_fault, status, code, body, headers) => {
    const response = await post('/v1/campaigns', body, headers);

    expect(response.statusCode).toBe(status);
    expect(problem.parse(response.json())).toMatchObject({ status, code });
  });
});

describe('showing campaigns', () => {
  it('returns pages from the newest to the oldest campaign', async () => {
    const names = ['first', 'second', 'third'];
    for (const name of names) await created({ ...someCampaign, name });

    const first = campaignPage.parse((await get('/v1/campaigns?limit=2')).json());
    const second = campaignPage.parse((await get(`/v1/campaigns?limit=2&cursor=${first.next ?? ''}`)).json());

    expect(first.items.map(({ name }) => name)).toEqual(['third', 'second']);
    expect(second.items.map(({ name }) => name)).toEqual(['first']);
    expect(second.next).toBeNull();
  });

  it.each([
    ['limit=0', '/limit'],
    ['limit=many', '/limit'],
    ['limit=1&limit=2', '/limit'],
    ['limit=1001', '/limit'],
    ['cursor=nowhere', '/cursor'],
    ['page=2', '/page'],
  ])('refuses the query "?%s"', async (query, pointer) => {
    const response = await get(`/v1/campaigns?${query}`);

    expect(response.statusCode).toBe(422);
    expect(problem.parse(response.json()).errors).toMatchObject([{ pointer }]);
  });

  it.each(['cmp_01jdyjm7sbfx2v4x0000000000', 'cmp_short', 'run_01jdyjm7sbfx2v4x0000000000', '17'])(
    'does not find a campaign %s',
    async (id) => {
      const response = await get(`/v1/campaigns/${id}`);

      expect(response.statusCode).toBe(404);
      const { code, detail } = problem.parse(response.json());
      expect(code).toBe('campaign-not-found');
      expect(detail).toContain(id);
    },
  );

  it('has an entity tag that changes with the campaign', async () => {
    const { links } = await created();

    const draft = await get(links.self);
    const again = await get(links.self);
    await post(links.start);
    const scheduled = await get(links.self);

    expect(draft.headers.etag).toMatch(/^"[\w-]+"$/);
    expect(again.headers.etag).toBe(draft.headers.etag);
    expect(scheduled.headers.etag).not.toBe(draft.headers.etag);
  });

  it('shows the state and the link of the latest run', async () => {
    const { id, links } = await created();
    const uuid = uuidOf('campaign', id) ?? expect.fail('no id of a campaign');
    await on.deps.rows.addRun({ campaignId: uuid, revision: 1, scheduledFor: new Date(0), state: 'running' });

    const found = campaign.parse((await get(links.self)).json());

    expect(found).toMatchObject({ id, state: 'running' });
    expect(found.links.latestRun).toMatch(/^\/v1\/runs\/run_/);
  });
});

describe('starting a campaign', () => {
  it('makes the campaign due at once if its schedule has the type `now`', async () => {
    const { links } = await created();

    const response = await post(links.start);

    expect(response.statusCode).toBe(200);
    expect(response.json()).toMatchObject({ state: 'scheduled', nextRunAt: '2026-01-01T00:00:00.000Z' });
  });

  it('makes the campaign due at the time of its schedule, shown in UTC', async () => {
    const { links } = await created({
      ...someCampaign,
      schedule: { type: 'at', time: '2026-12-01T09:00:00', zone: 'Asia/Singapore' },
    });

    expect((await post(links.start)).json()).toMatchObject({ nextRunAt: '2026-12-01T01:00:00.000Z' });
  });

  it('makes the campaign due at once if its time has passed since its creation', async () => {
    const { links } = await created({ ...someCampaign, schedule: { type: 'at', time: '2026-01-01T00:00:05Z' } });
    await on.passTime(60_000);

    expect((await post(links.start)).json()).toMatchObject({ nextRunAt: '2026-01-01T00:01:00.000Z' });
  });

  it('has no effect when repeated, and returns the same response', async () => {
    const { chain, countries } = someCampaign;
    await reportShards(on.pool, 'a', { actions: chain.map(({ action }) => action), countries });
    const { links } = await created();

    const first = await post(links.start, {});
    await on.passTime(60_000);
    const second = await post(links.start);

    expect(second.statusCode).toBe(200);
    expect(second.json()).toEqual(first.json());
  });

  it('is refused if an action of the campaign is no longer configured', async () => {
    const { links } = await created();
    await createActionTypeStore(on.deps).change('award-reward', { enabled: false }, null);

    const response = await post(links.start);

    expect(response.statusCode).toBe(409);
    expect(problem.parse(response.json())).toMatchObject({
      code: 'no-longer-configured',
      errors: [{ pointer: '/chain/0/action' }],
    });
  });

  it('accepts no unknown fields', async () => {
    const { links } = await created();

    const response = await post(links.start, { at: 'noon' });

    expect(response.statusCode).toBe(422);
    expect(problem.parse(response.json()).errors).toMatchObject([{ pointer: '/at', code: 'unknown-field' }]);
  });

  it('is refused for a campaign that does not exist', async () => {
    expect((await post('/v1/campaigns/cmp_01jdyjm7sbfx2v4x0000000000/start')).statusCode).toBe(404);
  });
});
