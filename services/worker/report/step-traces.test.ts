import { describe, expect, it } from 'vitest';
import { firstChildBatchNo, isChildBatch } from '../../../shared/domain/step/batch.ts';
import { batchTracesOf, isSampled, rootSpanOf } from '../../../shared/domain/tracing/trace-ids.ts';
import { readTraceparent } from '../../../shared/domain/tracing/trace-context.ts';
import type { Span } from '../../../shared/ports/tracing.ts';
import { passTime } from '../../../test/support/pass-time.ts';
import { createRecordedSpans } from '../../../test/support/recorded-spans.ts';
import { createRunningWorker } from '../../../test/support/running-worker.ts';
import { answerOf, answerWithFailures } from '../../../test/support/worker-fixture.ts';

const random = () => Math.random();
const named = (spans: readonly Span[], name: string) => spans.filter((span) => span.name === name);
const contextOf = (traceparent: string | undefined) => readTraceparent(traceparent ?? '');

describe('the spans of a batch', () => {
  it('form one tree over all steps of the batch: each step span contains a claim, a call and a record span', async () => {
    const tracing = createRecordedSpans();
    const { clock, endpoint, feed } = await createRunningWorker({}, () => ({ tracing, random }));
    const { feedId } = await feed([['u1', 'u2']]);
    await passTime(clock, 1000);
    const traceId = batchTracesOf(feedId).traceOf(1);
    expect(new Set(tracing.spans.map((span) => span.traceId))).toEqual(new Set([traceId]));
    expect(new Set(tracing.spans.map(({ spanId }) => spanId)).size).toBe(tracing.spans.length);
    const steps = tracing.spans.filter(({ name }) => name.startsWith('step '));
    expect(steps.map(({ name, parentId }) => [name, parentId])).toEqual([
      ['step award-reward', rootSpanOf(traceId)],
      ['step send-message', rootSpanOf(traceId)],
    ]);
    for (const { spanId, name } of steps) {
      const below = tracing.spans.filter(({ parentId }) => parentId === spanId).map((span) => span.name);
      expect(below).toEqual(['claim', name.replace('step', 'call'), 'record']);
    }
    expect(steps[0]?.attributes).toMatchObject({ 'muster.country': 'SG', 'muster.batch': 1, 'muster.users': 2 });
    const calls = tracing.spans.filter(({ kind }) => kind === 'client');
    expect(endpoint.seen.map(({ traceparent }) => contextOf(traceparent))).toEqual(
      calls.map(({ spanId }) => ({ traceId, spanId, isSampled: true })),
    );
  });

  it('contain the cause of a failed call, and the next attempt is another step span of the same trace', async () => {
    const tracing = createRecordedSpans();
    const { clock, endpoint, feed, sweepOverdue } = await createRunningWorker({}, () => ({ tracing, random }));
    endpoint.answer = () => ({ kind: 'not-applied', cause: 'connection refused' });
    const { feedId, runId } = await feed([['u1']]);
    await passTime(clock, 1000);
    endpoint.answer = ({ call }) => answerOf(call.users.map((id) => ({ id, status: 'succeeded' })));
    await passTime(clock, 20_000);
    await sweepOverdue(runId);
    await passTime(clock, 1000);
    const traceId = batchTracesOf(feedId).traceOf(1);
    const tries = named(tracing.spans, 'step award-reward');
    expect(tries.length).toBeGreaterThanOrEqual(2);
    expect(tries.map((span) => span.traceId)).toEqual(tries.map(() => traceId));
    expect(tries.at(0)).toMatchObject({ error: 'connection refused', attributes: { 'muster.state': 'waiting' } });
    expect(tries.at(-1)).toMatchObject({ error: null, attributes: { 'muster.state': 'done' } });
    expect(named(tracing.spans, 'call award-reward')[0]).toMatchObject({ error: 'connection refused' });
  });

  it('begin, in a child batch, with a root span that is linked with the step span of the parent in both directions', async () => {
    const tracing = createRecordedSpans();
    const { clock, endpoint, feed } = await createRunningWorker({}, () => ({ tracing, random }));
    endpoint.answer = (seen) => answerWithFailures(seen, seen.call.batch === 1 ? ['u2'] : [], { retryable: true });
    const { feedId } = await feed([['u1', 'u2']]);
    await passTime(clock, 120_000);
    const traces = batchTracesOf(feedId);
    const [created, ...others] = named(tracing.spans, 'child batch');
    expect(others).toEqual([]);
    const [bearing] = named(tracing.spans, 'step award-reward').filter(({ traceId }) => traceId === traces.traceOf(1));
    const traceId = traces.traceOf(firstChildBatchNo);
    const root = { traceId, spanId: rootSpanOf(traceId) };
    expect(created).toMatchObject({
      ...root,
      parentId: null,
      kind: 'producer',
      error: null,
      links: [{ traceId: traces.traceOf(1), spanId: bearing?.spanId, isSampled: true }],
      attributes: { 'muster.batch': firstChildBatchNo, 'muster.parent_batch': 1, 'muster.step': 1, 'muster.users': 1 },
    });
    expect(bearing?.links).toEqual([{ ...root, isSampled: true }]);
    const steps = tracing.spans.filter((span) => span.traceId === traceId && span.name.startsWith('step '));
    expect(steps.map(({ name, parentId, links }) => [name, parentId, links])).toEqual([
      ['step award-reward', root.spanId, undefined],
      ['step send-message', root.spanId, undefined],
    ]);
  });

  it('are sampled in a child batch independently of its parent batch', async () => {
    const tracing = createRecordedSpans({ share: 0.5 });
    const { clock, endpoint, feed } = await createRunningWorker({}, () => ({ tracing, random }));
    const numbers = Array.from({ length: 100 }, (_, index) => index);
    endpoint.answer = (seen) => {
      const { batch, users } = seen.call;
      return answerWithFailures(seen, isChildBatch(batch) ? [] : users.slice(1), { retryable: true });
    };
    const { feedId } = await feed(numbers.map((number) => [`u${1000 + number}a`, `u${1000 + number}b`]));
    await passTime(clock, 120_000);
    const traces = batchTracesOf(feedId);
    const isRecorded = (batchNo: number) => isSampled(traces.traceOf(batchNo), 0.5);
    const created = named(tracing.spans, 'child batch');
    expect(created.map(({ traceId }) => traceId).toSorted()).toEqual(
      numbers
        .map((number) => firstChildBatchNo + number)
        .filter(isRecorded)
        .map(traces.traceOf)
        .toSorted(),
    );
    const parents = created.map(({ attributes }) => Number(attributes['muster.parent_batch']));
    expect(created.map(({ links }) => links)).toMatchObject(
      parents.map((batchNo) => [{ traceId: traces.traceOf(batchNo), isSampled: isRecorded(batchNo) }]),
    );
    // A part of a hundred parents is sampled.
    expect(new Set(parents.map(isRecorded))).toEqual(new Set([true, false]));
  });

  it('are recorded for the sampled share of trace ids, and every call sends the sampled flag of its trace', async () => {
    const tracing = createRecordedSpans({ share: 0.2 });
    const { clock, endpoint, feed } = await createRunningWorker({}, () => ({ tracing, random }));
    const { feedId } = await feed(Array.from({ length: 60 }, (_, index) => [`u${String(index).padStart(3, '0')}`]));
    await passTime(clock, 5000);
    const traces = batchTracesOf(feedId);
    const expected = new Set(
      Array.from({ length: 60 }, (_, index) => traces.traceOf(index + 1)).filter((trace) => isSampled(trace, 0.2)),
    );
    expect(expected.size).toBeGreaterThan(0);
    expect(expected.size).toBeLessThan(60);
    expect(new Set(tracing.spans.map(({ traceId }) => traceId))).toEqual(expected);
    expect(endpoint.seen).toHaveLength(120);
    for (const { traceparent, call } of endpoint.seen) {
      const traceId = traces.traceOf(call.batch);
      expect(contextOf(traceparent)).toMatchObject({ traceId, isSampled: expected.has(traceId) });
    }
  });

  it('are not recorded if tracing is off, and calls send no traceparent', async () => {
    const { clock, endpoint, feed } = await createRunningWorker();
    await feed([['u1']]);
    await passTime(clock, 1000);
    expect(endpoint.seen.map(({ traceparent }) => traceparent)).toEqual([undefined, undefined]);
  });
});
