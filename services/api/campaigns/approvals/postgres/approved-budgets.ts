import type { Pool, PoolClient } from 'pg';
import type { BudgetLimit } from '../../../../../shared/domain/run/budgets.ts';
import type { ApprovedBudgets } from '../approvals.port.ts';

/**
 * Reads the approved budgets. A void or withdrawn approval has no budgets, but the number of approvers that it required
 * still applies to raises.
 */
export async function readApprovedBudgets(
  connection: Pool | PoolClient,
  campaignId: string,
): Promise<ApprovedBudgets | null> {
  const { rows } = await connection.query<ApprovedRow>(selectApproved, [campaignId]);
  const { approvers = null, budgets = [] } = rows[0] ?? {};
  return approvers === null ? null : { approvers, budgets: budgets ?? [] };
}

interface ApprovedRow {
  approvers: number | null;
  budgets: BudgetLimit[] | null;
}

/** Selects approvals of the campaign and of its single runs, because a raise also applies to unfinished runs. */
const selectApproved = `
  select max(a.required_approvers)::int as approvers,
    (select b.covers -> 'budgets' from approvals b
      where b.campaign = $1::uuid and b.run is null and not b.raises_budgets and b.state = 'approved'
      order by b.id desc limit 1) as budgets
  from approvals a where a.campaign = $1::uuid and a.approved_at is not null`;
