import type { ReactNode } from 'react';
import { formatCount, formatShare } from '../words/numbers.ts';
import { OutcomeBar } from '../outcomes/outcome-bar.tsx';
import { outcomeWords, type OutcomeName } from '../outcomes/outcomes.ts';
import { StepCards } from './step-cards.tsx';
import { hasShare, leastWidth, StepColgroup, stepWidths } from './step-colgroup.tsx';
import { columnsOf, reportColumns } from './step-columns.ts';
import type { StepCounts, StepTableProps } from './step-lines.ts';
import { Mark } from './step-mark.tsx';

/** Outcomes that a table of this manner has columns for. */
export function stepColumns({ steps, countries, manner }: Omit<StepTableProps, 'markOf'>): OutcomeName[] {
  const lines = [...steps, ...countries.flatMap((country) => country.steps)];
  return columnsOf(lines, manner === 'live' ? ['pending'] : reportColumns);
}

/** Every number of every step and country, with a bar for the eye. On a phone, the same as cards. */
export function StepTable(props: StepTableProps) {
  const { steps, countries, manner, markOf } = props;
  const columns = stepColumns(props);
  const widths = stepWidths({ steps, countries, manner, columns });
  return (
    <>
      <div className="scroll wide" tabIndex={0} role="region" aria-label="Table of users by step and country">
        <table className="step-table" style={{ minWidth: leastWidth(widths) }}>
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
          {steps.map((line) => (
            <tbody key={line.step} className="border-line-2 not-first-of-type:border-t">
              <Line line={line} columns={columns} manner={manner} isSum>
                {line.step}&ensp;{line.action}
              </Line>
              {countries.map(({ country, steps: own }) => {
                const ofCountry = own.find(({ step }) => step === line.step);
                return (
                  ofCountry && (
                    <Line key={country} line={ofCountry} columns={columns} manner={manner}>
                      {country} <Mark mark={markOf?.(country, line.step) ?? null} />
                    </Line>
                  )
                );
              })}
            </tbody>
          ))}
        </table>
      </div>
      <StepCards {...props} />
    </>
  );
}

type ColumnProps = Pick<StepTableProps, 'manner'> & { outcome: OutcomeName };

function Heads({ outcome, manner }: ColumnProps) {
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

interface LineProps extends Pick<StepTableProps, 'manner'> {
  line: StepCounts;
  columns: readonly OutcomeName[];
  isSum?: boolean;
  children: ReactNode;
}

function Line({ line, columns, manner, isSum = false, children }: LineProps) {
  return (
    <tr className={isSum ? 'sum' : undefined}>
      <th scope="row" className={isSum ? 'truncate' : 'font-medium'} title={isSum ? line.action : undefined}>
        {children}
      </th>
      <td className="text-right">{formatCount(line.audience)}</td>
      <td>
        <OutcomeBar counts={line} audience={line.audience} size={isSum ? 'large' : 'normal'} />
      </td>
      {columns.map((outcome) => (
        <Cells key={outcome} line={line} outcome={outcome} manner={manner} />
      ))}
    </tr>
  );
}

function Cells({ line, outcome, manner }: ColumnProps & { line: StepCounts }) {
  const users = line[outcome];
  return (
    <>
      <td className={users === 0 ? 'text-right z' : 'text-right'}>{formatCount(users)}</td>
      {hasShare(outcome, manner) && <td className="text-right t2">{formatShare(users, line.audience)}</td>}
    </>
  );
}
