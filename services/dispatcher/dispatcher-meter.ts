import type { Meter } from '../../shared/ports/meter.ts';
import type { JobCall } from './call/call-job.ts';
import { dispatcherMetrics } from './metrics.ts';
import type { Flushed } from './ports/call-ledger.ts';

export interface DispatcherMeterDeps {
  meter: Meter;
  levels: () => { queued: number; waiting: number; inFlight: number };
  longestWaitMs: () => number;
}

/** Metrics of a dispatcher. No label contains an id, because the number of clients is unbounded. */
export interface DispatcherMeter {
  called(call: JobCall, nowMs: number): void;
  /** Counts a reference that was dropped because too many references of its client were queued. */
  refused(): void;
  flushed(flushed: Flushed, calls: readonly JobCall[], claims: number, tookMs: number): void;
}

export function createDispatcherMeter({ meter, levels, longestWaitMs }: DispatcherMeterDeps): DispatcherMeter {
  const calls = meter.counter(dispatcherMetrics.calls);
  const kinds = ['called', 'expired', 'dead', 'retry', 'released', 'sidelined', 'reporting'] as const;
  const counters = new Map(kinds.map((verdict) => [verdict, calls.of({ verdict })]));
  const durations = meter.histogram(dispatcherMetrics.durations).of({});
  const lags = meter.histogram(dispatcherMetrics.lags).of({});
  const flushes = meter.histogram(dispatcherMetrics.flushes).of({});
  const lost = meter.counter(dispatcherMetrics.lost).of({});
  const missed = meter.counter(dispatcherMetrics.missed).of({});
  const refused = meter.counter(dispatcherMetrics.refused).of({});
  meter.gauge({
    ...dispatcherMetrics.jobs,
    collect: (gauge) => {
      for (const [state, value] of Object.entries(levels())) gauge.of({ state }).set(value);
    },
  });
  meter.gauge({
    ...dispatcherMetrics.longestWait,
    collect: (gauge) => gauge.of({}).set(longestWaitMs() / 1000),
  });

  return {
    called: ({ job, verdict, note }, nowMs) => {
      counters.get(verdict.kind)?.add();
      if (note.latencyMs === null) return;
      durations.observe(note.latencyMs / 1000);
      if (job.attempt === 1) lags.observe(Math.max(0, nowMs - job.scheduledForMs) / 1000);
    },
    refused: () => refused.add(),
    flushed: ({ recorded, claimed }, ended, claims, tookMs) => {
      flushes.observe(tookMs / 1000);
      if (recorded.size < ended.length) lost.add(ended.length - recorded.size);
      if (claimed.length < claims) missed.add(claims - claimed.length);
    },
  };
}
