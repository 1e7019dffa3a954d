import type { ListedSegment, SegmentListView } from '../../../../shared/contracts/campaigns/segments.ts';
import type { OfferedSegment } from '../../../../shared/contracts/endpoints/segmentation.ts';
import { isStorable } from '../../../../shared/domain/ids/stored-text.ts';
import { invalidCursor } from '../../frame/public-ids.ts';
import { createOfferedSegments, unavailableWords, type OfferedSegmentsDeps } from './offered-segments.ts';
import type { SegmentUses, UsedSegments } from './postgres/used-segments.ts';

export interface SegmentSearch {
  text?: string | undefined;
  country?: string | undefined;
  limit: number;
  cursor?: string | undefined;
}

export interface SegmentDirectoryDeps extends OfferedSegmentsDeps {
  usedSegments: UsedSegments;
}

/** Creates the directory of segments: those of the service, else of earlier campaigns, with the reason of a failure. */
export function createSegmentDirectory({ segmentation, usedSegments, clock }: SegmentDirectoryDeps) {
  const offered = createOfferedSegments({ segmentation, clock });

  async function withUse(segments: readonly Omit<ListedSegment, keyof SegmentUses>[]): Promise<ListedSegment[]> {
    const uses = await usedSegments.uses(segments.map(({ id }) => id));
    return segments.map((segment) => ({ ...segment, ...(uses.get(segment.id) ?? { usedBy: 0, usedBySaved: 0 }) }));
  }

  async function listUsed(search: SegmentSearch, after: string | null, unavailable: string | null) {
    const { text, country, limit } = search;
    const found = await usedSegments.list({ text, country, after, limit: limit + 1 });
    const items = found.slice(0, limit).map(({ segment, countries }) => {
      return { id: segment, name: segment, description: null, countries, estimate: null };
    });
    const last = found.length > limit ? items.at(-1) : undefined;
    return {
      items: await withUse(items),
      next: last ? cursorOf('used', last.id) : null,
      from: 'earlier-campaigns' as const,
      unavailable,
    };
  }

  return {
    list: async (search: SegmentSearch): Promise<SegmentListView> => {
      const place = placeOf(search.cursor);
      if (place.of === 'used') return listUsed(search, place.after, null);
      const { text, country, limit } = search;
      const answer = await offered.list({ search: text, country, limit, after: place.after });
      if (answer.ok) {
        const { segments, next } = answer.value;
        const items = segments.filter(({ id }) => isStorable(id)).map(segmentOf);
        const cursor = next === null ? null : cursorOf('offered', next);
        return { items: await withUse(items), next: cursor, from: 'segmentation', unavailable: null };
      }
      return listUsed(search, null, unavailableWords(answer));
    },
  };
}

function segmentOf({
  id,
  name = id,
  description,
  countries,
  estimate,
}: OfferedSegment): Omit<ListedSegment, keyof SegmentUses> {
  return { id, name, description: description ?? null, countries: countries ?? null, estimate: estimate ?? null };
}

interface Place {
  of: 'offered' | 'used';
  after: string | null;
}

function cursorOf(of: Place['of'], after: string): string {
  return Buffer.from(`${of === 'used' ? 'u' : 'o'}${after}`).toString('base64url');
}

/** @throws {HttpProblem} 422 for an invalid cursor */
function placeOf(cursor: string | undefined): Place {
  if (cursor === undefined) return { of: 'offered', after: null };
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  const [kind, after] = [text.charAt(0), text.slice(1)];
  if ((kind !== 'u' && kind !== 'o') || after === '' || !isStorable(after)) throw invalidCursor(cursor);
  return { of: kind === 'u' ? 'used' : 'offered', after };
}
