import { ledgerLeaseMs } from '../conformance/call-ledger.conformance.ts';
import { describeJobReports } from '../conformance/job-reports.conformance.ts';
import { createSettableClock } from '../settable-clock.ts';
import { createMemoryCallLedger } from './call-ledger.ts';
import { createCallbackTables } from './callback-tables.ts';
import { createMemoryJobReports } from './job-reports.ts';
import { memoryJobSubject } from './job-subject.ts';
import { createMemoryKeyAdvancer } from './key-advancer.ts';

describeJobReports('in memory', () => {
  const tables = createCallbackTables(createSettableClock());
  return Promise.resolve({
    ...memoryJobSubject(tables),
    reportsOf: () => createMemoryJobReports({ tables }),
    keysOf: () => createMemoryKeyAdvancer({ tables }),
    ledgerOf: (owner: string) => createMemoryCallLedger({ tables, owner, leaseMs: ledgerLeaseMs }),
  });
});
