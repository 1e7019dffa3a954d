import { Link } from '@tanstack/react-router';
import { formatFineShare } from '../words/figures.ts';
import { canRetry, type ReasonRow } from './failure-reasons.ts';
import { useRowKeys } from '../keys/use-row-keys.ts';
import { formatCount } from '../words/numbers.ts';
import styles from './reason-table.module.css';

export interface ReasonTableProps {
  runId: string;
  rows: readonly ReasonRow[];
  /** By its number: what it is called, and whose share the failed ones are. */
  steps: readonly { step: number; action: string; audience: number }[];
  /** Rows that are selected, by key; without it nothing can be selected. */
  selection?: { keys: ReadonlySet<string>; onToggle: (row: ReasonRow) => void };
}

/** Why users failed, the most users first, with somebody to look at. */
export function ReasonTable({ runId, rows, steps, selection }: ReasonTableProps) {
  const container = useRowKeys<HTMLTableSectionElement>();
  return (
    <div className="scroll">
      <table className={`d30 ${styles['table'] ?? ''}`}>
        <colgroup>
          {selection && <col className={styles['select']} />}
          <col className={styles['reason']} />
          <col className={`wide ${styles['step'] ?? ''}`} />
          <col className={styles['users']} />
          <col className={`wide ${styles['share'] ?? ''}`} />
          <col className="wide" />
          <col className={`wide ${styles['sample'] ?? ''}`} />
          <col className={styles['list']} />
        </colgroup>
        <thead>
          <tr>
            {selection && (
              <th scope="col">
                <span className="vh">Selected</span>
              </th>
            )}
            <th scope="col">Reason</th>
            <th scope="col" className="wide">
              Step
            </th>
            <th scope="col" className="r">
              Users
            </th>
            <th scope="col" className="r wide">
              Of the step
            </th>
            <th scope="col" className="wide">
              Mostly
            </th>
            <th scope="col" className="wide">
              For example
            </th>
            <th scope="col">
              <span className="vh">Who they are</span>
            </th>
          </tr>
        </thead>
        <tbody ref={container}>
          {rows.map((row) => (
            <Reason key={row.key} row={row} runId={runId} steps={steps} selection={selection} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface ReasonProps extends Pick<ReasonTableProps, 'runId' | 'steps'> {
  row: ReasonRow;
  selection: ReasonTableProps['selection'];
}

function Reason({ row, runId, steps, selection }: ReasonProps) {
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
      <th scope="row" className={`mono ${styles['name'] ?? ''}`} title={reason}>
        {reason}
        {outcome === 'unknown' && <span className={`tag ${styles['unknown'] ?? ''}`}>unknown</span>}
        <span className="narrow xs t3">
          {step} {of?.action}
        </span>
      </th>
      <td className="t2 nw cut wide">
        {step} {of?.action}
      </td>
      <td className="r w5">{formatCount(users)}</td>
      <td className="r t2 wide">{formatFineShare(users, of?.audience ?? 0)}</td>
      <td className="t2 wide">
        <Mostly countries={countries} />
      </td>
      <td className="mono t2 cut wide">
        {example !== undefined && (
          <Link to="/runs/$runId/users/$userId" params={{ runId, userId: example }} title={example}>
            {example}
          </Link>
        )}
      </td>
      <td className="r">
        <Link
          className="link nw"
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
    <input
      type="checkbox"
      className={styles['box']}
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
  unknown: 'Nobody knows whether they got it: settle them first, or somebody could get it twice.',
} as const;

const maxCountries = 4;

/** The countries with most of them, as many as there is room for: `VN 7,204 · ID 3,710`. */
function Mostly({ countries }: Pick<ReasonRow, 'countries'>) {
  const words = countries.slice(0, maxCountries).map(({ country, users }) => `${country} ${formatCount(users)}`);
  return (
    <div className={styles['mostly']} title={words.join(' · ')}>
      {words.map((each) => (
        <span key={each}>{each}</span>
      ))}
    </div>
  );
}
