import { describeRegistry } from '../conformance/registry.conformance.ts';
import { createSettableClock } from '../settable-clock.ts';
import { atOnce } from './at-once.ts';
import { createMemoryDatabase } from './memory-database.ts';
import { createMemoryRegistrySource, createMemoryShardStore, seedMemoryRegistry } from './registry.ts';

describeRegistry('in memory', () => {
  const database = createMemoryDatabase(createSettableClock());
  return Promise.resolve({
    source: createMemoryRegistrySource({ database }),
    shards: createMemoryShardStore({ database }),
    seed: (seed) => atOnce(() => seedMemoryRegistry(database, seed)),
  });
});
