import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { countNamedAudiencesOptions, listNamedAudiencesOptions } from '#client/@tanstack/react-query.gen.ts';
import { Page } from '../../frame/page.tsx';
import { useRefusal, useSession } from '../../frame/session/session.ts';
import { UploadForm } from '../../parts/audience/upload-list.tsx';
import { fileKey } from '../../parts/file-preview/use-file-preview.ts';
import { ListView } from '../../parts/data-table/list-view.tsx';
import { FilterMenu } from '../../parts/lists/filter-menu.tsx';
import { Paging } from '../../parts/lists/paging.tsx';
import { SearchField } from '../../parts/lists/search-field.tsx';
import { Empty, NoMatch } from '../../parts/standing/states.tsx';
import { capitalOf } from '../../parts/words/figures.ts';
import { countOf, formatCount } from '../../parts/words/numbers.ts';
import { AudienceChips } from './audience-chips.tsx';
import { NamedTable } from './named-table.tsx';
import { filterWords, namedQuery } from './named-words.ts';
import { NewAudience } from './new/new-audience.tsx';
import { shownOf, type AudiencesSearch } from './search.ts';
import { ShownAudience } from './shown-audience.tsx';

const route = getRouteApi('/audiences');
const pageSize = 20;
const lookEveryMs = 10_000;

/** Whom campaigns may be for: uploaded lists, segments and combinations of them, and who depends on each. */
export function AudiencesView() {
  const search = route.useSearch();
  const { text, owner, kind, show, cursor } = search;
  const navigate = route.useNavigate();
  const refusal = useRefusal('manager');
  const { installation } = useSession();
  const [file, setFile] = useState<File | null>(null);
  const often = { refetchInterval: lookEveryMs, placeholderData: keepPreviousData };
  const query = { limit: pageSize, ...namedQuery(search) };
  const audiences = useQuery({ ...listNamedAudiencesOptions({ query }), ...often });
  const counts = useQuery({
    ...countNamedAudiencesOptions({
      query: { ...(text !== undefined && { q: text }), ...(owner !== undefined && { owner }) },
    }),
    ...often,
  });
  const items = audiences.data?.items;
  const unavailable = audiences.data?.unavailable ?? null;
  const shown = shownOf(search) ?? items?.[0];
  const change = (part: Partial<AudiencesSearch>) => void navigate({ search: (before) => ({ ...before, ...part }) });
  const choose = (part: Partial<AudiencesSearch>) =>
    change({ ...part, cursor: undefined, id: undefined, of: undefined });
  const isFiltered = [text, owner, kind, show].some((each) => each !== undefined);
  const owners = [...new Set(items?.flatMap((each) => each.owner ?? []))].toSorted((a, b) => a.localeCompare(b));
  const total = kind === undefined && show === undefined ? counts.data?.all : null;
  return (
    <Page
      title="Audiences"
      actions={<NewAudience onFile={setFile} onSaved={(id) => void navigate({ search: { id } })} />}
    >
      <div className="row flex-wrap">
        <AudienceChips counts={counts.data} search={search} onChoose={choose} />
        <span className="ml-auto row phone:w-full">
          <FilterMenu name="Owner" options={owners} value={owner} onChoose={(of) => choose({ owner: of })} />
          <SearchField
            placeholder="Name, owner or id"
            value={text ?? ''}
            onSearch={(wanted) => choose({ text: wanted === '' ? undefined : wanted })}
          />
        </span>
      </div>
      {unavailable !== null && (
        <p className="t2 sm" role="status">
          {capitalOf(unavailable)}. Segments are those that campaigns and saved audiences name.
        </p>
      )}
      {file !== null && (
        <section className="panel pad py-3 px-4" aria-label="Upload">
          <UploadForm
            key={fileKey(file)}
            file={file}
            countries={installation.countries ?? []}
            onUploaded={(list) => void navigate({ search: { id: list.id } })}
            onEnd={() => setFile(null)}
          />
        </section>
      )}
      <div className="grid grid-cols-[minmax(0,1fr)_488px] gap-4 items-start max-[1240px]:grid-cols-1">
        <section className="panel overflow-hidden" aria-label="Audiences">
          <ListView
            what="The audiences"
            query={audiences}
            items={items}
            empty={
              isFiltered ? (
                <NoMatch title="No audience matches" onClear={() => void navigate({ search: {} })}>
                  {filterWords(search)}
                </NoMatch>
              ) : (
                <Empty icon="users" title="No audiences yet">
                  Upload a file with users, and campaigns can take them in or leave them out. Segments come from the
                  segmentation service; combine them with lists under a name, here or where a campaign is written.
                </Empty>
              )
            }
          >
            <NamedTable audiences={items} shown={shown} search={search} />
          </ListView>
          {items !== undefined && (items.length > 0 || cursor !== undefined) && (
            <Paging
              cursor={cursor}
              next={audiences.data?.next}
              words={{ before: 'Before', behind: 'More' }}
              onGo={(to) => change({ cursor: to, id: undefined, of: undefined })}
            >
              {typeof total === 'number' && total > items.length
                ? `${formatCount(items.length)} of ${countOf(total, 'audience')}`
                : countOf(items.length, 'audience')}
              , most used first
            </Paging>
          )}
        </section>
        {shown !== undefined && (
          <ShownAudience
            key={`${shown.kind} ${shown.id}`}
            kind={shown.kind}
            id={shown.id}
            listed={items?.find((each) => each.kind === shown.kind && each.id === shown.id)}
            refusal={refusal}
            onFile={refusal === undefined ? setFile : undefined}
            onGone={() => navigate({ search: ({ id: _, of: __, ...rest }) => rest })}
          />
        )}
      </div>
    </Page>
  );
}
