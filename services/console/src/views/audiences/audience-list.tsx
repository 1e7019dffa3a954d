import type { UseQueryResult } from '@tanstack/react-query';
import type { ListAudiencesResponse, ListedAudience, AudienceCounts, Problem } from '#client/types.gen.ts';
import { ListView } from '../../parts/data-table/list-view.tsx';
import { Paging } from '../../parts/lists/paging.tsx';
import { Empty, NoMatch } from '../../parts/standing/states.tsx';
import { countOf, formatCount } from '../../parts/words/numbers.ts';
import { AudienceTable } from './audience-table.tsx';
import { describeFilters } from './listed-words.ts';
import type { AudienceKind, AudiencesSearch } from './search.ts';

interface AudienceListProps {
  query: UseQueryResult<ListAudiencesResponse, Problem>;
  counts: AudienceCounts | undefined;
  search: AudiencesSearch;
  selected: { kind: AudienceKind; id: string } | undefined;
  onClear: () => void;
  onGo: (cursor: string | undefined) => void;
}

export function AudienceList({ query, counts, search, selected, onClear, onGo }: AudienceListProps) {
  const items = query.data?.items;
  return (
    <section className="panel overflow-hidden" aria-label="Audiences">
      <ListView
        what="The audiences"
        query={query}
        items={items}
        empty={<NoAudience search={search} onClear={onClear} />}
      >
        <AudienceTable audiences={items} selected={selected} search={search} />
      </ListView>
      {items !== undefined && (items.length > 0 || search.cursor !== undefined) && (
        <Paging cursor={search.cursor} next={query.data?.next} words={{ before: 'Back', behind: 'Next' }} onGo={onGo}>
          {describePage(items, search, counts)}, most used first
        </Paging>
      )}
    </section>
  );
}

function NoAudience({ search, onClear }: { search: AudiencesSearch; onClear: () => void }) {
  const { text, owner, kind, show } = search;
  if ([text, owner, kind, show].some((each) => each !== undefined))
    return (
      <NoMatch title="No audience matches" onClear={onClear}>
        {describeFilters(search)}
      </NoMatch>
    );
  return (
    <Empty icon="users" title="No audiences yet">
      Upload a file of users that campaigns include or exclude. Segments come from the segmentation service. Combine
      lists and segments into a saved audience, here or in the campaign editor.
    </Empty>
  );
}

/**
 * Returns a text such as `20 of 1,204 audiences`. Without a filter for kind or state, the total is included, because it
 * is known.
 */
function describePage(
  items: readonly ListedAudience[],
  { kind, show }: AudiencesSearch,
  counts: AudienceCounts | undefined,
): string {
  const total = kind === undefined && show === undefined ? counts?.all : null;
  return typeof total === 'number' && total > items.length
    ? `${formatCount(items.length)} of ${countOf(total, 'audience')}`
    : countOf(items.length, 'audience');
}
