import type { MetricTable } from '../../../shared/ports/meter.ts';

const ofShards = { kind: 'gauge', labelNames: ['action', 'country'] } as const;

export const apiMetrics = {
  unauthorized: { kind: 'counter', name: 'muster_api_unauthorized_total', help: 'Requests refused for their API key.' },
  jobsTaken: {
    kind: 'counter',
    name: 'muster_jobs_taken_total',
    help:
      'Jobs that were asked for and could be stored, by what became of them: accepted, duplicate, or reused (refused, ' +
      'for another call had their key).',
    labelNames: ['result'],
  },
  beforeCommit: {
    kind: 'gauge',
    name: 'muster_jobs_before_commit',
    help: 'Jobs that requests brought and that are not committed yet.',
  },
  reports: {
    kind: 'counter',
    name: 'muster_job_reports_total',
    help: 'Reports of receivers that had answered 202, by what became of them.',
    labelNames: ['verdict'],
  },
  receipts: {
    kind: 'counter',
    name: 'muster_receipts_total',
    help:
      'Delivery receipts that came in: accepted, unknown (of nobody that we know), refused (not readable). Unknown ' +
      'ones without end mean that a provider mixes installations up.',
    labelNames: ['outcome'],
  },
  quotaUsed: {
    kind: 'gauge',
    name: 'muster_quota_used_ratio',
    help: 'What the account that is nearest to the quota has used of it; 1 is all. About a minute old.',
    labelNames: ['quota'],
  },
  lagMessages: {
    ...ofShards,
    name: 'muster_shard_lag_messages',
    help: 'Messages published and not handled. About a second old, as all figures of shards.',
  },
  lagSeconds: {
    ...ofShards,
    name: 'muster_shard_lag_seconds',
    help:
      'What is ready in the shard, at its rate of now; without what a run’s own pace holds back, and no value while ' +
      'nothing moves.',
  },
  aheadSeconds: {
    ...ofShards,
    name: 'muster_shard_ahead_seconds',
    help:
      'All that workers could do in the shard at its rate of now: ready in steps before too, or still to be fed by ' +
      'runs without a pace. No value while nothing moves.',
  },
  workers: { ...ofShards, name: 'muster_shard_workers', help: 'Workers that serve the shard.' },
  desiredWorkers: {
    ...ofShards,
    name: 'muster_shard_desired_workers',
    help: 'Workers to be through in a minute, at most one for each partition: what an autoscaler goes by.',
  },
} as const satisfies MetricTable;
