import { useQuery } from '@tanstack/react-query';
import { listAudienceRejectsOptions } from '#client/@tanstack/react-query.gen.ts';
import type { UploadedAudience } from '#client/types.gen.ts';
import { keptRejects as kept, RejectedLinesButton } from '../../../parts/audience/rejected-lines-button.tsx';
import { useFileChoice } from '../../../parts/audience/upload-list.tsx';
import { DownloadLink } from '../../../parts/controls/download-link.tsx';
import { countColumn, type Column } from '../../../parts/data-table/columns.tsx';
import { DataTable } from '../../../parts/data-table/data-table.tsx';
import { ListView } from '../../../parts/data-table/list-view.tsx';
import { Panel } from '../../../parts/panels/panel.tsx';
import { formatCount } from '../../../parts/words/numbers.ts';
import { plainText } from '../../../parts/words/plain-text.ts';
import { truncateMiddle, groupRejects } from './audience-words.ts';

interface RejectedLinesProps {
  audience: UploadedAudience;
  isNamed?: boolean;
  footer?: string;
  /** Function that is called with a corrected file; undefined if the user may not upload. */
  onFile: ((file: File) => void) | undefined;
}

function Corrected({ onFile }: { onFile: (file: File) => void }) {
  const { choose, input } = useFileChoice(onFile);
  return (
    <>
      <button type="button" className="link" onClick={choose}>
        Upload a corrected file
      </button>
      {input}
    </>
  );
}

export function RejectedLines({ audience, isNamed = false, footer, onFile }: RejectedLinesProps) {
  const { id, name, rows, rejected } = audience;
  const rejects = useQuery(listAudienceRejectsOptions({ path: { id }, query: { limit: kept } }));
  const groups = rejects.data && groupRejects(rejects.data.items);
  return (
    <Panel
      title="Rejected lines"
      note={
        <>
          {formatCount(rejected)} of {formatCount(rows)}
          {isNamed && (
            <span className="wide" title={plainText(name)}>
              {' '}
              in {truncateMiddle(plainText(name), 24)}
            </span>
          )}
        </>
      }
      actions={
        <span className="row gap-2">
          <RejectedLinesButton list={audience}>Line by line</RejectedLinesButton>
          <DownloadLink href={`v1/audiences/${id}/rejects?format=csv`}>CSV</DownloadLink>
        </span>
      }
      footer={
        <>
          {footer !== undefined && `${footer} `}
          {rejected > kept && `Only the first ${formatCount(kept)} are kept and counted here. `}
          {onFile === undefined ? 'Upload a corrected file' : <Corrected onFile={onFile} />} as a new list: a list never
          changes.
        </>
      }
    >
      <ListView what="The lines" query={rejects} items={groups} empty={null}>
        <DataTable
          caption="Rejected lines by reason"
          className="table-fixed [&>tbody]:text-sm"
          columns={columns}
          rows={groups}
          keyOf={({ rule }) => rule}
        />
      </ListView>
    </Panel>
  );
}

const columns: readonly Column<ReturnType<typeof groupRejects>[number]>[] = [
  { header: 'Reason', look: 'truncate', title: ({ words }) => words, cell: ({ words }) => words },
  {
    header: 'First line',
    width: 'w-31',
    hideBelow: 'phone',
    look: 't2 mono truncate',
    title: ({ first }) => first.value,
    cell: ({ first }) => first.value,
  },
  countColumn('Line no.', ({ first }) => first.line, { width: 'w-19', hideBelow: 'phone', look: 't3' }),
  countColumn('Lines', ({ lines }) => lines, { width: 'w-17', look: 'font-medium' }),
];
