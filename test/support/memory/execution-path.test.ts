import { describeAudienceStore } from '../conformance/audience-store.conformance.ts';
import { describeBudgets } from '../conformance/budgets.conformance.ts';
import { describeCappedUsers } from '../conformance/capped-users.conformance.ts';
import { describeCheckedSteps } from '../conformance/checked-steps.conformance.ts';
import { describeDryFeeds } from '../conformance/dry-feeds.conformance.ts';
import { describeEarlierUsers } from '../conformance/earlier-users.conformance.ts';
import type { ExecutionSubject } from '../conformance/execution-subject.ts';
import { describeFeedContexts } from '../conformance/feed-contexts.conformance.ts';
import { describeFeedLimits } from '../conformance/feed-limits.conformance.ts';
import { describeFeedOwning } from '../conformance/feed-owning.conformance.ts';
import { describeFeeding } from '../conformance/feeding.conformance.ts';
import { describeLedgerModel } from '../conformance/ledger-model.conformance.ts';
import { describeOutboxSweep } from '../conformance/outbox-sweep.conformance.ts';
import { describeReconciliation } from '../conformance/reconciliation.conformance.ts';
import { describeRetries } from '../conformance/retries.conformance.ts';
import { describeVariants } from '../conformance/variants.conformance.ts';
import { describeRunControl } from '../conformance/run-control.conformance.ts';
import { describeRunHistory } from '../conformance/run-history.conformance.ts';
import { describeRunStore } from '../conformance/run-store.conformance.ts';
import { describeStepClaims } from '../conformance/step-claims.conformance.ts';
import { describeStepContradictions } from '../conformance/step-contradictions.conformance.ts';
import { describeStepFlow } from '../conformance/step-flow.conformance.ts';
import { describeStepHandOn } from '../conformance/step-hand-on.conformance.ts';
import { describeStepHolds } from '../conformance/step-holds.conformance.ts';
import { describeStepEndings } from '../conformance/step-endings.conformance.ts';
import { describeStepLedger } from '../conformance/step-ledger.conformance.ts';
import { describeSuppressedUsers } from '../conformance/suppressed-users.conformance.ts';
import { describeTimedSteps } from '../conformance/timed-steps.conformance.ts';
import { describeUnstartedSteps } from '../conformance/unstarted-steps.conformance.ts';
import { createSettableClock } from '../settable-clock.ts';
import { atOnce } from './at-once.ts';
import { createMemoryExecutionStores } from './execution-stores.ts';
import { createMemoryDatabase } from './memory-database.ts';
import { createMemoryAudienceStore } from './audience-store.ts';
import { createMemoryCampaignStore } from './campaign-store.ts';
import { createMemoryRetention } from './retention.ts';
import { createMemoryStoredAudiences } from './stored-audiences.ts';

/** Returns the stores of the execution path over one empty database. */
function memoryStores(): Promise<ExecutionSubject> {
  return Promise.resolve(
    createMemoryExecutionStores({ database: createMemoryDatabase(createSettableClock(Date.now())) }),
  );
}

describeBudgets('in memory', memoryStores);
describeStepLedger('in memory', memoryStores);
describeStepClaims('in memory', memoryStores);
describeStepContradictions('in memory', memoryStores);
describeStepFlow('in memory', memoryStores);
describeStepHandOn('in memory', memoryStores);
describeCappedUsers('in memory', memoryStores);
describeCheckedSteps('in memory', memoryStores);
describeSuppressedUsers('in memory', memoryStores);
describeTimedSteps('in memory', memoryStores);
describeStepHolds('in memory', memoryStores);
describeLedgerModel('in memory', memoryStores, 500);
describeFeedContexts('in memory', memoryStores);
describeUnstartedSteps('in memory', memoryStores);
describeDryFeeds('in memory', memoryStores);
describeFeedOwning('in memory', memoryStores);
describeFeeding('in memory', memoryStores);
describeFeedLimits('in memory', memoryStores);
describeOutboxSweep('in memory', memoryStores);
describeRunStore('in memory', memoryStores);
describeRunHistory('in memory', memoryStores);
describeRunControl('in memory', memoryStores);
describeStepEndings('in memory', memoryStores);
describeRetries('in memory', memoryStores);
describeVariants('in memory', memoryStores);
describeReconciliation('in memory', memoryStores);
describeEarlierUsers('in memory', () => {
  const database = createMemoryDatabase(createSettableClock(Date.now()));
  const stored = createMemoryStoredAudiences({ database });
  return Promise.resolve({ ...createMemoryExecutionStores({ database }), stored });
});
describeAudienceStore('in memory', () => {
  const clock = createSettableClock(Date.now());
  const database = createMemoryDatabase(clock);
  return Promise.resolve({
    retention: createMemoryRetention({ database }),
    passTime: (ms: number) => atOnce(() => clock.advance(ms)),
    audiences: createMemoryAudienceStore({ database }),
    stored: createMemoryStoredAudiences({ database }),
    campaigns: createMemoryCampaignStore({ database }),
  });
});
