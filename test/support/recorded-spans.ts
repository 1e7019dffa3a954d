import type { Span, Tracing } from '../../shared/ports/tracing.ts';

/** Tracing that records its spans. */
export interface RecordedSpans extends Tracing {
  readonly spans: readonly Span[];
}

export function createRecordedSpans({ share = 1, followsCallers = true } = {}): RecordedSpans {
  const spans: Span[] = [];
  return { spans, share, followsCallers, record: (span) => void spans.push(span) };
}
