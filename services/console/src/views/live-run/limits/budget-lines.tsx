import type { CampaignBudgets, RunProgress } from '#client/types.gen.ts';
import type { BudgetSize } from '../../../parts/money/budget-words.ts';
import { byNeed } from '../../../parts/money/budget-rows.ts';
import { TextInput } from '../../../parts/controls/controls.tsx';
import { countOf } from '../../../parts/words/numbers.ts';
import { budgetEffect } from './limit-effects.ts';
import { LimitLine, type LimitLinesProps } from './limit-line.tsx';
import { budgetLimit } from './limits.ts';

interface BudgetLinesProps extends LimitLinesProps {
  /** Amounts up to which each budget may be raised without an approval; empty until they are loaded. */
  budgets: CampaignBudgets['items'];
}

const shownAtFirst = 8;

/** Budgets of the campaign by country. If there are many, only short ones are shown at first. */
export function BudgetLines({ budgets, ...props }: BudgetLinesProps) {
  const { progress, first } = props;
  const sorted = byNeed(progress.budgets);
  const isFirst = ({ country }: { country: string }) => budgetLimit(country) === first;
  const shown = progress.budgets.length <= shownAtFirst ? progress.budgets : sorted.slice(0, shownAtFirst);
  const listed = shown.some(isFirst) ? shown : [...sorted.filter(isFirst), ...shown];
  const others = sorted.filter((each) => !listed.includes(each));
  const lineOf = (budget: RunProgress['budgets'][number]) => (
    <BudgetLine key={budget.country} {...props} budget={budget} raisableTo={raisableIn(budgets, budget)} />
  );
  return (
    <>
      {listed.map(lineOf)}
      {others.length > 0 && (
        <details>
          <summary className="link sm py-2.25 px-3 border-t border-line cursor-pointer">
            {countOf(others.length, 'more budget')}, with more left
          </summary>
          {others.map(lineOf)}
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

function raisableIn(budgets: BudgetLinesProps['budgets'], { country, money }: Budget): BudgetSize | null {
  const { raisableTo = null, raisableToAmount = null } = budgets.find((each) => each.country === country) ?? {};
  if (money !== null) return raisableToAmount === null ? null : { amount: raisableToAmount, currency: money.currency };
  return raisableTo === null ? null : { units: raisableTo };
}

function BudgetLine({ budget, raisableTo, ...props }: BudgetLineProps) {
  const { progress, asked } = props;
  const { country } = budget;
  const wanted = asked.budgets.find((each) => each.country === country);
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
