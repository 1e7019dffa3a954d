import { leaseMs, type ExecutionSubject } from '../conformance/execution-subject.ts';
import { atOnce } from './at-once.ts';
import { createMemoryBudgetStore } from './budget-store.ts';
import { createMemoryCampaignStore } from './campaign-store.ts';
import { createMemoryDueJobs } from './due-jobs.ts';
import { createMemoryEndpointGuards } from './endpoint-guards.ts';
import { createMemoryExecutionRows } from './execution-rows.ts';
import { createMemoryUnstartedSteps } from './unstarted-steps.ts';
import { createMemoryFeedContexts } from './feed-contexts.ts';
import { createMemoryFeedStore } from './feed-store.ts';
import { createMemoryLeases } from './leases.ts';
import type { MemoryDatabase } from './memory-database.ts';
import { createMemoryOutboxSweep } from './outbox-sweep.ts';
import { createMemoryReconciliation } from './reconciliation.ts';
import { createMemoryRetries } from './retries.ts';
import { createMemoryRunControl } from './run-control.ts';
import { createMemoryRunHistory } from './run-history.ts';
import { createMemoryRunReports } from './run-reports.ts';
import { createMemoryRunStore } from './run-store.ts';
import { createMemoryStepEndings } from './step-endings.ts';
import { suppress } from './suppressions.ts';
import { createMemoryStepHolds } from './step-holds.ts';
import { createMemoryStepLedger } from './step-ledger.ts';

/** Creates the stores of the execution path over one database in memory. */
export function createMemoryExecutionStores({ database }: { database: MemoryDatabase }): ExecutionSubject {
  return {
    campaigns: createMemoryCampaignStore({ database }),
    budgets: createMemoryBudgetStore({ database }),
    runs: createMemoryRunStore({ database }),
    runHistory: createMemoryRunHistory({ database }),
    reports: createMemoryRunReports({ database }),
    retries: createMemoryRetries({ database }),
    control: createMemoryRunControl({ database }),
    leases: createMemoryLeases({ database }),
    dueJobs: createMemoryDueJobs({ database }),
    feeds: createMemoryFeedStore({ database }),
    contexts: createMemoryFeedContexts({ database }),
    unstarted: createMemoryUnstartedSteps({ database }),
    suppress: (list, users, note) =>
      atOnce(() => {
        for (const user of users) suppress(database, list, user, note);
      }),
    setCaps: (caps) =>
      atOnce(() => {
        database.caps = caps.map((cap) => ({ countsFrom: database.clock.now(), ...cap }));
      }),
    makeDry: (runId) => atOnce(() => void Object.assign(database.runs.get(runId) ?? {}, { kind: 'dry-run' })),
    sweep: createMemoryOutboxSweep({ database }),
    endings: createMemoryStepEndings({ database }),
    reconciliation: createMemoryReconciliation({ database }),
    holds: createMemoryStepHolds({ database }),
    guards: createMemoryEndpointGuards({ database, owner: 'a' }),
    rows: createMemoryExecutionRows({ database }),
    ledgerOf: (owner) => createMemoryStepLedger({ database, owner, leaseMs }),
    passTime: (ms) => atOnce(() => database.clock.advance(ms)),
  };
}
