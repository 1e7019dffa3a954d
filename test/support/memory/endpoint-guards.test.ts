import { describeEndpointGuards } from '../conformance/endpoint-guards.conformance.ts';
import { createSettableClock } from '../settable-clock.ts';
import { atOnce } from './at-once.ts';
import { createMemoryEndpointGuards, createMemoryGuardReader } from './endpoint-guards.ts';
import { createMemoryDatabase } from './memory-database.ts';

describeEndpointGuards('in memory', () => {
  const database = createMemoryDatabase(createSettableClock());
  return Promise.resolve({
    guardsOf: (owner: string) => createMemoryEndpointGuards({ database, owner }),
    reader: createMemoryGuardReader({ database }),
    passTime: (ms: number) => atOnce(() => database.clock.advance(ms)),
  });
});
