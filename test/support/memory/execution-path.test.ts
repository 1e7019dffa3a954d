import { leaseMs, type ExecutionSubject } from '../conformance/execution-subject.ts';
import { describeFeedContexts } from '../conformance/feed-contexts.conformance.ts';
import { describeFeedStore } from '../conformance/feed-store.conformance.ts';
import { describeOutboxSweep } from '../conformance/outbox-sweep.conformance.ts';
import { describeRunStore } from '../conformance/run-store.conformance.ts';
import { describeStepClaims } from '../conformance/step-claims.conformance.ts';
import { describeStepFlow } from '../conformance/step-flow.conformance.ts';
import { describeStepHolds } from '../conformance/step-holds.conformance.ts';
import { describeStepLedger } from '../conformance/step-ledger.conformance.ts';
import { createSettableClock } from '../settable-clock.ts';
import { atOnce } from './at-once.ts';
import { createMemoryCampaignStore } from './campaign-store.ts';
import { createMemoryExecutionRows } from './execution-rows.ts';
import { createMemoryFeedContexts } from './feed-contexts.ts';
import { createMemoryFeedStore } from './feed-store.ts';
import { createMemoryDatabase } from './memory-database.ts';
import { createMemoryOutboxSweep } from './outbox-sweep.ts';
import { createMemoryRunStore } from './run-store.ts';
import { createMemoryStepHolds } from './step-holds.ts';
import { createMemoryStepLedger } from './step-ledger.ts';

/** The stores of the execution path over one empty database. */
function memoryStores(): Promise<ExecutionSubject> {
  const clock = createSettableClock(Date.now());
  const database = createMemoryDatabase(clock);
  return Promise.resolve({
    campaigns: createMemoryCampaignStore({ database }),
    runs: createMemoryRunStore({ database }),
    feeds: createMemoryFeedStore({ database }),
    contexts: createMemoryFeedContexts({ database }),
    sweep: createMemoryOutboxSweep({ database }),
    holds: createMemoryStepHolds({ database }),
    rows: createMemoryExecutionRows({ database }),
    ledgerOf: (owner) => createMemoryStepLedger({ database, owner, leaseMs }),
    passTime: (ms) => atOnce(() => clock.advance(ms)),
  });
}

describeStepLedger('in memory', memoryStores);
describeStepClaims('in memory', memoryStores);
describeStepFlow('in memory', memoryStores);
describeStepHolds('in memory', memoryStores);
describeFeedContexts('in memory', memoryStores);
describeFeedStore('in memory', memoryStores);
describeOutboxSweep('in memory', memoryStores);
describeRunStore('in memory', memoryStores);
