import { describeRegistry } from '../conformance/registry.conformance.ts';
import { createSettableClock } from '../settable-clock.ts';
import { atOnce } from './at-once.ts';
import { createMemoryCampaignStore } from './campaign-store.ts';
import { createMemoryDatabase } from './memory-database.ts';
import {
  createMemoryActionTypeStore,
  createMemoryRegistrySource,
  createMemoryShardStore,
  seedMemoryRegistry,
} from './registry.ts';

describeRegistry('in memory', () => {
  const database = createMemoryDatabase(createSettableClock());
  return Promise.resolve({
    types: createMemoryActionTypeStore({ database }),
    source: createMemoryRegistrySource({ database }),
    shards: createMemoryShardStore({ database }),
    campaigns: createMemoryCampaignStore({ database }),
    seed: (seed) => atOnce(() => seedMemoryRegistry(database, seed)),
  });
});
