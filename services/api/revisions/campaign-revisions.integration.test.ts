import { describe, expect, it } from 'vitest';
import { campaign } from '../../../shared/contracts/campaigns/campaigns.ts';
import { revisionDiff } from '../../../shared/contracts/campaigns/revisions.ts';
import { someCampaign } from '../../../test/support/api-deps.ts';
import { apiOnPostgres } from '../../../test/support/api-on-postgres.ts';
import { reportShards } from '../../../test/support/report-shards.ts';
import { problem } from '../frame/problems.contract.ts';
import { createActionTypeStore } from '../action-types/postgres/action-type-store.ts';

const on = apiOnPostgres();

/** Creates a draft with three revisions. */
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
const diff = async (id: string, from: number) =>
  revisionDiff.parse((await on.ask('GET', `/v1/campaigns/${id}/revisions/${from}/diff`)).json());

describe('restoring a revision of a campaign', () => {
  it('creates a revision with the earlier definition and keeps the description of the campaign', async () => {
    const { chain, countries } = someCampaign;
    await reportShards(on.pool, 'a', { actions: chain.map(({ action }) => action), countries });
    const id = await changedTwice();
    await change(id, { owner: 'riders' });
    const restored = await restore(id, 1);

    expect(restored.statusCode).toBe(200);
    expect(restored.json()).toMatchObject({ ...someCampaign, owner: 'riders', revision: 4, warnings: [] });
    expect(campaign.parse(restored.json()).paceUsersPerSecond).toBeUndefined();
    expect((await diff(id, 1)).differences).toEqual([]);
    expect((await diff(id, 3)).differences).not.toEqual([]);
  });

  it('is validated like a change', async () => {
    const id = await changedTwice();
    await createActionTypeStore(on.deps).change('award-reward', { enabled: false }, null);
    const refused = problem.parse((await restore(id, 1)).json());
    expect(refused).toMatchObject({ status: 422, errors: [{ pointer: '/chain/0/action', code: 'unknown-action' }] });
    expect((await show(id)).revision).toBe(3);
  });

  it('is refused while the campaign is archived or started', async () => {
    const id = await changedTwice();
    await on.ask('POST', `/v1/campaigns/${id}/archive`);
    expect(problem.parse((await restore(id, 1)).json())).toMatchObject({ status: 409, code: 'state-forbids' });
    await on.ask('POST', `/v1/campaigns/${id}/unarchive`);
    await on.ask('POST', `/v1/campaigns/${id}/start`);
    expect(problem.parse((await restore(id, 1)).json())).toMatchObject({ status: 409, code: 'state-forbids' });
  });
});
