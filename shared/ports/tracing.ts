/** Attributes of a span; their names begin with `muster.` unless OpenTelemetry defines one. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** A finished operation within a trace. */
export interface Span {
  traceId: string;
  spanId: string;
  /** Parent span; null if the span begins its trace. */
  parentId: string | null;
  /** Name from a small set, like labels of metrics: details that differ between spans are attributes. */
  name: string;
  kind: 'internal' | 'server' | 'client' | 'producer' | 'consumer';
  /** Milliseconds since 1970, with fractions. */
  startMs: number;
  endMs: number;
  attributes: SpanAttributes;
  links?: readonly SpanLink[] | undefined;
  /** Error of the operation as a text for people; null if the operation succeeded. */
  error: string | null;
}

export interface SpanLink {
  traceId: string;
  spanId: string;
  /** True if the linked trace is recorded. Otherwise nothing is stored under its id. */
  isSampled: boolean;
}

export interface Tracing {
  /** Share of the traces that begin here and are recorded, from 0 to 1. All processes must have the same share. */
  readonly share: number;
  /** True if a caller decides about sampling of the traces that it continues. */
  readonly followsCallers: boolean;
  /** Records a span. Never waits and never throws: excess spans are dropped and counted. */
  record(span: Span): void;
}
