import { describePartitionLeases, leaderName } from '../conformance/partition-leases.conformance.ts';
import { createSettableClock } from '../settable-clock.ts';
import { atOnce } from './at-once.ts';
import { createCallbackTables } from './callback-tables.ts';
import { createMemoryLeases } from './leases.ts';
import { createMemoryDatabase } from './memory-database.ts';
import { createMemoryPartitionLeases } from './partition-leases.ts';

describePartitionLeases('in memory', () => {
  const clock = createSettableClock();
  const database = createMemoryDatabase(clock);
  const tables = createCallbackTables(clock, database.scheduled);
  return Promise.resolve({
    leases: createMemoryLeases({ database }),
    partitions: createMemoryPartitionLeases({ tables, leases: database.leases, leader: leaderName }),
    setRegion: (name: string, active: boolean) => atOnce(() => void tables.regions.set(name, { epoch: 1, active })),
    passTime: (ms: number) => atOnce(() => clock.advance(ms)),
  });
});
