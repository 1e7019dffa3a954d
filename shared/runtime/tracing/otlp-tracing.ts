import { createHttpOrigin, type HttpOutcome } from '../../http-client/http-dispatch.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Meter } from '../../ports/meter.ts';
import type { Span, Tracing } from '../../ports/tracing.ts';
import type { TracingSettings } from '../configuration/tracing-settings.ts';
import { processMetrics } from '../meter/process-metrics.ts';
import { createFoldedLog } from '../folded-log.ts';
import type { Logger } from '../logger.ts';
import { createLoop } from '../loop.ts';
import { packageVersion } from '../version.ts';
import { otlpTraces } from './otlp-json.ts';

/** OpenTelemetry's default queue size. */
export const maxQueuedSpans = 2048;
/** Spans serialized as one text: some 100 KB, and a millisecond of CPU. */
export const maxSpansPerRequest = 256;
/** Time to gather spans before a request, in ms. */
const gatherMs = 5000;
const idleMs = 60_000;
const retryMs = 5000;
const requestTimeoutMs = 5000;
const maxAnswerBytes = 16 * 1024;

export interface OtlpTracingDeps {
  clock: Clock;
  logger: Logger;
  meter: Meter;
  /** Maximum time for sending the last spans, in ms. */
  stopWithinMs: number;
}

export interface RunningTracing extends Tracing {
  /** Sends the queued spans within the time limit, and drops the rest. */
  stop(): Promise<void>;
}

/**
 * Statuses after which the collector accepts the same spans later. With any other status, the collector would refuse
 * the same spans again.
 */
const busy: readonly number[] = [429, 502, 503, 504];

/** Sends spans by OTLP over HTTP. Nothing waits for the collector: surplus spans are dropped and counted. */
export function createOtlpTracing(settings: TracingSettings, deps: OtlpTracingDeps): RunningTracing {
  const { endpoint, share, followsCallers, resource } = settings;
  const { clock, logger, meter, stopWithinMs } = deps;
  const headers = ['content-type', 'application/json', ...settings.headers];
  const origin = createHttpOrigin({
    origin: endpoint.origin,
    connections: 1,
    timeoutMs: requestTimeoutMs,
    maxAnswerBytes,
    cutsAnswers: true,
  });
  const counted = meter.counter(processMetrics.spans);
  const results = {
    exported: counted.of({ result: 'exported' }),
    'no-room': counted.of({ result: 'no-room' }),
    refused: counted.of({ result: 'refused' }),
    'left-at-stop': counted.of({ result: 'left-at-stop' }),
  };
  const log = createFoldedLog({ logger, clock, failing: 'spans cannot be exported' });
  let queue: Span[] = [];
  let firstAtMs = 0;
  let isStopped = false;

  /** Sends the next spans. Returns true if the collector has accepted them, or will never accept them. */
  async function send(withinMs: number): Promise<boolean> {
    const spans = queue.splice(0, maxSpansPerRequest);
    const body = Buffer.from(otlpTraces(resource, { name: 'muster', version: packageVersion }, spans));
    const path = endpoint.pathname + endpoint.search;
    const outcome = await origin.send({ method: 'POST', path, headers: [...headers], body, timeoutMs: withinMs });
    const failure = failureOf(outcome);
    if (failure === null) {
      results.exported.add(spans.length);
      log.worked(settings);
      return true;
    }
    log.failed(settings, new Error(failure));
    if (outcome.kind === 'answered' && !busy.includes(outcome.status)) {
      results.refused.add(spans.length);
      return true;
    }
    // Unsent spans go back to the front; newer spans beyond the queue's size are dropped.
    const kept = [...spans, ...queue];
    queue = kept.slice(0, maxQueuedSpans);
    if (kept.length > queue.length) results['no-room'].add(kept.length - queue.length);
    return false;
  }

  async function turn(): Promise<number> {
    if (queue.length === 0) return idleMs;
    const gatheredMs = clock.monotonicMs() - firstAtMs;
    if (queue.length < maxSpansPerRequest && gatheredMs < gatherMs) return gatherMs - gatheredMs;
    const isGone = await send(requestTimeoutMs);
    firstAtMs = clock.monotonicMs();
    return isGone ? 0 : retryMs;
  }

  const loop = createLoop({ name: 'trace-export', turn, afterErrorMs: retryMs, clock, logger });
  loop.start();

  return {
    share,
    followsCallers,
    record: (span) => {
      if (isStopped || queue.length >= maxQueuedSpans) {
        results['no-room'].add();
        return;
      }
      if (queue.length === 0) firstAtMs = clock.monotonicMs();
      const length = queue.push(span);
      if (length === 1 || length === maxSpansPerRequest) loop.poke();
    },
    stop: async () => {
      const untilMs = clock.monotonicMs() + stopWithinMs;
      const leftMs = () => untilMs - clock.monotonicMs();
      await Promise.race([loop.stop(), clock.sleep(stopWithinMs)]);
      while (queue.length > 0 && leftMs() > 0) if (!(await send(leftMs()))) break;
      isStopped = true;
      results['left-at-stop'].add(queue.length);
      queue = [];
      await origin.close();
    },
  };
}

/** Returns null if the collector accepted the spans. */
function failureOf(outcome: HttpOutcome): string | null {
  if (outcome.kind !== 'answered') return outcome.cause;
  return outcome.status < 300 ? null : `the collector answered ${outcome.status}`;
}
