import type { RunCost } from '../../../shared/contracts/money.ts';
import type { StepLineShape } from '../../../shared/contracts/runs/step-lines.ts';
import { amountOf, sumOfAmounts } from '../../../shared/domain/money/amounts.ts';
import { modeOfStep } from '../../../shared/domain/run/run-kinds.ts';
import type { RunHeader } from './run-reports.port.ts';

interface CountryLines {
  country: string;
  steps: readonly StepLineShape[];
}

interface StepPrice {
  step: number;
  action: string;
  unitsPerUser: number;
  price: string | null;
}

/**
 * Returns the cost of a run. Like in budgets, users count who succeeded or may have succeeded. A step that is not live
 * costs nothing. Null if no step costs units.
 */
export function runCostOf(
  { chain, prices, stepModes }: Pick<RunHeader, 'chain' | 'prices' | 'stepModes'>,
  countries: readonly CountryLines[],
): RunCost | null {
  const priced = chain.map(({ action, unitsPerUser = 0 }, index): StepPrice => {
    const isGiven = modeOfStep(stepModes, index + 1) === 'live';
    return { step: index + 1, action, unitsPerUser: isGiven ? unitsPerUser : 0, price: prices?.steps[index] ?? null };
  });
  if (priced.every(({ unitsPerUser }) => unitsPerUser === 0)) return null;
  const costs = countries.map(({ country, steps }) => ({ country, ...costOf(steps, priced) }));
  const lines = countries.flatMap(({ steps }) => steps);
  return {
    currency: prices?.currency ?? null,
    ...costOf(lines, priced),
    steps: priced.map((price) => ({ ...price, ...costOf(lines, [price]) })),
    countries: costs,
  };
}

function costOf(lines: readonly StepLineShape[], prices: readonly StepPrice[]) {
  const costs = prices.map(({ step, unitsPerUser, price }) => {
    const users = lines
      .filter((line) => line.step === step)
      .reduce((sum, line) => sum + line.succeeded + line.unknown, 0);
    const units = users * unitsPerUser;
    return { units, amounts: price === null || unitsPerUser === 0 ? [] : [amountOf(units, price)] };
  });
  return {
    units: costs.reduce((sum, { units }) => sum + units, 0),
    amount: sumOfAmounts(costs.flatMap(({ amounts }) => amounts)),
  };
}
