import type { MetricTable } from '../../ports/meter.ts';

/** Interval of event loop measurements, which wake the process. This pace costs little, and detects blocking. */
export const loopLookEveryMs = 200;

const ofTopics = { kind: 'gauge', labelNames: ['topic'] } as const;

export const processMetrics = {
  build: {
    kind: 'gauge',
    name: 'muster_build_info',
    help: 'Always 1; which version runs, and by which release of the time zone database.',
    labelNames: ['service', 'version', 'zone_data'],
  },
  ready: {
    kind: 'gauge',
    name: 'muster_ready',
    help: '1 where a part of /readyz is well, 0 where it is not, as each look at /metrics finds it.',
    labelNames: ['part'],
  },
  loopDelay: {
    kind: 'histogram',
    name: 'muster_event_loop_delay_seconds',
    help: `How late a timer fired, of one every ${loopLookEveryMs} ms.`,
    buckets: [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 5],
  },
  connections: {
    kind: 'gauge',
    name: 'muster_postgres_connections',
    help: 'Connections of a pool that are busy or idle, and requests that are waiting for one.',
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
    help:
      'Times that a trigger or a scheduler could not make or drop a week of runs or a day of jobs, because a long ' +
      'reader held its table.',
  },
  spans: {
    kind: 'counter',
    name: 'muster_trace_spans_total',
    help:
      'Spans of traces, where tracing is on, by what became of them: exported, no-room (dropped, as the queue was ' +
      'full), refused by the collector, or left-at-stop.',
    labelNames: ['result'],
  },
} as const satisfies MetricTable;

/** Metrics of services that Muster only reads from, in every process that reads from them. */
export const readMetrics = {
  sentAgain: {
    kind: 'counter',
    name: 'muster_reads_sent_again_total',
    help:
      'Reads from other services (segmentation, options, issuer) that were sent once more, because a kept connection ' +
      'ended without an answer.',
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
    help: 'Messages of this process’s lanes that are not handled yet. What is not known has no value.',
  },
  unsettled: {
    ...ofTopics,
    name: 'muster_consumer_unsettled_messages',
    help: 'Messages delivered and not handled yet.',
  },
  held: {
    ...ofTopics,
    name: 'muster_consumer_held_messages',
    help: 'Messages fetched and held back, as their lanes have enough.',
  },
  setAside: {
    kind: 'counter',
    name: 'muster_messages_set_aside_total',
    help:
      'Messages that came into quarantine, by cause: unreadable, misplaced (on a topic that is not theirs), contradicted ' +
      '(the rows say something else). Kept is no for what came beyond 1,000 of a topic in an hour: counted, not stored.',
    labelNames: ['cause', 'kept'],
  },
  foreign: {
    kind: 'counter',
    name: 'muster_foreign_messages_total',
    help:
      'Messages of other installations, left to their owners. More than none means that two installations share a ' +
      'topic prefix.',
  },
} as const satisfies MetricTable;
