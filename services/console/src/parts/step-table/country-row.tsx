import { memo, type ReactNode } from 'react';
import { useIsNarrow } from '../browser/narrow.ts';
import { countryName } from '../words/country-names.ts';
import { Icon } from '../icon/icon.tsx';
import { OutcomeBar } from '../outcomes/outcome-bar.tsx';
import { formatFineShare } from '../words/figures.ts';
import { formatCount } from '../words/numbers.ts';
import type { Trouble } from './country-groups.ts';
import type { StepCounts, StepTableProps, StepWait } from './step-lines.ts';
import { StepTable } from './step-table.tsx';

interface CountryLineProps extends Pick<StepTableProps, 'manner'> {
  country: string;
  /** Figures of the steps. The object is the same until its figures change. */
  steps: readonly StepCounts[];
  trouble: Trouble | null;
  waits: readonly StepWait[];
  columns: number;
  isOpen: boolean;
  onToggle: (key: string) => void;
}

/**
 * Row of a country, which opens to its steps. An update changes few of many countries: only their rows render again.
 */
export const CountryLine = memo(function CountryLine(props: CountryLineProps) {
  const { country, steps, trouble, waits, manner, columns, isOpen, onToggle } = props;
  return (
    <>
      <Row
        {...{ steps, isOpen, waits, country }}
        warnsIn={trouble !== null && waits.length === 0 ? mostFailed(steps) : undefined}
        isSelected={isOpen}
        onToggle={() => onToggle(country)}
        name={
          <>
            <span className="tag">{country}</span> {countryName(country)}
          </>
        }
        note={trouble && <TroubleWords trouble={trouble} waits={waits} />}
      />
      {isOpen && (
        <tr className="opened">
          <td colSpan={columns}>
            <StepTable steps={steps} countries={[]} manner={manner} />
          </td>
        </tr>
      )}
    </>
  );
}, isSame);

/** Compares by value: each patch computes the problem of a country anew, mostly with the same result. */
function isSame(before: CountryLineProps, now: CountryLineProps): boolean {
  return (
    before.country === now.country &&
    before.steps === now.steps &&
    before.trouble?.waiting === now.trouble?.waiting &&
    before.trouble?.failedShare === now.trouble?.failedShare &&
    wordsOf(before.waits) === wordsOf(now.waits) &&
    before.manner === now.manner &&
    before.columns === now.columns &&
    before.isOpen === now.isOpen &&
    before.onToggle === now.onToggle
  );
}

function wordsOf(waits: readonly StepWait[]): string {
  return waits.map(({ step, words }) => `${step} ${words}`).join();
}

function mostFailed(steps: readonly StepCounts[]): number | undefined {
  return steps.toSorted((a, b) => b.failed - a.failed)[0]?.step;
}

interface TroubleWordsProps {
  trouble: Trouble;
  waits: readonly StepWait[];
}

/**
 * Problem of a country. Narrow screens have no cell per step, so the text also describes why the first waiting step
 * waits.
 */
function TroubleWords({ trouble: { waiting, failedShare }, waits: [first] }: TroubleWordsProps) {
  const isNarrow = useIsNarrow();
  const words = waiting > 0 ? `${formatCount(waiting)} wait` : `${formatFineShare(failedShare, 1)} failed`;
  return (
    <span className="c-warn inline-flex flex-wrap items-center gap-x-1.25">
      <Icon name="warn" size={12} />
      {words}
      {isNarrow && first && (
        <span className={first.isStopped ? 'c-bad' : undefined}>
          step {first.step}: {first.words}
        </span>
      )}
    </span>
  );
}

interface RowProps {
  name: ReactNode;
  note?: ReactNode;
  steps: readonly StepCounts[];
  country?: string;
  waits?: readonly StepWait[];
  warnsIn?: number | undefined;
  isOpen?: boolean;
  /** True if details of the row are open. */
  isSelected?: boolean;
  onToggle?: () => void;
}

/** Row of one or several countries: the users who completed the chain, and each step. */
export function Row(props: RowProps) {
  const { name, note, steps, country, waits = [], warnsIn, isOpen = false, isSelected = false, onToggle } = props;
  const last = steps.at(-1);
  const audience = last?.audience ?? 0;
  return (
    <tr className={isSelected ? 'tall sel' : 'tall'} data-country={country}>
      <th scope="row" className="two min-w-46 phone:min-w-0">
        <div className="font-medium">
          {onToggle ? (
            <button
              type="button"
              className="inline-flex items-center gap-1.5 -ml-1 px-1 phone:min-h-10 text-left"
              aria-expanded={isOpen}
              onClick={onToggle}
            >
              <Icon name={isOpen ? 'down' : 'right'} size={12} />
              <span>{name}</span>
            </button>
          ) : (
            name
          )}
        </div>
        <div className={onToggle ? 'pl-4.5' : undefined}>{note}</div>
      </th>
      <td className="text-right wide">{formatCount(audience)}</td>
      <td>
        {last && (
          <>
            <div className="flex justify-between gap-2">
              <span className="font-medium">{formatCount(last.succeeded)}</span>
              <span className="t3 sm">{formatFineShare(last.succeeded, audience)}</span>
            </div>
            <OutcomeBar counts={last} audience={audience} />
          </>
        )}
      </td>
      {steps.map((line) => (
        <StepCell
          key={line.step}
          line={line}
          wait={waits.find(({ step }) => step === line.step)}
          warns={line.step === warnsIn}
        />
      ))}
    </tr>
  );
}

interface StepCellProps {
  line: StepCounts;
  wait: StepWait | undefined;
  warns: boolean;
}

/** Users who succeeded and failed in a step. If the step waits, an icon and a word describe why. */
function StepCell({ line: { succeeded, failed }, wait, warns }: StepCellProps) {
  const tone = wait?.isStopped === true ? 'c-bad' : wait !== undefined || warns ? 'c-warn' : undefined;
  return (
    <td className="two text-right wide">
      <div>
        {tone !== undefined && (
          <span className={`${tone} mr-1.25`}>
            <Icon name={wait?.isStopped === true ? 'open' : 'warn'} size={12} />
          </span>
        )}
        {formatCount(succeeded)}
      </div>
      <div className="whitespace-nowrap">
        <span className={tone}>{wait?.words ?? `${failed === 0 ? 'none' : formatCount(failed)} failed`}</span>
      </div>
    </td>
  );
}
