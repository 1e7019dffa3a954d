import { beforeEach, describe, expect, it } from 'vitest';
import { actionTypeConfig } from '../../../shared/contracts/endpoints/action-type-config.ts';
import type { RegistrySource, Seed, ShardStore } from '../../../shared/ports/registry.ts';

export interface RegistrySubject {
  source: RegistrySource;
  shards: ShardStore;
  /** Fills the registry like a process that starts with this file. */
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

export function describeRegistry(name: string, makeSubject: () => Promise<RegistrySubject>): void {
  describe(`the registry ${name}`, () => {
    let subject: RegistrySubject;
    beforeEach(async () => {
      subject = await makeSubject();
    });

    /** Returns by how much the work increases the revision of the registry. */
    async function moves(work: () => Promise<unknown>): Promise<number> {
      const before = await subject.source.revision();
      await work();
      return (await subject.source.revision()) - before;
    }

    const register = () => subject.seed({ actionTypes: { 'award-points': points }, partitionsPerShard: 6 });

    it('adds action types and shards of a file that it does not have, once', async () => {
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

    it('creates shards when they are first needed, and keeps existing ones', async () => {
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

    it('raises the partitions of a shard and never lowers them', async () => {
      await register();
      const shard = { actionType: 'award-points', country: 'SG' };
      await subject.shards.ensure([shard], 3);
      expect(await moves(() => subject.shards.raise(shard, 12))).toBe(1);
      expect(await moves(() => subject.shards.raise(shard, 12))).toBe(0);
      expect(await moves(() => subject.shards.raise(shard, 4))).toBe(0);
      expect(await subject.shards.raise(shard, 4)).toMatchObject({ ...shard, partitions: 12 });
      expect(await subject.shards.raise({ ...shard, country: 'TH' }, 4)).toBeUndefined();
    });

    it('creates no shard of an unregistered action type', async () => {
      expect(await subject.shards.ensure([{ actionType: 'award-points', country: 'SG' }], 3)).toEqual([]);
    });
  });
}
