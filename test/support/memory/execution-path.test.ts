import type { ExecutionSubject } from '../conformance/execution-subject.ts';
import { describeFeedContexts } from '../conformance/feed-contexts.conformance.ts';
import { describeFeedStore } from '../conformance/feed-store.conformance.ts';
import { describeLedgerModel } from '../conformance/ledger-model.conformance.ts';
import { describeOutboxSweep } from '../conformance/outbox-sweep.conformance.ts';
import { describeRunControl } from '../conformance/run-control.conformance.ts';
import { describeRunStore } from '../conformance/run-store.conformance.ts';
import { describeStepClaims } from '../conformance/step-claims.conformance.ts';
import { describeStepFlow } from '../conformance/step-flow.conformance.ts';
import { describeStepHolds } from '../conformance/step-holds.conformance.ts';
import { describeStepEndings } from '../conformance/step-endings.conformance.ts';
import { describeSettlements } from '../conformance/settlements.conformance.ts';
import { describeStepLedger } from '../conformance/step-ledger.conformance.ts';
import { createSettableClock } from '../settable-clock.ts';
import { createMemoryExecutionStores } from './execution-stores.ts';
import { createMemorySettlementRequests, createMemorySettlements } from './settlements.ts';
import { createMemoryDatabase } from './memory-database.ts';

/** The stores of the execution path over one empty database. */
function memoryStores(): Promise<ExecutionSubject> {
  return Promise.resolve(
    createMemoryExecutionStores({ database: createMemoryDatabase(createSettableClock(Date.now())) }),
  );
}

describeSettlements('in memory', () => {
  const database = createMemoryDatabase(createSettableClock(Date.now()));
  return Promise.resolve({
    ...createMemoryExecutionStores({ database }),
    settlements: createMemorySettlements({ database }),
    requests: createMemorySettlementRequests({ database }),
  });
});
describeStepLedger('in memory', memoryStores);
describeStepClaims('in memory', memoryStores);
describeStepFlow('in memory', memoryStores);
describeStepHolds('in memory', memoryStores);
describeLedgerModel('in memory', memoryStores, 500);
describeFeedContexts('in memory', memoryStores);
describeFeedStore('in memory', memoryStores);
describeOutboxSweep('in memory', memoryStores);
describeRunStore('in memory', memoryStores);
describeRunControl('in memory', memoryStores);
describeStepEndings('in memory', memoryStores);
