import { approvalNeed, type ApprovalNeed, type ApprovalRule, type UnapprovedStartTotal } from './approval-policy.ts';
import {
  amountAtMostOf,
  isWithinBounds,
  reachOf,
  widestWithoutApproval,
  type CostTerms,
  type UsersByCountry,
} from './user-bounds.ts';
import { millionthsOf } from '../money/amounts.ts';

/** An approval that enough people gave at some time. The approval limits later starts, whatever its present state. */
export interface GivenApproval {
  approvalId: string;
  /** False if the approval is void, sent back or withdrawn, or covers another content: no run starts by it. */
  isInForce: boolean;
  usersAtMost: UsersByCountry;
  /** Approved maximum cost as a decimal; null if nothing had a price. */
  amountAtMost: string | null;
  /** Number of people who have approved. */
  given: number;
  needed: number;
}

export interface ClearedBy {
  /** Revision of the policy; null: there was no policy. */
  policy: number | null;
  /** Approval that cleared the start; null: none was required. */
  approvalId: string | null;
}

export const neededNone: ClearedBy = { policy: null, approvalId: null };

/**
 * Decision about a start.
 * - `clear`: it may begin, with an approval or without one. `usersAtMost` limits its users in each country; null means
 *   no limit.
 * - `needed`: it must wait for this number of approvers, for the given reasons.
 */
export type Clearance =
  | { kind: 'clear'; usersAtMost: UsersByCountry | null; approvalId: string | null }
  | ({ kind: 'needed' } & ApprovalNeed);

/**
 * Returns whether a start is allowed under a policy: by an approval in force that covers it, or without an approval if
 * none is required.
 * @param users known so far
 * @param approvals of the campaign, also of its earlier content; the first that covers the start is used
 * @param sums of earlier starts without an approval; they do not affect a start that an approval covers
 */
export function clearanceOf(
  rules: readonly ApprovalRule[],
  users: UsersByCountry,
  terms: CostTerms,
  approvals: readonly GivenApproval[],
  sums: readonly UnapprovedStartTotal[] = [],
): Clearance {
  const covering = approvals.find(
    ({ isInForce, usersAtMost, amountAtMost, given }) =>
      isInForce &&
      isWithinBounds(users, usersAtMost) &&
      given >= approvalNeed(rules, reachOf(usersAtMost, terms)).approvers &&
      // Prices may have risen since the approval.
      costsAtMost(usersAtMost, terms, amountAtMost),
  );
  if (covering) return { kind: 'clear', usersAtMost: covering.usersAtMost, approvalId: covering.approvalId };
  const need = clearanceNeed(rules, users, terms, approvals, sums);
  if (need.approvers > 0) return { kind: 'needed', ...need };
  const widest = widestWithoutApproval(rules, users, terms, sums);
  const within = approvals.find((approval) => isWithin(users, terms, approval));
  const usersAtMost = within ? narrower(widest, within.usersAtMost) : widest;
  return { kind: 'clear', usersAtMost, approvalId: null };
}

/**
 * Returns the approvers that a start requires if no approval in force covers it. Earlier approvals limit starts too. A
 * start beyond the users or the money of every approval requires at least their number of approvers, even if no rule
 * requires any. More users never require fewer approvers. If a submission covers at least the known users, it therefore
 * requires an approval whenever its start does.
 */
export function clearanceNeed(
  rules: readonly ApprovalRule[],
  users: UsersByCountry,
  terms: CostTerms,
  approvals: readonly GivenApproval[],
  sums: readonly UnapprovedStartTotal[] = [],
): ApprovalNeed {
  const need = approvalNeed(rules, reachOf(users, terms), sums);
  const within = approvals.some((approval) => isWithin(users, terms, approval));
  const approvedBy = within ? 0 : Math.max(0, ...approvals.map((approval) => approval.needed));
  return need.approvers >= approvedBy ? need : { approvers: approvedBy, why: ['more than was approved'] };
}

function isWithin(users: UsersByCountry, terms: CostTerms, { usersAtMost, amountAtMost }: GivenApproval): boolean {
  return isWithinBounds(users, usersAtMost) && costsAtMost(users, terms, amountAtMost);
}

/**
 * Returns true if the users cost at most this amount at current prices.
 * @param amountAtMost null if the approval has no limit in money
 */
function costsAtMost(users: UsersByCountry, terms: CostTerms, amountAtMost: string | null): boolean {
  return amountAtMost === null || millionthsOf(amountAtMostOf(users, terms) ?? '0') <= millionthsOf(amountAtMost);
}

/**
 * Returns the smaller number of users for each country.
 * @param widest null if the users are unlimited
 */
function narrower(widest: UsersByCountry | null, approved: UsersByCountry): UsersByCountry {
  if (widest === null) return approved;
  return Object.fromEntries(
    Object.entries(widest).map(([country, count]) => [country, Math.min(count, approved[country] ?? 0)]),
  );
}
