import { budgetPauseCause } from '../../../shared/domain/run/budgets.ts';
import type { BudgetShortage, RunTally } from '../ports/run-store.ts';
import type { OpenStep } from '../standing/step-progress.ts';

/**
 * Returns the cause for which a run has to pause for its campaign's budget, else null. It pauses if all its open work
 * waits for units and the rest of the budget does not cover a single user. Open work in any country prevents the pause,
 * because it may return units.
 * @param open open steps of this run
 * @param shortages shortages of this run
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
