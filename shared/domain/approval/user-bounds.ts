import { amountText, millionthsOf } from '../money/amounts.ts';
import { sizeOf, type BudgetLimit } from '../run/budgets.ts';
import { approvalNeed, type ApprovalRule, type CountryReach, type UnapprovedStartTotal } from './approval-policy.ts';

export type UsersByCountry = Readonly<Record<string, number>>;

export interface StepPrices {
  currency: string | null;
  /** Decimals, in the order of the chain; null for a step without a price. */
  steps: readonly (string | null)[];
}

export const noPrices: StepPrices = { currency: null, steps: [] };

export interface CostTerms {
  /** Total over all steps of the chain. */
  unitsPerUser: number;
  /** Cost in millionths of the currency, over the steps that have a price. */
  millionthsPerUser: bigint;
  /** Lowest and highest unit price of the steps that cost units, in millionths; 0 for a step without a price. */
  unitCosts: { least: bigint; most: bigint };
  currency: string | null;
  /** Budgets by country; a country without a budget is not limited. */
  budgets: Readonly<Record<string, BudgetLimit>>;
}

export function costTermsOf(
  definition: {
    chain: readonly { unitsPerUser?: number | undefined }[];
    budgets?: readonly BudgetLimit[] | undefined;
  },
  { currency, steps }: StepPrices,
): CostTerms {
  const { chain, budgets = [] } = definition;
  const costs = chain.flatMap(({ unitsPerUser = 0 }, index) =>
    unitsPerUser === 0 ? [] : [{ unitsPerUser, price: millionthsOf(steps[index] ?? '0') }],
  );
  const prices = costs.map(({ price }) => price).sort((a, b) => (a < b ? -1 : 1));
  return {
    unitsPerUser: costs.reduce((sum, step) => sum + step.unitsPerUser, 0),
    millionthsPerUser: costs.reduce((sum, step) => sum + BigInt(step.unitsPerUser) * step.price, 0n),
    unitCosts: { least: prices[0] ?? 0n, most: prices.at(-1) ?? 0n },
    currency,
    budgets: Object.fromEntries(budgets.map((budget) => [budget.country, budget])),
  };
}

export function reachOf(users: UsersByCountry, terms: CostTerms): CountryReach[] {
  const { unitsPerUser, millionthsPerUser, currency, budgets } = terms;
  return Object.entries(users).map(([country, count]) => {
    const most = boundsOf(budgets[country], terms);
    const units = unitsPerUser === 0 ? 0 : Math.min(count * unitsPerUser, most.units);
    const cost = BigInt(Math.min(count, Number.MAX_SAFE_INTEGER)) * millionthsPerUser;
    const millionths = most.millionths !== null && most.millionths < cost ? most.millionths : cost;
    return { country, users: count, units, millionths, currency };
  });
}

/** Returns the upper bounds of a budget in units and in money; Infinity and null without a bound. */
export function boundsOf(budget: BudgetLimit | undefined, { unitCosts: { least, most } }: CostTerms) {
  if (!budget) return { units: Infinity, millionths: null };
  const size = sizeOf(budget);
  if (budget.amount === undefined) return { units: Number(size), millionths: size * most };
  return { units: least === 0n ? Infinity : Number(size / least), millionths: size };
}

/** Returns the highest cost of the users as a decimal; null if no step has a price. */
export function amountAtMostOf(users: UsersByCountry, terms: CostTerms): string | null {
  if (terms.millionthsPerUser === 0n) return null;
  return amountText(reachOf(users, terms).reduce((sum, { millionths }) => sum + millionths, 0n));
}

/** Factor for the growth of segments between the day of an approval and the day of the run. */
const headroom = 1.05;
/**
 * Factor from an exceeded bound to the bound that a run requests next, because the run's final number of users is
 * unknown.
 */
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
 * Returns the largest numbers of users that need no approval, in the proportion of `users`, which must not need one.
 * Returns null if no number of users needs an approval.
 * @param sums of earlier starts without an approval
 */
export function widestWithoutApproval(
  rules: readonly ApprovalRule[],
  users: UsersByCountry,
  terms: CostTerms,
  sums: readonly UnapprovedStartTotal[] = [],
): UsersByCountry | null {
  const needsNone = (bounds: UsersByCountry) => approvalNeed(rules, reachOf(bounds, terms), sums).approvers === 0;
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
