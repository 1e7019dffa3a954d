import type { Pool } from 'pg';
import { createCampaignStore } from '../../services/api/campaigns/postgres/campaign-store.ts';
import { writeBudgets } from '../../services/api/campaigns/approvals/postgres/write-budgets.ts';
import { createBudgetStore } from '../../services/api/runs/control/postgres/budget-store.ts';
import { createRunStore } from '../../services/trigger/keep/postgres/run-store.ts';
import { createRunHistory } from '../../services/trigger/keep/postgres/run-history.ts';
import { createRunReports } from '../../services/api/runs/postgres/run-reports.ts';
import { createUserHistories, type UserHistories } from '../../services/api/runs/explain/postgres/user-histories.ts';
import { createRetries } from '../../services/api/runs/failures/postgres/retries.ts';
import { createRunControl } from '../../services/api/runs/control/postgres/run-control.ts';
import { createLeases } from '../../shared/postgres/registry/leases.ts';
import { createDueJobs } from '../../services/scheduler/postgres/due-jobs.ts';
import { createFeedStore } from '../../services/trigger/feed/postgres/feed-store.ts';
import { createFeedContexts } from '../../services/worker/claims/postgres/feed-contexts.ts';
import { createSettlementRequests } from '../../services/api/settlements/postgres/settlement-requests.ts';
import { createSuppressionStore } from '../../services/api/withheld/suppressions/postgres/suppression-store.ts';
import { createUnstartedSteps } from '../../services/worker/intake/postgres/unstarted-steps.ts';
import { createOutboxSweep } from '../../services/trigger/sweep/postgres/outbox-sweep.ts';
import { createStepEndings } from '../../services/trigger/end/postgres/step-endings.ts';
import { createReconciliation } from '../../services/trigger/sweep/postgres/reconciliation.ts';
import { createStepHolds } from '../../shared/postgres/ledger/step-holds.ts';
import { createEndpointGuards } from '../../shared/postgres/registry/endpoint-guards.ts';
import { createPostgresExecutionRows } from './postgres-execution-rows.ts';
import { createSettlements } from '../../shared/postgres/ledger/settlements.ts';
import { createStepLedger } from '../../shared/postgres/ledger/step-ledger.ts';
import { leaseMs, type ExecutionSubject } from './conformance/execution-subject.ts';
import { usualQuotas } from '../../shared/runtime/configuration/quotas.ts';

interface ExecutionStoresDeps {
  pool: Pool;
  /** Passes time for leases, due times and deadlines. */
  passTime: (ms: number) => Promise<void>;
}

interface ExecutionStores extends ExecutionSubject {
  histories: UserHistories;
  settlements: ReturnType<typeof createSettlements>;
  settlementRequests: ReturnType<typeof createSettlementRequests>;
}

/** Creates the stores of the execution path over one database. */
export function createPostgresExecutionStores({ pool, passTime }: ExecutionStoresDeps): ExecutionStores {
  return {
    campaigns: createCampaignStore({ pool, quotas: usualQuotas }),
    budgets: { ...createBudgetStore({ pool }), change: (...change) => writeBudgets(pool, ...change) },
    runs: createRunStore({ pool }),
    runHistory: createRunHistory({ pool }),
    reports: createRunReports({ pool }),
    histories: createUserHistories({ pool }),
    settlements: createSettlements({ pool }),
    settlementRequests: createSettlementRequests({ pool }),
    retries: createRetries({ pool, quotas: usualQuotas }),
    control: createRunControl({ pool }),
    leases: createLeases({ pool }),
    dueJobs: createDueJobs({ pool }),
    feeds: createFeedStore({ pool }),
    contexts: createFeedContexts({ pool }),
    unstarted: createUnstartedSteps({ pool }),
    suppress: async (list, users, note) => {
      await createSuppressionStore({ pool }).add(list, users, note);
    },
    setCaps: async (caps) => {
      await pool.query(
        `insert into cap_revisions (revision, caps)
        select (select coalesce(max(revision), 0) + 1 from cap_revisions),
          coalesce(jsonb_agg(jsonb_build_object('countsFrom', now()) || c), '[]')
        from jsonb_array_elements($1) c`,
        [JSON.stringify(caps)],
      );
    },
    makeDry: async (runId) => {
      await pool.query(`update runs set kind = 'dry-run' where id = $1`, [runId]);
    },
    sweep: createOutboxSweep({ pool }),
    endings: createStepEndings({ pool }),
    reconciliation: createReconciliation({ pool }),
    holds: createStepHolds({ pool }),
    guards: createEndpointGuards({ pool, owner: 'a' }),
    rows: createPostgresExecutionRows({ pool }),
    ledgerOf: (owner) => createStepLedger({ pool, owner, slot: owner === 'a' ? 0 : 1, leaseMs }),
    passTime,
  };
}
