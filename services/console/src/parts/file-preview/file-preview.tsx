import type { ReactNode } from 'react';
import type { UserFilePreview } from '#client/types.gen.ts';
import { problemOf } from '../../api/problems.ts';
import { Button } from '../controls/button.tsx';
import { sentence } from '../words/figures.ts';
import { formatCount } from '../words/numbers.ts';
import { plainText } from '../words/plain-text.ts';
import {
  formatWords,
  ignoredWords,
  outcomesByStep,
  previewEquation,
  refusalWords,
  usersByCountry,
} from './preview-words.ts';
import type { FilePreviewQuery } from './use-file-preview.ts';

/** Rejected rows that an upload has to accept; null if the file is not refused because of them, or still read. */
export function rejectedIn({ data, isPlaceholderData }: FilePreviewQuery): number | null {
  if (data === undefined || isPlaceholderData) return null;
  return data.refusal?.code === 'too-many-rejected' ? data.rejected : null;
}

/** Shows the content that an upload would read in the file, before anything is stored. */
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
  return code === 'too-many-uploads' ? 'Other files of your team are being read.' : sentence(detail);
}

function Content({ preview }: { preview: UserFilePreview }) {
  const { rows, firstUsers, rejected, rejects, reading, refusal } = preview;
  const hasCountries = firstUsers.some(({ country }) => country !== null);
  const ignored = ignoredWords(preview);
  return (
    <>
      {refusal !== null && (
        <p className="hint c-bad" role="alert">
          {refusalWords(preview)}
        </p>
      )}
      {reading?.warnings.map(({ code, detail }) => (
        <p key={code} className="hint c-warn">
          {sentence(plainText(detail))}
        </p>
      ))}
      <p className="t2 sm">
        {formatWords(preview)}
        {ignored !== '' && <> Not read: {plainText(ignored)}.</>}
      </p>
      {rows > 0 && (
        <p className="sm">
          {previewEquation(preview)} <b className="font-medium">{outcomesByStep(preview)}</b>{' '}
          <span className="t2">{usersByCountry(preview)}</span>
        </p>
      )}
      {firstUsers.length > 0 && (
        <Rows caption="First users" heads={['User', ...(hasCountries ? ['Country'] : [])]}>
          {firstUsers.map(({ line, userId, country }) => (
            <tr key={line}>
              <td className="mono truncate" title={userId}>
                {plainText(userId)}
              </td>
              {hasCountries && <td>{country}</td>}
            </tr>
          ))}
        </Rows>
      )}
      {rejects.length > 0 && (
        <Rows
          caption={rejected > rejects.length ? `First ${rejects.length} rejected lines` : 'Rejected lines'}
          heads={['Line', 'Why', 'Row']}
        >
          {rejects.map(({ line, value, detail }) => (
            <tr key={line}>
              <td className="t3">{formatCount(line)}</td>
              <td className="wrap-anywhere">{detail}</td>
              <td className="t2 mono truncate" title={value}>
                {plainText(value)}
              </td>
            </tr>
          ))}
        </Rows>
      )}
    </>
  );
}

function Rows({ caption, heads, children }: { caption: string; heads: readonly string[]; children: ReactNode }) {
  return (
    <div className="box overflow-hidden">
      <table className="table-fixed">
        <caption className="t3 sm text-left px-3 pt-1.5">{caption}</caption>
        <thead>
          <tr>
            {heads.map((head) => (
              <th key={head} scope="col" className={head === 'Line' ? 'w-16' : undefined}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="sm">{children}</tbody>
      </table>
    </div>
  );
}
