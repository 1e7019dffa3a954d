import { describe, expect, it } from 'vitest';
import { createActionTypeStore } from '../../services/api/action-types/postgres/action-type-store.ts';
import { describeRegistry } from '../support/conformance/registry.conformance.ts';
import { databaseForFile } from '../support/file-database.ts';
import { actionTypeConfig } from '../../shared/contracts/endpoints/action-type-config.ts';
import { applyConfig, joinInstallation } from '../../shared/postgres/registry/installation.ts';
import { createRegistrySource, createShardStore } from '../../shared/postgres/registry/registry.ts';

const database = databaseForFile();

const noServices = { actionTypes: {} };

async function emptied() {
  await database.empty();
  return {
    types: createActionTypeStore({ pool: database.pool }),
    source: createRegistrySource({ pool: database.pool }),
    shards: createShardStore({ pool: database.pool }),
    seed: async (seed: Parameters<typeof joinInstallation>[2]) => {
      await joinInstallation(database.pool, noServices, seed);
    },
  };
}

describeRegistry('on Postgres', emptied);

describe('the registry on Postgres', () => {
  const rewards = actionTypeConfig.parse({ url: 'http://rewards.test/v1', class: 'A' });
  const seed = { actionTypes: { 'award-reward': rewards }, countries: ['SG'], partitionsPerShard: 2 };

  it('is overwritten by config apply, which lists the differences and keeps disabled types disabled', async () => {
    const { types, seed: start } = await emptied();
    await start(seed);
    await types.change('award-reward', { config: { ...rewards, timeoutMs: 777 }, enabled: false }, null);

    expect(await applyConfig(database.pool, noServices, seed)).toEqual([
      'actionTypes.award-reward.timeoutMs: the registry has 777, this file says 10000',
    ]);
    expect(await types.get('award-reward')).toMatchObject({ config: rewards, enabled: false, origin: 'file' });
    expect(await applyConfig(database.pool, noServices, seed)).toEqual([]);
  });

  it('skips an action type of a newer version that this version cannot parse', async () => {
    const { types, source, seed: start } = await emptied();
    await start(seed);
    const newer = { ...rewards, class: 'Z' };
    await database.pool.query(`insert into action_types (name, config, origin) values ('from-later', $1, 'api')`, [
      newer,
    ]);
    await database.pool.query(
      `update action_types set config = config || '{"fieldOfLater": 1}' where name = 'award-reward'`,
    );

    expect((await source.read()).actionTypes).toMatchObject([{ name: 'award-reward', config: rewards }]);
    expect(await types.get('from-later')).toBeUndefined();
  });

  it('accepts concurrent changes without a deadlock, each with its own revision', async () => {
    const { types, shards, source, seed: start } = await emptied();
    const before = await source.revision();
    const names = Array.from({ length: 10 }, (_, index) => `type-${index}`);
    await Promise.all(
      names.flatMap((name) => [
        types.create(name, { config: rewards, enabled: true }),
        start({ ...seed, actionTypes: { [name]: rewards } }),
        shards.ensure([{ actionType: name, country: 'TH' }], 3),
      ]),
    );
    expect((await source.read()).actionTypes.map(({ name }) => name)).toEqual(names);
    expect((await source.revision()) - before).toBeGreaterThanOrEqual(names.length);
  });
});
