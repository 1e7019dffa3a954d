import { budgetPauseCause } from '../../../shared/domain/run/budgets.ts';
import type { BudgetShortage, RunTally } from '../ports/run-store.ts';
import type { OpenStep } from '../standing/step-progress.ts';

/**
 * Returns the reason why a run must pause for lack of budget; null if it need not. A run pauses if all its open work
 * waits for the budget, and what is left of the budget does not suffice for a single user. Any other open work prevents
 * the pause, because it may return reserved units to the budget.
 * @param open open steps of this run
 * @param shortages budgets of which this run needs more than is left
 */
export function budgetPause(
  { feeds }: RunTally,
  open: readonly OpenStep[],
  shortages: readonly BudgetShortage[],
): string | null {
  if (shortages.length === 0 || shortages.some(({ left, leastUnits }) => left >= leastUnits)) return null;
  const short = new Set(shortages.map(({ country }) => country));
  if (feeds.some(({ complete, country }) => !complete && !short.has(country))) return null;
  if (open.some(({ ready }) => ready > 0)) return null;
  const waiting = open.reduce((sum, step) => sum + step.waiting, 0);
  if (waiting !== shortages.reduce((sum, { batches }) => sum + batches, 0)) return null;
  return budgetPauseCause(shortages.map(inWords));
}

function inWords({ country, left, budgetText, leftText, leastText }: BudgetShortage): string {
  if (left <= 0) return `the ${budgetText} of ${country} are used up`;
  return `${leftText} of the ${budgetText} of ${country} are left, and a user costs ${leastText}`;
}
