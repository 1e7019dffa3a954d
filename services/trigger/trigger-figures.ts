import type { TerminalRunState } from '../../shared/domain/run/run-states.ts';
import type { RepairKind } from './sweep/reconciliation.port.ts';
import type { Meter } from '../../shared/ports/meter.ts';

/** What a trigger counts about itself. */
export interface TriggerFigures {
  /** Room given to feeds, in batches. */
  admitted(batches: number): void;
  stalled(country: string): void;
  /** References published again. */
  offered(references: number): void;
  ended(state: TerminalRunState): void;
  /** Something of a feed was not what its rows say, and was set right. */
  repaired(kind: RepairKind): void;
  /** Weeks that could not be made or dropped, because readers had their tables. */
  heldUp(weeks: number): void;
}

export interface TriggerFiguresDeps {
  meter: Meter;
  /** Feeds that are paged right now, and whether each stands still. */
  feeds: () => readonly { isStalled(): boolean }[];
}

export function createTriggerFigures({ meter, feeds }: TriggerFiguresDeps): TriggerFigures {
  const admitted = meter.counter({
    name: 'muster_trigger_batches_admitted_total',
    help: 'Batches for which feeds were given room in the shards of their chains',
  });
  const stalls = meter.counter({
    name: 'muster_trigger_feed_stalls_total',
    help: "Times that a feed's next page was not to be had",
    labelNames: ['country'],
  });
  const offers = meter.counter({
    name: 'muster_trigger_references_offered_again_total',
    help: 'References that the sweeper published again',
  });
  const runs = meter.counter({
    name: 'muster_trigger_runs_ended_total',
    help: 'Runs that this trigger ended, by their state',
    labelNames: ['state'],
  });
  const repairs = meter.counter({
    name: 'muster_reconciler_repairs_total',
    help: 'Sums and agendas of feeds that were not what their rows say, and were set right, by kind',
    labelNames: ['kind'],
  });
  const weeks = meter.counter({
    name: 'muster_trigger_weeks_held_up_total',
    help: 'Times that a week of partitions could not be made or dropped because long readers had its tables',
  });
  meter.gauge({
    name: 'muster_trigger_feeds',
    help: 'Feeds that this trigger pages, by whether they move or stand still',
    labelNames: ['progress'],
    collect: (gauge) => {
      const stalled = feeds().filter((feed) => feed.isStalled()).length;
      gauge.of({ progress: 'stalled' }).set(stalled);
      gauge.of({ progress: 'moving' }).set(feeds().length - stalled);
    },
  });
  return {
    admitted: (batches) => admitted.of({}).add(batches),
    stalled: (country) => stalls.of({ country }).add(),
    offered: (references) => offers.of({}).add(references),
    ended: (state) => runs.of({ state }).add(),
    repaired: (kind) => repairs.of({ kind }).add(),
    heldUp: (count) => weeks.of({}).add(count),
  };
}
