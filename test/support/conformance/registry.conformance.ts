import { beforeEach, describe, expect, it } from 'vitest';
import type { ActionTypeStore } from '../../../services/api/action-types/action-type-store.port.ts';
import type { CampaignStore } from '../../../services/api/campaigns/campaign-store.port.ts';
import { actionTypeConfig } from '../../../shared/contracts/endpoints/engine-config.ts';
import type { RegistrySource, Seed, ShardStore } from '../../../shared/ports/registry.ts';
import { campaignDefinitionOf } from './run-rows.ts';

export interface RegistrySubject {
  types: ActionTypeStore;
  source: RegistrySource;
  shards: ShardStore;
  campaigns: CampaignStore;
  /** As a process does that starts with such a file. */
  seed: (seed: Seed) => Promise<void>;
}

const rewards = actionTypeConfig.parse({ url: 'http://rewards.test/v1', class: 'A' });
const points = actionTypeConfig.parse({ url: 'http://points.test/v1', class: 'B', timeoutMs: 500 });
const fileOf = (changes: Partial<Seed> = {}): Seed => ({
  actionTypes: { 'award-reward': rewards },
  countries: ['SG', 'ID'],
  partitionsPerShard: 6,
  ...changes,
});
const award = { chain: [{ action: 'award-points', params: {} }] };

export function describeRegistry(name: string, makeSubject: () => Promise<RegistrySubject>): void {
  describe(`the registry ${name}`, () => {
    let subject: RegistrySubject;
    beforeEach(async () => {
      subject = await makeSubject();
    });

    /** By how much the revision of the registry moves. */
    async function moves(work: () => Promise<unknown>): Promise<number> {
      const before = await subject.source.revision();
      await work();
      return (await subject.source.revision()) - before;
    }

    const register = (typeName = 'award-points', config = points) =>
      subject.types.create(typeName, { config, enabled: true });

    it('takes from a file what it has not, and its shards, once', async () => {
      expect(await moves(() => subject.seed(fileOf()))).toBeGreaterThan(0);
      const { actionTypes, shards } = await subject.source.read();
      expect(actionTypes).toMatchObject([
        { name: 'award-reward', revision: 1, config: rewards, enabled: true, origin: 'file', secrets: {} },
      ]);
      expect(shards).toMatchObject([
        { actionType: 'award-reward', country: 'ID', partitions: 6 },
        { actionType: 'award-reward', country: 'SG', partitions: 6 },
      ]);
      expect(await moves(() => subject.seed(fileOf()))).toBe(0);
    });

    it('lets what was changed or deleted win over a file that comes later', async () => {
      await subject.seed(fileOf({ actionTypes: { 'award-reward': rewards, 'award-points': points } }));
      await subject.types.change('award-reward', { config: { ...rewards, timeoutMs: 777 } }, null);
      await subject.types.remove('award-points', null);

      await subject.seed(fileOf({ actionTypes: { 'award-reward': rewards, 'award-points': points } }));

      const { actionTypes, shards } = await subject.source.read();
      expect(actionTypes).toMatchObject([{ name: 'award-reward', origin: 'api', config: { timeoutMs: 777 } }]);
      expect(new Set(shards.map(({ actionType }) => actionType))).toEqual(new Set(['award-reward']));
    });

    it('registers a type by its name, once, and shows all by name', async () => {
      const created = await register();
      expect(created).toMatchObject({ name: 'award-points', revision: 1, origin: 'api', config: points });
      expect(await register()).toBeUndefined();
      await register('a-first');
      expect((await subject.types.list()).map((type) => type.name)).toEqual(['a-first', 'award-points']);
      expect(await subject.types.get('award-points')).toEqual(created);
      expect(await subject.types.get('award-nothing')).toBeUndefined();
    });

    it('moves its revision, and the type’s, with every change, and with nothing else', async () => {
      await register();
      const change = (enabled: boolean) => subject.types.change('award-points', { config: points, enabled }, null);
      expect(await moves(() => change(true))).toBe(0);
      expect(await moves(() => change(false))).toBe(1);
      expect(await subject.types.get('award-points')).toMatchObject({ revision: 2, enabled: false });
    });

    it('changes a type only at the revision that was expected', async () => {
      await register();
      const slower = { config: { ...points, timeoutMs: 900 } };
      expect(await subject.types.change('award-points', slower, 7)).toMatchObject({
        kind: 'outdated',
        type: { revision: 1 },
      });
      expect(await subject.types.change('award-points', slower, 1)).toMatchObject({
        kind: 'changed',
        type: { revision: 2, config: { timeoutMs: 900 } },
      });
      expect(await subject.types.change('award-nothing', slower, null)).toEqual({ kind: 'missing' });
    });

    it('keeps secrets by name, each with the time of its setting, until they are taken away', async () => {
      await register();
      await subject.types.change('award-points', { secrets: { authorization: 'sealed-1', signing: 'sealed-2' } }, null);
      const set = await subject.types.get('award-points');
      expect(set?.secrets).toMatchObject({ authorization: { sealed: 'sealed-1' }, signing: { sealed: 'sealed-2' } });
      expect(set?.secrets.signing?.changedAt).toBeInstanceOf(Date);

      await subject.types.change('award-points', { secrets: { authorization: null }, enabled: false }, null);
      expect((await subject.types.get('award-points'))?.secrets).toEqual({ signing: set?.secrets.signing });
    });

    it('does not forget a type that a campaign has in its chain', async () => {
      await register();
      const { definition } = await subject.campaigns.create(campaignDefinitionOf(award));
      const used = { kind: 'used', campaigns: 1, names: [definition.name] };
      expect(await subject.types.remove('award-points', null)).toEqual(used);
      expect(await subject.types.get('award-points')).toMatchObject({ revision: 1 });
    });

    it('forgets a type that nobody uses, with its shards; one of that name made anew goes on with its revisions', async () => {
      await register();
      await subject.shards.ensure([{ actionType: 'award-points', country: 'SG' }], 3);
      expect(await subject.types.remove('award-points', 9)).toMatchObject({ kind: 'outdated' });
      expect(await moves(() => subject.types.remove('award-points', 1))).toBe(1);
      expect(await subject.source.read()).toMatchObject({ actionTypes: [], shards: [] });
      expect(await subject.types.remove('award-points', null)).toEqual({ kind: 'missing' });

      expect((await register())?.revision).toBeGreaterThan(1);
    });

    it('brings shards to life when they are first needed, and leaves those that are there', async () => {
      await register();
      const shard = { actionType: 'award-points', country: 'TH' };
      expect(await moves(() => subject.shards.ensure([shard], 3))).toBe(1);
      expect(await moves(() => subject.shards.ensure([shard, shard], 9))).toBe(0);
      expect(await subject.shards.ensure([{ ...shard, country: 'VN' }, shard], 9)).toHaveLength(2);
      expect((await subject.source.read()).shards).toMatchObject([
        { ...shard, partitions: 3 },
        { ...shard, country: 'VN', partitions: 9 },
      ]);
    });

    it('raises the partitions of a shard, and never lowers them', async () => {
      await register();
      const shard = { actionType: 'award-points', country: 'SG' };
      await subject.shards.ensure([shard], 3);
      expect(await moves(() => subject.shards.raise(shard, 12))).toBe(1);
      expect(await moves(() => subject.shards.raise(shard, 12))).toBe(0);
      expect(await moves(() => subject.shards.raise(shard, 4))).toBe(0);
      expect(await subject.shards.raise(shard, 4)).toMatchObject({ ...shard, partitions: 12 });
      expect(await subject.shards.raise({ ...shard, country: 'TH' }, 4)).toBeUndefined();
    });

    it('knows no shards of types that are not registered', async () => {
      expect(await subject.shards.ensure([{ actionType: 'award-points', country: 'SG' }], 3)).toEqual([]);
    });
  });
}
