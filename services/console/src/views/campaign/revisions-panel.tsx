import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { listCampaignRevisions } from '#client/sdk.gen.ts';
import type { Campaign, ListedRevision } from '#client/types.gen.ts';
import { useKeptError } from '../../api/kept-error.ts';
import { useRefusal } from '../../frame/session/session.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Panel } from '../../parts/panels/panel.tsx';
import { isDraft } from '../../parts/standing/state-looks.ts';
import { Failed } from '../../parts/standing/states.tsx';
import { Time } from '../../parts/times/time.tsx';
import { RestoreDialog, RevisionDialog } from './revision-dialogs.tsx';

/** What it was before, newest first; nothing where it was never changed. */
export function RevisionsPanel({ campaign }: { campaign: Campaign }) {
  const { id, revision: newest, state, archivedAt } = campaign;
  const refusal = useRefusal('manager');
  const [open, setOpen] = useState<{ verb: 'show' | 'restore'; revision: number } | null>(null);
  const revisions = useQuery({
    // A revision more is another list.
    queryKey: ['campaignRevisions', id, newest],
    queryFn: async ({ signal }) =>
      (await listCampaignRevisions({ path: { id }, query: { limit: 20 }, signal, throwOnError: true })).data,
    enabled: newest > 1,
  });
  const error = useKeptError(revisions);
  if (newest === 1) return null;
  const mayRestore = isDraft(state) && archivedAt === null;
  const close = () => setOpen(null);
  return (
    <Panel title="Revisions" note="newest first">
      {!revisions.data && error !== null ? (
        <Failed title="The revisions could not be read" error={error} onRetry={() => void revisions.refetch()} />
      ) : (
        <table>
          <thead>
            <tr>
              <th scope="col">Revision</th>
              <th scope="col">Written</th>
              <th scope="col">
                <span className="sr-only">Look, restore</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {revisions.data?.items.map((each) => (
              <Row key={each.revision} listed={each} isNewest={each.revision === newest}>
                {each.revision > 1 && (
                  <Button small onClick={() => setOpen({ verb: 'show', revision: each.revision })}>
                    What changed
                  </Button>
                )}
                {mayRestore && each.revision < newest && (
                  <Button small refusal={refusal} onClick={() => setOpen({ verb: 'restore', revision: each.revision })}>
                    Restore…
                  </Button>
                )}
              </Row>
            ))}
          </tbody>
        </table>
      )}
      {open?.verb === 'show' && <RevisionDialog campaign={campaign} revision={open.revision} onClose={close} />}
      {open?.verb === 'restore' && <RestoreDialog campaign={campaign} revision={open.revision} onClose={close} />}
    </Panel>
  );
}

interface RowProps {
  listed: ListedRevision;
  isNewest: boolean;
  children: ReactNode;
}

function Row({ listed: { revision, name, createdAt }, isNewest, children }: RowProps) {
  return (
    <tr>
      <td className="two">
        <div>
          {revision}
          {isNewest && <span className="t3"> as it is now</span>}
        </div>
        <div className="truncate">{name}</div>
      </td>
      <td>
        <Time instant={createdAt} />
      </td>
      <td>
        <div className="row justify-end">{children}</div>
      </td>
    </tr>
  );
}
