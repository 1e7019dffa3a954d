import type { CampaignDefinition } from '../../shared/contracts/campaigns/campaigns.ts';
import { sumsOf } from '../support/memory/budgets.ts';
import type { MemoryDatabase } from '../support/memory/memory-database.ts';
import type { BudgetRow } from '../support/memory/run-tables.ts';

export interface BudgetPlan {
  /** Initial units of each country. */
  units: number;
  /** Units that a user costs, by step. */
  unitsPerUser: readonly number[];
  /**
   * Number of times that a person raises a budget by the same amount, each time the run has paused for it. The last
   * raise suffices for all users.
   */
  raises: number;
}

const enough = 1_000_000;

/** Returns the budgets of the campaign definition. */
export function budgetsFor(
  plan: BudgetPlan | null,
  chain: CampaignDefinition['chain'],
  countries: readonly string[],
): Pick<CampaignDefinition, 'chain' | 'budgets'> {
  if (!plan) return { chain };
  const costly = chain.map((step, index) => {
    const unitsPerUser = plan.unitsPerUser[index] ?? 0;
    return unitsPerUser === 0 ? step : { ...step, unitsPerUser };
  });
  return { chain: costly, budgets: countries.map((country) => ({ country, units: plan.units })) };
}

/** Counts applied effects against the budgets, unit by unit, and raises budgets like a person. */
export function createSimulatedBudgets(plan: BudgetPlan | null, database: MemoryDatabase) {
  const spent = new Map<string, number>();
  let overspent = 0;
  let raised = 0;
  const budgets = () => [...database.budgets.values()];
  const isUsedUp = (row: BudgetRow) => {
    const { units, used, reserved } = sumsOf(database, row);
    return units - used - reserved < Math.max(...(plan?.unitsPerUser ?? [0]));
  };

  return {
    /** Counts the first effect of a user in a step. */
    onApplied: (step: number, country: string) => {
      const units = plan?.unitsPerUser[step - 1] ?? 0;
      if (units === 0) return;
      const sum = (spent.get(country) ?? 0) + units;
      spent.set(country, sum);
      const budget = budgets().find((row) => row.country === country);
      if (budget && sum > budget.units) overspent++;
    },
    /** Raises a budget if the run has paused for it. Returns true if the run should be resumed. */
    raiseWherePaused: (): boolean => {
      const paused = [...database.runs.values()].find(({ state }) => state === 'paused');
      if (paused?.stateReason?.startsWith('budget:') !== true) return false;
      raised++;
      const by = raised > (plan?.raises ?? 0) ? enough : (plan?.units ?? 0) + 1;
      for (const row of budgets()) if (isUsedUp(row)) row.units += by;
      return true;
    },
    /** Returns the findings of the witnesses. */
    findings: (): string[] => {
      const wrong = budgets().flatMap((row) => {
        const { used, reserved } = sumsOf(database, row);
        const applied = spent.get(row.country) ?? 0;
        return [
          ...(used < applied ? [`B2: ${row.country} counts ${used} units as used, and ${applied} were applied`] : []),
          ...(reserved > 0 ? [`B3: ${reserved} units of ${row.country} are still reserved`] : []),
        ];
      });
      return [...(overspent > 0 ? [`B1: ${overspent} users were served beyond a budget`] : []), ...wrong];
    },
    raised: () => raised,
  };
}
