import { Link } from '@tanstack/react-router';
import { formatFineShare } from '../words/figures.ts';
import { canRetry, type ReasonRow } from './failure-reasons.ts';
import { useRowKeys } from '../keys/use-row-keys.ts';
import { RowCheck } from '../lists/row-check.tsx';
import { formatCount } from '../words/numbers.ts';
import { titleOf } from '../words/action-titles.ts';

export interface ReasonTableProps {
  runId: string;
  rows: readonly ReasonRow[];
  /** By its number: what it is called, and whose share the failed ones are. */
  steps: readonly { step: number; action: string; audience: number }[];
  /** Rows that are selected, by key; without it nothing can be selected. */
  selection?: { keys: ReadonlySet<string>; onToggle: (row: ReasonRow) => void };
  /** Why and how many, where there is no room for more. */
  isBrief?: boolean;
}

/** Why users failed, the most users first, with somebody to look at. */
export function ReasonTable({ runId, rows, steps, selection, isBrief = false }: ReasonTableProps) {
  const container = useRowKeys<HTMLTableSectionElement>();
  return (
    <div className="scroll">
      <table className={`d30 table-fixed print:[&_td:last-child]:invisible ${isBrief ? '' : 'min-w-160'}`}>
        <colgroup>
          {selection && <col className="w-10.5 print:w-3" />}
          <col className="w-44 phone:w-auto" />
          <col className={`wide ${isBrief ? '' : 'w-35.5 print:w-29.5'}`} />
          <col className="w-18.5" />
          {!isBrief && (
            <>
              <col className="wide w-23 print:w-19" />
              <col className="wide" />
              <col className="wide w-28" />
            </>
          )}
          <col className="w-14 print:w-2" />
        </colgroup>
        <thead>
          <tr>
            {selection && (
              <th scope="col">
                <span className="sr-only">Selected</span>
              </th>
            )}
            <th scope="col">Reason</th>
            <th scope="col" className="wide">
              Step
            </th>
            <th scope="col" className="text-right">
              Users
            </th>
            {!isBrief && (
              <>
                <th scope="col" className="text-right wide">
                  Of the step
                </th>
                <th scope="col" className="wide">
                  Mostly
                </th>
                <th scope="col" className="wide">
                  For example
                </th>
              </>
            )}
            <th scope="col">
              <span className="sr-only">Who they are</span>
            </th>
          </tr>
        </thead>
        <tbody ref={container}>
          {rows.map((row) => (
            <Reason key={row.key} {...{ row, runId, steps, selection, isBrief }} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface ReasonProps extends Pick<ReasonTableProps, 'runId' | 'steps'> {
  row: ReasonRow;
  selection: ReasonTableProps['selection'];
  isBrief: boolean;
}

function Reason({ row, runId, steps, selection, isBrief }: ReasonProps) {
  const { step, reason, outcome, users, countries, sample } = row;
  const of = steps.find((each) => each.step === step);
  const isSelected = selection?.keys.has(row.key) ?? false;
  const [example] = sample;
  return (
    <tr data-row className={isSelected ? 'sel' : undefined}>
      {selection && (
        <td>
          <RetryBox row={row} isSelected={isSelected} onToggle={selection.onToggle} />
        </td>
      )}
      <th scope="row" className="mono wrap-anywhere leading-4.5" title={reason}>
        {reason}
        {outcome !== 'failed' && <span className="tag ml-1.5">{outcome}</span>}
        <span className="narrow block font-sans xs t3">
          {step} {of && titleOf(of.action)}
        </span>
      </th>
      <td className="t2 whitespace-nowrap truncate wide">
        {step} {of && titleOf(of.action)}
      </td>
      <td className="text-right font-medium">{formatCount(users)}</td>
      {!isBrief && (
        <>
          <td className="text-right t2 wide">{formatFineShare(users, of?.audience ?? 0)}</td>
          <td className="t2 wide">
            <Mostly countries={countries} />
          </td>
          <td className="mono t2 truncate wide">
            {example !== undefined && (
              <Link to="/runs/$runId/users/$userId" params={{ runId, userId: example }} title={example}>
                {example}
              </Link>
            )}
          </td>
        </>
      )}
      <td className="text-right">
        <Link
          className="link whitespace-nowrap"
          to="/runs/$runId/failures"
          params={{ runId }}
          search={{ step, reason, outcome }}
          data-row-link
          aria-label={`List who failed with ${reason} in step ${step}`}
        >
          List
        </Link>
      </td>
    </tr>
  );
}

function RetryBox({
  row,
  isSelected,
  onToggle,
}: {
  row: ReasonRow;
  isSelected: boolean;
  onToggle: (row: ReasonRow) => void;
}) {
  const isPossible = canRetry(row);
  return (
    <RowCheck
      checked={isSelected}
      disabled={!isPossible}
      onChange={() => onToggle(row)}
      data-row-select
      aria-label={isPossible ? `Retry who failed with ${row.reason}` : `${row.reason} cannot be tried again`}
      title={isPossible ? undefined : refusals[row.outcome]}
    />
  );
}

const refusals = {
  failed: 'These ids can never be sent.',
  suppressed: 'A rule withheld it: nobody was called.',
  unknown: 'Nobody knows whether they got it: settle them first, or somebody could get it twice.',
} as const;

const maxCountries = 4;

/** The countries with most of them: `VN 7,204 · ID 3,710`. What does not fit as a whole goes below, out of sight. */
function Mostly({ countries }: Pick<ReasonRow, 'countries'>) {
  const words = countries.slice(0, maxCountries).map(({ country, users }) => `${country} ${formatCount(users)}`);
  return (
    <div className="flex flex-wrap gap-x-1.5 h-4.5 overflow-hidden leading-4.5" title={words.join(' · ')}>
      {words.map((each) => (
        <span
          key={each}
          className="whitespace-nowrap not-first:before:mr-1.5 not-first:before:text-faint not-first:before:content-['·']"
        >
          {each}
        </span>
      ))}
    </div>
  );
}
