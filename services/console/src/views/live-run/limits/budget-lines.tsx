import type { CampaignBudgets, RunProgress } from '#client/types.gen.ts';
import type { BudgetSize } from '../../../parts/money/amounts.ts';
import { sortByNeed } from '../../../parts/money/budget-rows.ts';
import { TextInput } from '../../../parts/controls/controls.tsx';
import { countOf } from '../../../parts/words/numbers.ts';
import { budgetEffect } from './limit-effects.ts';
import { LimitLine, type LimitLinesProps } from './limit-line.tsx';
import { budgetLimit } from './limits.ts';

interface BudgetLinesProps extends LimitLinesProps {
  /** Budgets, with the amount up to which each may be raised without an approval. Empty until they are loaded. */
  budgets: CampaignBudgets['items'];
}

const initialCount = 8;

/** Budgets of the campaign by country. If there are many, only short ones are shown at first. */
export function BudgetLines({ budgets, ...props }: BudgetLinesProps) {
  const { progress, first } = props;
  const sorted = sortByNeed(progress.budgets);
  const isFirst = ({ country }: { country: string }) => budgetLimit(country) === first;
  const visible = progress.budgets.length <= initialCount ? progress.budgets : sorted.slice(0, initialCount);
  const visibleBudgets = visible.some(isFirst) ? visible : [...sorted.filter(isFirst), ...visible];
  const others = sorted.filter((each) => !visibleBudgets.includes(each));
  const renderLine = (budget: RunProgress['budgets'][number]) => (
    <BudgetLine key={budget.country} {...props} budget={budget} raisableTo={findRaisableTo(budgets, budget)} />
  );
  return (
    <>
      {visibleBudgets.map(renderLine)}
      {others.length > 0 && (
        <details>
          <summary className="link sm py-2.25 px-3 border-t border-line cursor-pointer">
            {countOf(others.length, 'more budget')} with more left
          </summary>
          {others.map(renderLine)}
        </details>
      )}
    </>
  );
}

interface BudgetLineProps extends LimitLinesProps {
  budget: RunProgress['budgets'][number];
  raisableTo: BudgetSize | null;
}

type Budget = RunProgress['budgets'][number];

function findRaisableTo(budgets: BudgetLinesProps['budgets'], { country, money }: Budget): BudgetSize | null {
  const { raisableTo = null, raisableToAmount = null } = budgets.find((each) => each.country === country) ?? {};
  if (money !== null) return raisableToAmount === null ? null : { amount: raisableToAmount, currency: money.currency };
  return raisableTo === null ? null : { units: raisableTo };
}

function BudgetLine({ budget, raisableTo, ...props }: BudgetLineProps) {
  const { progress, changes } = props;
  const { country } = budget;
  const wanted = changes.budgets.find((each) => each.country === country);
  return (
    <LimitLine
      {...props}
      name={budgetLimit(country)}
      label={`Budget of ${country}`}
      effect={budgetEffect(progress, { budget, wanted, raisableTo })}
    >
      {(control) => <TextInput {...control} inputMode="decimal" {...(budget.money === null && { unit: 'units' })} />}
    </LimitLine>
  );
}
