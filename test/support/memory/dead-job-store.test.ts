import { describeDeadJobStore } from '../conformance/dead-job-store.conformance.ts';
import { createSettableClock } from '../settable-clock.ts';
import { createMemoryCallLedger } from './call-ledger.ts';
import { createCallbackTables } from './callback-tables.ts';
import { createMemoryDeadJobStore } from './dead-job-store.ts';
import { memoryJobSubject } from './job-subject.ts';

describeDeadJobStore('in memory', () => {
  const clock = createSettableClock();
  const tables = createCallbackTables(clock);
  return Promise.resolve({
    ...memoryJobSubject(tables),
    deadJobs: createMemoryDeadJobStore({ tables, clock }),
    ledgerOf: (owner: string) => createMemoryCallLedger({ tables, owner, leaseMs: 30_000 }),
  });
});
