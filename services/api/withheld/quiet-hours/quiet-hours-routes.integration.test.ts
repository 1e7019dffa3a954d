import { describe, expect, it } from 'vitest';
import { campaignDefinition } from '../../../../shared/contracts/campaigns/campaigns.ts';
import { createRegistrySource } from '../../../../shared/postgres/registry/registry.ts';
import { authorized, someCampaign } from '../../../../test/support/api-deps.ts';
import { apiOnPostgres } from '../../../../test/support/api-on-postgres.ts';

const on = apiOnPostgres();

const night = { actionType: 'send-message', countries: ['SG'], from: '21:00', until: '08:00', then: 'wait' };

async function ask(method: 'GET' | 'PUT', body?: object, headers: Record<string, string> = {}) {
  return await on.api.server.inject({
    method,
    url: '/v1/quiet-hours',
    headers: { ...authorized, ...headers },
    ...(body && { payload: body }),
  });
}

describe('the quiet hours of an installation', () => {
  it('are empty at first and then those that were set last, and each process reads them from the registry', async () => {
    expect((await ask('GET')).json()).toEqual({ revision: 0, rules: [], madeAt: null });
    const registry = createRegistrySource({ pool: on.deps.pool });
    const before = await registry.revision();
    const put = await ask('PUT', { rules: [night] });
    expect([put.statusCode, put.json()]).toMatchObject([200, { revision: 1, rules: [night] }]);
    expect(await registry.revision()).toBe(before + 1);
    expect(await registry.read()).toMatchObject({ quietHours: [night] });
    await ask('PUT', { rules: [] });
    expect((await ask('GET')).json()).toMatchObject({ revision: 2, rules: [] });
  });

  it('can be changed only by a caller that has read the last change', async () => {
    const etag = (await ask('PUT', { rules: [night] })).headers.etag ?? '';
    expect((await ask('PUT', { rules: [] }, { 'if-match': etag })).statusCode).toBe(200);
    expect((await ask('PUT', { rules: [night] }, { 'if-match': etag })).statusCode).toBe(412);
  });

  it.each([
    ['a time that is none', { from: '24:00' }, '/rules/0/from'],
    ['no hours at all', { until: '21:00' }, '/rules/0/until'],
    ['a zone that is none', { zone: 'Asia/Nowhere' }, '/rules/0/zone'],
    ['a country that is none', { countries: ['sg'] }, '/rules/0/countries/0'],
    ['another fate', { then: 'call' }, '/rules/0/then'],
  ])('are refused with %s', async (_, wrong, pointer) => {
    const response = await ask('PUT', { rules: [{ ...night, ...wrong }] });
    expect(response.statusCode).toBe(422);
    expect(response.json()).toMatchObject({ errors: [{ pointer }] });
  });

  it('release only the holds for quiet hours, and no hold for a fault, when they are changed or deleted', async () => {
    const { campaignId } = await on.deps.campaigns.create(campaignDefinition.parse(someCampaign));
    const now = new Date();
    const seed = { campaignId, revision: 1, scheduledFor: now, state: 'running', startedAt: now } as const;
    const runId = await on.deps.rows.addRun(seed);
    const feedId = await on.deps.rows.addFeed(runId, { country: 'SG' });
    const hold = { step: 1, batches: 1, ageMs: 0 };
    await on.deps.rows.addHold(feedId, { ...hold, kind: 'fault', cause: 'endpoint says 404' });
    const kinds = async () =>
      (await on.pool.query<{ kind: string }>('select kind from holds order by kind')).rows.map(({ kind }) => kind);
    for (const rules of [[night], []]) {
      await on.deps.rows.addHold(feedId, { ...hold, kind: 'quiet-hours', cause: 'quiet hours' });
      expect(await kinds()).toEqual(['fault', 'quiet-hours']);
      expect((await ask('PUT', { rules })).statusCode).toBe(200);
      expect(await kinds()).toEqual(['fault']);
    }
  });

  it('are in the audit log together with the previous quiet hours', async () => {
    await ask('PUT', { rules: [night] });
    const { items } = (await on.api.server.inject({ url: '/v1/audit', headers: authorized })).json<{
      items: unknown[];
    }>();
    const detail = { from: [], to: [night] };
    expect(items).toEqual([expect.objectContaining({ method: 'PUT', route: '/v1/quiet-hours', detail })]);
  });
});
