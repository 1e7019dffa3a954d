import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { z } from 'zod';

const value = z.object({ stringValue: z.string().optional(), intValue: z.string().optional() });
const attributes = z
  .array(z.object({ key: z.string(), value }))
  .transform((list) =>
    Object.fromEntries(list.map(({ key, value: { stringValue, intValue } }) => [key, stringValue ?? intValue ?? ''])),
  );

const span = z.object({
  traceId: z.string().regex(/^[0-9a-f]{32}$/),
  spanId: z.string().regex(/^[0-9a-f]{16}$/),
  parentSpanId: z
    .string()
    .regex(/^[0-9a-f]{16}$/)
    .optional(),
  name: z.string(),
  kind: z.int().min(1).max(5),
  startTimeUnixNano: z.string().regex(/^\d{19}$/),
  endTimeUnixNano: z.string().regex(/^\d{19}$/),
  attributes,
  links: z
    .array(
      z.strictObject({
        traceId: z.string().regex(/^[0-9a-f]{32}$/),
        spanId: z.string().regex(/^[0-9a-f]{16}$/),
        flags: z.int().min(0).max(1),
      }),
    )
    .min(1)
    .optional(),
  status: z.object({ code: z.int().optional(), message: z.string().optional() }),
});

/** OTLP's JSON, as far as Muster writes it. */
const request = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes }),
      scopeSpans: z.array(z.object({ scope: z.object({ name: z.string() }), spans: z.array(span) })),
    }),
  ),
});

export interface CollectedSpan extends z.output<typeof span> {
  /** `service.name` of the process. */
  service: string;
}

/** A collector of spans by OTLP over HTTP, like that of Jaeger. */
export interface SpanCollector {
  /** URL for `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  readonly url: string;
  readonly spans: readonly CollectedSpan[];
  /** Received requests. */
  readonly requests: readonly { path: string; headers: IncomingHttpHeaders }[];
  /** Status of the answers; 200 unless set. */
  status: number;
  /** Resolves as soon as the condition holds. Checks it when spans arrive. */
  until(condition: (spans: readonly CollectedSpan[]) => boolean): Promise<void>;
  stop(): Promise<void>;
}

export async function startSpanCollector(): Promise<SpanCollector> {
  const spans: CollectedSpan[] = [];
  const requests: { path: string; headers: IncomingHttpHeaders }[] = [];
  let waiting: { condition: (spans: readonly CollectedSpan[]) => boolean; resolve: () => void }[] = [];
  const collector = { status: 200 };

  function take(body: string): void {
    for (const { resource, scopeSpans } of request.parse(JSON.parse(body)).resourceSpans) {
      const service = resource.attributes['service.name'] ?? '';
      for (const { spans: ofScope } of scopeSpans) spans.push(...ofScope.map((each) => ({ ...each, service })));
    }
  }

  function wake(): void {
    const held = waiting.filter(({ condition }) => condition(spans));
    waiting = waiting.filter((waiter) => !held.includes(waiter));
    for (const { resolve } of held) resolve();
  }

  const server = createServer((incoming, response) => {
    void text(incoming).then((body) => {
      requests.push({ path: incoming.url ?? '', headers: incoming.headers });
      if (collector.status === 200) take(body);
      response.writeHead(collector.status, { 'content-type': 'application/json' }).end('{}');
      wake();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = z.object({ port: z.number() }).parse(server.address());

  return Object.assign(collector, {
    url: `http://127.0.0.1:${address.port}`,
    spans,
    requests,
    until: (condition: (spans: readonly CollectedSpan[]) => boolean) =>
      new Promise<void>((resolve) => {
        waiting.push({ condition, resolve });
        wake();
      }),
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  });
}
