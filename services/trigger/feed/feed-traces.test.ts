import { describe, expect, it } from 'vitest';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import { batchTracesOf, isSampled, rootSpanOf } from '../../../shared/domain/tracing/trace-ids.ts';
import { createRecordedSpans } from '../../../test/support/recorded-spans.ts';
import { createSettableClock } from '../../../test/support/settable-clock.ts';
import { createFeedTraces } from './feed-traces.ts';

const feedId = '018f2c3e-7b1a-7c4d-9e5f-0123456789ab';
const runId = '018f2c3e-7b1a-7c4d-9e5f-0123456789ac';
const feed = { feedId, runId, country: 'SG' };
const random = () => Math.random();

describe('the trace of a batch', () => {
  it('starts with a feed span that has a write and a publish span below it', () => {
    const tracing = createRecordedSpans();
    const clock = createSettableClock(Date.UTC(2026, 0, 1));
    const beganMs = clock.monotonicMs();
    clock.advance(30);
    createFeedTraces({ feed, tracing, clock, random }).fed([{ batchNo: 7, users: ['u1', 'u2'] }], {
      beganMs,
      writtenMs: beganMs + 20,
      publishedMs: beganMs + 30,
    });
    const traceId = batchTracesOf(feedId).traceOf(7);
    const root = rootSpanOf(traceId);
    const at = (ms: number) => Date.UTC(2026, 0, 1) + ms;
    expect(tracing.spans).toMatchObject([
      {
        traceId,
        spanId: root,
        parentId: null,
        name: 'feed',
        startMs: at(0),
        endMs: at(30),
        attributes: { 'muster.run': publicId('run', runId), 'muster.batch': 7, 'muster.users': 2 },
      },
      { traceId, parentId: root, name: 'write', startMs: at(0), endMs: at(20) },
      { traceId, parentId: root, name: 'publish', startMs: at(20), endMs: at(30) },
    ]);
  });

  it('is recorded if workers record the trace of the same batch', () => {
    const tracing = createRecordedSpans({ share: 0.01 });
    const batches = Array.from({ length: 5000 }, (_, index) => ({ batchNo: index + 1, users: ['u'] }));
    const times = { beganMs: 0, writtenMs: 0, publishedMs: 0 };
    createFeedTraces({ feed, tracing, clock: createSettableClock(), random }).fed(batches, times);
    const all = batches.map(({ batchNo }) => batchTracesOf(feedId).traceOf(batchNo));
    const expected = all.filter((traceId) => isSampled(traceId, 0.01));
    expect(expected.length).toBeGreaterThan(0);
    const begun = tracing.spans.filter(({ name }) => name === 'feed');
    expect(begun.map(({ traceId }) => traceId)).toEqual(expected);
  });
});
