import { beforeEach, describe, expect, it } from 'vitest';
import { actionTypeConfig } from '../../../../shared/contracts/endpoints/action-type-config.ts';
import { joinInstallation } from '../../../../shared/postgres/registry/installation.ts';
import { createRegistrySource, createShardStore } from '../../../../shared/postgres/registry/registry.ts';
import { campaignDefinitionOf } from '../../../../test/support/conformance/run-rows.ts';
import { databaseForFile } from '../../../../test/support/file-database.ts';
import { createCampaignStore } from '../../campaigns/postgres/campaign-store.ts';
import { createActionTypeStore } from './action-type-store.ts';
import { usualQuotas } from '../../../../shared/runtime/configuration/quotas.ts';

const database = databaseForFile();
const rewards = actionTypeConfig.parse({ url: 'http://rewards.test/v1', class: 'A' });
const points = actionTypeConfig.parse({ url: 'http://points.test/v1', class: 'B', timeoutMs: 500 });
const award = { chain: [{ action: 'award-points', params: {} }] };

describe('the store of action types', () => {
  let types: ReturnType<typeof createActionTypeStore>;
  let source: ReturnType<typeof createRegistrySource>;
  beforeEach(async () => {
    await database.empty();
    types = createActionTypeStore({ pool: database.pool });
    source = createRegistrySource({ pool: database.pool });
  });

  /** Does the work and returns by how much the revision of the registry has increased. */
  async function moves(work: () => Promise<unknown>): Promise<number> {
    const before = await source.revision();
    await work();
    return (await source.revision()) - before;
  }

  const register = (name = 'award-points') => types.create(name, { config: points, enabled: true });

  it('keeps a change or a deletion when a file with another definition is loaded later', async () => {
    const seed = {
      actionTypes: { 'award-reward': rewards, 'award-points': points },
      countries: ['SG', 'ID'],
      partitionsPerShard: 6,
    };
    const start = () => joinInstallation(database.pool, { actionTypes: {} }, seed);
    await start();
    await types.change('award-reward', { config: { ...rewards, timeoutMs: 777 } }, null);
    await types.remove('award-points', null);

    await start();

    const { actionTypes, shards } = await source.read();
    expect(actionTypes).toMatchObject([{ name: 'award-reward', origin: 'api', config: { timeoutMs: 777 } }]);
    expect(new Set(shards.map(({ actionType }) => actionType))).toEqual(new Set(['award-reward']));
  });

  it('refuses to register a type under an existing name, and lists all types by name', async () => {
    const created = await register();
    expect(created).toMatchObject({ name: 'award-points', revision: 1, origin: 'api', config: points });
    expect(await register()).toBeUndefined();
    await register('a-first');
    expect((await types.list()).map((type) => type.name)).toEqual(['a-first', 'award-points']);
    expect(await types.get('award-points')).toEqual(created);
    expect(await types.get('award-nothing')).toBeUndefined();
  });

  it('increments the revisions of the type and of the registry with each change, and otherwise never', async () => {
    await register();
    const change = (enabled: boolean) => types.change('award-points', { config: points, enabled }, null);
    expect(await moves(() => change(true))).toBe(0);
    expect(await moves(() => change(false))).toBe(1);
    expect(await types.get('award-points')).toMatchObject({ revision: 2, enabled: false });
  });

  it('changes a type only at the expected revision', async () => {
    await register();
    const slower = { config: { ...points, timeoutMs: 900 } };
    expect(await types.change('award-points', slower, 7)).toMatchObject({
      kind: 'outdated',
      type: { revision: 1 },
    });
    expect(await types.change('award-points', slower, 1)).toMatchObject({
      kind: 'changed',
      type: { revision: 2, config: { timeoutMs: 900 } },
    });
    expect(await types.change('award-nothing', slower, null)).toEqual({ kind: 'missing' });
  });

  it('stores secrets by name, each with the time of its last change, until they are removed', async () => {
    await register();
    await types.change('award-points', { secrets: { authorization: 'sealed-1', signing: 'sealed-2' } }, null);
    const set = await types.get('award-points');
    expect(set?.secrets).toMatchObject({ authorization: { sealed: 'sealed-1' }, signing: { sealed: 'sealed-2' } });
    expect(set?.secrets.signing?.changedAt).toBeInstanceOf(Date);

    await types.change('award-points', { secrets: { authorization: null }, enabled: false }, null);
    expect((await types.get('award-points'))?.secrets).toEqual({ signing: set?.secrets.signing });
  });

  it('does not delete an action type that a campaign’s step uses as its check', async () => {
    await register();
    const check = { type: 'award-points', onUnavailable: 'wait' as const };
    await createCampaignStore({ pool: database.pool, quotas: usualQuotas }).create(
      campaignDefinitionOf({ chain: [{ action: 'award-reward', params: {}, check }] }),
    );
    expect(await types.remove('award-points', null)).toMatchObject({ kind: 'used', campaigns: 1 });
  });

  it('does not delete an action type that a campaign has in its chain', async () => {
    await register();
    const { definition } = await createCampaignStore({ pool: database.pool, quotas: usualQuotas }).create(
      campaignDefinitionOf(award),
    );
    const used = { kind: 'used', campaigns: 1, names: [definition.name] };
    expect(await types.remove('award-points', null)).toEqual(used);
    expect(await types.get('award-points')).toMatchObject({ revision: 1 });
  });

  it('deletes an unused action type with its shards, and a new type of the same name continues the revisions', async () => {
    await register();
    await createShardStore({ pool: database.pool }).ensure([{ actionType: 'award-points', country: 'SG' }], 3);
    expect(await types.remove('award-points', 9)).toMatchObject({ kind: 'outdated' });
    expect(await moves(() => types.remove('award-points', 1))).toBe(1);
    expect(await source.read()).toMatchObject({ actionTypes: [], shards: [] });
    expect(await types.remove('award-points', null)).toEqual({ kind: 'missing' });

    expect((await register())?.revision).toBeGreaterThan(1);
  });
});
