import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { getApiKeyCallsOptions } from '#client/@tanstack/react-query.gen.ts';
import type { ApiKey, KeyCalls } from '#client/types.gen.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { SkeletonRows } from '../../parts/standing/skeleton.tsx';
import { Failed } from '../../parts/standing/states.tsx';
import { Time } from '../../parts/times/time.tsx';
import { formatCount } from '../../parts/words/numbers.ts';
import { allOf, dayInWords, operationInWords } from './call-words.ts';

interface CallsDialogProps {
  apiKey: ApiKey;
  onClose: () => void;
}

/** What a key was used for lately: by operation and by day, and where its changes stand. */
export function CallsDialog({ apiKey: { id, name }, onClose }: CallsDialogProps) {
  const calls = useQuery(getApiKeyCallsOptions({ path: { id } }));
  return (
    <Dialog
      title={`Calls of ${name}`}
      isWide
      lead="Of the last eight days; those of the last minute may be missing."
      onClose={onClose}
      actions={
        <>
          <Link className="link mr-auto" to="/audit" search={{ keyId: id, keyName: name }}>
            What it changed
          </Link>
          <Button onClick={onClose} data-autofocus>
            Close
          </Button>
        </>
      }
    >
      {calls.data === undefined && calls.error !== null ? (
        <Failed title="Its calls could not be read" error={calls.error} onRetry={() => void calls.refetch()} />
      ) : calls.data?.operations.length === 0 ? (
        <p className="t2">It was not used in these days.</p>
      ) : (
        <>
          <OperationTable operations={calls.data?.operations} />
          <DayTable days={calls.data?.days} />
        </>
      )}
    </Dialog>
  );
}

function OperationTable({ operations }: { operations: KeyCalls['operations'] | undefined }) {
  return (
    <table className="table-auto [--row:30px]">
      <caption className="sr-only">By operation, the last ones first</caption>
      <thead>
        <tr>
          <th scope="col">Operation</th>
          <AnswerHeads />
          <th scope="col" className="wide text-right">
            Last
          </th>
        </tr>
      </thead>
      <tbody>
        {operations?.map(({ operation, done, refused, failed, lastAt }) => (
          <tr key={operation}>
            <td className="wrap-anywhere" title={operation}>
              {operationInWords(operation)}
            </td>
            <AnswerCells {...{ done, refused, failed }} />
            <td className="wide t2 text-right whitespace-nowrap">
              <Time instant={lastAt} />
            </td>
          </tr>
        )) ?? <SkeletonRows rows={4} columns={[160, 40, 40, 40, 80]} />}
      </tbody>
    </table>
  );
}

function DayTable({ days }: { days: KeyCalls['days'] | undefined }) {
  const most = Math.max(1, ...(days?.map(allOf) ?? []));
  return (
    <table className="table-auto [--row:27px]">
      <caption className="sr-only">By day of UTC, today first</caption>
      <thead>
        <tr>
          <th scope="col">Day</th>
          <th scope="col" className="wide">
            <span className="sr-only">Share of the busiest day</span>
          </th>
          <AnswerHeads />
        </tr>
      </thead>
      <tbody className="text-sm">
        {days?.toReversed().map((day) => (
          <tr key={day.day}>
            <td className="t2 whitespace-nowrap w-28">{dayInWords(day.day)}</td>
            <td className="wide w-full">
              <div className="prog" role="presentation">
                <i style={{ width: `${(allOf(day) / most) * 100}%` }} />
              </div>
            </td>
            <AnswerCells {...day} />
          </tr>
        )) ?? <SkeletonRows rows={8} columns={[80, 200, 40, 40, 40]} />}
      </tbody>
    </table>
  );
}

function AnswerHeads() {
  return (
    <>
      <th scope="col" className="text-right">
        Done
      </th>
      <th scope="col" className="text-right">
        Refused
      </th>
      <th scope="col" className="text-right">
        Failed
      </th>
    </>
  );
}

function AnswerCells({ done, refused, failed }: Pick<KeyCalls['days'][number], 'done' | 'refused' | 'failed'>) {
  return (
    <>
      <td className="text-right">{formatCount(done)}</td>
      <td className={refused > 0 ? 'text-right c-warn' : 'text-right t3'}>{formatCount(refused)}</td>
      <td className={failed > 0 ? 'text-right c-bad' : 'text-right t3'}>{formatCount(failed)}</td>
    </>
  );
}
