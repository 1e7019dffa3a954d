import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { getSavedAudienceOptions, listSavedAudiencesOptions } from '#client/@tanstack/react-query.gen.ts';
import { useKeptError } from '../../../api/kept-error.ts';
import { Page } from '../../../frame/page.tsx';
import { Paging } from '../../../parts/lists/paging.tsx';
import { SearchField } from '../../../parts/lists/search-field.tsx';
import { Empty, Failed, NoMatch } from '../../../parts/standing/states.tsx';
import { countOf } from '../../../parts/words/numbers.ts';
import { KindChoice } from '../kind-choice.tsx';
import { SavedDetail } from './saved-detail.tsx';
import { SavedTable } from './saved-table.tsx';

const route = getRouteApi('/audiences');
const pageSize = 20;

/** Combinations of sources with a name: what each is made of, how many that are, and who took it. */
export function SavedView() {
  const { id, text, cursor } = route.useSearch();
  const navigate = route.useNavigate();
  const query = { limit: pageSize, ...(text !== undefined && { q: text }), ...(cursor !== undefined && { cursor }) };
  const saved = useQuery({ ...listSavedAudiencesOptions({ query }), placeholderData: keepPreviousData });
  const error = useKeptError(saved);
  const items = saved.data?.items;
  const shownId = id ?? items?.[0]?.id;
  return (
    <Page title="Audiences">
      <div className="row flex-wrap">
        <KindChoice of="saved" />
        <span className="ml-auto row phone:w-full">
          <SearchField
            placeholder="Name"
            value={text ?? ''}
            onSearch={(wanted) => void navigate({ search: { of: 'saved', ...(wanted !== '' && { text: wanted }) } })}
          />
        </span>
      </div>
      <div className="grid grid-cols-[minmax(0,1fr)_488px] gap-4 items-start max-[1240px]:grid-cols-1">
        <section className="panel overflow-hidden" aria-label="Saved audiences">
          {items === undefined && error !== null ? (
            <Failed title="The saved audiences could not be read" error={error} onRetry={() => void saved.refetch()} />
          ) : items?.length === 0 && text !== undefined ? (
            <NoMatch title="No saved audience matches" onClear={() => void navigate({ search: { of: 'saved' } })}>
              {`Called “${text}”.`}
            </NoMatch>
          ) : items?.length === 0 ? (
            <Empty
              icon="star"
              title="No saved audiences yet"
              command="muster saved-audience create --name Riders --countries SG --segment lapsed-riders"
            >
              A combination of segments, lists and earlier runs can be saved where a campaign is written, and taken by
              the next ones.
            </Empty>
          ) : (
            <SavedTable saved={items} shownId={shownId} />
          )}
          {items !== undefined && items.length > 0 && (
            <Paging
              cursor={cursor}
              next={saved.data?.next}
              onGo={(to) => void navigate({ search: (before) => ({ ...before, cursor: to, id: undefined }) })}
            >
              {countOf(items.length, 'saved audience')}, newest first
            </Paging>
          )}
        </section>
        {shownId !== undefined && <Shown key={shownId} id={shownId} />}
      </div>
    </Page>
  );
}

function Shown({ id }: { id: string }) {
  const navigate = route.useNavigate();
  const saved = useQuery(getSavedAudienceOptions({ path: { id } }));
  const error = useKeptError(saved);
  if (saved.data) {
    return <SavedDetail saved={saved.data} onGone={() => navigate({ search: ({ id: _, ...rest }) => rest })} />;
  }
  if (error === null) return null;
  return <Failed title="The saved audience could not be read" error={error} onRetry={() => void saved.refetch()} />;
}
