import type { MetricTable } from '../../../shared/ports/meter.ts';

export const triggerMetrics = {
  admitted: {
    kind: 'counter',
    name: 'muster_trigger_batches_admitted_total',
    help: 'Batches for which feeds were given room in the shards of their chains.',
  },
  stalls: {
    kind: 'counter',
    name: 'muster_trigger_feed_stalls_total',
    help: 'Times that a feed’s next page was not to be had.',
    labelNames: ['country'],
  },
  offers: {
    kind: 'counter',
    name: 'muster_trigger_references_offered_again_total',
    help: 'References that the sweeper published again.',
  },
  runs: {
    kind: 'counter',
    name: 'muster_trigger_runs_ended_total',
    help: 'Runs that this trigger ended, by their state.',
    labelNames: ['state'],
  },
  repairs: {
    kind: 'counter',
    name: 'muster_reconciler_repairs_total',
    help:
      'Sums or agenda of a feed that were not what its rows say, and were set right, by kind: totals, ' +
      'failure-totals, fed-users, agenda. More than none is damage or a bug; the run’s history and the log say what ' +
      'was changed.',
    labelNames: ['kind'],
  },
  feeds: {
    kind: 'gauge',
    name: 'muster_trigger_feeds',
    help: 'Feeds that this trigger pages, by whether they are moving or stalled.',
    labelNames: ['progress'],
  },
} as const satisfies MetricTable;
