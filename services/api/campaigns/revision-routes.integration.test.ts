import { describe, expect, it } from 'vitest';
import { campaign } from '../../../shared/contracts/campaigns/campaigns.ts';
import {
  campaignRevision,
  listedRevision,
  revisionDiff,
} from '../../../shared/contracts/campaigns/campaign-revisions.ts';
import { authorized, someCampaign } from '../../../test/support/api-deps.ts';
import { apiOnPostgres } from '../../../test/support/api-on-postgres.ts';
import { reportShards } from '../../../test/support/report-shards.ts';
import { pageShape } from '../frame/pages.contract.ts';
import { problem } from '../frame/problems.contract.ts';
import { createActionTypeStore } from '../action-types/postgres/action-type-store.ts';

const on = apiOnPostgres();

/** A draft of three revisions. */
async function changedTwice() {
  const { id } = campaign.parse((await on.ask('POST', '/v1/campaigns', { ...someCampaign, owner: 'growth' })).json());
  await change(id, { name: 'second', countries: ['SG'], paceUsersPerSecond: 7 });
  await change(id, { name: 'third', chain: someCampaign.chain.slice(1) });
  return id;
}

const change = async (id: string, fields: object) =>
  campaign.parse((await on.ask('PATCH', `/v1/campaigns/${id}`, fields)).json());

const show = async (id: string) => campaign.parse((await on.ask('GET', `/v1/campaigns/${id}`)).json());
const restore = async (id: string, revision: number) =>
  await on.ask('POST', `/v1/campaigns/${id}/revisions/${revision}/restore`);
const diff = async (id: string, from: number, to?: number) => {
  const query = to === undefined ? '' : `?to=${to}`;
  return revisionDiff.parse((await on.ask('GET', `/v1/campaigns/${id}/revisions/${from}/diff${query}`)).json());
};

describe('revisions of a campaign', () => {
  it('are listed page by page, the newest first, and shown as they were written', async () => {
    const id = await changedTwice();
    const list = async (query: string) =>
      pageShape(listedRevision).parse((await on.ask('GET', `/v1/campaigns/${id}/revisions${query}`)).json());
    const first = await list('?limit=2');
    const second = await list(`?limit=2&cursor=${first.next ?? ''}`);

    expect([first, second].map(({ items }) => items.map(({ revision, name }) => [revision, name]))).toEqual([
      ...[
        [
          [3, 'third'],
          [2, 'second'],
        ],
        [[1, someCampaign.name]],
      ],
    ]);
    expect(second.next).toBeNull();
    const shown = campaignRevision.parse((await on.ask('GET', `/v1/campaigns/${id}/revisions/1`)).json());
    expect(shown.definition).toMatchObject(someCampaign);
    expect(shown.createdAt).toBe(first.items[0]?.createdAt);
  });

  it('are compared field by field, in the order of a definition, with the newest unless another is named', async () => {
    const id = await changedTwice();
    expect(await diff(id, 1, 2)).toEqual({
      from: 1,
      to: 2,
      differences: [
        { pointer: '/name', before: someCampaign.name, after: 'second' },
        { pointer: '/countries', before: someCampaign.countries, after: ['SG'] },
        { pointer: '/paceUsersPerSecond', after: 7 },
      ],
    });
    const chain = { pointer: '/chain/0', before: someCampaign.chain[0] };
    const name = { pointer: '/name', before: 'second', after: 'third' };
    expect(await diff(id, 2)).toEqual({ from: 2, to: 3, differences: [name, chain] });
    expect((await diff(id, 3, 3)).differences).toEqual([]);
  });

  it.each([
    ['GET', '/revisions/4', 404],
    ['GET', '/revisions/0', 422],
    ['GET', '/revisions/x', 422],
    ['GET', '/revisions/1/diff?to=9', 404],
    ['GET', '/revisions?cursor=x', 422],
    ['POST', '/revisions/4/restore', 404],
  ] as const)('are none but those that there are: %s %s', async (method, path, status) => {
    const id = await changedTwice();
    expect((await on.ask(method, `/v1/campaigns/${id}${path}`)).statusCode).toBe(status);
    expect((await on.ask(method, `/v1/campaigns/cmp_01h455vb4pex5vsknk084sn02q${path}`)).statusCode).toBeOneOf([
      ...[404, status],
    ]);
  });
});

describe('restoring a revision', () => {
  it('makes a new one of what it held, and what is said about the campaign stays', async () => {
    const { chain, countries } = someCampaign;
    await reportShards(on.pool, 'a', { actions: chain.map(({ action }) => action), countries });
    const id = await changedTwice();
    await change(id, { owner: 'riders' });
    const restored = await restore(id, 1);

    expect(restored.statusCode).toBe(200);
    expect(restored.json()).toMatchObject({ ...someCampaign, owner: 'riders', revision: 4, warnings: [] });
    expect(campaign.parse(restored.json()).paceUsersPerSecond).toBeUndefined();
    expect((await on.ask('GET', `/v1/campaigns/${id}`)).headers.etag).toBe(restored.headers.etag);
    expect((await diff(id, 1)).differences).toEqual([]);
    expect((await diff(id, 3)).differences).not.toEqual([]);
    const route = '/v1/campaigns/:id/revisions/:revision/restore';
    const audit: unknown = (await on.ask('GET', `/v1/audit?route=${encodeURIComponent(route)}`)).json();
    expect(audit).toMatchObject({ items: [{ subject: id, detail: { restored: 1 } }] });
  });

  it('makes none where the draft is so already', async () => {
    const id = await changedTwice();
    await restore(id, 1);
    expect((await restore(id, 1)).json()).toMatchObject({ revision: 4, name: someCampaign.name });
    expect((await restore(id, 4)).json()).toMatchObject({ revision: 4 });
  });

  it('is checked as a change is', async () => {
    const id = await changedTwice();
    await createActionTypeStore(on.deps).change('award-reward', { enabled: false }, null);
    const refused = problem.parse((await restore(id, 1)).json());
    expect(refused).toMatchObject({ status: 422, errors: [{ pointer: '/chain/0/action', code: 'unknown-action' }] });
    expect((await show(id)).revision).toBe(3);
  });

  it('is refused for what was started, for what is put away, and where it is another by now', async () => {
    const id = await changedTwice();
    const { etag = '' } = (await on.ask('GET', `/v1/campaigns/${id}`)).headers;
    await change(id, { name: 'meanwhile' });
    const url = `/v1/campaigns/${id}/revisions/1/restore`;
    const headers = { ...authorized, 'if-match': etag };
    expect((await on.api.server.inject({ method: 'POST', url, headers })).statusCode).toBe(412);

    await on.ask('POST', `/v1/campaigns/${id}/archive`);
    expect(problem.parse((await restore(id, 1)).json())).toMatchObject({ status: 409, code: 'state-forbids' });
    await on.ask('POST', `/v1/campaigns/${id}/unarchive`);
    await on.ask('POST', `/v1/campaigns/${id}/start`);
    expect(problem.parse((await restore(id, 1)).json())).toMatchObject({ status: 409, code: 'state-forbids' });
  });
});
