import { describeCallLedger, ledgerLeaseMs } from '../conformance/call-ledger.conformance.ts';
import { createSettableClock } from '../settable-clock.ts';
import { createMemoryCallLedger } from './call-ledger.ts';
import { memoryJobSubject } from './job-subject.ts';
import { createCallbackTables } from './callback-tables.ts';

describeCallLedger('in memory', () => {
  const tables = createCallbackTables(createSettableClock());
  return Promise.resolve({
    ...memoryJobSubject(tables),
    ledgerOf: (owner: string) => createMemoryCallLedger({ tables, owner, leaseMs: ledgerLeaseMs }),
  });
});
