import type { Pool } from 'pg';
import { clearanceOf } from '../../../../../shared/domain/approval/clearance.ts';
import { readPolicy, readPrices } from '../../../../../shared/postgres/approvals/approvals.ts';
import { readStartTerms } from '../../../../../shared/postgres/approvals/judge-start.ts';
import { inTransaction, retryingDeadlocks } from '../../../../../shared/postgres/connection/transaction.ts';
import type { ApprovalDesk, PolicyRecord } from '../approval-desk.port.ts';
import { approve, sendBack, submit, withdraw } from './approval-moves.ts';
import { getApproval, listApprovals, readHolder } from './approval-reads.ts';
import { readApprovedBudgets } from './approved-budgets.ts';
import { changeBudgets, termsOfRaise } from './change-budgets.ts';

const noPolicy: PolicyRecord = { revision: 0, rules: [], approversSignIn: false, madeAt: null };

export function createApprovalDesk({ pool }: { pool: Pool }): ApprovalDesk {
  return {
    policy: async () => (await readPolicy(pool)) ?? noPolicy,

    prices: (revision) => readPrices(pool, revision),

    approvedBudgets: (campaignId) => readApprovedBudgets(pool, campaignId),

    holder: (key) => readHolder(pool, key),

    setPolicy: async ({ rules, approversSignIn }, expected, by) => {
      const values = [JSON.stringify(rules), by, expected, approversSignIn];
      const { rowCount } = await pool.query(insertPolicy, values);
      return rowCount === 1 ? await readPolicy(pool) : undefined;
    },

    list: (search, limit, cursor) => listApprovals(pool, search, limit, cursor),
    get: (approvalId) => getApproval(pool, approvalId),

    isRunWaiting: async (runId) => {
      const { rowCount } = await pool.query(selectWaiting, [runId]);
      return rowCount !== 0;
    },

    judge: async (campaign, users, startsNow) => {
      const actions = campaign.definition.chain.map(({ action }) => action);
      const start = startsNow === null ? null : { by: startsNow, actions };
      const { policy, rules, approvals, terms, sums } = await readStartTerms(pool, campaign, start);
      const clearance = clearanceOf(rules, users, terms, approvals, sums);
      const approvalId = clearance.kind === 'clear' ? clearance.approvalId : null;
      return { policy, approvalId, clearance };
    },

    sumsOfRaise: async (campaign, by) => (await termsOfRaise(pool, campaign, by)).sums,

    changeBudgets: (campaign, change) =>
      retryingDeadlocks(() => inTransaction(pool, (client) => changeBudgets(client, campaign, change))),

    submit: (submission) => inTransaction(pool, (client) => submit(client, submission)),
    approve: (approving) => retryingDeadlocks(() => inTransaction(pool, (client) => approve(client, approving))),
    sendBack: (campaignId, hash, comment) =>
      inTransaction(pool, (client) => sendBack(client, campaignId, hash, comment)),
    withdraw: (campaignId) => inTransaction(pool, (client) => withdraw(client, campaignId)),
  };
}

/** Inserts the next revision of the policy. The second of two concurrent statements inserts no row. */
const insertPolicy = `
  insert into approval_policies (revision, rules, created_by, approvers_sign_in)
  select p.revision + 1, $1::jsonb, $2, $4 from (select coalesce(max(revision), 0) as revision from approval_policies) p
  where $3::int is null or p.revision = $3
  on conflict do nothing`;

const selectWaiting = `
  select from approvals a join runs r on r.id = a.run where r.id = $1 and r.ended_at is null and a.state = 'waiting'
  limit 1`;
