import { useQuery } from '@tanstack/react-query';
import { getApprovalPolicyOptions } from '#client/@tanstack/react-query.gen.ts';
import type { ApprovalPolicy, Campaign } from '#client/types.gen.ts';
import type { UserCount } from '../audience/user-count.ts';

/**
 * Answer to whether the policy requires an approval for a start.
 * - `yes`: a rule requires an approval, whatever the costs and earlier starts are.
 * - `maybe`: a rule judges costs or the sum of starts, which only the API knows.
 * - `no`: no rule applies to its countries, or an approval was submitted or given.
 */
export type ApprovalNeed = 'yes' | 'maybe' | 'no';

interface Asking {
  countries: readonly string[];
  approval: Pick<NonNullable<Campaign['approval']>, 'state'> | null;
}

const ruleChangesRarely = 60_000;

/** @param size null if unknown */
export function useApprovalNeed(asking: Asking, size: UserCount | null): ApprovalNeed {
  const { data } = useQuery({ ...getApprovalPolicyOptions(), staleTime: ruleChangesRarely });
  return findApprovalNeed(data?.rules ?? [], asking, size);
}

export function findApprovalNeed(
  rules: ApprovalPolicy['rules'],
  { countries, approval }: Asking,
  size: UserCount | null,
): ApprovalNeed {
  if (approval?.state === 'approved' || approval?.state === 'waiting') return 'no';
  const own = rules.filter(
    ({ countries: ruleCountries }) =>
      ruleCountries === undefined || ruleCountries.some((each) => countries.includes(each)),
  );
  if (own.length === 0) return 'no';
  const isCertain = own.some(({ countries: of, usersAbove, unitsAbove, amountAbove }) => {
    if (usersAbove === undefined) return unitsAbove === undefined && amountAbove === undefined;
    // The size counts the users of all countries, so it says nothing certain about a rule for only some of them.
    const isOfAll = of === undefined || countries.every((each) => of.includes(each));
    return isOfAll && size !== null && (size.atMost ?? 0) > usersAbove;
  });
  return isCertain ? 'yes' : 'maybe';
}
