/** What does not fit into its budget is offered again so much later: by then others may have given something back. */
export const budgetWaitMs = 5000;

/** Why batches of a country wait. The same words for all of them. */
export function budgetCause(country: string, units: number): string {
  return `budget: too few of the ${units.toLocaleString('en-US')} units of ${country} are left`;
}
