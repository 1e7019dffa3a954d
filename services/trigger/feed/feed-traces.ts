import { publicId } from '../../../shared/domain/ids/ids.ts';
import { batchTracesOf, newSpanId, rootSpanOf } from '../../../shared/domain/tracing/trace-ids.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { Span, Tracing } from '../../../shared/ports/tracing.ts';
import type { FedBatch, OwnedFeed } from '../ports/feed-store.ts';

/** Times at which a page of batches was written and published, by the clock's `monotonicMs`. */
export interface FedTimes {
  beganMs: number;
  writtenMs: number;
  publishedMs: number;
}

export interface FeedTraces {
  /** Begins the traces of the sampled batches among these committed and published batches. */
  fed(batches: readonly FedBatch[], times: FedTimes): void;
}

export interface FeedTracesDeps {
  feed: Pick<OwnedFeed, 'feedId' | 'runId' | 'country'>;
  tracing: Tracing;
  clock: Clock;
  /** Random number in [0, 1). */
  random: () => number;
}

export function createFeedTraces({ feed, tracing, clock, random }: FeedTracesDeps): FeedTraces {
  const traces = batchTracesOf(feed.feedId);
  const ofFeed = { 'muster.run': publicId('run', feed.runId), 'muster.country': feed.country };

  function trace({ batchNo, users }: FedBatch, times: FedTimes, aheadMs: number): void {
    const traceId = traces.traceOf(batchNo);
    const root = rootSpanOf(traceId);
    const record = (span: Omit<Span, 'traceId' | 'error' | 'startMs' | 'endMs'>, startedMs: number, endedMs: number) =>
      tracing.record({ ...span, traceId, error: null, startMs: startedMs + aheadMs, endMs: endedMs + aheadMs });
    const { beganMs, writtenMs, publishedMs } = times;
    const attributes = { ...ofFeed, 'muster.batch': batchNo, 'muster.users': users.length };
    const below = { parentId: root, attributes: {} };
    record({ spanId: root, parentId: null, name: 'feed', kind: 'producer', attributes }, beganMs, publishedMs);
    record({ ...below, spanId: newSpanId(random), name: 'write', kind: 'internal' }, beganMs, writtenMs);
    record({ ...below, spanId: newSpanId(random), name: 'publish', kind: 'internal' }, writtenMs, publishedMs);
  }

  return {
    fed: (batches, times) => {
      const aheadMs = clock.now().getTime() - clock.monotonicMs();
      for (const batch of batches) if (traces.isSampled(batch.batchNo, tracing.share)) trace(batch, times, aheadMs);
    },
  };
}
