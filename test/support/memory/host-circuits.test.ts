import { describeHostCircuits } from '../conformance/host-circuits.conformance.ts';
import { createSettableClock } from '../settable-clock.ts';
import { createMemoryCallLedger } from './call-ledger.ts';
import { createCallbackTables } from './callback-tables.ts';
import { createMemoryHostCircuits } from './host-circuits.ts';
import { memoryJobSubject } from './job-subject.ts';

const leaseMs = 30_000;

describeHostCircuits('in memory', () => {
  const tables = createCallbackTables(createSettableClock());
  return Promise.resolve({
    ...memoryJobSubject(tables),
    circuitsOf: (owner: string) => createMemoryHostCircuits({ tables, owner }),
    ledgerOf: (owner: string) => createMemoryCallLedger({ tables, owner, leaseMs }),
  });
});
