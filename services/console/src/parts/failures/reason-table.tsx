import { Link } from '@tanstack/react-router';
import { formatFineShare } from '../words/figures.ts';
import { canRetry, type ReasonRow } from './failure-reasons.ts';
import { countColumn, type Column } from '../data-table/columns.tsx';
import { DataTable } from '../data-table/data-table.tsx';
import { RowCheck } from '../lists/row-check.tsx';
import { formatCount } from '../words/numbers.ts';
import { titleOf } from '../words/action-titles.ts';

interface Selection {
  keys: ReadonlySet<string>;
  onToggle: (row: ReasonRow) => void;
}

export interface ReasonTableProps {
  runId: string;
  rows: readonly ReasonRow[] | undefined;
  /** Steps of the run. A row shows its users as a share of the step's audience. */
  steps: readonly { step: number; action: string; audience: number }[];
  /** Selected rows by key. Without it, rows have no checkboxes. */
  selection?: Selection;
  /** True if there is room only for the reason and its users. */
  isBrief?: boolean;
}

/** Reasons why users failed, most users first, with links to sample users. */
export function ReasonTable({ runId, rows, steps, selection, isBrief = false }: ReasonTableProps) {
  const stepOf = ({ step }: ReasonRow) => steps.find((each) => each.step === step);
  const stepWords = (row: ReasonRow) => `${row.step} ${titleOf(stepOf(row)?.action ?? '')}`.trimEnd();
  const columns: readonly Column<ReasonRow>[] = [
    ...(selection ? [selectedColumn(selection)] : []),
    {
      header: 'Reason',
      isRowHeader: true,
      width: 'w-44 phone:w-auto',
      look: 'mono wrap-anywhere leading-4.5',
      title: ({ reason }) => reason,
      cell: (row) => (
        <>
          {row.reason}
          {row.outcome !== 'failed' && <span className="tag ml-1.5">{row.outcome}</span>}
          <span className="narrow block font-sans xs t3">{stepWords(row)}</span>
        </>
      ),
    },
    {
      header: 'Step',
      ...(!isBrief && { width: 'w-35.5 print:w-29.5' }),
      hideBelow: 'phone',
      look: 't2 whitespace-nowrap truncate',
      cell: stepWords,
    },
    countColumn('Users', ({ users }) => users, { width: 'w-18.5', look: 'font-medium' }),
    ...(isBrief ? [] : detailColumns(runId, (row) => stepOf(row)?.audience ?? 0)),
    {
      header: 'User list',
      isHeaderHidden: true,
      align: 'right',
      width: 'w-14 print:w-2',
      cell: ({ step, reason, outcome }) => (
        <Link
          className="link whitespace-nowrap"
          to="/runs/$runId/failures"
          params={{ runId }}
          search={{ step, reason, outcome }}
          data-row-link
          aria-label={`List users who failed with ${reason} in step ${step}`}
        >
          List
        </Link>
      ),
    },
  ];
  return (
    <div className="scroll">
      <DataTable
        caption="Failures by reason, most users first"
        className={`d30 table-fixed print:[&_td:last-child]:invisible ${isBrief ? '' : 'min-w-200 phone:min-w-0'}`}
        columns={columns}
        rows={rows}
        keyOf={({ key }) => key}
        isChosen={({ key }) => selection?.keys.has(key) ?? false}
        hasRowKeys
        loadingRows={3}
      />
    </div>
  );
}

function selectedColumn({ keys, onToggle }: Selection): Column<ReasonRow> {
  return {
    header: 'Selected',
    isHeaderHidden: true,
    width: 'w-10.5 print:w-3',
    cell: (row) => <RetryBox row={row} isSelected={keys.has(row.key)} onToggle={onToggle} />,
  };
}

/** @param audienceOf returns the users of a row's step */
function detailColumns(runId: string, audienceOf: (row: ReasonRow) => number): readonly Column<ReasonRow>[] {
  return [
    {
      header: 'Of the step',
      align: 'right',
      width: 'w-23 print:w-19',
      hideBelow: 'phone',
      look: 't2',
      cell: (row) => formatFineShare(row.users, audienceOf(row)),
    },
    { header: 'Mostly', hideBelow: 'phone', look: 't2', cell: ({ countries }) => <Mostly countries={countries} /> },
    {
      header: 'For example',
      width: 'w-28',
      hideBelow: 'phone',
      look: 'mono t2 truncate',
      cell: ({ sample: [example] }) =>
        example !== undefined && (
          <Link to="/runs/$runId/users/$userId" params={{ runId, userId: example }} title={example}>
            {example}
          </Link>
        ),
    },
  ];
}

interface RetryBoxProps {
  row: ReasonRow;
  isSelected: boolean;
  onToggle: Selection['onToggle'];
}

function RetryBox({ row, isSelected, onToggle }: RetryBoxProps) {
  const isPossible = canRetry(row);
  return (
    <RowCheck
      checked={isSelected}
      disabled={!isPossible}
      onChange={() => onToggle(row)}
      data-row-select
      aria-label={isPossible ? `Retry users who failed with ${row.reason}` : `${row.reason} cannot be retried`}
      title={isPossible ? undefined : refusals[row.outcome]}
    />
  );
}

const refusals = {
  failed: 'These ids are invalid and cannot be sent.',
  suppressed: 'A rule suppressed these users: they were not called.',
  unknown: 'It is unknown whether these users were served. Settle them first, so that no user is served twice.',
} as const;

const maxCountries = 4;

/** The countries with most of the users: `VN 7,204 · ID 3,710`. Countries that do not fit into the line are hidden. */
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
