import type { IncomingHttpHeaders } from 'node:http';
import { readTraceparent, traceHeaders, type TraceContext } from '../../../../shared/domain/tracing/trace-context.ts';

/** Returns the trace to which a request belongs, according to W3C Trace Context; undefined without a valid header. */
export function traceOfRequest(headers: IncomingHttpHeaders): TraceContext | undefined {
  const header = headers[traceHeaders.parent];
  // A header that occurs twice is invalid, so the request then belongs to no trace.
  return typeof header === 'string' ? readTraceparent(header) : undefined;
}

/** Response header with the trace id of a request that belongs to a trace. */
export const traceIdHeader = 'muster-trace-id';
