import type { MetricTable } from '../../shared/ports/meter.ts';

export const dispatcherMetrics = {
  calls: {
    kind: 'counter',
    name: 'muster_callbacks_total',
    help: 'Handled jobs by result: called, retry (later), reporting (the receiver reports later), dead, expired, sidelined (its host does not answer), released (to other dispatchers).',
    labelNames: ['verdict'],
  },
  sentAgain: {
    kind: 'counter',
    name: 'muster_callbacks_sent_again_total',
    help: 'Calls, and requests for access tokens, that were repeated, because a kept connection ended without an answer. Both sends count as one call in all other metrics.',
  },
  durations: {
    kind: 'histogram',
    name: 'muster_callback_duration_seconds',
    help: 'Duration of a call.',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  },
  lags: {
    kind: 'histogram',
    name: 'muster_callback_lag_seconds',
    help: 'Time from the requested time of a job to the end of its first call.',
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60, 600],
  },
  flushes: {
    kind: 'histogram',
    name: 'muster_callback_flush_duration_seconds',
    help: 'Duration of the statement that ends and claims jobs.',
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1],
  },
  lost: {
    kind: 'counter',
    name: 'muster_callback_results_lost_total',
    help: 'Results of jobs that another dispatcher had claimed meanwhile.',
  },
  missed: {
    kind: 'counter',
    name: 'muster_callback_claims_missed_total',
    help: 'References to jobs that need no call.',
  },
  refused: {
    kind: 'counter',
    name: 'muster_callback_references_refused_total',
    help: 'References beyond the requested number, which were dropped; the sweep offers them again.',
  },
  jobs: {
    kind: 'gauge',
    name: 'muster_dispatcher_jobs',
    help: 'Jobs of the dispatcher: queued (not claimed yet), waiting for a slot, inFlight (being called).',
    labelNames: ['state'],
  },
  longestWait: {
    kind: 'gauge',
    name: 'muster_dispatcher_longest_wait_seconds',
    help: 'Longest wait of a claimed job for a call slot. After two seconds the job is released.',
  },
} as const satisfies MetricTable;
