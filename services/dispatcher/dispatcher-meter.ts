import type { Meter } from '../../shared/ports/meter.ts';
import type { JobCall } from './call-job.ts';
import type { Flushed } from './ports/call-ledger.ts';

export interface DispatcherMeterDeps {
  meter: Meter;
  levels: () => { queued: number; waiting: number; inFlight: number };
}

/** What a dispatcher does, in figures. No label is an id: clients are too many. */
export interface DispatcherMeter {
  called(call: JobCall, nowMs: number): void;
  /** A reference was not kept, as too many of its client were here. */
  refused(): void;
  flushed(flushed: Flushed, calls: readonly JobCall[], claims: number, tookMs: number): void;
}

export function createDispatcherMeter({ meter, levels }: DispatcherMeterDeps): DispatcherMeter {
  const calls = meter.counter({
    name: 'muster_callbacks_total',
    help: 'Jobs that a dispatcher is through with, by what became of them.',
    labelNames: ['verdict'],
  });
  const kinds = ['called', 'expired', 'dead', 'retry', 'released', 'sidelined', 'reporting'] as const;
  const counters = new Map(kinds.map((verdict) => [verdict, calls.of({ verdict })]));
  const durations = meter
    .histogram({
      name: 'muster_callback_duration_seconds',
      help: 'From the beginning of a call to its end.',
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    })
    .of({});
  const lags = meter
    .histogram({
      name: 'muster_callback_lag_seconds',
      help: 'From the time that a job was asked for to the end of its first call.',
      buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60, 600],
    })
    .of({});
  const flushes = meter
    .histogram({
      name: 'muster_callback_flush_duration_seconds',
      help: 'The statement that ends and claims jobs.',
      buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1],
    })
    .of({});
  const lost = meter
    .counter({ name: 'muster_callback_results_lost_total', help: 'Results whose job was another’s by then.' })
    .of({});
  const missed = meter
    .counter({ name: 'muster_callback_claims_missed_total', help: 'References to jobs that nobody needs to call.' })
    .of({});
  const refused = meter
    .counter({
      name: 'muster_callback_references_refused_total',
      help: 'References that came beyond what was asked for and were not kept: the sweep offers them again.',
    })
    .of({});
  meter.gauge({
    name: 'muster_dispatcher_jobs',
    help: 'Jobs that a dispatcher knows of: not claimed yet, waiting for a slot, being called.',
    labelNames: ['state'],
    collect: (gauge) => {
      for (const [state, value] of Object.entries(levels())) gauge.of({ state }).set(value);
    },
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
