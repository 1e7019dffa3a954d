import { approvalNeed, type ApprovalRule, type CountryReach } from './approval-policy.ts';

/** Users of a run, by country. */
export type UsersByCountry = Readonly<Record<string, number>>;

/** What the users of a run may cost. */
export interface CostTerms {
  /** Of all steps of the chain together. */
  unitsPerUser: number;
  /** Units by country; a country without one is not limited. */
  budgets: UsersByCountry;
}

export function costTermsOf(definition: {
  chain: readonly { unitsPerUser?: number | undefined }[];
  budgets?: readonly { country: string; units: number }[] | undefined;
}): CostTerms {
  const { chain, budgets = [] } = definition;
  return {
    unitsPerUser: chain.reduce((sum, step) => sum + (step.unitsPerUser ?? 0), 0),
    budgets: Object.fromEntries(budgets.map(({ country, units }) => [country, units])),
  };
}

/** What so many users may come to. */
export function reachOf(users: UsersByCountry, { unitsPerUser, budgets }: CostTerms): CountryReach[] {
  return Object.entries(users).map(([country, count]) => {
    const units = unitsPerUser === 0 ? 0 : Math.min(count * unitsPerUser, budgets[country] ?? Infinity);
    return { country, users: count, units };
  });
}

/** Segments grow between the day of an approval and that of the run. */
const headroom = 1.05;
/** A run that has come to its bound has more users than were known: it asks for so many times the bound. */
const beyondBound = 1.5;

export function withHeadroom(users: number): number {
  return Math.ceil(users * headroom);
}

export function beyond(bound: number): number {
  return Math.ceil(bound * beyondBound) + 1;
}

export function isWithinBounds(users: UsersByCountry, bounds: UsersByCountry): boolean {
  return Object.entries(users).every(([country, count]) => count <= (bounds[country] ?? 0));
}

/**
 * As many users as may be without an approval, in the proportion of these, which may be; null where the policy
 * asks for no approval of any number.
 */
export function widestWithoutApproval(
  rules: readonly ApprovalRule[],
  users: UsersByCountry,
  terms: CostTerms,
): UsersByCountry | null {
  const needsNone = (bounds: UsersByCountry) => approvalNeed(rules, reachOf(bounds, terms)).approvers === 0;
  if (needsNone(scaled(users, Infinity))) return null;
  const atLeastOne = Object.fromEntries(Object.entries(users).map(([country, count]) => [country, Math.max(1, count)]));
  const base = needsNone(atLeastOne) ? atLeastOne : users;
  let [fits, tooMany] = [1, 2];
  while (tooMany < mostTimes && needsNone(scaled(base, tooMany))) [fits, tooMany] = [tooMany, tooMany * 2];
  for (let step = 0; step < searchSteps; step++) {
    const middle = (fits + tooMany) / 2;
    if (needsNone(scaled(base, middle))) fits = middle;
    else tooMany = middle;
  }
  return scaled(base, fits);
}

const mostTimes = 2 ** 40;
const searchSteps = 60;

function scaled(users: UsersByCountry, times: number): UsersByCountry {
  const scale = (count: number) => (times === Infinity ? Infinity : Math.floor(count * times));
  return Object.fromEntries(Object.entries(users).map(([country, count]) => [country, scale(count)]));
}
