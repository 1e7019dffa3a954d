import { LRUCache } from 'lru-cache';
import type { AudienceList } from '../../../../shared/contracts/campaigns/audiences.ts';
import type { SegmentPage } from '../../../../shared/contracts/endpoints/segmentation.ts';
import type { Clock } from '../../../../shared/ports/clock.ts';
import type { SegmentList, SegmentationAnswer, SegmentsRequest } from '../../../../shared/ports/segmentation.ts';

/** Timeout of a request to the segmentation service, in milliseconds. */
const timeoutMs = 3000;
/** Lifetime of a response in the cache, in milliseconds: long enough for a person who types, pages and goes back. */
const keptMs = 30_000;
/**
 * Lifetime of a failure in the cache, in milliseconds: short, so that a request soon tries again, but not each request
 * does.
 */
const failureKeptMs = 5000;
const maxKept = 200;

export interface OfferedSegmentsDeps {
  segmentation: SegmentList;
  clock: Clock;
}

export function createOfferedSegments({ segmentation, clock }: OfferedSegmentsDeps) {
  const cache = new LRUCache<string, { untilMs: number; answer: Promise<SegmentationAnswer<SegmentPage>> }>({
    max: maxKept,
  });

  async function fetchPage(request: SegmentsRequest): Promise<SegmentationAnswer<SegmentPage>> {
    const over = new AbortController();
    const answered = new AbortController();
    void clock.sleep(timeoutMs, answered.signal).then(() => over.abort());
    const answer = await segmentation.list(request, over.signal);
    answered.abort();
    return answer;
  }

  return {
    /** Lists segments that the service offers. Concurrent calls with the same query share one request. */
    list: ({ search, country, after, limit }: SegmentsRequest): Promise<SegmentationAnswer<SegmentPage>> => {
      const key = JSON.stringify([search, country, limit, after]);
      const known = cache.get(key);
      if (known && clock.monotonicMs() < known.untilMs) return known.answer;
      const entry = { untilMs: Infinity, answer: fetchPage({ search, country, limit, after }) };
      cache.set(key, entry);
      return entry.answer.then((answer) => {
        const isAway = !answer.ok && answer.failure.kind !== 'not-found';
        entry.untilMs = clock.monotonicMs() + (isAway ? failureKeptMs : keptMs);
        return answer;
      });
    },
  };
}

/**
 * Returns where the segments of a list come from, and why the service does not answer, if so. A service that offers no
 * list of segments has not failed.
 * @param answer undefined if the search excludes segments
 */
export function segmentStatusOf(
  answer: SegmentationAnswer<unknown> | undefined,
): Pick<AudienceList, 'segmentsFrom' | 'unavailable'> {
  if (!answer) return { segmentsFrom: null, unavailable: null };
  if (answer.ok) return { segmentsFrom: 'segmentation', unavailable: null };
  const { kind, cause } = answer.failure;
  const unavailable = kind === 'not-found' ? null : `the segmentation service does not answer: ${cause}`;
  return { segmentsFrom: 'use', unavailable };
}
