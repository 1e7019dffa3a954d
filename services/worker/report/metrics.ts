import type { MetricTable } from '../../../shared/ports/meter.ts';

const shardLabels = ['action', 'country'] as const;
const resultLabels = ['action', 'country', 'result'] as const;

export const workerMetrics = {
  calls: {
    kind: 'counter',
    name: 'muster_worker_calls_total',
    help:
      'Calls of batch endpoints, by what they brought: reported (an answer for each user), refused, misconfigured, ' +
      'not-applied, ambiguous.',
    labelNames: resultLabels,
  },
  users: {
    kind: 'counter',
    name: 'muster_worker_users_total',
    help: 'Users that calls asked for, by what the calls brought.',
    labelNames: resultLabels,
  },
  statusQueries: {
    kind: 'counter',
    name: 'muster_worker_status_queries_total',
    help: 'Questions what became of calls that were not answered (class C), by what they brought.',
    labelNames: resultLabels,
  },
  sentAgain: {
    kind: 'counter',
    name: 'muster_worker_calls_sent_again_total',
    help:
      'Calls of batch endpoints (classes A and B) and status queries that were sent once more, because a kept ' +
      'connection ended without an answer. Each is one call in all other metrics.',
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
    help: 'From a call to the end of its answer.',
    labelNames: shardLabels,
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
  },
  flushSeconds: {
    kind: 'histogram',
    name: 'muster_worker_flush_duration_seconds',
    help: 'Recording and claiming in one statement.',
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30],
  },
  flushed: {
    kind: 'counter',
    name: 'muster_worker_flushed_steps_total',
    help:
      'Steps of flushes: results and claims that were handed in; handed-on: the next step was claimed with its ' +
      'result; fenced results and not-claimed steps were another’s or done; busy: their budget was locked just then, ' +
      'and they are asked for again; refused by the database as broken, which is a bug.',
    labelNames: ['what'],
  },
  callsInFlight: {
    kind: 'gauge',
    name: 'muster_worker_calls_in_flight',
    help: 'Calls under way.',
    labelNames: shardLabels,
  },
  callLimit: {
    kind: 'gauge',
    name: 'muster_worker_call_limit',
    help: 'Calls that may be under way at once.',
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
