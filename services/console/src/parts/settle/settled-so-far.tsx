import type { UseQueryResult } from '@tanstack/react-query';
import type { ListSettlementsResponse, Problem, Settlement } from '#client/types.gen.ts';
import type { Column } from '../data-table/columns.tsx';
import { DataTable } from '../data-table/data-table.tsx';
import { ListView } from '../data-table/list-view.tsx';
import { Time } from '../times/time.tsx';
import { sentence } from '../words/figures.ts';
import { plainText } from '../words/plain-text.ts';
import { rejectWords, settledBy, settledWords } from './settlement-words.ts';

export function SettledSoFar({ known }: { known: UseQueryResult<ListSettlementsResponse, Problem> }) {
  const items = known.data?.items;
  return (
    <ListView
      what="What was settled before"
      query={known}
      items={items}
      empty={<p className="t2">Nothing was looked up or said of them yet.</p>}
    >
      <div className="box overflow-auto max-h-50">
        <DataTable
          caption="What was looked up so far, newest first"
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
  { header: 'Looked up', look: 'whitespace-nowrap', cell: ({ createdAt }) => <Time instant={createdAt} /> },
  {
    header: 'By',
    cell: (settlement) => (
      <>
        {settledBy(settlement)}
        {settlement.requestedBy !== null && <span className="t2">, {plainText(settlement.requestedBy.name)}</span>}
      </>
    ),
  },
  {
    header: 'What came of it',
    cell: (settlement) => (
      <>
        {settlement.state === 'running' && <b>goes on: </b>}
        {settledWords(settlement)}
        {settlement.state === 'failed' && <span className="c-bad">; {settlement.cause ?? 'it could not go on'}</span>}
      </>
    ),
  },
];

const shownRejects = 20;

export function Made({ settlement }: { settlement: Settlement }) {
  const { state, cause, rejected, rejects } = settlement;
  return (
    <>
      <p role="status">
        <b>{state === 'running' ? 'The endpoint is being asked.' : state === 'done' ? 'Settled.' : 'It failed.'}</b>{' '}
        <span className="t2">
          {sentence(settledWords(settlement))}
          {cause !== null && ` ${sentence(cause)} What was settled before stays.`}
          {state === 'running' && ' It goes on when this is closed.'}
        </span>
      </p>
      {rejects.length > 0 && (
        <ul className="grid gap-1 sm max-h-40 overflow-auto" aria-label="Lines that settled nobody">
          {rejects.slice(0, shownRejects).map(({ line, userId, rule }) => (
            <li key={line}>
              Line {line} {rejectWords(rule)}
              {userId !== null && (
                <>
                  : <code className="mono wrap-anywhere">{plainText(userId)}</code>
                </>
              )}
            </li>
          ))}
          {rejected > shownRejects && (
            <li className="t2">and {rejected - Math.min(shownRejects, rejects.length)} more</li>
          )}
        </ul>
      )}
    </>
  );
}
