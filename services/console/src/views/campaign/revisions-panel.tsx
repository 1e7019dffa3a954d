import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { listCampaignRevisions } from '#client/sdk.gen.ts';
import type { Campaign, ListedRevision } from '#client/types.gen.ts';
import { useRefusal } from '../../frame/session/session.ts';
import { Button } from '../../parts/controls/button.tsx';
import { actionsColumn, type Column } from '../../parts/data-table/columns.tsx';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import { ListView } from '../../parts/data-table/list-view.tsx';
import { Panel } from '../../parts/panels/panel.tsx';
import { isDraft } from '../../parts/standing/state-looks.ts';
import { Time } from '../../parts/times/time.tsx';
import { RestoreDialog, RevisionDialog } from './revision-dialogs.tsx';

/** Earlier revisions, newest first. Renders nothing if there is only one. */
export function RevisionsPanel({ campaign }: { campaign: Campaign }) {
  const { id, revision: newest, state, archivedAt } = campaign;
  const refusal = useRefusal('manager');
  const [open, setOpen] = useState<{ verb: 'show' | 'restore'; revision: number } | null>(null);
  const revisions = useQuery({
    // The key contains the newest revision, because a new one changes the list.
    queryKey: ['campaignRevisions', id, newest],
    queryFn: async ({ signal }) =>
      (await listCampaignRevisions({ path: { id }, query: { limit: 20 }, signal, throwOnError: true })).data,
    enabled: newest > 1,
  });
  if (newest === 1) return null;
  const mayRestore = isDraft(state) && archivedAt === null;
  const close = () => setOpen(null);
  const columns: readonly Column<ListedRevision>[] = [
    {
      header: 'Revision',
      cell: ({ revision }) => (
        <>
          {revision}
          {revision === newest && <span className="t3"> as it is now</span>}
        </>
      ),
      below: ({ name }) => <div className="truncate">{name}</div>,
    },
    { header: 'Written', cell: ({ createdAt }) => <Time instant={createdAt} /> },
    actionsColumn(({ revision }) => (
      <>
        {revision > 1 && (
          <Button small onClick={() => setOpen({ verb: 'show', revision })}>
            What changed
          </Button>
        )}
        {mayRestore && revision < newest && (
          <Button small refusal={refusal} onClick={() => setOpen({ verb: 'restore', revision })}>
            Restore…
          </Button>
        )}
      </>
    )),
  ];
  return (
    <Panel title="Revisions" note="newest first">
      <ListView what="The revisions" query={revisions} items={revisions.data?.items} empty={null}>
        <DataTable
          caption="Revisions, newest first"
          columns={columns}
          rows={revisions.data?.items}
          keyOf={({ revision }) => revision}
          loadingRows={2}
        />
      </ListView>
      {open?.verb === 'show' && <RevisionDialog campaign={campaign} revision={open.revision} onClose={close} />}
      {open?.verb === 'restore' && <RestoreDialog campaign={campaign} revision={open.revision} onClose={close} />}
    </Panel>
  );
}
