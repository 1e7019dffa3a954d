import type { Pool, PoolClient } from 'pg';
import type { ApprovalNeed } from '../../../../../shared/domain/approval/approval-policy.ts';
import { sizeOf, type BudgetLimit } from '../../../../../shared/domain/run/budgets.ts';
import { readBudgets, readPolicy, readPrices } from '../../../../../shared/postgres/approvals/approvals.ts';
import { readStartTerms, type StartTerms } from '../../../../../shared/postgres/approvals/judge-start.ts';
import { countRaise, lockSums } from '../../../../../shared/postgres/approvals/unapproved-starts.ts';
import { writeBudgets } from './write-budgets.ts';
import { approvalNeedOfRaise, applyBudgets } from '../raised-budgets.ts';
import type { BudgetsChange } from '../approval-desk.port.ts';
import type { ApprovableCampaign } from '../approvals.port.ts';
import { readApprovedBudgets } from './approved-budgets.ts';

/**
 * Checks changes of budgets and writes them, in the transaction of the client. The budgets are locked before they are
 * read, so that the second of two concurrent changes is checked against the result of the first.
 */
export async function changeBudgets(
  client: PoolClient,
  campaign: ApprovableCampaign,
  { wanted, detail, by }: BudgetsChange,
): Promise<ApprovalNeed> {
  const { campaignId, revision, definition } = campaign;
  await client.query(lockBudgets, [campaignId]);
  const before = (await readBudgets(client, campaignId)) ?? [];
  const { rules = [] } = (await readPolicy(client)) ?? {};
  const budgets = applyBudgets(before, wanted);
  const isRaise = budgets.some((budget, index) => sizeOf(budget) > sizeOf(before[index] ?? budget));
  // Only a raise is checked against the users that were started recently without an approval, and counts as such.
  const isJudgedBySums = isRaise && rules.length > 0;
  if (isJudgedBySums) await lockSums(client);
  const raised = { ...campaign, definition: { ...definition, budgets } };
  const { sums: unapprovedStarts, terms, starter } = await termsOfRaise(client, raised, by);
  const approved = await readApprovedBudgets(client, campaignId);
  const prices = await readPrices(client, { campaignId, revision });
  const need = approvalNeedOfRaise(rules, {
    before,
    wanted,
    approved,
    chain: definition.chain,
    prices,
    unapprovedStarts,
  });
  if (need.approvers > 0) return need;
  if (isJudgedBySums && starter) await countRaise(client, { campaignId, of: starter, terms });
  await writeBudgets(client, campaignId, wanted, detail);
  return need;
}

/**
 * Reads the terms by which a raise is checked.
 * @param campaign campaign with the raised budgets; its own runs are not part of the sums
 */
export function termsOfRaise(
  connection: Pool | PoolClient,
  campaign: Pick<ApprovableCampaign, 'campaignId' | 'revision'> & { definition: RaisedDefinition },
  by: string,
): Promise<StartTerms> {
  const actions = campaign.definition.chain.map(({ action }) => action);
  return readStartTerms(connection, campaign, { by, actions }, { campaignId: campaign.campaignId });
}

type RaisedDefinition = Pick<ApprovableCampaign['definition'], 'chain'> & {
  budgets?: readonly BudgetLimit[] | undefined;
};

/** Locks the rows in the same order as reservations and ends of runs lock them, which prevents deadlocks. */
const lockBudgets = `select from budgets where campaign = $1 order by campaign, country for update`;
