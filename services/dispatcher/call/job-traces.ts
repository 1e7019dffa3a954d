import type { CallerTrace } from '../../../shared/contracts/jobs/call-terms.ts';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import { readTraceparent, traceHeaders, writeTraceparent } from '../../../shared/domain/tracing/trace-context.ts';
import { isSampled, newSpanId, rootSpanOf, traceOfJob } from '../../../shared/domain/tracing/trace-ids.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { Span, Tracing } from '../../../shared/ports/tracing.ts';
import { attemptOf, type HeldJob } from '../jobs/held-job.ts';
import type { CallNote, JobVerdict } from '../ports/call-ledger.ts';

export interface JobTrace {
  traceId: string;
  parentId: string;
  spanId: string;
}

export interface TraceCallDeps {
  tracing?: Tracing | null | undefined;
  /** Random number in [0, 1). */
  random: () => number;
}

/**
 * Adds trace headers to a call. The call continues the trace in the job's own `traceparent` header. Without such a
 * header, it continues the trace of the request that created the job, or else begins a new trace. If tracing is off,
 * the headers of the caller's trace are still sent.
 * @param headers names and values, alternating; this function changes them
 * @returns null if the call is not recorded
 */
export function traceCall(
  job: Pick<HeldJob, 'jobId'>,
  headers: string[],
  caller: CallerTrace | undefined,
  { tracing, random }: TraceCallDeps,
): JobTrace | null {
  if (!tracing && !caller) return null;
  const place = headers.findIndex((text, index) => index % 2 === 0 && text.toLowerCase() === traceHeaders.parent);
  const own = place < 0 ? undefined : headers[place + 1];
  const given = own ?? caller?.parent;
  const context = given === undefined ? undefined : readTraceparent(given);
  const ofJob = traceOfJob(job.jobId);
  const traceId = context?.traceId ?? ofJob;
  if (own === undefined && caller?.state !== undefined) headers.push(traceHeaders.state, caller.state);
  if (!tracing || !isRecorded(traceId, context?.isSampled, tracing)) {
    const unrecorded = { traceId, spanId: rootSpanOf(ofJob), isSampled: false };
    if (own === undefined) headers.push(traceHeaders.parent, given ?? writeTraceparent(unrecorded));
    return null;
  }
  const spanId = newSpanId(random);
  const traceparent = writeTraceparent({ traceId, spanId, isSampled: true });
  if (own === undefined) headers.push(traceHeaders.parent, traceparent);
  else headers[place + 1] = traceparent;
  // The API recorded the request that created the job under a span whose id is derived from the job's id.
  return { traceId, spanId, parentId: own !== undefined && context ? context.spanId : rootSpanOf(ofJob) };
}

function isRecorded(
  traceId: string,
  isSampledByCaller: boolean | undefined,
  { share, followsCallers }: Tracing,
): boolean {
  return isSampledByCaller !== undefined && followsCallers ? isSampledByCaller : isSampled(traceId, share);
}

/** A call that has ended, or a job that ended without a call. */
export interface EndedCall {
  job: HeldJob;
  trace?: JobTrace | null;
  note: CallNote;
  verdict: JobVerdict;
  host: string;
}

/**
 * Records the spans of a call that has ended. All times are converted to the database's clock, because the due time is
 * a time of that clock.
 */
export function recordCall(call: EndedCall, tracing: Tracing, clock: Clock, random: () => number): void {
  const { job, trace, note, verdict, host } = call;
  if (!trace) return;
  const wallMs = (monotonicMs: number) => monotonicMs + job.clockAheadMs;
  const endedMs = wallMs(clock.monotonicMs());
  const startedMs = endedMs - (note.latencyMs ?? 0);
  const claimedMs = wallMs(job.leaseUntilMs - job.leaseMs);
  const { traceId, parentId, spanId } = trace;
  const attempt = attemptOf(job);
  const record = (span: Pick<Span, 'name' | 'kind' | 'startMs' | 'endMs'>) =>
    tracing.record({
      ...span,
      traceId,
      parentId,
      spanId: newSpanId(random),
      error: null,
      attributes: { 'muster.attempt': attempt },
    });
  record({ name: 'offer', kind: 'consumer', startMs: job.dueUs / 1000, endMs: claimedMs });
  record({ name: 'claim', kind: 'internal', startMs: claimedMs, endMs: startedMs });
  tracing.record({
    traceId,
    parentId,
    spanId,
    name: 'call job',
    kind: 'client',
    startMs: startedMs,
    endMs: endedMs,
    error: note.error,
    attributes: {
      'muster.job': publicId('job', job.jobId),
      'muster.attempt': attempt,
      'muster.verdict': verdict.kind,
      'http.request.method': job.method,
      'server.address': host,
      ...(note.status !== null && { 'http.response.status_code': note.status }),
    },
  });
}
