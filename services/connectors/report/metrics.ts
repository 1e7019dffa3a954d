import type { MetricTable } from '../../../shared/ports/meter.ts';

export const connectorsMetrics = {
  requests: {
    kind: 'histogram',
    name: 'muster_connectors_request_duration_seconds',
    help: 'Requests by kind (list, describe and page of segments, batch of actions; of e-mail preview, bounces, link, unsubscribe) and status. A page waits up to 3 s.',
    labelNames: ['request', 'status'],
    buckets: [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10],
  },
  snapshots: {
    kind: 'counter',
    name: 'muster_connectors_snapshots_total',
    help: 'Queries for snapshots, by segment and result: ready, refused, failed, lost (another builder took over).',
    labelNames: ['segment', 'result'],
  },
  copied: {
    kind: 'counter',
    name: 'muster_connectors_copied_users_total',
    help: 'Users copied into snapshots, including snapshots that failed later.',
    labelNames: ['segment'],
  },
  calledUsers: {
    kind: 'counter',
    name: 'muster_connectors_called_users_total',
    help: 'Users in requests of single calls, by action and outcome: succeeded, failed, retryable, unknown (no answer).',
    labelNames: ['action', 'outcome'],
  },
  mails: {
    kind: 'counter',
    name: 'muster_connectors_mails_total',
    help: 'Users of e-mail batches by action and outcome: accepted, failed, deferred (4xx), held (not tried), lost (unknown).',
    labelNames: ['action', 'outcome'],
  },
  building: {
    kind: 'gauge',
    name: 'muster_connectors_building_snapshots',
    help: 'Snapshots that this process is copying now.',
  },
} as const satisfies MetricTable;
