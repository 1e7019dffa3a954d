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

/** Users of a test by country. Each user is in one country. */
export type TestUsers = Readonly<Record<string, readonly string[]>>;

/** Returns the users that the approval policy judges: a user counts once for each variant. */
export function judgedUsers({ users, variants }: Pick<WantedTest, 'users' | 'variants'>): UsersByCountry {
  const times = Math.max(1, variants.length);
  return Object.fromEntries(Object.entries(users).map(([country, own]) => [country, own.length * times]));
}

export interface WantedTest {
  /** The campaign. Only steps with the mode `live` have units. */
  campaign: JudgedCampaign;
  users: TestUsers;
  /** Names of the variants: each user gets all of them, in a run for each. Empty without variants. */
  variants: readonly string[];
  /** Modes of the steps, in the order of the chain. */
  modes: readonly StepMode[];
  /** Action types of the steps with the mode `live`. */
  actions: readonly string[];
  /** True if the test may reach users whom an earlier test of the campaign has reached. */
  again: boolean;
  by: string;
}

/**
 * - `clear`: the test may begin. `clearedBy` is null if no step of the test is live. `counts` is what each run of the
 *   test adds to the numbers of users started without an approval, or null.
 * - `reached`: an earlier live test of the campaign has reached these users.
 * - `needed`: the test needs an approval.
 */
export type TestVerdict =
  | { kind: 'clear'; clearedBy: ClearedBy | null; counts: Pick<CountedStart, 'of' | 'users' | 'terms'> | null }
  | { kind: 'reached'; users: string[] }
  | ({ kind: 'needed' } & ApprovalNeed);

export function previewTest(pool: Pool, test: WantedTest): Promise<TestVerdict> {
  return judge(pool, test, null);
}

/**
 * Judges a test send that begins in the transaction of the client. The transaction has locked the campaign, so no other
 * test of the campaign begins before its end. The sums of users started without an approval are locked only if the test
 * counts in them. The lock comes after the slow search for users of earlier tests.
 */
export function checkTestApproval(client: PoolClient, test: WantedTest): Promise<TestVerdict> {
  return judge(client, test, () => lockSums(client));
}

/**
 * Judges a test send. A test without live steps needs no approval. Other tests count in the sums of users started
 * without an approval. If a sum would exceed the policy, the test needs the approval of its campaign. Tests with that
 * approval may reach no more users within 24 hours than the approval covers.
 */
async function judge(
  connection: Pool | PoolClient,
  test: WantedTest,
  lock: (() => Promise<void>) | null,
): Promise<TestVerdict> {
  if (!test.modes.includes('live')) return { kind: 'clear', clearedBy: null, counts: null };
  const reached = await findReached(connection, test);
  if (reached.length > 0) return { kind: 'reached', users: reached };
  const first = await judgeBySums(connection, test);
  // A test that needs an approval anyway does not wait for the lock, nor does a test under no rule.
  const needsLock = lock !== null && first.start.rules.length > 0 && first.clearanceByTotals.kind === 'clear';
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
  const params = { campaignId: campaign.campaignId, users: Object.values(users).flat(), modes };
  const { rows } = await connection.query<{ userId: string }>(selectReached.with(params));
  return rows.map(({ userId }) => userId);
}

interface JudgedBySums {
  start: StartTerms;
  clearanceByTotals: Clearance;
}

/**
 * Judges the users of a test together with the users started recently without an approval. Uses the current budgets and
 * ignores approvals.
 */
async function judgeBySums(
  connection: Pool | PoolClient,
  { campaign, actions, by, ...wanted }: WantedTest,
): Promise<JudgedBySums> {
  const budgets = (await readBudgets(connection, campaign.campaignId)) ?? campaign.definition.budgets;
  const judged = { ...campaign, definition: { ...campaign.definition, budgets } };
  const start = await readStartTerms(connection, judged, { by, actions });
  const { rules, approvals, terms, sums } = start;
  return {
    start,
    clearanceByTotals: clearanceOf(rules, judgedUsers(wanted), terms, outOfForce(approvals), sums),
  };
}

/** Returns the verdict on a test that the current sums or an approval of its campaign permit; `needed` otherwise. */
async function clearedTest(
  connection: Pool | PoolClient,
  test: WantedTest,
  { start, clearanceByTotals }: JudgedBySums,
): Promise<TestVerdict> {
  const { policy, approvals, terms, starter } = start;
  const wanted = judgedUsers(test);
  if (clearanceByTotals.kind === 'clear') {
    const counts = starter && { of: starter, users: usersOfRun(test), terms };
    return { kind: 'clear', clearedBy: { policy, approvalId: null }, counts };
  }
  const by24Hours: string[] = [];
  for (const approval of approvals.filter(({ isInForce }) => isInForce)) {
    const { approvalId, usersAtMost } = approval;
    const tested = await readTestedBy(connection, approvalId);
    if (isCovered(start, approval, sumOf(wanted, tested)))
      return {
        kind: 'clear',
        clearedBy: { policy, approvalId },
        counts: countedBy(approvalId, usersOfRun(test), terms),
      };
    for (const country of Object.keys(wanted)) {
      const before = tested[country] ?? 0;
      if (before > 0) by24Hours.push(testedWords(before, usersAtMost[country] ?? 0, country));
    }
  }
  return { kind: 'needed', approvers: clearanceByTotals.approvers, why: [...clearanceByTotals.why, ...by24Hours] };
}

function usersOfRun({ users }: WantedTest): UsersByCountry {
  return judgedUsers({ users, variants: [] });
}

/** Returns the wanted users, each country with its earlier users. */
function sumOf(wanted: UsersByCountry, earlier: UsersByCountry): UsersByCountry {
  return Object.fromEntries(
    Object.entries(wanted).map(([country, users]) => [country, users + (earlier[country] ?? 0)]),
  );
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
    select from runs r join feeds f on f.run = r.id join explicit_users t on t.feed = f.feed and t.user_id = k.user_id
    where r.campaign = ${$('campaignId')}::uuid and r.kind = 'test' and exists (
      select from unnest(r.step_modes, ${$('modes')}::text[]) m (before, now)
      where m.before = 'live' and m.now = 'live'))
  order by k.place`,
);
