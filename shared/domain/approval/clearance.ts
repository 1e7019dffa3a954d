import { approvalNeed, type ApprovalNeed, type ApprovalRule, type StartedSum } from './approval-policy.ts';
import {
  amountAtMostOf,
  isWithinBounds,
  reachOf,
  widestWithoutApproval,
  type CostTerms,
  type UsersByCountry,
} from './user-bounds.ts';
import { millionthsOf } from '../money/amounts.ts';

/** An approval that enough people gave at some time. It bounds what comes after it, whatever its state is by now. */
export interface GivenApproval {
  approvalId: string;
  /** False if it is void, sent back or withdrawn, or covers something else: nothing begins by it. */
  isInForce: boolean;
  usersAtMost: UsersByCountry;
  /** What it may cost, as a decimal; null where nothing had a price. */
  amountAtMost: string | null;
  /** People who have approved it. */
  given: number;
  /** Approvers that it needed. */
  needed: number;
}

/** What something was cleared by when it was judged. */
export interface ClearedBy {
  /** The policy's revision; null: there was none. */
  policy: number | null;
  /** Null: it needed none. */
  approvalId: string | null;
}

export const neededNone: ClearedBy = { policy: null, approvalId: null };

/**
 * - `clear`: it may begin, by an approval or without one. `usersAtMost` bounds its users in each country; null means
 *   that there is no bound.
 * - `needed`: it has to wait for so many approvers, for this reason.
 */
export type Clearance =
  | { kind: 'clear'; usersAtMost: UsersByCountry | null; approvalId: string | null }
  | ({ kind: 'needed' } & ApprovalNeed);

/**
 * Returns whether something may begin under a policy: by an approval in force that covers it, or without one if it
 * needs none.
 * @param users as many as are known of
 * @param approvals given for it or for what it was before, the one that is to count first
 * @param sums of what began without an approval before: they do not concern what an approval covers
 */
export function clearanceOf(
  rules: readonly ApprovalRule[],
  users: UsersByCountry,
  terms: CostTerms,
  approvals: readonly GivenApproval[],
  sums: readonly StartedSum[] = [],
): Clearance {
  const covering = approvals.find(
    ({ isInForce, usersAtMost, amountAtMost, given }) =>
      isInForce &&
      isWithinBounds(users, usersAtMost) &&
      given >= approvalNeed(rules, reachOf(usersAtMost, terms)).approvers &&
      // Prices may have risen since.
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
 * Returns the approvers that something needs if no approval in force covers it. What was approved is a bound by itself:
 * beyond the users or the money of every approval, it needs no fewer approvers than they did, also where no rule asks
 * for any. More users never need fewer approvers, so what is submitted for at least as many as are known needs an
 * approval whenever its start does.
 */
export function clearanceNeed(
  rules: readonly ApprovalRule[],
  users: UsersByCountry,
  terms: CostTerms,
  approvals: readonly GivenApproval[],
  sums: readonly StartedSum[] = [],
): ApprovalNeed {
  const need = approvalNeed(rules, reachOf(users, terms), sums);
  const within = approvals.some((approval) => isWithin(users, terms, approval));
  const approvedBy = within ? 0 : Math.max(0, ...approvals.map((approval) => approval.needed));
  return need.approvers >= approvedBy ? need : { approvers: approvedBy, why: ['more than was approved'] };
}

/** True if this many users, at the prices of now, are no more than was approved. */
function isWithin(users: UsersByCountry, terms: CostTerms, { usersAtMost, amountAtMost }: GivenApproval): boolean {
  return isWithinBounds(users, usersAtMost) && costsAtMost(users, terms, amountAtMost);
}

/** @param amountAtMost null if no amount bounds the users */
function costsAtMost(users: UsersByCountry, terms: CostTerms, amountAtMost: string | null): boolean {
  return amountAtMost === null || millionthsOf(amountAtMostOf(users, terms) ?? '0') <= millionthsOf(amountAtMost);
}

/** @param widest null if nothing bounds the users */
function narrower(widest: UsersByCountry | null, approved: UsersByCountry): UsersByCountry {
  if (widest === null) return approved;
  return Object.fromEntries(
    Object.entries(widest).map(([country, count]) => [country, Math.min(count, approved[country] ?? 0)]),
  );
}
