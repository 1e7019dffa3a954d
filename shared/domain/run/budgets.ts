import { amountText, millionthsOf, moneyWords } from '../money/amounts.ts';

/** A budget of a country, as definitions say it: so many units, or so much of a currency. */
export interface SaidBudget {
  country: string;
  units?: number | undefined;
  amount?: string | undefined;
  currency?: string | undefined;
}

/** How much it is: units, or millionths of its currency. */
export function sizeOf({ units = 0, amount }: SaidBudget): bigint {
  return amount === undefined ? BigInt(units) : millionthsOf(amount);
}

/** Another size, in what it is in. */
export function resized({ country, amount, currency }: SaidBudget, size: bigint): SaidBudget {
  return amount === undefined ? { country, units: Number(size) } : { country, amount: amountText(size), currency };
}

/** Of two of the same country. */
export function isInSame(one: SaidBudget, other: SaidBudget): boolean {
  return one.currency === other.currency;
}

/** `1,000 units`, `5,000.00 EUR`. */
export function budgetWords({ units = 0, amount, currency = '' }: SaidBudget): string {
  return amount === undefined ? `${units.toLocaleString('en-US')} units` : moneyWords(amount, currency);
}

/** What does not fit into its budget is offered again so much later: by then others may have given something back. */
export const budgetWaitMs = 5000;

/** How every cause begins that is a budget: what waits for it waits for a person. */
const beginning = 'budget: ';

/** Whether it is a budget that batches, or a run that paused itself, wait for. */
export function isBudgetCause(cause: string | null): boolean {
  return cause?.startsWith(beginning) ?? false;
}

/** Why batches of a country wait. The same words for all of them. @param budget `1,000 units`, `5,000.00 EUR` */
export function budgetCause(country: string, budget: string): string {
  return budget.endsWith(' units')
    ? `${beginning}too few of the ${budget} of ${country} are left`
    : `${beginning}too little of the ${budget} of ${country} is left`;
}

/** Why a run pauses itself. @param shortages in words, one of a country */
export function budgetPauseCause(shortages: readonly string[]): string {
  return `${beginning}${shortages.join('; ')}`;
}
