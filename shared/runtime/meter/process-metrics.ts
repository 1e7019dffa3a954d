import type { MetricTable } from '../../ports/meter.ts';

/** Interval of event loop measurements, which wake the process. This pace costs little, and detects blocking. */
export const loopMeasuredEveryMs = 200;

const ofTopics = { kind: 'gauge', labelNames: ['topic'] } as const;

export const processMetrics = {
  build: {
    kind: 'gauge',
    name: 'muster_build_info',
    help: 'Always 1; labels have the version and the release of the time zone database.',
    labelNames: ['service', 'version', 'zone_data'],
  },
  ready: {
    kind: 'gauge',
    name: 'muster_ready',
    help: '1 if a part of /readyz is ready, otherwise 0, evaluated at each request of /metrics.',
    labelNames: ['part'],
  },
  loopDelay: {
    kind: 'histogram',
    name: 'muster_event_loop_delay_seconds',
    help: `Delay of a timer that fires every ${loopMeasuredEveryMs} ms.`,
    buckets: [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 5],
  },
  connections: {
    kind: 'gauge',
    name: 'muster_postgres_connections',
    help: 'Busy and idle connections of a pool, and requests that wait for a connection.',
    labelNames: ['pool', 'state'],
  },
  diskRefusals: {
    kind: 'counter',
    name: 'muster_postgres_disk_full_total',
    help: 'Statements that Postgres refused because its disk is full (SQLSTATE 53100).',
  },
  partitionsHeldUp: {
    kind: 'counter',
    name: 'muster_partitions_held_up_total',
    help: 'Failed attempts to create or drop a partition, because a long reader locked the table.',
  },
  spans: {
    kind: 'counter',
    name: 'muster_trace_spans_total',
    help: 'Spans by result, if tracing is on: exported, no-room (dropped because the queue was full), refused by the collector, or left-at-stop.',
    labelNames: ['result'],
  },
} as const satisfies MetricTable;

/** Metrics of services that Muster only reads from, in every process that reads from them. */
export const readMetrics = {
  sentAgain: {
    kind: 'counter',
    name: 'muster_reads_sent_again_total',
    help: 'Reads from other services (segmentation, options, previews, issuer) that were repeated, because a kept connection ended without an answer.',
    labelNames: ['service'],
  },
} as const satisfies MetricTable;

/** Metrics of processes that read topics: workers and dispatchers. */
export const consumerMetrics = {
  lanes: {
    ...ofTopics,
    name: 'muster_consumer_lanes',
    help: 'Partitions of the topic assigned to this process.',
  },
  lag: {
    ...ofTopics,
    name: 'muster_consumer_lag_messages',
    help: 'Messages of this process’s partitions that are not handled yet. No value while unknown.',
  },
  unsettled: {
    ...ofTopics,
    name: 'muster_consumer_unsettled_messages',
    help: 'Messages delivered and not handled yet.',
  },
  held: {
    ...ofTopics,
    name: 'muster_consumer_held_messages',
    help: 'Messages fetched but not delivered yet, because their partitions have enough.',
  },
  setAside: {
    kind: 'counter',
    name: 'muster_messages_set_aside_total',
    help: 'Quarantined messages by cause: unreadable, misplaced (on a wrong topic), contradicted (by the database). `kept` is no for messages above 1,000 per topic and hour, which are counted but not stored.',
    labelNames: ['cause', 'kept'],
  },
  foreign: {
    kind: 'counter',
    name: 'muster_foreign_messages_total',
    help: 'Ignored messages of other installations. A value above 0 means that two installations share a topic prefix.',
  },
} as const satisfies MetricTable;
