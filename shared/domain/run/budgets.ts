/** What does not fit into its budget is offered again so much later: by then others may have given something back. */
export const budgetWaitMs = 5000;

/** How every cause begins that is a budget: what waits for it waits for a person. */
const beginning = 'budget: ';

/** Whether it is a budget that batches, or a run that paused itself, wait for. */
export function isBudgetCause(cause: string | null): boolean {
  return cause?.startsWith(beginning) ?? false;
}

/** Why batches of a country wait. The same words for all of them. */
export function budgetCause(country: string, units: number): string {
  return `${beginning}too few of the ${units.toLocaleString('en-US')} units of ${country} are left`;
}

/** Why a run pauses itself. @param shortages in words, one of a country */
export function budgetPauseCause(shortages: readonly string[]): string {
  return `${beginning}${shortages.join('; ')}`;
}
