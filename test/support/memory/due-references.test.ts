import { describeDueReferences } from '../conformance/due-references.conformance.ts';
import { createSettableClock } from '../settable-clock.ts';
import { createMemoryCallLedger } from './call-ledger.ts';
import { createCallbackTables } from './callback-tables.ts';
import { createMemoryDueReferences } from './due-references.ts';
import { memoryJobSubject } from './job-subject.ts';

describeDueReferences('in memory', () => {
  const tables = createCallbackTables(createSettableClock());
  return Promise.resolve({
    ...memoryJobSubject(tables),
    due: createMemoryDueReferences({ tables }),
    ledgerOf: (owner: string) => createMemoryCallLedger({ tables, owner, leaseMs: 30_000 }),
  });
});
