import { memo } from 'react';
import { Icon } from '../icon/icon.tsx';
import { OutcomeBar } from '../outcomes/outcome-bar.tsx';
import type { OutcomeName } from '../outcomes/outcomes.ts';
import { formatCount, formatShare } from '../words/numbers.ts';
import { hasShare } from './step-colgroup.tsx';
import type { CountryMark, StepCounts, StepTableProps, StepWait } from './step-lines.ts';
import { Mark } from './step-mark.tsx';
import { titleOf } from '../words/action-titles.ts';

interface LineProps extends Pick<StepTableProps, 'manner'> {
  /** Figures of the line. The object is the same until its figures change. */
  line: StepCounts;
  columns: readonly OutcomeName[];
  /** Country of the line; undefined for the line of all countries. */
  country?: string;
  mark?: CountryMark | null;
  wait?: StepWait | null;
  /** True if the countries of the step are shown. Undefined if they are always shown. */
  isOpen?: boolean;
  onToggle?: (step: number) => void;
}

/**
 * Line of one step, or of one country in a step. An update changes few of hundreds of lines: only the changed lines
 * render again.
 */
export const Line = memo(function Line(props: LineProps) {
  const { line, columns, manner, country, mark, wait, isOpen, onToggle } = props;
  const isSum = country === undefined;
  return (
    <tr className={isSum ? 'sum' : undefined}>
      <th scope="row" className={isSum ? 'truncate' : 'font-medium'} title={isSum ? titleOf(line.action) : undefined}>
        {!isSum && (
          <>
            {country} <Mark mark={mark ?? null} wait={wait} />
          </>
        )}
        {isSum && <StepName line={line} isOpen={isOpen} onToggle={onToggle} />}
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
}, isSame);

/** Compares columns by value, because their array is created anew each time. */
function isSame(before: LineProps, now: LineProps): boolean {
  return (
    before.line === now.line &&
    before.manner === now.manner &&
    before.country === now.country &&
    before.mark === now.mark &&
    before.wait?.words === now.wait?.words &&
    before.isOpen === now.isOpen &&
    before.onToggle === now.onToggle &&
    before.columns.join() === now.columns.join()
  );
}

interface StepNameProps {
  line: Pick<StepCounts, 'step' | 'action'>;
  isOpen: boolean | undefined;
  onToggle: ((step: number) => void) | undefined;
}

/** Name of a step, such as `2 Send a message`, with the button that opens its countries if they are folded. */
export function StepName({ line: { step, action }, isOpen, onToggle }: StepNameProps) {
  const name = (
    <>
      {step}&ensp;{titleOf(action)}
    </>
  );
  if (isOpen === undefined) return name;
  return (
    <button
      type="button"
      className="inline-flex items-center gap-1.5 -ml-1 px-1 phone:min-h-10 text-left"
      aria-expanded={isOpen}
      onClick={() => onToggle?.(step)}
    >
      <Icon name={isOpen ? 'down' : 'right'} size={12} />
      <span>{name}</span>
    </button>
  );
}

interface CellsProps extends Pick<StepTableProps, 'manner'> {
  line: StepCounts;
  outcome: OutcomeName;
}

function Cells({ line, outcome, manner }: CellsProps) {
  const users = line[outcome];
  return (
    <>
      <td className={users === 0 ? 'text-right z' : 'text-right'}>{formatCount(users)}</td>
      {hasShare(outcome, manner) && <td className="text-right t2">{formatShare(users, line.audience)}</td>}
    </>
  );
}
