import { LRUCache } from 'lru-cache';
import type { SegmentPage } from '../../../../shared/contracts/endpoints/segmentation.ts';
import type { Clock } from '../../../../shared/ports/clock.ts';
import type { SegmentList, SegmentationAnswer, SegmentsAsked } from '../../../../shared/ports/segmentation.ts';

/** A list waits no longer for the service. */
const patienceMs = 3000;
/** While a person types, pages and goes back. */
const keptMs = 30_000;
/** A service that is away is asked again soon, and not by every request. */
const failureKeptMs = 5000;
const maxKept = 200;

export interface OfferedSegmentsDeps {
  segmentation: SegmentList;
  clock: Clock;
}

/** What the segmentation service offers, asked for once where several ask the same. */
export function createOfferedSegments({ segmentation, clock }: OfferedSegmentsDeps) {
  const kept = new LRUCache<string, { untilMs: number; answer: Promise<SegmentationAnswer<SegmentPage>> }>({
    max: maxKept,
  });

  async function ask(asked: SegmentsAsked): Promise<SegmentationAnswer<SegmentPage>> {
    const over = new AbortController();
    const answered = new AbortController();
    void clock.sleep(patienceMs, answered.signal).then(() => over.abort());
    const answer = await segmentation.list(asked, over.signal);
    answered.abort();
    return answer;
  }

  return {
    /** Who asks the same meanwhile gets the same answer. */
    list: ({ search, country, after, limit }: SegmentsAsked): Promise<SegmentationAnswer<SegmentPage>> => {
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
    },
  };
}

/** Why the service could not be asked; null where it answered, or offers no list. */
export function unavailableWords(answer: SegmentationAnswer<unknown>): string | null {
  if (answer.ok || answer.failure.kind === 'not-found') return null;
  return `the segmentation service does not answer: ${answer.failure.cause}`;
}
