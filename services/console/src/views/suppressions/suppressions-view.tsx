import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { listSuppressionListsOptions } from '#client/@tanstack/react-query.gen.ts';
import type { SuppressionList } from '#client/types.gen.ts';
import { Page } from '../../frame/page.tsx';
import { useRefusal } from '../../frame/session/session.ts';
import { Button } from '../../parts/controls/button.tsx';
import { actionsColumn, countColumn, type Column } from '../../parts/data-table/columns.tsx';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import { ListView } from '../../parts/data-table/list-view.tsx';
import { SearchField } from '../../parts/lists/search-field.tsx';
import { Empty } from '../../parts/standing/states.tsx';
import { Time } from '../../parts/times/time.tsx';
import { countOf } from '../../parts/words/numbers.ts';
import { AddDialog } from './add-dialog.tsx';
import { FoundUser } from './found-user.tsx';
import { everyType, formatActionType } from './list-words.ts';
import { UploadDialog } from './upload-dialog.tsx';
import { UploadsPanel } from './uploads-panel.tsx';

const route = getRouteApi('/suppressions');
const pollEveryMs = 10_000;

interface OpenDialog {
  verb: 'add' | 'upload';
  actionType: string;
}

/** View of the suppression lists: their sizes, a search for a user, and the uploaded files. */
export function SuppressionsView() {
  const { user, cursor } = route.useSearch();
  const navigate = route.useNavigate();
  const refusal = useRefusal('operator');
  const [dialog, setDialog] = useState<OpenDialog>();
  // Loaded without paging, because there is at most one list per action type.
  const lists = useQuery({ ...listSuppressionListsOptions(), refetchInterval: pollEveryMs });
  const items = lists.data?.items;
  const close = () => setDialog(undefined);
  return (
    <Page
      title="Suppressions"
      actions={
        <>
          <Button icon="plus" refusal={refusal} onClick={() => setDialog({ verb: 'add', actionType: everyType })}>
            <span className="wide">Add users</span>
            <span className="narrow">Add</span>
          </Button>
          <Button
            kind="ink"
            icon="up"
            refusal={refusal}
            onClick={() => setDialog({ verb: 'upload', actionType: everyType })}
          >
            <span className="wide">Upload a list</span>
            <span className="narrow">Upload</span>
          </Button>
        </>
      }
    >
      <div className="row flex-wrap">
        <p className="t2 max-w-160">
          Users on a list are not called by its action type. In a run, they end as suppressed in that step and are
          skipped in later steps.
        </p>
        <span className="ml-auto row phone:w-full">
          <SearchField
            placeholder="Full user id"
            value={user ?? ''}
            onSearch={(typed) =>
              void navigate({ search: (before) => ({ ...before, user: typed === '' ? undefined : typed }) })
            }
          />
        </span>
      </div>
      {user !== undefined && <FoundUser key={user} userId={user} refusal={refusal} />}
      <section className="panel" aria-label="Suppression lists">
        <ListView
          what="The lists"
          query={lists}
          items={items}
          empty={
            <Empty icon="muted" title="No suppressed users">
              Users on a suppression list are not called, by any campaign and from the moment they are added. Add users
              who opted out or complained one by one, or upload a file, for one action type or for all.
            </Empty>
          }
        >
          <ListTable lists={items} refusal={refusal} onOpen={setDialog} />
          {items && (
            <footer>
              {countOf(items.length, 'list')}, by action type; checked with each claim, so changes apply immediately.
            </footer>
          )}
        </ListView>
      </section>
      <UploadsPanel cursor={cursor} onGo={(to) => void navigate({ search: (before) => ({ ...before, cursor: to }) })} />
      {dialog?.verb === 'add' && <AddDialog actionType={dialog.actionType} onClose={close} />}
      {dialog?.verb === 'upload' && <UploadDialog actionType={dialog.actionType} onClose={close} />}
    </Page>
  );
}

interface ListTableProps {
  lists: readonly SuppressionList[] | undefined;
  refusal: string | undefined;
  onOpen: (dialog: OpenDialog) => void;
}

function ListTable({ lists, refusal, onOpen }: ListTableProps) {
  const columns: readonly Column<SuppressionList>[] = [
    {
      header: 'Not called by',
      isRowHeader: true,
      look: 'font-medium wrap-anywhere',
      cell: ({ actionType }) => formatActionType(actionType),
    },
    countColumn('Users', ({ people }) => people),
    { header: 'Changed', hideBelow: 'phone', look: 't2', cell: ({ changedAt }) => <Time instant={changedAt} /> },
    actionsColumn(({ actionType }) => (
      <>
        <Button
          small
          refusal={refusal}
          label={`Add users to the list of ${formatActionType(actionType)}`}
          onClick={() => onOpen({ verb: 'add', actionType })}
        >
          Add…
        </Button>
        <Button
          small
          refusal={refusal}
          label={`Upload a file for the list of ${formatActionType(actionType)}`}
          onClick={() => onOpen({ verb: 'upload', actionType })}
        >
          Upload…
        </Button>
      </>
    )),
  ];
  return (
    <DataTable
      caption="Suppression lists, by action type"
      className="table-auto"
      columns={columns}
      rows={lists}
      keyOf={({ actionType }) => actionType}
    />
  );
}
