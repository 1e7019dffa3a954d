import type { MetricTable } from '../../shared/ports/meter.ts';

export const dispatcherMetrics = {
  calls: {
    kind: 'counter',
    name: 'muster_callbacks_total',
    help:
      'Jobs that a dispatcher is through with, by what became of them: called, retry (again later), reporting (the ' +
      'receiver says later), dead, expired, sidelined (its host is left alone), released (to others).',
    labelNames: ['verdict'],
  },
  sentAgain: {
    kind: 'counter',
    name: 'muster_callbacks_sent_again_total',
    help:
      'Calls, and requests for access tokens, that were sent once more, because a kept connection ended without an ' +
      'answer. Each is one call in all other metrics.',
  },
  durations: {
    kind: 'histogram',
    name: 'muster_callback_duration_seconds',
    help: 'From the beginning of a call to its end.',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  },
  lags: {
    kind: 'histogram',
    name: 'muster_callback_lag_seconds',
    help: 'From the time that a job was asked for to the end of its first call.',
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60, 600],
  },
  flushes: {
    kind: 'histogram',
    name: 'muster_callback_flush_duration_seconds',
    help: 'The statement that ends and claims jobs.',
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1],
  },
  lost: {
    kind: 'counter',
    name: 'muster_callback_results_lost_total',
    help: 'Results whose job was another’s by then.',
  },
  missed: {
    kind: 'counter',
    name: 'muster_callback_claims_missed_total',
    help: 'References to jobs that nobody needs to call.',
  },
  refused: {
    kind: 'counter',
    name: 'muster_callback_references_refused_total',
    help: 'References that came beyond what was asked for and were not kept: the sweep offers them again.',
  },
  jobs: {
    kind: 'gauge',
    name: 'muster_dispatcher_jobs',
    help: 'Jobs that a dispatcher knows of: queued (not claimed yet), waiting for a slot, inFlight (being called).',
    labelNames: ['state'],
  },
  longestWait: {
    kind: 'gauge',
    name: 'muster_dispatcher_longest_wait_seconds',
    help: 'How long the claimed job that waits longest has waited for a call slot. After two seconds it is released.',
  },
} as const satisfies MetricTable;
