import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { countAudiencesOptions, getAudienceOptions, listAudiencesOptions } from '#client/@tanstack/react-query.gen.ts';
import { useKeptError } from '../../api/kept-error.ts';
import { Page } from '../../frame/page.tsx';
import { useRefusal, useSession } from '../../frame/session/session.ts';
import { ChooseFile, fileKey, UploadForm } from '../../parts/audience/upload-list.tsx';
import { Chips } from '../../parts/lists/chips.tsx';
import { Paging } from '../../parts/lists/paging.tsx';
import { SearchField } from '../../parts/lists/search-field.tsx';
import { Empty, Failed, NoMatch } from '../../parts/standing/states.tsx';
import { countOf, formatCount } from '../../parts/words/numbers.ts';
import { AudienceDetail } from './audience-detail.tsx';
import { KindChoice } from './kind-choice.tsx';
import { SavedView } from './saved/saved-view.tsx';
import { SegmentsView } from './segments-view.tsx';
import { AudienceTable } from './audience-table.tsx';
import { audiencesQuery, filterWords } from './audience-words.ts';
import type { AudiencesSearch } from './search.ts';

const route = getRouteApi('/audiences');
const pageSize = 20;
const lookEveryMs = 10_000;

/** Whom campaigns may be for: uploaded lists, segments, and combinations of them. */
export function AudiencesView() {
  const { of = 'lists' } = route.useSearch();
  if (of === 'segments') return <SegmentsView />;
  return of === 'saved' ? <SavedView /> : <ListsView />;
}

/** Uploaded lists: who is in each, what of the file fell out, and which campaigns depend on it. */
function ListsView() {
  const search = route.useSearch();
  const { id, text, show, cursor } = search;
  const navigate = route.useNavigate();
  const refusal = useRefusal('manager');
  const { installation } = useSession();
  const [file, setFile] = useState<File | null>(null);
  const often = { refetchInterval: lookEveryMs, placeholderData: keepPreviousData };
  const lists = useQuery({
    ...listAudiencesOptions({ query: { limit: pageSize, ...audiencesQuery(search) } }),
    ...often,
  });
  const counts = useQuery({ ...countAudiencesOptions({ query: text === undefined ? {} : { q: text } }), ...often });
  const error = useKeptError(lists);
  const items = lists.data?.items;
  const shownId = id ?? items?.[0]?.id;
  const change = (part: Partial<AudiencesSearch>) => void navigate({ search: (before) => ({ ...before, ...part }) });
  const choose = (part: Partial<AudiencesSearch>) => change({ ...part, cursor: undefined, id: undefined });
  const isFiltered = text !== undefined || show !== undefined;
  const total = counts.data?.all;
  return (
    <Page title="Audiences" actions={<ChooseFile kind="ink" refusal={refusal} onFile={setFile} />}>
      <div className="row flex-wrap">
        <KindChoice of="lists" />
        <Chips
          label="Filter by what is to be looked at"
          chosen={show ?? 'all'}
          chips={[
            { value: 'all', label: 'All', count: total },
            { value: 'bad-lines', label: 'With bad lines', count: counts.data?.withRejects, warns: true },
            { value: 'not-used', label: 'Not used', count: counts.data?.notUsed },
            { value: 'failed', label: 'Failed', count: counts.data?.failed },
          ]}
          onChoose={(value) => choose({ show: value === 'all' ? undefined : value })}
        />
        <span className="ml-auto row phone:w-full">
          <SearchField
            placeholder="Name"
            value={text ?? ''}
            onSearch={(wanted) => choose({ text: wanted === '' ? undefined : wanted })}
          />
        </span>
      </div>
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
        <section className="panel overflow-hidden" aria-label="Uploaded lists">
          {items === undefined && error !== null ? (
            <Failed title="The lists could not be read" error={error} onRetry={() => void lists.refetch()} />
          ) : items?.length === 0 && isFiltered ? (
            <NoMatch title="No list matches" onClear={() => void navigate({ search: {} })}>
              {filterWords(search)}
            </NoMatch>
          ) : items?.length === 0 ? (
            <Empty icon="users" title="No lists yet" command="muster audience upload users.csv --name Riders">
              Upload a file with users, and campaigns can take them in or leave them out. Segments are counted where a
              campaign names them.
            </Empty>
          ) : (
            <AudienceTable audiences={items} shownId={shownId} search={search} />
          )}
          {items !== undefined && items.length > 0 && (
            <Paging cursor={cursor} next={lists.data?.next} onGo={(to) => change({ cursor: to, id: undefined })}>
              {show === undefined && total !== undefined && total > items.length
                ? `${formatCount(items.length)} of ${countOf(total, 'list')}`
                : countOf(items.length, 'list')}
              , newest first
            </Paging>
          )}
        </section>
        {shownId !== undefined && (
          <Shown
            key={shownId}
            id={shownId}
            refusal={refusal}
            onGone={() => navigate({ search: ({ id: _, ...rest }) => rest })}
          />
        )}
      </div>
    </Page>
  );
}

function Shown({ id, ...rest }: { id: string; refusal: string | undefined; onGone: () => Promise<void> }) {
  const audience = useQuery({ ...getAudienceOptions({ path: { id } }), refetchInterval: lookEveryMs });
  const error = useKeptError(audience);
  if (audience.data) return <AudienceDetail audience={audience.data} {...rest} />;
  if (error === null) return null;
  return <Failed title="The list could not be read" error={error} onRetry={() => void audience.refetch()} />;
}
