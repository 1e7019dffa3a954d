import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { listSuppressionUploadsOptions } from '#client/@tanstack/react-query.gen.ts';
import type { SuppressionUpload } from '#client/types.gen.ts';
import type { Column } from '../../parts/data-table/columns.tsx';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import { ListView } from '../../parts/data-table/list-view.tsx';
import { Paging } from '../../parts/lists/paging.tsx';
import { Panel } from '../../parts/panels/panel.tsx';
import { Time } from '../../parts/times/time.tsx';
import { capitalize } from '../../parts/words/figures.ts';
import { countOf } from '../../parts/words/numbers.ts';
import { formatActionType, describeUpload } from './list-words.ts';

const pageSize = 20;
const pollEveryMs = 10_000;

interface UploadsPanelProps {
  cursor: string | undefined;
  onGo: (cursor: string | undefined) => void;
}

export function UploadsPanel({ cursor, onGo }: UploadsPanelProps) {
  const query = { limit: pageSize, ...(cursor !== undefined && { cursor }) };
  const uploads = useQuery({
    ...listSuppressionUploadsOptions({ query }),
    placeholderData: keepPreviousData,
    refetchInterval: pollEveryMs,
  });
  const items = uploads.data?.items;
  return (
    <Panel title="Files" note="sources of the lists">
      <ListView what="The files" query={uploads} items={items} empty={<p className="pad t3 sm">No files yet.</p>}>
        <DataTable
          caption="Files, newest first"
          className="table-auto"
          columns={columns}
          rows={items}
          keyOf={({ id }) => id}
          isTall
        />
        {items && (
          <Paging cursor={cursor} next={uploads.data?.next} onGo={onGo}>
            {countOf(items.length, 'file')}, newest first
          </Paging>
        )}
      </ListView>
    </Panel>
  );
}

const columns: readonly Column<SuppressionUpload>[] = [
  {
    header: 'When',
    look: 't2 whitespace-nowrap phone:whitespace-normal',
    cell: ({ createdAt }) => <Time instant={createdAt} />,
  },
  { header: 'List', look: 'wrap-anywhere min-w-24', cell: ({ actionType }) => formatActionType(actionType) },
  { header: 'Result', look: 'wrap-anywhere', cell: (upload) => <Result upload={upload} /> },
];

function Result({ upload }: { upload: SuppressionUpload }) {
  const { state, note, rejected, rejects } = upload;
  return (
    <>
      <div className={state === 'failed' ? 'c-bad' : undefined}>{capitalize(describeUpload(upload))}</div>
      {note !== null && <div className="t3 sm">{note}</div>}
      {rejected > 0 && (
        <details className="sm">
          <summary className="c-warn cursor-pointer">{countOf(rejected, 'rejected row')}</summary>
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
    </>
  );
}
