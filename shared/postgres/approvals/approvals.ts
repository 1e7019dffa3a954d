import type { Pool, PoolClient } from 'pg';
import { v7 as uuidv7 } from 'uuid';
import type { ExpectedUsers } from '../../contracts/campaigns/approval-summary.ts';
import { hashOfCovers, type ApprovalCovers } from '../../contracts/campaigns/approvals.ts';
import type { ApprovalNeed, ApprovalRule } from '../../domain/approval/approval-policy.ts';
import type { ApprovalInForce } from '../../domain/approval/clearance.ts';
import { noPrices, type StepPrices } from '../../domain/approval/user-bounds.ts';
import { statementOf } from '../connection/statement.ts';

export interface PolicyInForce {
  revision: number;
  rules: ApprovalRule[];
  madeAt: Date;
}

/** Of a revision of a campaign, as a run would begin with them now. */
export async function readPrices(
  connection: Pool | PoolClient,
  { campaignId, revision }: { campaignId: string; revision: number },
): Promise<StepPrices> {
  const { rows } = await connection.query<{ prices: StepPrices }>(selectPrices, [campaignId, revision]);
  return rows[0]?.prices ?? noPrices;
}

/** Undefined: there never was one. */
export async function readPolicy(connection: Pool | PoolClient): Promise<PolicyInForce | undefined> {
  const { rows } = await connection.query<PolicyInForce>(selectPolicy);
  return rows[0];
}

export interface NewApproval extends ApprovalNeed {
  campaignId: string;
  revision: number;
  runId: string | null;
  /** Budgets of a campaign that was started; not unless given. */
  raises?: boolean;
  covers: ApprovalCovers;
  /** Users by country, as they are estimated; null: its run asks for it. */
  expected: ExpectedUsers | null;
  /** Null: its run asks for it. */
  submittedBy: string | null;
}

/** Waiting. What is in force of the same campaign, or run, has to be voided before. */
export async function insertApproval(client: PoolClient, wanted: NewApproval): Promise<string> {
  const { campaignId, revision, runId, raises = false, covers, expected, approvers, why, submittedBy } = wanted;
  const approvalId = uuidv7();
  const row = { approvalId, campaignId, revision, runId, raises, covers, expected, needed: approvers, submittedBy };
  await client.query(insert.with({ ...row, why: JSON.stringify(why), hash: hashOfCovers(covers, runId) }));
  return approvalId;
}

/** Persons who have approved `a`: keys of one owner are one. */
export const personsOf = (a: string) => `
  select count(distinct lower(trim(k.owner)))::int from approval_votes v join api_keys k on k.id = v.api_key
  where v.approval = ${a}.id`;

export interface StoredApproval extends ApprovalInForce {
  /** Not of whatever the campaign starts. */
  isOfRun: boolean;
}

/** What a revision of a campaign may start by, that of one of its runs first. @param runId null: none of a run */
export async function approvalsInForce(
  connection: Pool | PoolClient,
  of: { campaignId: string; revision: number; runId: string | null },
): Promise<StoredApproval[]> {
  return (await connection.query<StoredApproval>(selectInForce.with(of))).rows;
}

const selectPrices = `select prices_now($1, $2) as prices`;

const selectPolicy = `
  select revision, rules, created_at as "madeAt" from approval_policies order by revision desc limit 1`;

interface InsertedRow extends Omit<NewApproval, 'approvers' | 'why'> {
  approvalId: string;
  hash: string;
  needed: number;
  why: string;
}

const insert = statementOf<InsertedRow>(
  'insert-approval',
  ($) => `
  insert into approvals (id, campaign, revision, run, raises, hash, covers, expected, state, needed, why,
    submitted_by)
  values (${$('approvalId')}, ${$('campaignId')}, ${$('revision')}, ${$('runId')}, ${$('raises')}, ${$('hash')},
    ${$('covers')}::jsonb, ${$('expected')}::jsonb, 'waiting', ${$('needed')}, ${$('why')}::jsonb,
    ${$('submittedBy')})`,
);

const selectInForce = statementOf<{ campaignId: string; revision: number; runId: string | null }>(
  'approvals-in-force',
  ($) => `
  select a.id as "approvalId", a.covers -> 'usersAtMost' as "usersAtMost",
    a.covers -> 'cost' ->> 'amount' as "amountAtMost", (${personsOf('a')}) as given,
    a.run is not null as "isOfRun"
  from approvals a
  where a.campaign = ${$('campaignId')} and a.revision = ${$('revision')} and a.state = 'approved'
    and not a.raises and (a.run is null or a.run = ${$('runId')}::uuid)
  order by a.run nulls last`,
);
