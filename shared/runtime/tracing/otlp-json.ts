import type { Span, SpanLink } from '../../ports/tracing.ts';

const kinds = { internal: 1, server: 2, client: 3, producer: 4, consumer: 5 } as const;
const failed = 2;
const sampled = 1;

/**
 * Serializes spans in OTLP's JSON (https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding): ids are
 * hexadecimal, 64-bit numbers are texts.
 * @param resource attributes of the process, common to all spans
 */
export function otlpTraces(
  resource: Readonly<Record<string, string>>,
  scope: { name: string; version: string },
  spans: readonly Span[],
): string {
  const ofProcess = { attributes: attributesOf(resource) };
  return JSON.stringify({
    resourceSpans: [{ resource: ofProcess, scopeSpans: [{ scope, spans: spans.map(spanOf) }] }],
  });
}

function spanOf({ traceId, spanId, parentId, name, kind, startMs, endMs, attributes, links, error }: Span) {
  return {
    traceId,
    spanId,
    ...(parentId !== null && { parentSpanId: parentId }),
    flags: sampled,
    name,
    kind: kinds[kind],
    startTimeUnixNano: nanosOf(startMs),
    // Different clocks, or a clock that was set, must not produce a negative duration.
    endTimeUnixNano: nanosOf(Math.max(startMs, endMs)),
    attributes: attributesOf(attributes),
    ...(links && links.length > 0 && { links: links.map(linkOf) }),
    status: error === null ? {} : { code: failed, message: error },
  };
}

function linkOf({ traceId, spanId, isSampled }: SpanLink) {
  return { traceId, spanId, flags: isSampled ? sampled : 0 };
}

/** Returns nanoseconds, rounded to microseconds: a number is not more precise for current times. */
function nanosOf(ms: number): string {
  return `${Math.round(ms * 1000)}000`;
}

function attributesOf(attributes: Readonly<Record<string, string | number | boolean>>) {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: valueOf(value) }));
}

function valueOf(value: string | number | boolean) {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}
