/** What a span says of itself; its names begin with `muster.` unless OpenTelemetry has one. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** Something that was done within a trace, told when it is over. */
export interface Span {
  traceId: string;
  spanId: string;
  /** The span that it belongs to; null: it begins its trace. */
  parentId: string | null;
  /** Of a small set, as the labels of metrics: what differs from one to the next is an attribute. */
  name: string;
  kind: 'internal' | 'server' | 'client' | 'producer' | 'consumer';
  /** In milliseconds since 1970, with fractions. */
  startMs: number;
  endMs: number;
  attributes: SpanAttributes;
  /** Spans of other traces that it has to do with. */
  links?: readonly SpanLink[] | undefined;
  /** For people; null where all is well. */
  error: string | null;
}

export interface SpanLink {
  traceId: string;
  spanId: string;
  /** Whether that trace is recorded: its id leads nowhere otherwise. */
  isSampled: boolean;
}

/** Where spans go, where tracing is on. */
export interface Tracing {
  /** Of the traces that begin here, from 0 to 1. All processes have to have the same. */
  readonly share: number;
  /** Whether a caller decides about the traces that it brings. */
  readonly followsCallers: boolean;
  /** Never waits, never throws: what is too much is dropped and counted. */
  record(span: Span): void;
}
