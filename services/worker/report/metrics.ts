import type { MetricTable } from '../../../shared/ports/meter.ts';

const shardLabels = ['action', 'country'] as const;
const resultLabels = ['action', 'country', 'result'] as const;

export const workerMetrics = {
  calls: {
    kind: 'counter',
    name: 'muster_worker_calls_total',
    help: 'Calls of batch endpoints by result: reported (an answer for each user), refused, misconfigured, not-applied, ambiguous.',
    labelNames: resultLabels,
  },
  users: {
    kind: 'counter',
    name: 'muster_worker_users_total',
    help: 'Users of calls, by the result of the call.',
    labelNames: resultLabels,
  },
  statusQueries: {
    kind: 'counter',
    name: 'muster_worker_status_queries_total',
    help: 'Status requests for lost calls (class C), by result.',
    labelNames: resultLabels,
  },
  sentAgain: {
    kind: 'counter',
    name: 'muster_worker_calls_sent_again_total',
    help: 'Calls of batch endpoints (classes A and B) and status requests that were repeated, because a kept connection ended without an answer. Both sends count as one call in all other metrics.',
    labelNames: ['action', 'request'],
  },
  violations: {
    kind: 'counter',
    name: 'muster_worker_contract_violations_total',
    help: 'Answers that break the endpoint contract.',
    labelNames: shardLabels,
  },
  latency: {
    kind: 'histogram',
    name: 'muster_worker_call_duration_seconds',
    help: 'Time from the start of a call to the end of its answer.',
    labelNames: shardLabels,
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
  },
  flushSeconds: {
    kind: 'histogram',
    name: 'muster_worker_flush_duration_seconds',
    help: 'Duration of the statement that records results and claims steps.',
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30],
  },
  flushed: {
    kind: 'counter',
    name: 'muster_worker_flushed_steps_total',
    help: 'Steps of flushes: results; claims; handed-on (the next step was claimed with the result); fenced results and not-claimed steps (of another worker, or done); busy (budget locked, claimed again later); refused by the database, which is a bug.',
    labelNames: ['what'],
  },
  callsInFlight: {
    kind: 'gauge',
    name: 'muster_worker_calls_in_flight',
    help: 'Calls in flight.',
    labelNames: shardLabels,
  },
  callLimit: {
    kind: 'gauge',
    name: 'muster_worker_call_limit',
    help: 'Limit of calls in flight.',
    labelNames: shardLabels,
  },
  claimsWaiting: {
    kind: 'gauge',
    name: 'muster_worker_claims_waiting',
    help: 'Claimed steps that wait for a call slot.',
    labelNames: shardLabels,
  },
  breakerOpen: {
    kind: 'gauge',
    name: 'muster_worker_breaker_open',
    help: '1 while the endpoint counts as down.',
    labelNames: shardLabels,
  },
  queued: {
    kind: 'gauge',
    name: 'muster_worker_queued_steps',
    help: 'Steps read from topics that are not claimed yet.',
  },
} as const satisfies MetricTable;
