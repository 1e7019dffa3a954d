import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { listSuppressionUploadsOptions } from '#client/@tanstack/react-query.gen.ts';
import type { SuppressionUpload } from '#client/types.gen.ts';
import { Paging } from '../../parts/lists/paging.tsx';
import { Panel } from '../../parts/panels/panel.tsx';
import { SkeletonRows } from '../../parts/standing/skeleton.tsx';
import { Failed } from '../../parts/standing/states.tsx';
import { Time } from '../../parts/times/time.tsx';
import { capitalOf } from '../../parts/words/figures.ts';
import { countOf } from '../../parts/words/numbers.ts';
import { listWords, uploadWords } from './list-words.ts';

const pageSize = 20;
const lookEveryMs = 10_000;

interface UploadsPanelProps {
  cursor: string | undefined;
  onGo: (cursor: string | undefined) => void;
}

/** Files that lists were loaded from, and what of them was no user. */
export function UploadsPanel({ cursor, onGo }: UploadsPanelProps) {
  const query = { limit: pageSize, ...(cursor !== undefined && { cursor }) };
  const uploads = useQuery({
    ...listSuppressionUploadsOptions({ query }),
    placeholderData: keepPreviousData,
    refetchInterval: lookEveryMs,
  });
  const items = uploads.data?.items;
  return (
    <Panel title="Files" note="that lists were loaded from">
      {items === undefined && uploads.error !== null ? (
        <Failed title="The files could not be read" error={uploads.error} onRetry={() => void uploads.refetch()} />
      ) : items?.length === 0 ? (
        <p className="pad t3 sm">None yet.</p>
      ) : (
        <table className="table-auto">
          <caption className="sr-only">Files, newest first</caption>
          <thead>
            <tr>
              <th scope="col">When</th>
              <th scope="col">List</th>
              <th scope="col">What came of it</th>
            </tr>
          </thead>
          <tbody>
            {items?.map((upload) => <UploadRow key={upload.id} upload={upload} />) ?? (
              <SkeletonRows rows={3} columns={[110, 120, 240]} />
            )}
          </tbody>
        </table>
      )}
      {items !== undefined && items.length > 0 && (
        <Paging cursor={cursor} next={uploads.data?.next} onGo={onGo}>
          {countOf(items.length, 'file')}, newest first
        </Paging>
      )}
    </Panel>
  );
}

function UploadRow({ upload }: { upload: SuppressionUpload }) {
  const { actionType, state, note, rejected, rejects, createdAt } = upload;
  return (
    <tr className="tall">
      <td className="t2 whitespace-nowrap phone:whitespace-normal">
        <Time instant={createdAt} />
      </td>
      <td className="wrap-anywhere min-w-24">{listWords(actionType)}</td>
      <td className="wrap-anywhere">
        <div className={state === 'failed' ? 'c-bad' : undefined}>{capitalOf(uploadWords(upload))}</div>
        {note !== null && <div className="t3 sm">{note}</div>}
        {rejected > 0 && (
          <details className="sm">
            <summary className="c-warn cursor-pointer">{countOf(rejected, 'bad row')}</summary>
            <ul className="grid gap-0.5 mt-1 t2">
              {rejects.map(({ line, value, rule }) => (
                <li key={line}>
                  line {line}: <span className="mono">{value}</span>, {rule.replaceAll('-', ' ')}
                </li>
              ))}
              {rejected > rejects.length && <li>and {countOf(rejected - rejects.length, 'more row')}</li>}
            </ul>
          </details>
        )}
      </td>
    </tr>
  );
}
