import { LRUCache } from 'lru-cache';
import type { ListedSegment, SegmentListView } from '../../../shared/contracts/campaigns/segments.ts';
import type { OfferedSegment, SegmentPage } from '../../../shared/contracts/endpoints/segmentation.ts';
import { isStorable } from '../../../shared/domain/ids/stored-text.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { SegmentList, SegmentationAnswer } from '../../../shared/ports/segmentation.ts';
import { invalidCursor } from '../frame/public-ids.ts';
import type { UsedSegments } from './postgres/used-segments.ts';

/** A list waits no longer for the service. */
const patienceMs = 3000;
/** While a person types, pages and goes back. */
const keptMs = 30_000;
/** A service that is away is asked again soon, and not by every request. */
const failureKeptMs = 5000;
const maxKept = 200;

export interface SegmentSearch {
  text?: string | undefined;
  country?: string | undefined;
  limit: number;
  cursor?: string | undefined;
}

export interface SegmentDirectoryDeps {
  segmentation: SegmentList;
  usedSegments: UsedSegments;
  clock: Clock;
}

/**
 * Segments to choose from: those that the segmentation service offers, else those that earlier campaigns name. A
 * service that is away is said, and nothing fails for it.
 */
export function createSegmentDirectory({ segmentation, usedSegments, clock }: SegmentDirectoryDeps) {
  const kept = new LRUCache<string, { untilMs: number; answer: Promise<SegmentationAnswer<SegmentPage>> }>({
    max: maxKept,
  });

  /** Who asks the same meanwhile gets the same answer. */
  function offered({ text: search, country, limit }: SegmentSearch, after: string | null) {
    const key = JSON.stringify([search, country, limit, after]);
    const known = kept.get(key);
    if (known && clock.monotonicMs() < known.untilMs) return known.answer;
    const entry = { untilMs: Infinity, answer: ask({ search, country, limit, after }) };
    kept.set(key, entry);
    return entry.answer.then((answer) => {
      const isAway = !answer.ok && answer.failure.kind !== 'not-found';
      entry.untilMs = clock.monotonicMs() + (isAway ? failureKeptMs : keptMs);
      return answer;
    });
  }

  async function ask(asked: Parameters<SegmentList['list']>[0]): Promise<SegmentationAnswer<SegmentPage>> {
    const over = new AbortController();
    const answered = new AbortController();
    void clock.sleep(patienceMs, answered.signal).then(() => over.abort());
    const answer = await segmentation.list(asked, over.signal);
    answered.abort();
    return answer;
  }

  async function withUse(segments: readonly Omit<ListedSegment, 'usedBy'>[]): Promise<ListedSegment[]> {
    const usedBy = await usedSegments.usedBy(segments.map(({ id }) => id));
    return segments.map((segment) => ({ ...segment, usedBy: usedBy.get(segment.id) ?? 0 }));
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
      const answer = await offered(search, place.after);
      if (answer.ok) {
        const { segments, next } = answer.value;
        const items = segments.filter(({ id }) => isStorable(id)).map(segmentOf);
        const cursor = next === null ? null : cursorOf('offered', next);
        return { items: await withUse(items), next: cursor, from: 'segmentation', unavailable: null };
      }
      const { kind, cause } = answer.failure;
      return listUsed(search, null, kind === 'not-found' ? null : `the segmentation service does not answer: ${cause}`);
    },
  };
}

function segmentOf({ id, name = id, description, countries, estimate }: OfferedSegment): Omit<ListedSegment, 'usedBy'> {
  return { id, name, description: description ?? null, countries: countries ?? null, estimate: estimate ?? null };
}

interface Place {
  of: 'offered' | 'used';
  after: string | null;
}

function cursorOf(of: Place['of'], after: string): string {
  return Buffer.from(`${of === 'used' ? 'u' : 'o'}${after}`).toString('base64url');
}

/** @throws {HttpProblem} 422 where it is no cursor */
function placeOf(cursor: string | undefined): Place {
  if (cursor === undefined) return { of: 'offered', after: null };
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  const [kind, after] = [text.charAt(0), text.slice(1)];
  if ((kind !== 'u' && kind !== 'o') || after === '' || !isStorable(after)) throw invalidCursor(cursor);
  return { of: kind === 'u' ? 'used' : 'offered', after };
}
