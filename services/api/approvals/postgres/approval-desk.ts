import type { Pool } from 'pg';
import { clearanceOf } from '../../../../shared/domain/approval/clearance.ts';
import { costTermsOf, noPrices } from '../../../../shared/domain/approval/user-bounds.ts';
import { approvalsInForce, readPolicy, readPrices } from '../../../../shared/postgres/approvals/approvals.ts';
import { inTransaction, retryingDeadlocks } from '../../../../shared/postgres/connection/transaction.ts';
import type { ApprovalDesk, PolicyRecord } from '../approval-desk.port.ts';
import { approve, sendBack, submit, withdraw } from './approval-moves.ts';
import { getApproval, listApprovals } from './approval-reads.ts';

const noPolicy: PolicyRecord = { revision: 0, rules: [], madeAt: null };

export function createApprovalDesk({ pool }: { pool: Pool }): ApprovalDesk {
  return {
    policy: async () => (await readPolicy(pool)) ?? noPolicy,

    prices: (of) => readPrices(pool, of),

    setPolicy: async (rules, expected, by) => {
      const values = [JSON.stringify(rules), by, expected];
      const { rowCount } = await pool.query(insertPolicy, values);
      return rowCount === 1 ? await readPolicy(pool) : undefined;
    },

    list: (search, limit, cursor) => listApprovals(pool, search, limit, cursor),
    get: (approvalId) => getApproval(pool, approvalId),

    isRunWaiting: async (runId) => {
      const { rowCount } = await pool.query(selectWaiting, [runId]);
      return rowCount !== 0;
    },

    judge: async ({ campaignId, revision, definition }, users) => {
      const policy = await readPolicy(pool);
      const approvals = policy ? await approvalsInForce(pool, { campaignId, revision, runId: null }) : [];
      const prices = policy ? await readPrices(pool, { campaignId, revision }) : noPrices;
      const clearance = clearanceOf(policy?.rules ?? [], users, costTermsOf(definition, prices), approvals);
      const approvalId = clearance.kind === 'clear' ? clearance.approvalId : null;
      return { policy: policy?.revision ?? null, approvalId, clearance };
    },

    submit: (submission) => inTransaction(pool, (client) => submit(client, submission)),
    approve: (approving) => retryingDeadlocks(() => inTransaction(pool, (client) => approve(client, approving))),
    sendBack: (campaignId, hash, word) => inTransaction(pool, (client) => sendBack(client, campaignId, hash, word)),
    withdraw: (campaignId) => inTransaction(pool, (client) => withdraw(client, campaignId)),
  };
}

/** Of two at once, the second finds the first one's revision there. */
const insertPolicy = `
  insert into approval_policies (revision, rules, made_by)
  select p.revision + 1, $1::jsonb, $2 from (select coalesce(max(revision), 0) as revision from approval_policies) p
  where $3::int is null or p.revision = $3
  on conflict do nothing`;

const selectWaiting = `
  select from approvals a join runs r on r.id = a.run where r.id = $1 and r.ended_at is null and a.state = 'waiting'
  limit 1`;
