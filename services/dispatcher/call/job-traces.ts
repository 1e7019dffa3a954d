import type { CallerTrace } from '../../../shared/contracts/jobs/call-terms.ts';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import { readTraceparent, traceHeaders, writeTraceparent } from '../../../shared/domain/tracing/trace-context.ts';
import { isSampled, newSpanId, rootSpanOf, traceOfJob } from '../../../shared/domain/tracing/trace-ids.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { Span, Tracing } from '../../../shared/ports/tracing.ts';
import { attemptOf, type HeldJob } from '../jobs/held-job.ts';
import type { CallNote, JobVerdict } from '../ports/call-ledger.ts';

/** The trace of a call that is recorded. */
export interface JobTrace {
  traceId: string;
  /** What brought the job. */
  parentId: string;
  /** The call's own. */
  spanId: string;
}

export interface TraceCallDeps {
  /** Null, or absent, where it is off. */
  tracing?: Tracing | null | undefined;
  /** In [0, 1). */
  random: () => number;
}

/**
 * Says in the headers of a call which trace it belongs to: that of the job's own header, of the request that brought
 * the job, or else one of its own. Where tracing is off, what a caller has said is passed on all the same.
 * @param headers names and values in turn; they are changed
 * @returns null where the call is not recorded
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
  // What a request brought, the API has recorded under a span that the job's id tells.
  return { traceId, spanId, parentId: own !== undefined && context ? context.spanId : rootSpanOf(ofJob) };
}

function isRecorded(traceId: string, saidSampled: boolean | undefined, { share, followsCallers }: Tracing): boolean {
  return saidSampled !== undefined && followsCallers ? saidSampled : isSampled(traceId, share);
}

/** A call that has ended, or that was not made. */
export interface EndedCall {
  job: HeldJob;
  trace?: JobTrace | null;
  note: CallNote;
  verdict: JobVerdict;
  host: string;
}

/** A call has ended: its spans, by the database's clock, which says when the job was due. */
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
