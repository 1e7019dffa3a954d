import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { listActionTypesOptions, listShardsOptions } from '#client/@tanstack/react-query.gen.ts';
import type { ListedActionType, Shard } from '#client/types.gen.ts';
import { useLastError } from '../../api/use-last-error.ts';
import { Page } from '../../frame/page.tsx';
import { useRefusal } from '../../frame/session/session.ts';
import { Button } from '../../parts/controls/button.tsx';
import type { Column } from '../../parts/data-table/columns.tsx';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import { Icon } from '../../parts/icon/icon.tsx';
import { Chips } from '../../parts/lists/chips.tsx';
import { SearchField } from '../../parts/lists/search-field.tsx';
import { toneColours } from '../../parts/standing/state-badge.tsx';
import { Empty, Failed, NoMatch } from '../../parts/standing/states.tsx';
import { countOf } from '../../parts/words/numbers.ts';
import type { ActionTypesSearch } from './search.ts';
import { TypeDetail } from './type-detail.tsx';
import { TypeDialog } from './type-dialog.tsx';
import { matchesSearch, findTypeLook } from './type-standing.ts';

const route = getRouteApi('/action-types');
const lookEveryMs = 10_000;
const none: readonly Shard[] = [];

export function ActionTypesView() {
  const search = route.useSearch();
  const { name, text, show } = search;
  const navigate = route.useNavigate();
  const refusal = useRefusal('operator');
  const [isRegistering, setRegistering] = useState(false);
  const types = useQuery({ ...listActionTypesOptions(), refetchInterval: lookEveryMs });
  const shards = useQuery({ ...listShardsOptions(), refetchInterval: lookEveryMs }).data?.items ?? none;
  const error = useLastError(types);
  // All types are loaded at once and filtered here: there are only as many as endpoints.
  const all = types.data?.items;
  const fitting = all?.filter((type) => matchesSearch(type, shards, search));
  const selected = all?.find((type) => type.name === name) ?? (name === undefined ? fitting?.[0] : undefined);
  const go = (part: Partial<ActionTypesSearch>) => void navigate({ search: (before) => ({ ...before, ...part }) });
  const countIf = (choice: ActionTypesSearch['show']) =>
    all?.filter((type) => matchesSearch(type, shards, { text, show: choice })).length;
  return (
    <Page
      title="Action types"
      actions={
        <Button kind="ink" icon="plus" refusal={refusal} onClick={() => setRegistering(true)}>
          <span className="wide">Register a type</span>
          <span className="narrow">Register</span>
        </Button>
      }
    >
      <div className="row flex-wrap">
        <Chips
          label="Filter by state"
          chosen={show ?? 'all'}
          chips={[
            { value: 'all', label: 'All', count: countIf(undefined) },
            { value: 'trouble', label: 'With problems', count: countIf('trouble'), warns: true },
            { value: 'checks', label: 'Checks', count: countIf('checks') },
            { value: 'off', label: 'Disabled', count: countIf('off') },
          ]}
          onChoose={(value) => go({ show: value === 'all' ? undefined : value, name: undefined })}
        />
        <span className="ml-auto row phone:w-full">
          <SearchField
            placeholder="Name or title of an action type"
            value={text ?? ''}
            onSearch={(typed) => go({ text: typed === '' ? undefined : typed, name: undefined })}
          />
        </span>
      </div>
      {all === undefined && error !== null ? (
        <section className="panel">
          <Failed title="The action types could not be read" error={error} onRetry={() => void types.refetch()} />
        </section>
      ) : all?.length === 0 ? (
        <section className="panel">
          <Empty icon="types" title="No action types yet" command="muster action-types create --help">
            An action type describes a batch endpoint of another team: its contract class, limits and price.
          </Empty>
        </section>
      ) : (
        <div className="grid grid-cols-[264px_minmax(0,1fr)] gap-4 items-start max-[900px]:grid-cols-1">
          <section className="panel overflow-hidden" aria-label="Action types">
            {fitting?.length === 0 ? (
              <NoMatch title="No action type matches" onClear={() => go({ text: undefined, show: undefined })}>
                {text === undefined ? 'No action type is in this state.' : `No name or title contains “${text}”.`}
              </NoMatch>
            ) : (
              <TypeTable types={fitting} shards={shards} search={search} selected={selected} />
            )}
            <footer>Each type describes a batch endpoint of another team: its contract class, limits and price.</footer>
          </section>
          {selected ? (
            <TypeDetail
              key={selected.name}
              type={selected}
              shards={shards}
              refusal={refusal}
              onGone={() => navigate({ search: ({ name: _, ...rest }) => rest })}
            />
          ) : (
            all !== undefined &&
            name !== undefined && (
              <section className="panel">
                <NoMatch title={`There is no action type ${name}`} onClear={() => go({ name: undefined })}>
                  It was deleted, or the name is wrong.
                </NoMatch>
              </section>
            )
          )}
        </div>
      )}
      {isRegistering && (
        <TypeDialog
          type={null}
          onSaved={(made) => void navigate({ search: { name: made } })}
          onClose={() => setRegistering(false)}
        />
      )}
    </Page>
  );
}

interface TypeTableProps {
  types: readonly ListedActionType[] | undefined;
  shards: readonly Shard[];
  search: ActionTypesSearch;
  selected: ListedActionType | undefined;
}

function TypeTable({ types, shards, search, selected }: TypeTableProps) {
  const columns: readonly Column<ListedActionType>[] = [
    {
      header: types === undefined ? 'Types' : countOf(types.length, 'type'),
      look: 'two',
      cell: (type) => {
        const { icon, word, tone } = findTypeLook(type, shards);
        return (
          <>
            <div className="font-medium row gap-1.75 items-start">
              <Icon name={icon} size={14} className={`${toneColours[tone]} mt-0.5`} />
              <Link
                className="wrap-anywhere after:absolute after:inset-0"
                to="/action-types"
                search={{ ...search, name: type.name }}
                aria-current={type.name === selected?.name ? 'true' : undefined}
                data-row-link
              >
                {type.name}
              </Link>
            </div>
            <div className={tone === 'bad' ? 'pl-5.25 c-bad' : 'pl-5.25'}>
              {word.toLowerCase()} · {type.title} · {describeCountries(type)}
            </div>
          </>
        );
      },
    },
    {
      header: 'Class',
      align: 'right',
      width: 'w-19',
      cell: (type) => <span className="tag">{type.check ? 'check' : `class ${type.class}`}</span>,
    },
  ];
  return (
    <DataTable
      caption="Action types, by name"
      className="table-fixed"
      columns={columns}
      rows={types}
      keyOf={({ name }) => name}
      isTall
      isChosen={({ name }) => name === selected?.name}
      hasRowKeys
      loadingRows={6}
    />
  );
}

function describeCountries({ countries }: ListedActionType): string {
  return countries === null ? 'any country' : countOf(countries.length, 'country', 'countries');
}
