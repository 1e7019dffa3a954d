import type { MetricTable } from '../../../shared/ports/meter.ts';

const ofShards = { kind: 'gauge', labelNames: ['action', 'country'] } as const;

export const apiMetrics = {
  unauthorized: { kind: 'counter', name: 'muster_api_unauthorized_total', help: 'Requests refused for their API key.' },
  jobsTaken: {
    kind: 'counter',
    name: 'muster_jobs_taken_total',
    help:
      'Valid submitted jobs by result: accepted, duplicate, or reused (refused, ' +
      'because the key was used for another call).',
    labelNames: ['result'],
  },
  beforeCommit: {
    kind: 'gauge',
    name: 'muster_jobs_before_commit',
    help: 'Submitted jobs that are not committed yet.',
  },
  reports: {
    kind: 'counter',
    name: 'muster_job_reports_total',
    help: 'Reports of receivers that had answered 202, by result.',
    labelNames: ['verdict'],
  },
  receipts: {
    kind: 'counter',
    name: 'muster_receipts_total',
    help:
      'Received delivery receipts: accepted, unknown (unknown user), refused (unreadable). A steady rate of unknown ' +
      'receipts means that a provider confuses installations.',
    labelNames: ['outcome'],
  },
  quotaUsed: {
    kind: 'gauge',
    name: 'muster_quota_used_ratio',
    help: 'Used share of the quota by the account closest to it; 1 is all. About a minute old.',
    labelNames: ['quota'],
  },
  lagMessages: {
    ...ofShards,
    name: 'muster_shard_lag_messages',
    help: 'Messages published and not handled yet. About a second old, like all figures of shards.',
  },
  lagSeconds: {
    ...ofShards,
    name: 'muster_shard_lag_seconds',
    help: 'Seconds of ready work at the current rate of the shard, without batches that a pace delays. No value without progress.',
  },
  aheadSeconds: {
    ...ofShards,
    name: 'muster_shard_ahead_seconds',
    help: 'Seconds of all work ahead at the current rate of the shard, including work in earlier steps and work that runs without a pace have not fed yet. No value without progress.',
  },
  workers: { ...ofShards, name: 'muster_shard_workers', help: 'Workers that serve the shard.' },
  desiredWorkers: {
    ...ofShards,
    name: 'muster_shard_desired_workers',
    help: 'Workers needed to finish in a minute, at most one per partition; for autoscalers.',
  },
} as const satisfies MetricTable;
