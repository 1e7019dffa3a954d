import type { UserFilePreview } from '#client/types.gen.ts';
import { problemOf } from '../../api/problems.ts';
import { Button } from '../controls/button.tsx';
import { formatSentence } from '../words/figures.ts';
import type { Column } from '../data-table/columns.tsx';
import { DataTable } from '../data-table/data-table.tsx';
import { formatCount } from '../words/numbers.ts';
import { plainText } from '../words/plain-text.ts';
import {
  describeFormat,
  formatIgnoredColumns,
  formatOutcomesByStep,
  formatPreviewEquation,
  describeRefusal,
  formatPreviewCountries,
} from './preview-words.ts';
import type { FilePreviewQuery } from './use-file-preview.ts';

/** Returns the rejected rows that the user has to accept; null if there are none, or the file is being read. */
export function rejectedRowsIn({ data, isPlaceholderData }: FilePreviewQuery): number | null {
  if (data === undefined || isPlaceholderData) return null;
  return data.refusal?.code === 'too-many-rejected' ? data.rejected : null;
}

/** Shows the content that an upload would read from the file, before anything is stored. */
export function FilePreview({ preview: { data, error, isFetching, refetch } }: { preview: FilePreviewQuery }) {
  if (data === undefined && error === null && !isFetching) return null;
  return (
    <section className="grid gap-2 min-w-0" aria-label="Preview of the file" aria-busy={isFetching}>
      {isFetching && <p className="t2 sm">Reading the file…</p>}
      {error !== null && (
        <div className="row flex-wrap">
          <p className="hint c-bad" role="alert">
            {failureWords(error)} Nothing was stored.
          </p>
          <Button small onClick={() => void refetch()}>
            Read it again
          </Button>
        </div>
      )}
      {data !== undefined && error === null && <Content preview={data} />}
    </section>
  );
}

function failureWords(error: Error): string {
  const { code, detail } = problemOf(error);
  return code === 'too-many-uploads' ? 'Other files of your team are being read.' : formatSentence(detail);
}

function Content({ preview }: { preview: UserFilePreview }) {
  const { rows, firstUsers, rejected, rejects, reading, refusal } = preview;
  const hasCountries = firstUsers.some(({ country }) => country !== null);
  const ignored = formatIgnoredColumns(preview);
  return (
    <>
      {refusal !== null && (
        <p className="hint c-bad" role="alert">
          {describeRefusal(preview)}
        </p>
      )}
      {reading?.warnings.map(({ code, detail }) => (
        <p key={code} className="hint c-warn">
          {formatSentence(plainText(detail))}
        </p>
      ))}
      <p className="t2 sm">
        {describeFormat(preview)}
        {ignored !== '' && <> Not read: {plainText(ignored)}.</>}
      </p>
      {rows > 0 && (
        <p className="sm">
          {formatPreviewEquation(preview)} <b className="font-medium">{formatOutcomesByStep(preview)}</b>{' '}
          <span className="t2">{formatPreviewCountries(preview)}</span>
        </p>
      )}
      {firstUsers.length > 0 && (
        <Rows
          caption="First users"
          columns={hasCountries ? [userColumn, { header: 'Country', cell: ({ country }) => country }] : [userColumn]}
          rows={firstUsers}
        />
      )}
      {rejects.length > 0 && (
        <Rows
          caption={rejected > rejects.length ? `First ${rejects.length} rejected lines` : 'Rejected lines'}
          columns={rejectColumns}
          rows={rejects}
        />
      )}
    </>
  );
}

const userColumn: Column<UserFilePreview['firstUsers'][number]> = {
  header: 'User',
  look: 'mono truncate',
  title: ({ userId }) => userId,
  cell: ({ userId }) => plainText(userId),
};

const rejectColumns: readonly Column<UserFilePreview['rejects'][number]>[] = [
  { header: 'Line', width: 'w-16', look: 't3', cell: ({ line }) => formatCount(line) },
  { header: 'Why', look: 'wrap-anywhere', cell: ({ detail }) => detail },
  { header: 'Row', look: 't2 mono truncate', title: ({ value }) => value, cell: ({ value }) => plainText(value) },
];

interface RowsProps<Row> {
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
}

function Rows<Row extends { line: number }>(props: RowsProps<Row>) {
  return (
    <div className="box overflow-hidden">
      <DataTable
        {...props}
        captionLook="t3 sm text-left px-3 pt-1.5"
        className="table-fixed [&>tbody]:text-sm"
        keyOf={({ line }) => line}
      />
    </div>
  );
}
