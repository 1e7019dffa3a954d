import type { MetricTable } from '../../../shared/ports/meter.ts';

export const triggerMetrics = {
  admitted: {
    kind: 'counter',
    name: 'muster_trigger_batches_admitted_total',
    help: 'Batches that feeds were allowed to write to the shards of their chains.',
  },
  stalls: {
    kind: 'counter',
    name: 'muster_trigger_feed_stalls_total',
    help: 'Failed reads of a feed’s next page.',
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
    help: 'Runs that this trigger ended, by state.',
    labelNames: ['state'],
  },
  repairs: {
    kind: 'counter',
    name: 'muster_reconciler_repairs_total',
    help: 'Repaired differences between a feed’s sums or agenda and its rows, by kind: totals, failure-totals, fed-users, agenda. A value above 0 means damage or a bug; the run’s history and the log have the changes.',
    labelNames: ['kind'],
  },
  feeds: {
    kind: 'gauge',
    name: 'muster_trigger_feeds',
    help: 'Feeds that this trigger reads: moving or stalled.',
    labelNames: ['progress'],
  },
} as const satisfies MetricTable;
