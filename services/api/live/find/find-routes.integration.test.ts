import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { findAnswer } from '../../../../shared/contracts/access/finds.ts';
import { publicId } from '../../../../shared/domain/ids/ids.ts';
import { campaignDefinitionOf } from '../../../../test/support/conformance/run-rows.ts';
import { apiOnPostgres } from '../../../../test/support/api-on-postgres.ts';
import { idOf, teamsOn } from '../../../../test/support/teams-on-postgres.ts';

const on = apiOnPostgres();
const { askAs, makeKey, makeManager } = teamsOn(on);

/**
 * Returns the result of a search.
 * @param secret secret of the key that searches; undefined for the operator's key
 */
async function find(text: string, secret?: string) {
  const url = `/v1/find?q=${encodeURIComponent(text)}`;
  return findAnswer.parse((await askAs(secret, 'GET', url)).json()).items;
}

describe('a search by id or name', () => {
  it('returns the campaign or the run that has the id, and the campaign of the run', async () => {
    const { campaignId } = await on.deps.campaigns.create(campaignDefinitionOf({ name: 'Lapsed riders' }));
    const run = { campaignId, revision: 1, scheduledFor: new Date(0), state: 'running' } as const;
    const [campaign, runId] = [publicId('campaign', campaignId), publicId('run', await on.deps.rows.addRun(run))];

    expect(await find(campaign)).toEqual([
      { kind: 'campaign', id: campaign, title: 'Lapsed riders', state: 'running', campaignId: campaign, runId },
    ]);
    expect(await find(runId)).toEqual([
      { kind: 'run', id: runId, title: 'Lapsed riders', state: 'running', campaignId: campaign, runId: null },
    ]);
  });

  it('finds no campaign or run in a country outside the scope of the key', async () => {
    const { secret } = await makeManager();
    const { campaignId } = await on.deps.campaigns.create(campaignDefinitionOf({ countries: ['ID'] }));
    const runId = await on.deps.rows.addRun({ campaignId, revision: 1, scheduledFor: new Date(0), state: 'running' });
    for (const id of [publicId('campaign', campaignId), publicId('run', runId)]) {
      expect(await find(id)).toHaveLength(1);
      expect(await find(id, secret)).toEqual([]);
    }
  });

  it('finds a client and its jobs only with keys whose scope contains the client', async () => {
    const ids: string[] = [];
    for (const name of ['orders', 'payments']) {
      ids.push(idOf(await askAs(undefined, 'POST', '/v1/clients', { name })));
      ids.push(idOf(await askAs(undefined, 'POST', '/v1/jobs', { client: name, url: 'https://receiver.example/' })));
    }
    const { secret } = await makeKey({ name: 'orders', role: 'scheduler', scope: { clients: ['orders'] } });
    const found = await Promise.all(ids.map(async (id) => (await find(id, secret)).length));
    expect(found).toEqual([1, 1, 0, 0]);
    expect(await Promise.all(ids.map(async (id) => (await find(id)).length))).toEqual([1, 1, 1, 1]);
  });

  it('finds a saved audience by its id', async () => {
    const definition = { name: 'Lapsed', countries: ['SG'], audience: { include: [{ segment: 'riders' }] } };
    const saved = await on.deps.savedAudiences.create(uuidv7(), definition, null);
    const id = publicId('savedAudience', saved === 'list-gone' ? '' : saved.savedAudienceId);
    const found = { kind: 'audience', id, title: 'Lapsed', state: null, campaignId: null, runId: null };
    expect(await find(id)).toEqual([found]);
  });

  it('finds campaigns and action types by part of their names', async () => {
    await on.deps.campaigns.create(campaignDefinitionOf({ name: 'Award for riders' }));
    expect((await find('AWARD')).map(({ kind, title }) => [kind, title])).toEqual([
      ['campaign', 'Award for riders'],
      ['action-type', 'award-reward'],
    ]);
  });

  it.each(['cmp', 'run', 'aud', 'sav', 'cli', 'sch', 'job', 'dlt', 'qst'])(
    'finds nothing for an id of %s that does not exist',
    async (prefix) => {
      expect(await find(`${prefix}_01jdyjm7sbfx2v4x0000000000`)).toEqual([]);
    },
  );

  it('requires a search text', async () => {
    const response = await on.ask('GET', '/v1/find?q=%20');
    expect(response.statusCode).toBe(422);
  });
});
