import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ListedRevision } from '#client/types.gen.ts';
import { Button } from '../controls/button.tsx';
import { actionsColumn, type Column } from '../data-table/columns.tsx';
import { DataTable } from '../data-table/data-table.tsx';
import { ListView } from '../data-table/list-view.tsx';
import { Panel } from '../panels/panel.tsx';
import { Time } from '../times/time.tsx';
import { RestoreDialog, RevisionDialog } from './revision-dialogs.tsx';
import { revisionsQuery, revisionsPerPage, type RevisedObject } from './revised-object.ts';

/** Panel of the revisions. Renders nothing if there is only one. */
export function RevisionsPanel({ revised }: { revised: RevisedObject }) {
  if (revised.revision === 1) return null;
  return (
    <Panel title="Revisions" note="newest first">
      <RevisionList revised={revised} />
    </Panel>
  );
}

interface RevisionListProps {
  revised: RevisedObject;
  onRestored?: () => void;
}

/** List of revisions, newest first, with the changes of each. Before a restore, a dialog shows the differences. */
export function RevisionList({ revised, onRestored }: RevisionListProps) {
  const { revision: newest, mayChange = true, refusal } = revised;
  const [open, setOpen] = useState<{ verb: 'show' | 'restore'; revision: number } | null>(null);
  const revisions = useQuery(revisionsQuery(revised));
  const close = () => setOpen(null);
  const columns: readonly Column<ListedRevision>[] = [
    {
      header: 'Revision',
      cell: ({ revision }) => (
        <>
          {revision}
          {revision === newest && <span className="t3"> current</span>}
        </>
      ),
      below: ({ name }) => <div className="truncate">{name}</div>,
    },
    { header: 'Written', cell: ({ createdAt }) => <Time instant={createdAt} /> },
    actionsColumn(({ revision }) => (
      <>
        {revision > 1 && (
          <Button small label={`Changes in revision ${revision}`} onClick={() => setOpen({ verb: 'show', revision })}>
            What changed
          </Button>
        )}
        {mayChange && revision < newest && (
          <Button
            small
            refusal={refusal}
            label={`Restore revision ${revision}`}
            onClick={() => setOpen({ verb: 'restore', revision })}
          >
            Restore…
          </Button>
        )}
      </>
    )),
  ];
  return (
    <>
      <ListView what="The revisions" query={revisions} items={revisions.data?.items} empty={null}>
        <DataTable
          caption="Revisions, newest first"
          columns={columns}
          rows={revisions.data?.items}
          keyOf={({ revision }) => revision}
          loadingRows={2}
        />
      </ListView>
      {typeof revisions.data?.next === 'string' && (
        <p className="pad t3 sm">
          The {revisionsPerPage} newest of {newest}. The API and the command line list the others.
        </p>
      )}
      {open?.verb === 'show' && <RevisionDialog revised={revised} revision={open.revision} onClose={close} />}
      {open?.verb === 'restore' && (
        <RestoreDialog revised={revised} revision={open.revision} onClose={close} onRestored={onRestored} />
      )}
    </>
  );
}
