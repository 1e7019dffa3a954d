import { useCallback, useState } from 'react';
import { useIsNarrow } from '../browser/narrow.ts';
import { outcomeWords, type OutcomeName } from '../outcomes/outcomes.ts';
import { foldedAbove } from './country-groups.ts';
import { StepCards } from './step-cards.tsx';
import { hasShare, minTableWidth, StepColgroup, stepWidths } from './step-colgroup.tsx';
import { columnsOf, reportColumns } from './step-columns.ts';
import { Line } from './step-line.tsx';
import { linesOf, type StepFolds, type StepTableProps } from './step-lines.ts';

export function stepColumns({ steps, countries, manner }: Omit<StepTableProps, 'markOf'>): OutcomeName[] {
  const lines = [...steps, ...countries.flatMap((country) => country.steps)];
  return columnsOf(lines, manner === 'live' ? ['pending'] : reportColumns);
}

/**
 * Shows all numbers of every step and country, with a bar; on narrow screens, as cards. If there are many countries,
 * each step folds its countries. A step that waits is open.
 */
export function StepTable(props: StepTableProps) {
  const isNarrow = useIsNarrow();
  const folds = useFolds(props);
  // A live table renders twice a second, so only the layout for the current screen is rendered. A report renders both
  // layouts, because the printed page has another width.
  if (props.manner === 'live')
    return isNarrow ? <StepCards {...props} {...folds} /> : <StepLines {...props} {...folds} />;
  return (
    <>
      <StepLines {...props} {...folds} />
      <div className="narrow">
        <StepCards {...props} {...folds} />
      </div>
    </>
  );
}

function useFolds({ steps, countries, markOf }: StepTableProps): StepFolds {
  const [toggled, setToggled] = useState<ReadonlySet<number>>(new Set());
  const onToggle = useCallback(
    (step: number) => setToggled((before) => before.symmetricDifference(new Set([step]))),
    [],
  );
  if (countries.length <= foldedAbove) return {};
  const waiting = steps.find(({ step }) => countries.some(({ country }) => markOf?.(country, step) === 'waits'));
  const first = waiting ?? steps[0];
  return { opened: toggled.symmetricDifference(new Set(first && [first.step])), onToggle };
}

export function StepLines({ opened, onToggle, ...props }: StepTableProps & StepFolds) {
  const { steps, countries, manner, markOf, waitOf } = props;
  const columns = stepColumns(props);
  const widths = stepWidths({ steps, countries, manner, columns });
  const shared = { columns, manner };
  return (
    <div className="scroll wide" tabIndex={0} role="region" aria-label="Table of users by step and country">
      <table className="step-table" style={{ minWidth: minTableWidth(widths) }}>
        <caption className="sr-only">Users by step and country, with their outcomes</caption>
        <StepColgroup widths={widths} />
        <thead>
          <tr>
            <th scope="col">Step</th>
            <th scope="col" className="text-right">
              Audience
            </th>
            <th scope="col">
              <span className="sr-only">Outcomes as a bar</span>
            </th>
            {columns.map((outcome) => (
              <Heads key={outcome} outcome={outcome} manner={manner} />
            ))}
          </tr>
        </thead>
        {steps.map((line) => {
          const isOpen = opened?.has(line.step);
          return (
            <tbody key={line.step} className="border-line-2 not-first-of-type:border-t">
              <Line {...shared} line={line} {...(isOpen !== undefined && onToggle && { isOpen, onToggle })} />
              {linesOf(countries, line.step, isOpen).map(({ country, line: ofCountry }) => (
                <Line
                  key={country}
                  {...shared}
                  line={ofCountry}
                  country={country}
                  mark={markOf?.(country, line.step) ?? null}
                  wait={waitOf?.(country, line.step) ?? null}
                />
              ))}
            </tbody>
          );
        })}
      </table>
    </div>
  );
}

interface HeadsProps extends Pick<StepTableProps, 'manner'> {
  outcome: OutcomeName;
}

function Heads({ outcome, manner }: HeadsProps) {
  const word = outcomeWords[outcome];
  return (
    <>
      <th scope="col" className="text-right">
        {word.charAt(0).toUpperCase()}
        {word.slice(1)}
      </th>
      {hasShare(outcome, manner) && (
        <th scope="col" className="text-right">
          Share<span className="sr-only"> of the audience that succeeded</span>
        </th>
      )}
    </>
  );
}
