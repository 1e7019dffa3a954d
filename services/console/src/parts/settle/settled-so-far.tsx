import type { UseQueryResult } from '@tanstack/react-query';
import type { ListSettlementsResponse, Problem, Settlement } from '#client/types.gen.ts';
import { SkeletonRows } from '../standing/skeleton.tsx';
import { Failed } from '../standing/states.tsx';
import { Time } from '../times/time.tsx';
import { sentence } from '../words/figures.ts';
import { plainText } from '../words/plain-text.ts';
import { rejectWords, settledBy, settledWords } from './settlement-words.ts';

/** What was looked up or said before, newest first. */
export function SettledSoFar({ known }: { known: UseQueryResult<ListSettlementsResponse, Problem> }) {
  if (known.error !== null && known.data === undefined) {
    return (
      <Failed
        title="What was settled before could not be read"
        error={known.error}
        onRetry={() => void known.refetch()}
      />
    );
  }
  if (known.data?.items.length === 0) return <p className="t2">Nothing was looked up or said of them yet.</p>;
  return (
    <div className="box overflow-auto max-h-50">
      <table className="table-auto">
        <caption className="sr-only">What was looked up so far, newest first</caption>
        <thead>
          <tr>
            <th scope="col">Looked up</th>
            <th scope="col">By</th>
            <th scope="col">What came of it</th>
          </tr>
        </thead>
        <tbody>
          {known.data?.items.map((each) => <Row key={each.settlementId} settlement={each} />) ?? (
            <SkeletonRows rows={1} columns={[110, 130, 200]} />
          )}
        </tbody>
      </table>
    </div>
  );
}

function Row({ settlement }: { settlement: Settlement }) {
  const { createdAt, requestedBy, state, cause } = settlement;
  return (
    <tr>
      <td className="whitespace-nowrap">
        <Time instant={createdAt} />
      </td>
      <td>
        {settledBy(settlement)}
        {requestedBy !== null && <span className="t2">, {plainText(requestedBy.name)}</span>}
      </td>
      <td>
        {state === 'running' && <b>goes on: </b>}
        {settledWords(settlement)}
        {state === 'failed' && <span className="c-bad">; {cause ?? 'it could not go on'}</span>}
      </td>
    </tr>
  );
}

const shownRejects = 20;

/** What came of the settlement that was just asked for. */
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
