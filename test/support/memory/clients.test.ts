import { describeClients } from '../conformance/clients.conformance.ts';
import { createSettableClock } from '../settable-clock.ts';
import { createMemoryClientSource, createMemoryClientStore } from './clients.ts';
import { createMemoryDatabase } from './memory-database.ts';

describeClients('in memory', () => {
  const database = createMemoryDatabase(createSettableClock());
  return Promise.resolve({
    store: createMemoryClientStore({ database }),
    source: createMemoryClientSource({ database }),
  });
});
