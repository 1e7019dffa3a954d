import { describe, expect, it } from 'vitest';
import { campaignDefinition } from '../../../../shared/contracts/campaigns/campaigns.ts';
import { caps } from '../../../../shared/contracts/endpoints/caps.ts';
import { publicId } from '../../../../shared/domain/ids/ids.ts';
import { authorized, someCampaign } from '../../../../test/support/api-deps.ts';
import { apiOnPostgres } from '../../../../test/support/api-on-postgres.ts';
import { problem } from '../../frame/problems.contract.ts';

const on = apiOnPostgres();

const weekly = { name: 'weekly', actionTypes: ['send-message'], effects: 3, days: 7 };
const daily = { ...weekly, name: 'daily', effects: 1, days: 1, counting: 'calendar', countries: ['SG'] };
const start = '2026-01-01T00:00:00.000Z';
const later = '2026-01-01T00:01:00.000Z';

async function ask(method: 'GET' | 'PUT', body?: object, headers: Record<string, string> = {}) {
  return await on.api.server.inject({
    method,
    url: '/v1/caps',
    headers: { ...authorized, ...headers },
    ...(body && { payload: body }),
  });
}

async function timesAfter(...written: object[]): Promise<Record<string, string>> {
  const { caps: kept } = caps.parse((await ask('PUT', { caps: written })).json());
  return Object.fromEntries(kept.map(({ name, countsFrom }) => [name, countsFrom]));
}

describe('the caps of an installation', () => {
  it('are empty at first and then those that were set last, in their order', async () => {
    expect((await ask('GET')).json()).toEqual({ revision: 0, caps: [], madeAt: null });
    const kept = {
      revision: 1,
      caps: [
        { ...weekly, counting: 'rolling', countsFrom: start },
        { ...daily, countsFrom: start },
      ],
      madeAt: start,
    };
    const put = await ask('PUT', { caps: [weekly, daily] });
    expect([put.statusCode, put.json()]).toEqual([200, kept]);
    expect((await ask('GET')).json()).toEqual(kept);
    await ask('PUT', { caps: [] });
    expect((await ask('GET')).json()).toMatchObject({ revision: 2, caps: [] });
  });

  it('are stored as claims read them', async () => {
    const { campaignId } = await on.deps.campaigns.create(campaignDefinition.parse(someCampaign));
    await ask('PUT', { caps: [{ ...daily, exempt: [publicId('campaign', campaignId)] }, weekly] });
    const { rows } = await on.pool.query('select * from caps order by name');
    const common = { action_types: ['send-message'], counts_from: new Date(start) };
    expect(rows).toEqual([
      { ...common, name: 'daily', countries: ['SG'], effects: 1, days: 1, counting: 'calendar', exempt: [campaignId] },
      { ...common, name: 'weekly', countries: null, effects: 3, days: 7, counting: 'rolling', exempt: null },
    ]);
    expect((await ask('GET')).json()).toMatchObject({
      caps: [{ name: 'daily', exempt: [publicId('campaign', campaignId)] }, { name: 'weekly' }],
    });
  });

  it('count from the time at which they got their name or an action type', async () => {
    expect(await timesAfter(weekly)).toEqual({ weekly: start });
    await on.passTime(60_000);
    const both = ['send-message', 'award-reward'];
    expect(await timesAfter({ ...weekly, effects: 5, countries: ['SG'] }, daily)).toEqual({
      weekly: start,
      daily: later,
    });
    expect(await timesAfter({ ...weekly, actionTypes: both })).toEqual({ weekly: later });
    await on.passTime(60_000);
    expect(await timesAfter({ ...weekly, actionTypes: ['award-reward'] })).toEqual({ weekly: later });
  });

  it('forget the earlier effects if they were removed in between', async () => {
    await timesAfter(weekly);
    await timesAfter();
    await on.passTime(60_000);
    expect(await timesAfter(weekly)).toEqual({ weekly: later });
  });

  it('can be changed only by a caller that has read the last change', async () => {
    const etag = (await ask('PUT', { caps: [weekly] })).headers.etag ?? '';
    expect((await ask('PUT', { caps: [] }, { 'if-match': etag })).statusCode).toBe(200);
    expect((await ask('PUT', { caps: [weekly] }, { 'if-match': etag })).statusCode).toBe(412);
    expect((await ask('GET')).json()).toMatchObject({ revision: 2, caps: [] });
  });

  it.each([
    ['no effects', { effects: 0 }, '/caps/0/effects', 'out-of-range', '0'],
    ['too many effects', { effects: 1001 }, '/caps/0/effects', 'out-of-range', '1001'],
    ['no days', { days: 0 }, '/caps/0/days', 'out-of-range', '0'],
    ['too many days', { days: 91 }, '/caps/0/days', 'out-of-range', '91'],
    [
      'an action type that is none',
      { actionTypes: ['send-mesage'] },
      '/caps/0/actionTypes/0',
      'unknown-action-type',
      '"send-mesage"',
    ],
    ['a country that is none', { countries: ['sg'] }, '/caps/0/countries/0', 'invalid-value', 'such as SG'],
    [
      'an unknown campaign',
      { exempt: ['cmp_01jdyjm7sbfx2v4x0000000000'] },
      '/caps/0/exempt/0',
      'unknown-campaign',
      'cmp_01jdyjm7sbfx2v4x0000000000',
    ],
    ['an id that is none', { exempt: ['receipts'] }, '/caps/0/exempt/0', 'unknown-campaign', '"receipts"'],
    ['a name that is none', { name: 'Weekly messages' }, '/caps/0/name', 'invalid-value', 'such as weekly-messages'],
  ])('are refused with %s', async (_, wrong, pointer, code, part) => {
    const response = await ask('PUT', { caps: [{ ...weekly, ...wrong }] });
    expect(response.statusCode).toBe(422);
    const { errors } = problem.parse(response.json());
    expect(errors).toMatchObject([{ pointer, code }]);
    expect(errors[0]?.detail).toContain(part);
    expect((await ask('GET')).json()).toMatchObject({ revision: 0 });
  });

  it('are refused with a check, which has no effect', async () => {
    const check = { name: 'may-call', url: 'http://checks.test/v1', class: 'A', check: true };
    expect((await on.ask('POST', '/v1/action-types', check)).statusCode).toBe(201);
    const response = await ask('PUT', { caps: [{ ...weekly, actionTypes: ['send-message', 'may-call'] }] });
    const { errors } = problem.parse(response.json());
    expect(errors).toMatchObject([{ pointer: '/caps/0/actionTypes/1', code: 'not-an-action' }]);
    expect(errors[0]?.detail).toContain('"may-call" is a check');
  });

  it('are refused if two have one name', async () => {
    const response = await ask('PUT', { caps: [weekly, { ...daily, name: 'weekly' }] });
    expect(response.statusCode).toBe(422);
    expect(problem.parse(response.json()).errors).toMatchObject([{ pointer: '/caps', code: 'repeated-cap' }]);
  });

  it('are in the audit log together with the previous caps', async () => {
    await ask('PUT', { caps: [weekly] });
    await ask('PUT', { caps: [] });
    const { items } = (await on.api.server.inject({ url: '/v1/audit', headers: authorized })).json<{
      items: unknown[];
    }>();
    const detail = { from: [{ ...weekly, counting: 'rolling', countsFrom: start }], to: [] };
    expect(items[0]).toMatchObject({ method: 'PUT', route: '/v1/caps', detail });
  });
});
