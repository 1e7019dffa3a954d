import { amountText, millionthsOf, moneyWords } from '../money/amounts.ts';

export interface BudgetLimit {
  country: string;
  units?: number | undefined;
  amount?: string | undefined;
  currency?: string | undefined;
}

/** Returns the size of a budget: units, or millionths of its currency. */
export function sizeOf({ units = 0, amount }: BudgetLimit): bigint {
  return amount === undefined ? BigInt(units) : millionthsOf(amount);
}

export function resized({ country, amount, currency }: BudgetLimit, size: bigint): BudgetLimit {
  return amount === undefined ? { country, units: Number(size) } : { country, amount: amountText(size), currency };
}

/** Returns true if two budgets of one country are both in units, or in the same currency. */
export function isInSame(one: BudgetLimit, other: BudgetLimit): boolean {
  return one.currency === other.currency;
}

/** Returns text such as `1,000 units` or `5,000.00 EUR`. */
export function budgetWords({ units = 0, amount, currency = '' }: BudgetLimit): string {
  return amount === undefined ? `${units.toLocaleString('en-US')} units` : moneyWords(amount, currency);
}

/** Delay before batches that exceed their budget are offered again: others may have released units by then. */
export const budgetWaitMs = 5000;

/** Prefix of all causes of waiting that concern a budget. Batches then wait until a person acts. */
const beginning = 'budget: ';

/** Returns whether batches, or a run that paused itself, wait because of a budget. */
export function isBudgetCause(cause: string | null): boolean {
  return cause?.startsWith(beginning) ?? false;
}

/**
 * Returns the cause of waiting for batches of a country, in the same words for all of them.
 * @param budget `1,000 units`, `5,000.00 EUR`
 */
export function budgetCause(country: string, budget: string): string {
  return budget.endsWith(' units')
    ? `${beginning}too few of the ${budget} of ${country} are left`
    : `${beginning}too little of the ${budget} of ${country} is left`;
}

/**
 * Returns the reason for which a run pauses itself.
 * @param shortages in words, one for each country
 */
export function budgetPauseCause(shortages: readonly string[]): string {
  return `${beginning}${shortages.join('; ')}`;
}
