import { beforeEach, describe, expect, it } from 'vitest';
import { findAnswer } from '../../../shared/contracts/access/finds.ts';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import { campaignDefinitionOf } from '../../../test/support/conformance/run-rows.ts';
import { authorized, createApiDeps } from '../../../test/support/api-deps.ts';
import { createApi, type Api } from '../api.ts';

let deps: Awaited<ReturnType<typeof createApiDeps>>;
let api: Api;
beforeEach(async () => {
  deps = await createApiDeps();
  api = await createApi(deps);
});

async function find(text: string) {
  const url = `/v1/find?q=${encodeURIComponent(text)}`;
  return findAnswer.parse((await api.server.inject({ method: 'GET', url, headers: authorized })).json()).items;
}

describe('finding', () => {
  it('says what an id is of, and where it belongs', async () => {
    const { campaignId } = await deps.campaigns.create(campaignDefinitionOf({ name: 'Lapsed riders' }));
    const run = { campaignId, revision: 1, scheduledFor: new Date(0), state: 'running' } as const;
    const [campaign, runId] = [publicId('campaign', campaignId), publicId('run', await deps.rows.addRun(run))];

    expect(await find(campaign)).toEqual([
      { kind: 'campaign', id: campaign, title: 'Lapsed riders', state: 'running', campaignId: campaign, runId },
    ]);
    expect(await find(runId)).toEqual([
      { kind: 'run', id: runId, title: 'Lapsed riders', state: 'running', campaignId: campaign, runId: null },
    ]);
  });

  it('finds campaigns and action types by part of their names', async () => {
    await deps.campaigns.create(campaignDefinitionOf({ name: 'Award for riders' }));
    expect((await find('AWARD')).map(({ kind, title }) => [kind, title])).toEqual([
      ['campaign', 'Award for riders'],
      ['action-type', 'award-reward'],
    ]);
  });

  it.each(['cmp', 'run', 'aud', 'cli', 'sch', 'job', 'dlt', 'qst'])(
    'finds nothing by an id of %s that nobody has',
    async (prefix) => {
      expect(await find(`${prefix}_01jdyjm7sbfx2v4x0000000000`)).toEqual([]);
    },
  );

  it('needs something to look for', async () => {
    const response = await api.server.inject({ method: 'GET', url: '/v1/find?q=%20', headers: authorized });
    expect(response.statusCode).toBe(422);
  });
});
