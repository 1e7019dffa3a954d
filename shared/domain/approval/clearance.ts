import { approvalNeed, type ApprovalNeed, type ApprovalRule } from './approval-policy.ts';
import {
  amountAtMostOf,
  isWithinBounds,
  reachOf,
  widestWithoutApproval,
  type CostTerms,
  type UsersByCountry,
} from './user-bounds.ts';
import { millionthsOf } from '../money/amounts.ts';

/** An approval that was given and neither voided nor taken back. */
export interface ApprovalInForce {
  approvalId: string;
  usersAtMost: UsersByCountry;
  /** What it may cost, as a decimal; null where nothing had a price. */
  amountAtMost: string | null;
  /** How many have approved it. */
  given: number;
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
 * - `clear`: it may begin, with at most so many users in each country (null: any number), by an approval or without
 *   one.
 * - `needed`: it has to wait for so many approvers, for this reason.
 */
export type Clearance =
  | { kind: 'clear'; usersAtMost: UsersByCountry | null; approvalId: string | null }
  | ({ kind: 'needed' } & ApprovalNeed);

/**
 * Whether something may begin under a policy.
 * @param users as many as are known of
 * @param approvals that are of exactly this, the one that is to count first
 */
export function clearanceOf(
  rules: readonly ApprovalRule[],
  users: UsersByCountry,
  terms: CostTerms,
  approvals: readonly ApprovalInForce[],
): Clearance {
  const needed = (of: UsersByCountry) => approvalNeed(rules, reachOf(of, terms));
  const covering = approvals.find(
    ({ usersAtMost, amountAtMost, given }) =>
      isWithinBounds(users, usersAtMost) &&
      given >= needed(usersAtMost).approvers &&
      // Prices may have risen since.
      (amountAtMost === null || millionthsOf(amountAtMostOf(usersAtMost, terms) ?? '0') <= millionthsOf(amountAtMost)),
  );
  if (covering) return { kind: 'clear', usersAtMost: covering.usersAtMost, approvalId: covering.approvalId };
  const need = needed(users);
  if (need.approvers > 0) return { kind: 'needed', ...need };
  return { kind: 'clear', usersAtMost: widestWithoutApproval(rules, users, terms), approvalId: null };
}
