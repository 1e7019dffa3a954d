import { describe, expect, it } from 'vitest';
import { writeOwnTerms } from '../../../shared/contracts/jobs/call-terms.ts';
import { readTraceparent } from '../../../shared/domain/tracing/trace-context.ts';
import { rootSpanOf, traceOfJob } from '../../../shared/domain/tracing/trace-ids.ts';
import { createRecordedSpans } from '../../../test/support/recorded-spans.ts';
import { traceCall } from './job-traces.ts';

const jobId = '018f2c3e-7b1a-7c4d-9e5f-0123456789ab';
const ofJob = traceOfJob(jobId);
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const spanId = '00f067aa0ba902b7';
const sampled = `00-${traceId}-${spanId}-01`;
const unsampled = `00-${traceId}-${spanId}-00`;
const random = () => Math.random();

function traced(
  headers: string[],
  parent?: string,
  tracing: ReturnType<typeof createRecordedSpans> | null = null,
  state?: string,
) {
  const caller = parent === undefined ? undefined : { parent, ...(state !== undefined && { state }) };
  const trace = traceCall({ jobId }, headers, caller, { tracing, random });
  return { trace, headers, reported: readTraceparent(headers[headers.indexOf('traceparent') + 1] ?? '') };
}

describe('a call without tracing', () => {
  it('has no trace headers', () => {
    expect(traced(['accept', '*/*'])).toMatchObject({ trace: null, headers: ['accept', '*/*'] });
  });

  it.each([sampled, unsampled])('forwards the traceparent of the request that scheduled the job: %s', (parent) => {
    expect(traced([], parent, null, 'rojo=1').headers).toEqual(['tracestate', 'rojo=1', 'traceparent', parent]);
  });

  it("keeps the job's own traceparent header", () => {
    expect(traced(['Traceparent', 'whatever it says'], sampled).headers).toEqual(['Traceparent', 'whatever it says']);
  });
});

describe('a call with tracing', () => {
  it('belongs to the trace of its job', () => {
    const { trace, reported } = traced([], undefined, createRecordedSpans());
    expect(trace).toMatchObject({ traceId: ofJob, parentId: rootSpanOf(ofJob) });
    expect(reported).toEqual({ traceId: ofJob, spanId: trace?.spanId, isSampled: true });
  });

  it('sends an unsampled traceparent if it is not recorded', () => {
    const { trace, reported } = traced([], undefined, createRecordedSpans({ share: 0 }));
    expect(trace).toBeNull();
    expect(reported).toEqual({ traceId: ofJob, spanId: rootSpanOf(ofJob), isSampled: false });
  });

  it('stays in the trace of the request that scheduled the job, and follows its sampled flag', () => {
    const { trace, reported } = traced([], sampled, createRecordedSpans({ share: 0 }));
    expect(trace).toMatchObject({ traceId, parentId: rootSpanOf(ofJob) });
    expect(reported).toMatchObject({ traceId, isSampled: true });
    expect(traced([], unsampled, createRecordedSpans())).toMatchObject({
      trace: null,
      headers: ['traceparent', unsampled],
    });
  });

  it('is sampled by the configured share if callers do not decide', () => {
    expect(traced([], sampled, createRecordedSpans({ share: 0, followsCallers: false })).trace).toBeNull();
    expect(traced([], unsampled, createRecordedSpans({ followsCallers: false })).trace).toMatchObject({ traceId });
  });

  it('takes a valid traceparent header of the job as its parent', () => {
    const own = traced(['traceparent', sampled], undefined, createRecordedSpans());
    expect(own.trace).toMatchObject({ traceId, parentId: spanId });
    expect(own.headers.filter((text) => text === 'traceparent')).toHaveLength(1);
    expect(traced(['traceparent', 'nonsense'], undefined, createRecordedSpans()).trace).toMatchObject({
      traceId: ofJob,
    });
  });
});

it('a trace is stored in the terms of the job, and without a trace these terms are null', () => {
  expect(writeOwnTerms({ trace: undefined })).toBeNull();
  expect(writeOwnTerms({ trace: { parent: sampled } })).toBe(`{"trace":{"parent":"${sampled}"}}`);
});
