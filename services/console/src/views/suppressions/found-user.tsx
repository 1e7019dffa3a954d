import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { getSuppressedUserOptions } from '#client/@tanstack/react-query.gen.ts';
import { unsuppressUser } from '#client/sdk.gen.ts';
import type { SuppressedUser } from '#client/types.gen.ts';
import { Button } from '../../parts/controls/button.tsx';
import { actionsColumn, type Column } from '../../parts/data-table/columns.tsx';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import { ConfirmDialog } from '../../parts/overlays/confirm-dialog.tsx';
import { Panel } from '../../parts/panels/panel.tsx';
import { SkeletonBar } from '../../parts/standing/skeleton.tsx';
import { Failed } from '../../parts/standing/states.tsx';
import { Time } from '../../parts/times/time.tsx';
import { formatActionType } from './list-words.ts';

interface FoundUserProps {
  userId: string;
  refusal: string | undefined;
}

export function FoundUser({ userId, refusal }: FoundUserProps) {
  const [removedFrom, setRemovedFrom] = useState<string>();
  const found = useQuery(getSuppressedUserOptions({ path: { userId } }));
  const lists = found.data?.lists;
  const columns: readonly Column<SuppressedUser['lists'][number]>[] = [
    {
      header: 'Not called by',
      isRowHeader: true,
      look: 'font-medium',
      cell: ({ actionType }) => formatActionType(actionType),
    },
    { header: 'Reason', look: 't2 wrap-anywhere min-w-16', cell: ({ note }) => note ?? '–' },
    {
      header: 'Since',
      look: 't2 whitespace-nowrap phone:whitespace-normal',
      cell: ({ addedAt }) => <Time instant={addedAt} />,
    },
    actionsColumn(({ actionType }) => (
      <Button
        small
        kind="bad"
        refusal={refusal}
        label={`Remove from the list of ${formatActionType(actionType)}`}
        onClick={() => setRemovedFrom(actionType)}
      >
        Remove…
      </Button>
    )),
  ];
  return (
    <Panel title={userId} note={lists?.length === 0 ? 'is on no list' : 'is suppressed for these action types'}>
      {found.error !== null && lists === undefined ? (
        <Failed title="The user could not be looked up" error={found.error} onRetry={() => void found.refetch()} />
      ) : lists === undefined ? (
        <div className="pad">
          <SkeletonBar width={220} />
        </div>
      ) : lists.length === 0 ? (
        <p className="pad t3 sm">All action types may call this user. Ids are case-sensitive.</p>
      ) : (
        <DataTable
          caption="Lists that the user is on"
          className="table-auto"
          columns={columns}
          rows={lists}
          keyOf={({ actionType }) => actionType}
        />
      )}
      {removedFrom !== undefined && (
        <ConfirmDialog
          title={`Remove ${userId}?`}
          lead={`From the list of ${formatActionType(removedFrom)}.`}
          verb="Remove"
          leave="Keep"
          isGrave
          act={() => unsuppressUser({ path: { userId }, query: { actionType: removedFrom }, throwOnError: true })}
          onClose={() => setRemovedFrom(undefined)}
        >
          New calls may reach the user again. Runs that have suppressed the user do not change.
        </ConfirmDialog>
      )}
    </Panel>
  );
}
