import type { IncomingHttpHeaders } from 'node:http';
import { readTraceparent, traceHeaders, type TraceContext } from '../../../../shared/domain/tracing/trace-context.ts';

/** The trace that a request belongs to, by W3C Trace Context; undefined where it says none, or what is none. */
export function traceOfRequest(headers: IncomingHttpHeaders): TraceContext | undefined {
  const said = headers[traceHeaders.parent];
  // Two of them are none.
  return typeof said === 'string' ? readTraceparent(said) : undefined;
}

/** Of answers to requests that belong to a trace: its id. */
export const traceIdHeader = 'muster-trace-id';
