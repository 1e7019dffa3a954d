import { ledgerLeaseMs } from '../conformance/call-ledger.conformance.ts';
import { describeKeyAdvancer } from '../conformance/key-advancer.conformance.ts';
import { createSettableClock } from '../settable-clock.ts';
import { createMemoryCallLedger } from './call-ledger.ts';
import { createCallbackTables } from './callback-tables.ts';
import { memoryJobSubject } from './job-subject.ts';
import { createMemoryKeyAdvancer } from './key-advancer.ts';

describeKeyAdvancer('in memory', () => {
  const tables = createCallbackTables(createSettableClock());
  return Promise.resolve({
    ...memoryJobSubject(tables),
    keysOf: () => createMemoryKeyAdvancer({ tables }),
    ledgerOf: (owner: string) => createMemoryCallLedger({ tables, owner, leaseMs: ledgerLeaseMs }),
  });
});
