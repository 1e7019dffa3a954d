import { describe, expect, it } from 'vitest';
import { campaignCounts, listedCampaign } from '../../../shared/contracts/runs/campaign-lists.ts';
import { campaign } from '../../../shared/contracts/campaigns/campaigns.ts';
import { authorized, someCampaign } from '../../../test/support/api-deps.ts';
import { apiOnPostgres } from '../../../test/support/api-on-postgres.ts';
import { pageShape } from '../frame/pages.contract.ts';
import { problem } from '../frame/problems.contract.ts';

const on = apiOnPostgres();

const about = {
  description: 'Brings back riders who went away: see wiki/lapsed-riders.',
  owner: 'team growth',
  tags: ['payday', 'team:growth'],
  metadata: { ticket: 'MKT-1204' },
};

function send(method: 'POST' | 'PATCH', url: string, payload?: object, headers: Record<string, string> = {}) {
  return on.api.server.inject({ method, url, headers: { ...authorized, ...headers }, ...(payload ? { payload } : {}) });
}

const get = (url: string) => on.api.server.inject({ url, headers: authorized });

const created = async (fields: object = about) =>
  campaign.parse((await send('POST', '/v1/campaigns', { ...someCampaign, ...fields })).json());

async function started() {
  const { id } = await created();
  await send('POST', `/v1/campaigns/${id}/start`);
  return id;
}

describe('the description of a campaign', () => {
  it('is set at the creation of the campaign, and shown with the campaign', async () => {
    const { id } = await created();
    expect((await get(`/v1/campaigns/${id}`)).json()).toMatchObject({ ...someCampaign, ...about, revision: 1 });
  });

  it('can be changed after the start, without a new revision, with an entry in the audit log', async () => {
    const id = await started();
    const { etag = '' } = (await get(`/v1/campaigns/${id}`)).headers;
    const patch = { owner: 'team riders', tags: ['december'], metadata: null };
    const changed = await send('PATCH', `/v1/campaigns/${id}`, patch, { 'if-match': etag });

    expect(changed.statusCode).toBe(200);
    const { owner, tags, metadata, description, revision } = campaign.parse(changed.json());
    expect([owner, tags, metadata, description, revision]).toEqual([
      ...['team riders', ['december'], undefined, about.description, 1],
    ]);
    expect((await get(`/v1/campaigns/${id}`)).headers.etag).toBe(changed.headers.etag);
    const late = await send('PATCH', `/v1/campaigns/${id}`, { owner: 'late' }, { 'if-match': etag });
    expect(late.statusCode).toBe(412);
    const audit: unknown = (await get('/v1/audit?limit=1')).json();
    expect(audit).toMatchObject({ items: [{ method: 'PATCH', subject: id, detail: { fields: Object.keys(patch) } }] });
  });

  it('is stored together with a change of a draft’s definition, as one revision', async () => {
    const { id } = await created();
    const changed = await send('PATCH', `/v1/campaigns/${id}`, { name: 'January', owner: null });
    expect(changed.json()).toMatchObject({ name: 'January', revision: 2, tags: about.tags });
    expect(changed.json()).not.toHaveProperty('owner');
    const refused = await send('PATCH', `/v1/campaigns/${await started()}`, { name: 'January', owner: null });
    expect(refused.statusCode).toBe(409);
  });

  it.each([
    [{ tags: ['Payday'] }, '/tags/0'],
    [{ tags: ['x'.repeat(41)] }, '/tags/0'],
    [{ tags: ['a', 'b', 'a'] }, '/tags/2'],
    [{ tags: Array.from({ length: 21 }, (_, index) => `t${index}`) }, '/tags'],
    [{ description: 'x'.repeat(2001) }, '/description'],
    [{ owner: ' ' }, '/owner'],
    [{ metadata: { 'a b': 'x' } }, '/metadata/a b'],
    [{ metadata: { a: 7 } }, '/metadata/a'],
    [{ metadata: Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`k${index}`, 'x'])) }, '/metadata'],
  ])('is refused with a pointer to its invalid field, at creation and in a change: %j', async (wrong, pointer) => {
    const pointersOf = (answer: { json: () => unknown }) =>
      problem.parse(answer.json()).errors.map((each) => each.pointer);
    expect(pointersOf(await send('POST', '/v1/campaigns', { ...someCampaign, ...wrong }))).toEqual([pointer]);
    expect(pointersOf(await send('PATCH', `/v1/campaigns/${await started()}`, wrong))).toEqual([pointer]);
  });
});

describe('a search for campaigns by their description', () => {
  it.each([
    'tag=payday',
    'owner=team%20growth',
    'metadata=ticket%3DMKT-1204',
    'tag=payday&owner=team%20growth',
    'q=LAPSED%20brin',
    'q=rider%20away',
  ])('finds %s', async (query) => {
    const { id } = await created({ ...about, name: 'one' });
    await created({ name: 'another', tags: ['pay'], owner: 'growth', description: 'Riders who stay.' });

    const { items } = pageShape(listedCampaign).parse((await get(`/v1/campaigns?${query}`)).json());

    expect(items.map((each) => each.id)).toEqual([id]);
    expect(campaignCounts.parse((await get(`/v1/campaigns/counts?${query}`)).json()).all).toBe(1);
  });

  it.each(['tag=Payday', 'metadata=ticket', 'metadata=%3D'])('does not find %s', async (query) => {
    expect((await get(`/v1/campaigns?${query}`)).statusCode).toBe(422);
  });
});
