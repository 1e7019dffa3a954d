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
import { everyType, listWords } from './list-words.ts';
import { UploadDialog } from './upload-dialog.tsx';
import { UploadsPanel } from './uploads-panel.tsx';

const route = getRouteApi('/suppressions');
const lookEveryMs = 10_000;

interface Asked {
  verb: 'add' | 'upload';
  actionType: string;
}

/** View of the suppression lists: their sizes, a search for a user, and the uploaded files. */
export function SuppressionsView() {
  const { user, cursor } = route.useSearch();
  const navigate = route.useNavigate();
  const refusal = useRefusal('operator');
  const [asked, setAsked] = useState<Asked>();
  // There is at most one list per action type.
  const lists = useQuery({ ...listSuppressionListsOptions(), refetchInterval: lookEveryMs });
  const items = lists.data?.items;
  const close = () => setAsked(undefined);
  return (
    <Page
      title="Suppressions"
      actions={
        <>
          <Button icon="plus" refusal={refusal} onClick={() => setAsked({ verb: 'add', actionType: everyType })}>
            <span className="wide">Add people</span>
            <span className="narrow">Add</span>
          </Button>
          <Button
            kind="ink"
            icon="up"
            refusal={refusal}
            onClick={() => setAsked({ verb: 'upload', actionType: everyType })}
          >
            <span className="wide">Upload a list</span>
            <span className="narrow">Upload</span>
          </Button>
        </>
      }
    >
      <div className="row flex-wrap">
        <p className="t2 max-w-160">
          Nobody on these lists is called by their action types: in a run they end as suppressed in that step, and are
          skipped behind it.
        </p>
        <span className="ml-auto row phone:w-full">
          <SearchField
            placeholder="Whole id of a user"
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
            <Empty icon="muted" title="Nobody is suppressed">
              Users on a suppression list are not called, by any campaign and from the moment they are added. Add users
              who opted out or complained one by one, or upload a file, for one action type or for all.
            </Empty>
          }
        >
          <ListTable lists={items} refusal={refusal} onAsk={setAsked} />
          {items && (
            <footer>
              {countOf(items.length, 'list')}, by action type; asked with each claim, so in force at once.
            </footer>
          )}
        </ListView>
      </section>
      <UploadsPanel cursor={cursor} onGo={(to) => void navigate({ search: (before) => ({ ...before, cursor: to }) })} />
      {asked?.verb === 'add' && <AddDialog actionType={asked.actionType} onClose={close} />}
      {asked?.verb === 'upload' && <UploadDialog actionType={asked.actionType} onClose={close} />}
    </Page>
  );
}

interface ListTableProps {
  lists: readonly SuppressionList[] | undefined;
  refusal: string | undefined;
  onAsk: (asked: Asked) => void;
}

function ListTable({ lists, refusal, onAsk }: ListTableProps) {
  const columns: readonly Column<SuppressionList>[] = [
    {
      header: 'Not called by',
      isRowHeader: true,
      look: 'font-medium wrap-anywhere',
      cell: ({ actionType }) => listWords(actionType),
    },
    countColumn('People', ({ people }) => people),
    { header: 'Changed', hideBelow: 'phone', look: 't2', cell: ({ changedAt }) => <Time instant={changedAt} /> },
    actionsColumn(({ actionType }) => (
      <>
        <Button
          small
          refusal={refusal}
          label={`Add people to the list of ${listWords(actionType)}`}
          onClick={() => onAsk({ verb: 'add', actionType })}
        >
          Add…
        </Button>
        <Button
          small
          refusal={refusal}
          label={`Upload a file for the list of ${listWords(actionType)}`}
          onClick={() => onAsk({ verb: 'upload', actionType })}
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
