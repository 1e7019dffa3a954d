import { useQuery } from '@tanstack/react-query';
import { listAudienceRejectsOptions } from '#client/@tanstack/react-query.gen.ts';
import type { Audience } from '#client/types.gen.ts';
import { keptRejects as kept, RejectedLinesButton } from '../../parts/audience/rejected-lines-button.tsx';
import { useFileChoice } from '../../parts/audience/upload-list.tsx';
import { DownloadLink } from '../../parts/controls/download-link.tsx';
import { Panel } from '../../parts/panels/panel.tsx';
import { SkeletonRows } from '../../parts/standing/skeleton.tsx';
import { Failed } from '../../parts/standing/states.tsx';
import { formatCount } from '../../parts/words/numbers.ts';
import { plainText } from '../../parts/words/plain-text.ts';
import { midCut, rejectGroups } from './audience-words.ts';

interface RejectedLinesProps {
  audience: Audience;
  /** Which list it is has to be said. */
  isNamed?: boolean;
  footer?: string;
  /** A corrected one was chosen; undefined for those who may upload none. */
  onFile: ((file: File) => void) | undefined;
}

function Corrected({ onFile }: { onFile: (file: File) => void }) {
  const { choose, input } = useFileChoice(onFile);
  return (
    <>
      <button type="button" className="link" onClick={choose}>
        Upload a corrected list
      </button>
      {input}
    </>
  );
}

/** By reason, with the first line of each: enough to see what made the file so. */
export function RejectedLines({ audience, isNamed = false, footer, onFile }: RejectedLinesProps) {
  const { id, name, rows, rejected } = audience;
  const rejects = useQuery(listAudienceRejectsOptions({ path: { id }, query: { limit: kept } }));
  const groups = rejects.data && rejectGroups(rejects.data.items);
  return (
    <Panel
      title="Rejected lines"
      note={
        <>
          {formatCount(rejected)} of {formatCount(rows)}
          {isNamed && (
            <span className="wide" title={plainText(name)}>
              {' '}
              in {midCut(plainText(name), 24)}
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
          {rejected > kept && `The first ${formatCount(kept)} of them are kept, and counted here. `}
          {onFile === undefined ? 'Upload a corrected list' : <Corrected onFile={onFile} />} beside it: lists never
          change.
        </>
      }
    >
      {rejects.error !== null && !rejects.data ? (
        <Failed title="The lines could not be read" error={rejects.error} onRetry={() => void rejects.refetch()} />
      ) : (
        <table className="table-fixed">
          <thead>
            <tr>
              <th scope="col">Why</th>
              <th scope="col" className="wide w-31">
                First one
              </th>
              <th scope="col" className="text-right wide w-19">
                at line
              </th>
              <th scope="col" className="text-right w-17">
                Lines
              </th>
            </tr>
          </thead>
          <tbody className="sm">
            {groups?.map(({ rule, words, first, lines }) => (
              <tr key={rule}>
                <td className="truncate" title={words}>
                  {words}
                </td>
                <td className="wide t2 mono truncate" title={first.value}>
                  {first.value}
                </td>
                <td className="text-right t3 wide">{formatCount(first.line)}</td>
                <td className="text-right font-medium">{formatCount(lines)}</td>
              </tr>
            )) ?? <SkeletonRows rows={3} columns={[130, 80, 30, 30]} />}
          </tbody>
        </table>
      )}
    </Panel>
  );
}
