import type { Pool, PoolClient } from 'pg';
import type { ChainStep } from '../../contracts/campaigns/campaigns.ts';
import type { ApprovalRule, UnapprovedStartTotal } from '../../domain/approval/approval-policy.ts';
import type { GivenApproval } from '../../domain/approval/clearance.ts';
import type { Starter } from '../../domain/approval/started-sums.ts';
import { costTermsOf, noPrices, type CostTerms } from '../../domain/approval/user-bounds.ts';
import type { BudgetLimit } from '../../domain/run/budgets.ts';
import { readGivenApprovals, readPolicy, readPrices } from './approvals.ts';
import { readStarter, readSums, type Without } from './unapproved-starts.ts';

export interface JudgedCampaign {
  campaignId: string;
  revision: number;
  definition: {
    chain: readonly Pick<ChainStep, 'unitsPerUser'>[];
    budgets?: readonly BudgetLimit[] | undefined;
  };
}

/** Facts that decide whether the start of a campaign needs an approval. */
export interface StartTerms {
  /** Revision of the policy; null if there is none. */
  policy: number | null;
  rules: readonly ApprovalRule[];
  approvals: readonly GivenApproval[];
  terms: CostTerms;
  /** Account and owners of the start; null if the start counts in no sum. */
  starter: Starter | null;
  sums: readonly UnapprovedStartTotal[];
}

export interface StartNow {
  /** API key that starts the campaign. */
  by: string;
  /** Action types of the chain. */
  actions: readonly string[];
}

/** @param startsNow null: sums of the last 24 hours are not judged */
export async function readStartTerms(
  connection: Pool | PoolClient,
  { campaignId, revision, definition }: JudgedCampaign,
  startsNow: StartNow | null,
  without: Without = {},
): Promise<StartTerms> {
  const policy = await readPolicy(connection);
  const { rules = [] } = policy ?? {};
  const prices = policy ? await readPrices(connection, { campaignId, revision }) : noPrices;
  const terms = costTermsOf(definition, prices);
  const approvals = policy ? await readGivenApprovals(connection, { campaignId, revision, runId: null }) : [];
  const judged = { policy: policy?.revision ?? null, rules, approvals, terms };
  const starter =
    startsNow && rules.length > 0
      ? await readStarter(connection, { campaignId, revision, runId: null, ...startsNow })
      : undefined;
  if (!starter) return { ...judged, starter: null, sums: [] };
  return { ...judged, starter, sums: await readSums(connection, starter, terms.currency, without) };
}
