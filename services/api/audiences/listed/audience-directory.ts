import { holdsSomeCampaigns } from '../../../../shared/domain/scopes.ts';
import type { AudienceCounts, AudienceList } from '../../../../shared/contracts/campaigns/audiences.ts';
import type { OfferedSegment } from '../../../../shared/contracts/endpoints/segmentation.ts';
import { isStorable } from '../../../../shared/domain/ids/stored-text.ts';
import { createOfferedSegments, segmentStatusOf, type OfferedSegmentsDeps } from './offered-segments.ts';
import { cursorOf, placeOf, type OfferedPlace } from './list-place.ts';
import { namedView, offeredView } from './listed-audience-view.ts';
import type { ListedAudienceStore, NamedCountSearch, NamedSearch } from './postgres/listed-audience-store.ts';

/**
 * Number of segments that one request to the segmentation service returns. It is independent of the page size, because
 * filters may drop many segments.
 */
const chunkSize = 200;
/**
 * Maximum number of requests to the segmentation service for one page. A page that is not full after them is returned
 * short, with a cursor to the next page.
 */
const maxChunks = 5;

export interface AudienceDirectoryDeps extends OfferedSegmentsDeps {
  listedAudiences: ListedAudienceStore;
}

/**
 * Creates the directory of all sources that campaigns can include or exclude: first the used sources, most used first,
 * then unused segments of the segmentation service.
 */
export function createAudienceDirectory({ listedAudiences, ...deps }: AudienceDirectoryDeps) {
  const offered = createOfferedSegments(deps);
  const chunk = (search: NamedSearch, after: string | null) =>
    offered.list({ search: search.text ?? search.id, country: search.country, after, limit: chunkSize });

  /** Returns offered segments with their use, and whether the list has already shown them among the used sources. */
  async function unlisted(segments: readonly OfferedSegment[], search: Pick<NamedSearch, 'text' | 'country'>) {
    const found = segments.filter(({ id }) => isStorable(id));
    const ids = found.map(({ id }) => id);
    const named = new Map((await listedAudiences.segments(ids, search)).map((each) => [each.source, each]));
    return found.map((segment) => {
      const { usedBy = 0, usedBySaved = 0, isListed = false } = named.get(segment.id) ?? {};
      return { segment, uses: { usedBy, usedBySaved }, isListed };
    });
  }

  async function pageOfOffered(search: NamedSearch, place: OfferedPlace, limit: number): Promise<AudienceList> {
    const items: AudienceList['items'] = [];
    let { after, skip } = place;
    for (let chunks = 0; chunks < maxChunks; chunks++) {
      const answer = await chunk(search, after);
      const segmentStatus = segmentStatusOf(answer);
      if (!answer.ok) return { items, next: null, ...segmentStatus };
      const { segments, next } = answer.value;
      for (const [index, each] of (await unlisted(segments, search)).entries()) {
        if (index < skip || each.isListed || (search.id ?? each.segment.id) !== each.segment.id) continue;
        if (items.length === limit)
          return { items, next: cursorOf({ section: 'offered', after, skip: index }), ...segmentStatus };
        items.push(offeredView(each.segment, each.uses, search.country));
      }
      if (next === null) return { items, next: null, ...segmentStatus };
      after = next;
      skip = 0;
    }
    return {
      items,
      next: cursorOf({ section: 'offered', after, skip }),
      segmentsFrom: 'segmentation',
      unavailable: null,
    };
  }

  return {
    /**
     * Lists a page of sources.
     * @throws {HttpProblem} 422 for an invalid cursor
     */
    list: async (search: NamedSearch, limit: number, cursor: string | undefined): Promise<AudienceList> => {
      const place = placeOf(cursor);
      if (!isAllowed(search)) return { items: [], next: null, ...segmentStatusOf(undefined) };
      if (place.section === 'offered') return pageOfOffered(search, place, limit);
      const rows = await listedAudiences.page(search, limit + 1, place.after);
      const page = rows.slice(0, limit);
      const answer = mayHaveSegments(search) ? await chunk(search, null) : undefined;
      const known = new Map(answer?.ok ? answer.value.segments.map((segment) => [segment.id, segment]) : []);
      const items = page.map((row) =>
        namedView(row, row.kind === 'segment' ? known.get(row.source) : undefined, search.country),
      );
      const segmentStatus = segmentStatusOf(answer);
      const last = page.at(-1);
      if (rows.length > limit && last)
        return {
          items,
          next: cursorOf({ section: 'named', after: { uses: last.uses, seq: last.seq } }),
          ...segmentStatus,
        };
      if (!mayBeOffered(search)) return { items, next: null, ...segmentStatus };
      const rest = await pageOfOffered(search, { section: 'offered', after: null, skip: 0 }, limit - items.length);
      return { ...rest, items: [...items, ...rest.items] };
    },

    counts: async (search: NamedCountSearch): Promise<AudienceCounts> => {
      const rows = await listedAudiences.counts(search);
      const countsOf = (kind: (typeof rows)[number]['kind']) => rows.find((row) => row.kind === kind);
      const [lists, saved] = [countsOf('list')?.all ?? 0, countsOf('saved')?.all ?? 0];
      const named = countsOf('segment')?.all ?? 0;
      // Segments belong to the segmentation service and have no owner in Muster, so a filter by owner matches no unused
      // segment.
      const segments =
        search.owner === undefined && isAllowed(search) ? await countSegments(search.text, named) : named;
      return {
        all: segments === null ? null : lists + saved + segments,
        lists,
        segments,
        saved,
        withRejects: countsOf('list')?.withRejects ?? 0,
        notUsed: rows.reduce((sum, { notUsed }) => sum + notUsed, 0),
        failed: countsOf('list')?.failed ?? 0,
      };
    },
  };

  async function countSegments(text: string | undefined, named: number): Promise<number | null> {
    const answer = await chunk({ text }, null);
    if (!answer.ok) return named;
    if (answer.value.next !== null) return null;
    return named + (await unlisted(answer.value.segments, { text })).filter(({ isListed }) => !isListed).length;
  }
}

/** Returns false if the caller's scope allows no campaigns. */
function isAllowed({ within }: Pick<NamedSearch, 'within'>): boolean {
  return within === undefined || holdsSomeCampaigns(within);
}

/** Returns true if the search may match segments that are in use. */
function mayHaveSegments({ kind, isUsed, within, ...search }: NamedSearch): boolean {
  if (!isAllowed({ within })) return false;
  const { owner, state, hasRejects, usersAtMost, list, segment } = search;
  const isOfOthers = [owner, state, hasRejects, usersAtMost, list, segment].some((each) => each !== undefined);
  return (kind ?? 'segment') === 'segment' && !isOfOthers && isUsed !== false;
}

/** Returns true if the search may match segments that are not in use. */
function mayBeOffered(search: NamedSearch): boolean {
  return mayHaveSegments(search) && search.isUsed === undefined;
}
