import type { Pool, PoolClient } from 'pg';
import type { ApprovalNeed } from '../../../../shared/domain/approval/approval-policy.ts';
import {
  clearanceOf,
  type Clearance,
  type ClearedBy,
  type GivenApproval,
} from '../../../../shared/domain/approval/clearance.ts';
import type { CostTerms, UsersByCountry } from '../../../../shared/domain/approval/user-bounds.ts';
import type { StepMode } from '../../../../shared/domain/run/run-kinds.ts';
import { readBudgets } from '../../../../shared/postgres/approvals/approvals.ts';
import {
  readStartTerms,
  type JudgedCampaign,
  type StartTerms,
} from '../../../../shared/postgres/approvals/judge-start.ts';
import { lockSums, readTestedBy, type CountedStart } from '../../../../shared/postgres/approvals/unapproved-starts.ts';
import { unnamedStatementOf } from '../../../../shared/postgres/connection/statement.ts';

export interface WantedTest {
  /** The campaign, with the units of its real steps only. */
  campaign: JudgedCampaign;
  country: string;
  users: readonly string[];
  /** Modes of the steps, in the order of the chain. */
  modes: readonly StepMode[];
  /** Action types of the real steps. */
  actions: readonly string[];
  /** True if the test may reach users whom an earlier test of the campaign has reached. */
  again: boolean;
  by: string;
}

/**
 * - `clear`: it may begin. `clearedBy` is null if it gives nothing; `counts` is its share of the sums, if it has one.
 * - `reached`: an earlier live test of the campaign has reached these users.
 * - `needed`: it needs an approval.
 */
export type JudgedTest =
  | { kind: 'clear'; clearedBy: ClearedBy | null; counts: Pick<CountedStart, 'of' | 'users' | 'terms'> | null }
  | { kind: 'reached'; users: string[] }
  | ({ kind: 'needed' } & ApprovalNeed);

export function previewTest(pool: Pool, test: WantedTest): Promise<JudgedTest> {
  return judge(pool, test, null);
}

/**
 * Judges a test send that begins in the transaction of the client. The transaction has locked the campaign, so no other
 * test of the campaign begins before its end. It locks the sums only if the test counts in them, after the slow search
 * for users of earlier tests.
 */
export function judgeTest(client: PoolClient, test: WantedTest): Promise<JudgedTest> {
  return judge(client, test, () => lockSums(client));
}

/**
 * Judges a test send. A test that gives nothing needs no approval. Others count in the sums of starts without an
 * approval. If a sum would exceed the policy, the test needs the approval of its campaign. It then may reach no more
 * users within 24 hours than that approval covers.
 */
async function judge(
  connection: Pool | PoolClient,
  test: WantedTest,
  lock: (() => Promise<void>) | null,
): Promise<JudgedTest> {
  if (!test.modes.includes('live')) return { kind: 'clear', clearedBy: null, counts: null };
  const reached = await findReached(connection, test);
  if (reached.length > 0) return { kind: 'reached', users: reached };
  const first = await judgeBySums(connection, test);
  // A test that needs an approval anyway does not wait for the lock, nor does a test under no rule.
  const needsLock = lock !== null && first.start.rules.length > 0 && first.bySums.kind === 'clear';
  if (!needsLock) return clearedTest(connection, test, first);
  await lock();
  // Sums and budgets may have changed while this transaction waited for the lock.
  return clearedTest(connection, test, await judgeBySums(connection, test));
}

async function findReached(
  connection: Pool | PoolClient,
  { campaign, users, modes, again }: WantedTest,
): Promise<string[]> {
  if (again) return [];
  const of = { campaignId: campaign.campaignId, users, modes };
  const { rows } = await connection.query<{ userId: string }>(selectReached.with(of));
  return rows.map(({ userId }) => userId);
}

interface JudgedBySums {
  start: StartTerms;
  bySums: Clearance;
}

/** Judges the users of a test together with the sums, by the current budgets, without any approval. */
async function judgeBySums(
  connection: Pool | PoolClient,
  { campaign, country, users, actions, by }: WantedTest,
): Promise<JudgedBySums> {
  const budgets = (await readBudgets(connection, campaign.campaignId)) ?? campaign.definition.budgets;
  const judged = { ...campaign, definition: { ...campaign.definition, budgets } };
  const start = await readStartTerms(connection, judged, { by, actions });
  const { rules, approvals, terms, sums } = start;
  return { start, bySums: clearanceOf(rules, { [country]: users.length }, terms, outOfForce(approvals), sums) };
}

/** Clears a test by its sums or by an approval of its campaign. */
async function clearedTest(
  connection: Pool | PoolClient,
  { country, users }: WantedTest,
  { start, bySums }: JudgedBySums,
): Promise<JudgedTest> {
  const { policy, approvals, terms, starter } = start;
  const wanted = { [country]: users.length };
  if (bySums.kind === 'clear') {
    const counts = starter && { of: starter, users: wanted, terms };
    return { kind: 'clear', clearedBy: { policy, approvalId: null }, counts };
  }
  const by24Hours: string[] = [];
  for (const approval of approvals.filter(({ isInForce }) => isInForce)) {
    const { approvalId, usersAtMost } = approval;
    const tested = (await readTestedBy(connection, approvalId))[country] ?? 0;
    if (isCovered(start, approval, { [country]: users.length + tested }))
      return { kind: 'clear', clearedBy: { policy, approvalId }, counts: countedBy(approvalId, wanted, terms) };
    if (tested > 0) by24Hours.push(testedWords(tested, usersAtMost[country] ?? 0, country));
  }
  return { kind: 'needed', approvers: bySums.approvers, why: [...bySums.why, ...by24Hours] };
}

function outOfForce(approvals: readonly GivenApproval[]): GivenApproval[] {
  return approvals.map((approval) => ({ ...approval, isInForce: false }));
}

function isCovered({ rules, terms }: StartTerms, approval: GivenApproval, users: UsersByCountry): boolean {
  const clearance = clearanceOf(rules, users, terms, [approval]);
  return clearance.kind === 'clear' && clearance.approvalId !== null;
}

function countedBy(
  approvalId: string,
  users: UsersByCountry,
  terms: CostTerms,
): Pick<CountedStart, 'of' | 'users' | 'terms'> {
  return { of: { approvalId }, users, terms };
}

function testedWords(tested: number, approved: number, country: string): string {
  const count = (users: number) => users.toLocaleString('en-US');
  return `tests have reached ${count(tested)} users in ${country} within 24 hours, ${count(approved)} are approved`;
}

/** Compares with the users of earlier tests that are still kept. Users of a failed test count as reached, too. */
const selectReached = unnamedStatementOf<{ campaignId: string; users: readonly string[]; modes: readonly StepMode[] }>(
  ($) => `
  select k.user_id as "userId"
  from unnest(${$('users')}::text[]) with ordinality k (user_id, place)
  where exists (
    select from runs r join feeds f on f.run = r.id join retry_users t on t.feed = f.feed and t.user_id = k.user_id
    where r.campaign = ${$('campaignId')}::uuid and r.kind = 'test' and exists (
      select from unnest(r.step_modes, ${$('modes')}::text[]) m (before, now)
      where m.before = 'live' and m.now = 'live'))
  order by k.place`,
);
