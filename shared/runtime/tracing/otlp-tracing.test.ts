import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Span } from '../../ports/tracing.ts';
import { passTime } from '../../../test/support/pass-time.ts';
import { createSettableClock, type SettableClock } from '../../../test/support/settable-clock.ts';
import { startSpanCollector, type SpanCollector } from '../../../test/support/span-collector.ts';
import { systemClock } from '../system-clock.ts';
import { createPrometheusMeter } from '../meter/prometheus-meter.ts';
import { createOtlpTracing, maxQueuedSpans, maxSpansPerRequest, type OtlpTracingDeps } from './otlp-tracing.ts';

const logger = pino({ level: 'silent' });

let collector: SpanCollector;
beforeEach(async () => {
  collector = await startSpanCollector();
});
afterEach(() => collector.stop());

function spanNo(number: number, changes: Partial<Span> = {}): Span {
  return {
    traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
    spanId: number.toString(16).padStart(16, '0'),
    parentId: null,
    name: 'call award-reward',
    kind: 'client',
    startMs: 1_767_225_600_000.125,
    endMs: 1_767_225_600_010.5,
    attributes: { 'muster.action': 'award-reward', 'muster.users': 100 },
    error: null,
    ...changes,
  };
}

const several = (count: number) => Array.from({ length: count }, (_, index) => spanNo(index + 1));

function start({
  headers = [] as string[],
  url = collector.url,
  ...more
}: Partial<OtlpTracingDeps> & { headers?: string[]; url?: string } = {}) {
  const clock = createSettableClock();
  const meter = createPrometheusMeter({ logger });
  const settings = { endpoint: new URL(`${url}/v1/traces`), headers, share: 1, followsCallers: true };
  const resource = { 'service.name': 'muster-worker' };
  const tracing = createOtlpTracing({ ...settings, resource }, { clock, logger, meter, stopWithinMs: 3000, ...more });
  const counted = async (result: string) => {
    const { text } = await meter.expose();
    return Number(new RegExp(`^muster_trace_spans_total\\{result="${result}"\\} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
  };
  return { clock, tracing, counted };
}

/** Moves the clock until the condition holds: answers arrive in real time. */
async function passUntil(clock: SettableClock, holds: () => boolean): Promise<void> {
  while (!holds()) {
    await passTime(clock, 1000);
    await new Promise(setImmediate);
  }
}

describe('spans', () => {
  it('are sent in one OTLP request with the configured headers after 5 s', async () => {
    const { clock, tracing, counted } = start({ headers: ['authorization', 'Bearer abc'] });
    tracing.record(spanNo(1));
    const linked = { traceId: 'a3ce929d0e0e47364bf92f3577b34da6', spanId: '00f067aa0ba902b7' };
    const links = [true, false].map((isSampled) => ({ ...linked, isSampled }));
    tracing.record(spanNo(2, { parentId: '0000000000000001', error: 'connection refused', endMs: 0, links }));
    await passTime(clock, 4999);
    expect(collector.requests).toEqual([]);
    await passTime(clock, 1);
    await collector.until((spans) => spans.length === 2);
    const [{ path, headers } = { path: '', headers: {} }] = collector.requests;
    expect({ path, ...headers }).toMatchObject({
      path: '/v1/traces',
      authorization: 'Bearer abc',
      'content-type': 'application/json',
    });
    expect(collector.spans).toMatchObject([
      {
        service: 'muster-worker',
        name: 'call award-reward',
        kind: 3,
        status: {},
        startTimeUnixNano: '1767225600000125000',
        endTimeUnixNano: '1767225600010500000',
        attributes: { 'muster.action': 'award-reward', 'muster.users': '100' },
      },
      {
        parentSpanId: '0000000000000001',
        status: { code: 2, message: 'connection refused' },
        // A span cannot end before it began.
        endTimeUnixNano: '1767225600000125000',
        links: [
          { ...linked, flags: 1 },
          { ...linked, flags: 0 },
        ],
      },
    ]);
    expect(collector.spans[0]?.links).toBeUndefined();
    await tracing.stop();
    expect(await counted('exported')).toBe(2);
  });

  it('are sent earlier if there are enough spans for a full request', async () => {
    const { tracing } = start({ clock: systemClock });
    several(maxSpansPerRequest).forEach((span) => tracing.record(span));
    await collector.until((spans) => spans.length === maxSpansPerRequest);
    await tracing.stop();
  });

  it('are sent when the process stops, and a later span is counted as dropped', async () => {
    const { tracing, counted } = start({ clock: systemClock });
    several(600).forEach((span) => tracing.record(span));
    await tracing.stop();
    expect(collector.spans).toHaveLength(600);
    tracing.record(spanNo(601));
    expect(await counted('no-room')).toBe(1);
  });

  it('are dropped and counted if the queue is full, without waiting', async () => {
    const { tracing, counted } = start();
    several(maxQueuedSpans + 10).forEach((span) => tracing.record(span));
    expect(await counted('no-room')).toBe(10);
    await tracing.stop();
    expect(collector.spans).toHaveLength(maxQueuedSpans);
  });

  it('are retried if the collector is busy, and dropped if it refuses them', async () => {
    const { clock, tracing, counted } = start();
    collector.status = 503;
    tracing.record(spanNo(1));
    await passUntil(clock, () => collector.requests.length === 1);
    collector.status = 200;
    await passUntil(clock, () => collector.spans.length === 1);
    collector.status = 400;
    tracing.record(spanNo(2));
    await passUntil(clock, () => collector.requests.length === 3);
    collector.status = 200;
    await tracing.stop();
    expect(collector.spans).toHaveLength(1);
    expect(await counted('refused')).toBe(1);
  });

  it('do not delay the stop of a process whose collector is gone', async () => {
    const url = collector.url;
    await collector.stop();
    collector = await startSpanCollector();
    const { tracing, counted } = start({ url, clock: systemClock, stopWithinMs: 1000 });
    several(3).forEach((span) => tracing.record(span));
    await tracing.stop();
    expect(await counted('left-at-stop')).toBe(3);
  });
});
