import type { Pool, PoolClient } from 'pg';
import { v7 as uuidv7 } from 'uuid';
import type { ExpectedUsers } from '../../contracts/campaigns/approval-summary.ts';
import { hashOfCovers, type ApprovalCovers } from '../../contracts/campaigns/approvals.ts';
import type { ApprovalNeed, ApprovalRule } from '../../domain/approval/approval-policy.ts';
import type { GivenApproval } from '../../domain/approval/clearance.ts';
import { noPrices, type StepPrices } from '../../domain/approval/user-bounds.ts';
import type { BudgetLimit } from '../../domain/run/budgets.ts';
import { statementOf } from '../connection/statement.ts';

export interface PolicyInForce {
  revision: number;
  rules: ApprovalRule[];
  approversSignIn: boolean;
  madeAt: Date;
}

/** Returns the prices with which a run of this revision would start now. */
export async function readPrices(
  connection: Pool | PoolClient,
  { campaignId, revision }: { campaignId: string; revision: number },
): Promise<StepPrices> {
  const { rows } = await connection.query<{ prices: StepPrices }>(selectPrices, [campaignId, revision]);
  return rows[0]?.prices ?? noPrices;
}

/** Returns the current budgets of a campaign, or undefined if it has none or was not started. */
export async function readBudgets(
  connection: Pool | PoolClient,
  campaignId: string,
): Promise<BudgetLimit[] | undefined> {
  const { rows } = await connection.query<{ budgets: BudgetLimit[] | null }>(selectBudgets, [campaignId]);
  return rows[0]?.budgets ?? undefined;
}

/** Returns the policy in force, or undefined if there never was one. */
export async function readPolicy(connection: Pool | PoolClient): Promise<PolicyInForce | undefined> {
  const { rows } = await connection.query<PolicyInForce>(selectPolicy);
  return rows[0];
}

export interface NewApproval extends ApprovalNeed {
  campaignId: string;
  revision: number;
  runId: string | null;
  /** True for raised budgets of a started campaign; false by default. */
  raisesBudgets?: boolean;
  covers: ApprovalCovers;
  /** Estimated users by country; null if the run requests the approval. */
  expected: ExpectedUsers | null;
  /** Requester of the approval; null if the run requests it. */
  submittedBy: string | null;
}

/** Inserts a waiting approval. The caller first voids the approval in force for the same campaign or run. */
export async function insertApproval(client: PoolClient, wanted: NewApproval): Promise<string> {
  const { campaignId, revision, runId, raisesBudgets = false, covers, expected, approvers, why, submittedBy } = wanted;
  const approvalId = uuidv7();
  const row = {
    approvalId,
    campaignId,
    revision,
    runId,
    raisesBudgets,
    covers,
    expected,
    requiredApprovers: approvers,
    submittedBy,
  };
  await client.query(insert.with({ ...row, reasons: JSON.stringify(why), hash: hashOfCovers(covers, runId) }));
  return approvalId;
}

/**
 * Query for the number of persons who have approved `a`: keys of one owner count as one person. Votes by API keys do
 * not count if the policy requires approvers to sign in.
 */
export const personsOf = (a: string) => `
  select count(distinct v.person)::int from approval_votes v
  where v.approval = ${a}.id and (v.is_signed_in
    or not coalesce((select approvers_sign_in from approval_policies order by revision desc limit 1), false))`;

export interface StoredApproval extends GivenApproval {
  /** True if the approval covers one run, false if it covers every run of the campaign. */
  isOfRun: boolean;
}

/**
 * Reads every approval ever given for a campaign and one of its runs. Approvals in force for the revision come first,
 * those of the run before those of the campaign, then the newest.
 * @param runId null: only approvals of the campaign
 */
export async function readGivenApprovals(
  connection: Pool | PoolClient,
  of: { campaignId: string; revision: number; runId: string | null },
): Promise<StoredApproval[]> {
  return (await connection.query<StoredApproval>(selectGiven.with(of))).rows;
}

const selectPrices = `select current_prices($1, $2) as prices`;

const selectBudgets = `select budgets_of($1) -> 'budgets' as budgets`;

const selectPolicy = `
  select revision, rules, approvers_sign_in as "approversSignIn", created_at as "madeAt"
  from approval_policies order by revision desc limit 1`;

interface InsertedRow extends Omit<NewApproval, 'approvers' | 'why'> {
  approvalId: string;
  hash: string;
  requiredApprovers: number;
  reasons: string;
}

const insert = statementOf<InsertedRow>(
  'insert-approval',
  ($) => `
  insert into approvals (id, campaign, revision, run, raises_budgets, hash, covers, expected, state, required_approvers,
    reasons, submitted_by)
  values (${$('approvalId')}, ${$('campaignId')}, ${$('revision')}, ${$('runId')}, ${$('raisesBudgets')}, ${$('hash')},
    ${$('covers')}::jsonb, ${$('expected')}::jsonb, 'waiting', ${$('requiredApprovers')}, ${$('reasons')}::jsonb,
    ${$('submittedBy')})`,
);

const selectGiven = statementOf<{ campaignId: string; revision: number; runId: string | null }>(
  'given-approvals',
  ($) => `
  select a.id as "approvalId", f.is_in_force as "isInForce", a.covers -> 'usersAtMost' as "usersAtMost",
    a.covers -> 'cost' ->> 'amount' as "amountAtMost", (${personsOf('a')}) as given, a.required_approvers as needed,
    a.run is not null as "isOfRun"
  from approvals a
    cross join lateral (select a.state = 'approved' and a.revision = ${$('revision')} as is_in_force) f
  where a.campaign = ${$('campaignId')} and a.approved_at is not null
    and not a.raises_budgets and (a.run is null or a.run = ${$('runId')}::uuid)
  order by f.is_in_force desc, a.run nulls last, a.id desc`,
);
