import { describe, expect, it } from 'vitest';
import { campaign } from '../../../shared/contracts/campaigns/campaigns.ts';
import { authorized, someCampaign } from '../../../test/support/api-deps.ts';
import { apiOnPostgres } from '../../../test/support/api-on-postgres.ts';
import { reportShards } from '../../../test/support/report-shards.ts';
import { campaignPreview } from '../installation/scheduler/load-preview.contract.ts';
import { problem } from '../frame/problems.contract.ts';

const on = apiOnPostgres();

function send(method: 'POST' | 'PATCH', url: string, payload?: object, headers: Record<string, string> = {}) {
  return on.api.server.inject({ method, url, headers: { ...authorized, ...headers }, ...(payload ? { payload } : {}) });
}

async function created() {
  return campaign.parse((await send('POST', '/v1/campaigns', someCampaign)).json());
}

describe('a change of a draft’s definition', () => {
  it('returns the next revision of the draft, which later reads return', async () => {
    const { id } = await created();
    const response = await send('PATCH', `/v1/campaigns/${id}`, { ...someCampaign, name: 'Lapsed riders, January' });

    expect(response.statusCode).toBe(200);
    expect(response.json()).toMatchObject({ id, revision: 2, state: 'draft', name: 'Lapsed riders, January' });
    const found = await on.api.server.inject({ url: `/v1/campaigns/${id}`, headers: authorized });
    expect(found.json()).toMatchObject({ revision: 2, name: 'Lapsed riders, January' });
    expect(found.headers.etag).toBe(response.headers.etag);
  });

  it('reports all problems and changes nothing', async () => {
    const { id } = await created();
    const response = await send('PATCH', `/v1/campaigns/${id}`, { ...someCampaign, name: '', countries: ['FR'] });

    expect(response.statusCode).toBe(422);
    expect(problem.parse(response.json()).errors.map(({ pointer }) => pointer)).toEqual(['/name', '/countries/0']);
    expect((await on.api.server.inject({ url: `/v1/campaigns/${id}`, headers: authorized })).json()).toMatchObject({
      revision: 1,
    });
  });

  it('replaces each given field as a whole, keeps the others, and resets a field to its default with null', async () => {
    const recurring = { type: 'recurring', cron: '0 9 * * MON', zone: 'Asia/Singapore' };
    const payload = { ...someCampaign, schedule: recurring, deadlineSeconds: 600, paceUsersPerSecond: 5 };
    const { id } = campaign.parse((await send('POST', '/v1/campaigns', payload)).json());
    const patch = { schedule: { type: 'now' }, paceUsersPerSecond: null };
    const changed = campaign.parse((await send('PATCH', `/v1/campaigns/${id}`, patch)).json());

    expect(changed).toMatchObject({ ...someCampaign, deadlineSeconds: 600 });
    expect([changed.schedule, changed.paceUsersPerSecond]).toEqual([{ type: 'now' }, undefined]);
  });

  it('is refused for a started campaign', async () => {
    const { id } = await created();
    await send('POST', `/v1/campaigns/${id}/start`);
    const response = await send('PATCH', `/v1/campaigns/${id}`, someCampaign);

    expect(response.statusCode).toBe(409);
    expect(problem.parse(response.json())).toMatchObject({
      code: 'state-forbids',
      detail: `${id} is started: only a draft can be changed`,
    });
  });

  it('is refused if the draft was changed since it was read', async () => {
    const { id } = await created();
    const { etag = '' } = (await on.api.server.inject({ url: `/v1/campaigns/${id}`, headers: authorized })).headers;
    const ifMatch = { 'if-match': etag };
    expect((await send('PATCH', `/v1/campaigns/${id}`, { ...someCampaign, name: 'mine' }, ifMatch)).statusCode).toBe(
      200,
    );
    const late = await send('PATCH', `/v1/campaigns/${id}`, { ...someCampaign, name: 'late' }, ifMatch);

    expect(late.statusCode).toBe(412);
  });

  it('succeeds for only one of several concurrent changes; the others are refused as outdated', async () => {
    const { id } = await created();
    const { etag = '' } = (await on.api.server.inject({ url: `/v1/campaigns/${id}`, headers: authorized })).headers;
    const ifMatch = { 'if-match': etag };
    const names = ['one', 'two', 'three', 'four'];
    const answers = await Promise.all(
      names.map((name) => send('PATCH', `/v1/campaigns/${id}`, { ...someCampaign, name }, ifMatch)),
    );
    const [winner, ...more] = names.filter((_, index) => answers[index]?.statusCode === 200);
    expect(more).toEqual([]);
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 412, 412, 412]);
    const found = await on.api.server.inject({ url: `/v1/campaigns/${id}`, headers: authorized });
    expect(found.json()).toMatchObject({ name: winner, revision: 2 });
  });

  it('is refused for a campaign that does not exist', async () => {
    const response = await send('PATCH', '/v1/campaigns/cmp_01h455vb4pex5vsknk084sn02q', someCampaign);
    expect(response.statusCode).toBe(404);
  });
});

describe('the preview of a campaign', () => {
  const preview = async (body: object) =>
    campaignPreview.parse((await send('POST', '/v1/campaigns/preview', body)).json());

  it('has estimates by country and source, and stores nothing', async () => {
    const { chain, countries } = someCampaign;
    await reportShards(on.pool, 'a', { actions: chain.map(({ action }) => action), countries });
    const previewed = await preview({ ...someCampaign, audience: { ...someCampaign.audience, holdOutPercent: 10 } });

    expect(previewed).toMatchObject({ problems: [], warnings: [], holdOutPercent: 10, batchUsers: 100 });
    expect(previewed.countries.map(({ country, users }) => [country, users])).toEqual(
      ['SG', 'ID', 'VN'].map((country) => [country, { atLeast: 1000, atMost: 1000 }]),
    );
    const list = await on.api.server.inject({ url: '/v1/campaigns', headers: authorized });
    expect(list.json()).toMatchObject({ items: [] });
  });

  it('has the load of each shard, without held-out users', async () => {
    const { load } = await preview({ ...someCampaign, audience: { ...someCampaign.audience, holdOutPercent: 10 } });

    expect(load).toHaveLength(6);
    expect(load[0]).toEqual({
      step: 1,
      action: 'award-reward',
      country: 'SG',
      users: 900,
      calls: 9,
      limit: null,
      seconds: null,
      breaker: 'closed',
    });
  });

  it('computes the duration of the run from the pace of the campaign', async () => {
    const previewed = await preview({ ...someCampaign, paceUsersPerSecond: 10 });

    expect(previewed.takesSeconds).toEqual({ atLeast: 300, atMost: 300 });
    expect(previewed.load[0]).toMatchObject({ limit: 'pace', seconds: 300 });
  });

  it('reports all problems in its response and estimates the valid parts', async () => {
    const previewed = await preview({ ...someCampaign, name: '', chain: [{ action: 'award-yacht' }] });

    expect(previewed.problems.map(({ pointer }) => pointer)).toEqual(['/name', '/chain/0/action']);
    expect(previewed.countries).toHaveLength(3);
    expect(previewed.batchUsers).toBeNull();
  });

  it('reports sources that do not exist', async () => {
    const previewed = await preview({ ...someCampaign, audience: { include: [{ list: 'aud_nothing' }] } });
    expect(previewed.problems).toMatchObject([{ pointer: '/audience/include/0/list', code: 'unknown-list' }]);
  });

  it.each([[{}], [{ countries: 'SG' }], [{ audience: { include: [] }, chain: 7 }]])(
    'is returned for incomplete input: %j',
    async (body) => {
      const previewed = await preview(body);
      expect(previewed.problems.length).toBeGreaterThan(0);
      expect(previewed).toMatchObject({ countries: [], load: [], takesSeconds: null });
    },
  );
});
