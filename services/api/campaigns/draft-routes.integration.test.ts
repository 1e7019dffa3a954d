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

describe('giving a draft another definition', () => {
  it('answers with its next revision, which is shown from then on', async () => {
    const { id } = await created();
    const response = await send('PATCH', `/v1/campaigns/${id}`, { ...someCampaign, name: 'Lapsed riders, January' });

    expect(response.statusCode).toBe(200);
    expect(response.json()).toMatchObject({ id, revision: 2, state: 'draft', name: 'Lapsed riders, January' });
    const shown = await on.api.server.inject({ url: `/v1/campaigns/${id}`, headers: authorized });
    expect(shown.json()).toMatchObject({ revision: 2, name: 'Lapsed riders, January' });
    expect(shown.headers.etag).toBe(response.headers.etag);
  });

  it('says all that is wrong with it, and changes nothing', async () => {
    const { id } = await created();
    const response = await send('PATCH', `/v1/campaigns/${id}`, { ...someCampaign, name: '', countries: ['FR'] });

    expect(response.statusCode).toBe(422);
    expect(problem.parse(response.json()).errors.map(({ pointer }) => pointer)).toEqual(['/name', '/countries/0']);
    expect((await on.api.server.inject({ url: `/v1/campaigns/${id}`, headers: authorized })).json()).toMatchObject({
      revision: 1,
    });
  });

  it('replaces a field as a whole, leaves what is not given, and takes a field back with null', async () => {
    const recurring = { type: 'recurring', cron: '0 9 * * MON', zone: 'Asia/Singapore' };
    const payload = { ...someCampaign, schedule: recurring, deadlineSeconds: 600, paceUsersPerSecond: 5 };
    const { id } = campaign.parse((await send('POST', '/v1/campaigns', payload)).json());
    const patch = { schedule: { type: 'now' }, paceUsersPerSecond: null };
    const shown = campaign.parse((await send('PATCH', `/v1/campaigns/${id}`, patch)).json());

    expect(shown).toMatchObject({ ...someCampaign, deadlineSeconds: 600 });
    expect([shown.schedule, shown.paceUsersPerSecond]).toEqual([{ type: 'now' }, undefined]);
  });

  it('refuses what was started', async () => {
    const { id } = await created();
    await send('POST', `/v1/campaigns/${id}/start`);
    const response = await send('PATCH', `/v1/campaigns/${id}`, someCampaign);

    expect(response.statusCode).toBe(409);
    expect(problem.parse(response.json())).toMatchObject({
      code: 'state-forbids',
      detail: `${id} is started: only a draft can be changed`,
    });
  });

  it('refuses what somebody else has changed since it was looked at', async () => {
    const { id } = await created();
    const { etag = '' } = (await on.api.server.inject({ url: `/v1/campaigns/${id}`, headers: authorized })).headers;
    const ifMatch = { 'if-match': etag };
    expect((await send('PATCH', `/v1/campaigns/${id}`, { ...someCampaign, name: 'mine' }, ifMatch)).statusCode).toBe(
      200,
    );
    const late = await send('PATCH', `/v1/campaigns/${id}`, { ...someCampaign, name: 'late' }, ifMatch);

    expect(late.statusCode).toBe(412);
  });

  it('is changed by one of those who change it at once; the others hear that it is another by now', async () => {
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
    const shown = await on.api.server.inject({ url: `/v1/campaigns/${id}`, headers: authorized });
    expect(shown.json()).toMatchObject({ name: winner, revision: 2 });
  });

  it('does not know what was never created', async () => {
    const response = await send('PATCH', '/v1/campaigns/cmp_01h455vb4pex5vsknk084sn02q', someCampaign);
    expect(response.statusCode).toBe(404);
  });
});

describe('a campaign that is not made yet', () => {
  const preview = async (body: object) =>
    campaignPreview.parse((await send('POST', '/v1/campaigns/preview', body)).json());

  it('is estimated by country and source, and nothing is kept of it', async () => {
    const { chain, countries } = someCampaign;
    await reportShards(on.pool, 'a', { actions: chain.map(({ action }) => action), countries });
    const shown = await preview({ ...someCampaign, audience: { ...someCampaign.audience, holdOutPercent: 10 } });

    expect(shown).toMatchObject({ problems: [], warnings: [], holdOutPercent: 10, batchUsers: 100 });
    expect(shown.countries.map(({ country, users }) => [country, users])).toEqual(
      ['SG', 'ID', 'VN'].map((country) => [country, { atLeast: 1000, atMost: 1000 }]),
    );
    const list = await on.api.server.inject({ url: '/v1/campaigns', headers: authorized });
    expect(list.json()).toMatchObject({ items: [] });
  });

  it('says what it would bring to each shard, whoever is held out left out', async () => {
    const { load } = await preview({ ...someCampaign, audience: { ...someCampaign.audience, holdOutPercent: 10 } });

    expect(load).toHaveLength(6);
    expect(load[0]).toEqual({
      ...{ step: 1, action: 'award-reward', country: 'SG', users: 900, calls: 9 },
      ...{ limit: null, seconds: null, breaker: 'closed' },
    });
  });

  it('says how long it takes by its pace', async () => {
    const shown = await preview({ ...someCampaign, paceUsersPerSecond: 10 });

    expect(shown.takesSeconds).toEqual({ atLeast: 300, atMost: 300 });
    expect(shown.load[0]).toMatchObject({ limit: 'pace', seconds: 300 });
  });

  it('tells all that is wrong instead of refusing it, and estimates what can be understood', async () => {
    const shown = await preview({ ...someCampaign, name: '', chain: [{ action: 'award-yacht' }] });

    expect(shown.problems.map(({ pointer }) => pointer)).toEqual(['/name', '/chain/0/action']);
    expect(shown.countries).toHaveLength(3);
    expect(shown.batchUsers).toBeNull();
  });

  it('tells what the audience names and is not there', async () => {
    const shown = await preview({ ...someCampaign, audience: { include: [{ list: 'aud_nothing' }] } });
    expect(shown.problems).toMatchObject([{ pointer: '/audience/include/0/list', code: 'unknown-list' }]);
  });

  it.each([[{}], [{ countries: 'SG' }], [{ audience: { include: [] }, chain: 7 }]])(
    'is answered however little of it there is: %j',
    async (body) => {
      const shown = await preview(body);
      expect(shown.problems.length).toBeGreaterThan(0);
      expect(shown).toMatchObject({ countries: [], load: [], takesSeconds: null });
    },
  );
});
