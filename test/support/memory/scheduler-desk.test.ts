import { describeSchedulerDesk } from '../conformance/scheduler-desk.conformance.ts';
import { leaderName } from '../conformance/partition-leases.conformance.ts';
import { createSettableClock } from '../settable-clock.ts';
import { createCallbackTables } from './callback-tables.ts';
import { createMemoryHostCircuits } from './host-circuits.ts';
import { memoryJobSubject } from './job-subject.ts';
import { createMemoryPartitionLeases } from './partition-leases.ts';
import { createMemoryRegions } from './regions.ts';
import { createMemorySchedulerDesk } from './scheduler-desk.ts';

describeSchedulerDesk('in memory', () => {
  const tables = createCallbackTables(createSettableClock());
  return Promise.resolve({
    ...memoryJobSubject(tables),
    desk: createMemorySchedulerDesk({ tables }),
    regions: createMemoryRegions({ tables }),
    circuits: createMemoryHostCircuits({ tables, owner: 'a', leaseMs: 30_000 }),
    partitions: createMemoryPartitionLeases({ tables, leases: new Map(), leader: leaderName }),
  });
});
