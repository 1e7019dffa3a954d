import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { getSuppressedUserOptions } from '#client/@tanstack/react-query.gen.ts';
import { unsuppressUser } from '#client/sdk.gen.ts';
import type { SuppressedUser } from '#client/types.gen.ts';
import { Button } from '../../parts/controls/button.tsx';
import { actionsColumn, type Column } from '../../parts/data-table/columns.tsx';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import { VerbDialog } from '../../parts/overlays/verb-dialog.tsx';
import { Panel } from '../../parts/panels/panel.tsx';
import { SkeletonBar } from '../../parts/standing/skeleton.tsx';
import { Failed } from '../../parts/standing/states.tsx';
import { Time } from '../../parts/times/time.tsx';
import { listWords } from './list-words.ts';

interface FoundUserProps {
  userId: string;
  refusal: string | undefined;
}

export function FoundUser({ userId, refusal }: FoundUserProps) {
  const [asked, setAsked] = useState<string>();
  const found = useQuery(getSuppressedUserOptions({ path: { userId } }));
  const lists = found.data?.lists;
  const columns: readonly Column<SuppressedUser['lists'][number]>[] = [
    {
      header: 'Not called by',
      isRowHeader: true,
      look: 'font-medium',
      cell: ({ actionType }) => listWords(actionType),
    },
    { header: 'Why', look: 't2 wrap-anywhere min-w-16', cell: ({ note }) => note ?? '–' },
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
        label={`Take off the list of ${listWords(actionType)}`}
        onClick={() => setAsked(actionType)}
      >
        Take off…
      </Button>
    )),
  ];
  return (
    <Panel title={userId} note={lists?.length === 0 ? 'is on no list' : 'is called by none of these'}>
      {found.error !== null && lists === undefined ? (
        <Failed title="The user could not be looked up" error={found.error} onRetry={() => void found.refetch()} />
      ) : lists === undefined ? (
        <div className="pad">
          <SkeletonBar width={220} />
        </div>
      ) : lists.length === 0 ? (
        <p className="pad t3 sm">
          Every action type may call this user. Ids are compared as they are, large and small letters apart.
        </p>
      ) : (
        <DataTable
          caption="Lists that the user is on"
          className="table-auto"
          columns={columns}
          rows={lists}
          keyOf={({ actionType }) => actionType}
        />
      )}
      {asked !== undefined && (
        <VerbDialog
          title={`Take ${userId} off?`}
          lead={`Off the list of ${listWords(asked)}.`}
          verb="Take off"
          leave="Leave it"
          isGrave
          act={() => unsuppressUser({ path: { userId }, query: { actionType: asked }, throwOnError: true })}
          onClose={() => setAsked(undefined)}
        >
          What is claimed from now on may call the user again. Runs that have left the user out stay as they are.
        </VerbDialog>
      )}
    </Panel>
  );
}
