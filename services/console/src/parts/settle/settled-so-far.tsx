import type { UseQueryResult } from '@tanstack/react-query';
import type { ListSettlementsResponse, Problem, Settlement } from '#client/types.gen.ts';
import type { Column } from '../data-table/columns.tsx';
import { DataTable } from '../data-table/data-table.tsx';
import { ListView } from '../data-table/list-view.tsx';
import { Time } from '../times/time.tsx';
import { formatSentence } from '../words/figures.ts';
import { plainText } from '../words/plain-text.ts';
import { describeRejection, formatSettlementSource, formatSettlementResult } from './settlement-words.ts';

export function SettledSoFar({ known }: { known: UseQueryResult<ListSettlementsResponse, Problem> }) {
  const items = known.data?.items;
  return (
    <ListView
      what="The settlements"
      query={known}
      items={items}
      empty={<p className="t2">There are no settlements yet.</p>}
    >
      <div className="box overflow-auto max-h-50">
        <DataTable
          caption="Settlements so far, newest first"
          className="table-auto"
          columns={columns}
          rows={items}
          keyOf={({ settlementId }) => settlementId}
          loadingRows={1}
        />
      </div>
    </ListView>
  );
}

const columns: readonly Column<Settlement>[] = [
  { header: 'Time', look: 'whitespace-nowrap', cell: ({ createdAt }) => <Time instant={createdAt} /> },
  {
    header: 'By',
    cell: (settlement) => (
      <>
        {formatSettlementSource(settlement)}
        {settlement.requestedBy !== null && <span className="t2">, {plainText(settlement.requestedBy.name)}</span>}
      </>
    ),
  },
  {
    header: 'Result',
    cell: (settlement) => (
      <>
        {settlement.state === 'running' && <b>running: </b>}
        {formatSettlementResult(settlement)}
        {settlement.state === 'failed' && <span className="c-bad">; {settlement.cause ?? 'it failed'}</span>}
      </>
    ),
  },
];

const maxListedRejects = 20;

export function SettlementResult({ settlement }: { settlement: Settlement }) {
  const { state, cause, rejected, rejects } = settlement;
  return (
    <>
      <p role="status">
        <b>{state === 'running' ? 'The endpoint is being queried.' : state === 'done' ? 'Settled.' : 'It failed.'}</b>{' '}
        <span className="t2">
          {formatSentence(formatSettlementResult(settlement))}
          {cause !== null && ` ${formatSentence(cause)} Earlier settlements are kept.`}
          {state === 'running' && ' It continues after you close this dialog.'}
        </span>
      </p>
      {rejects.length > 0 && (
        <ul className="grid gap-1 sm max-h-40 overflow-auto" aria-label="Lines that settled no user">
          {rejects.slice(0, maxListedRejects).map(({ line, userId, rule }) => (
            <li key={line}>
              Line {line} {describeRejection(rule)}
              {userId !== null && (
                <>
                  : <code className="mono wrap-anywhere">{plainText(userId)}</code>
                </>
              )}
            </li>
          ))}
          {rejected > maxListedRejects && (
            <li className="t2">and {rejected - Math.min(maxListedRejects, rejects.length)} more</li>
          )}
        </ul>
      )}
    </>
  );
}
