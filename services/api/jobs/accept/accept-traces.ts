import type { IncomingHttpHeaders } from 'node:http';
import type { CallerTrace } from '../../../../shared/contracts/jobs/call-terms.ts';
import { publicId } from '../../../../shared/domain/ids/ids.ts';
import {
  readTraceparent,
  readTracestate,
  traceHeaders,
  writeTraceparent,
} from '../../../../shared/domain/tracing/trace-context.ts';
import { isSampled, rootSpanOf, traceOfJob } from '../../../../shared/domain/tracing/trace-ids.ts';
import type { Clock } from '../../../../shared/ports/clock.ts';
import type { Tracing } from '../../../../shared/ports/tracing.ts';
import { traceOfRequest } from '../../frame/server/request-trace.ts';

/** Returns the part of a request's trace that is stored with its job, whether or not this process records traces. */
export function callerTraceOf(headers: IncomingHttpHeaders): CallerTrace | undefined {
  const context = traceOfRequest(headers);
  if (!context) return undefined;
  const tracestate = headers[traceHeaders.state];
  const state = typeof tracestate === 'string' ? readTracestate(tracestate) : undefined;
  return { parent: writeTraceparent(context), ...(state !== undefined && { state }) };
}

export interface AcceptTracesDeps {
  tracing?: Tracing | null | undefined;
  clock: Clock;
}

/**
 * Records the span of a stored job. The spans of its calls become children of this span. The job's id determines the
 * trace.
 * @param startedMs start of the request, by the clock's `monotonicMs`
 */
export function recordAccepted(
  jobId: string,
  caller: CallerTrace | undefined,
  startedMs: number,
  { tracing, clock }: AcceptTracesDeps,
): void {
  if (!tracing) return;
  const ofJob = traceOfJob(jobId);
  const context = caller && readTraceparent(caller.parent);
  const traceId = context?.traceId ?? ofJob;
  const isRecorded = context && tracing.followsCallers ? context.isSampled : isSampled(traceId, tracing.share);
  if (!isRecorded) return;
  const endMs = clock.now().getTime();
  tracing.record({
    traceId,
    spanId: rootSpanOf(ofJob),
    parentId: context?.spanId ?? null,
    name: 'accept job',
    kind: 'server',
    startMs: endMs - (clock.monotonicMs() - startedMs),
    endMs,
    attributes: { 'muster.job': publicId('job', jobId) },
    error: null,
  });
}
