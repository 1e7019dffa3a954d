import { useQuery } from '@tanstack/react-query';
import { listAudienceRejectsOptions } from '#client/@tanstack/react-query.gen.ts';
import type { Audience } from '#client/types.gen.ts';
import { DownloadLink } from '../../parts/controls/download-link.tsx';
import { Panel } from '../../parts/panels/panel.tsx';
import { SkeletonRows } from '../../parts/standing/skeleton.tsx';
import { Failed } from '../../parts/standing/states.tsx';
import { formatCount } from '../../parts/words/numbers.ts';
import { rejectGroups } from './audience-words.ts';

/** All that are kept of a list. */
const kept = 1000;

/** By reason, with the first line of each: enough to see what made the file so. */
export function RejectedLines({ audience: { id, rows, rejected } }: { audience: Audience }) {
  const rejects = useQuery(listAudienceRejectsOptions({ path: { id }, query: { limit: kept } }));
  const groups = rejects.data && rejectGroups(rejects.data.items);
  return (
    <Panel
      title="Rejected lines"
      note={`${formatCount(rejected)} of ${formatCount(rows)}`}
      actions={<DownloadLink href={`v1/audiences/${id}/rejects?format=csv`}>CSV</DownloadLink>}
      footer={
        rejected > kept
          ? `The first ${formatCount(kept)} of them are kept, and counted here. Upload a corrected list beside it: lists never change.`
          : 'Upload a corrected list beside it: lists never change.'
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
