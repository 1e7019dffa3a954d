import type { TerminalRunState } from '../../../shared/domain/run/run-states.ts';
import type { RepairKind } from '../ports/reconciliation.ts';
import type { Meter } from '../../../shared/ports/meter.ts';
import { processMetrics } from '../../../shared/runtime/meter/process-metrics.ts';
import { triggerMetrics } from './metrics.ts';

export interface TriggerFigures {
  admitted(batches: number): void;
  stalled(country: string): void;
  offered(references: number): void;
  ended(state: TerminalRunState): void;
  /** Counts a repaired difference between the sums of a feed and its rows. */
  repaired(kind: RepairKind): void;
  /** Counts how often long-running readers blocked the creation or removal of a week's partitions. */
  heldUp(times: number): void;
}

export interface TriggerFiguresDeps {
  meter: Meter;
  feeds: () => readonly { isStalled(): boolean }[];
}

export function createTriggerFigures({ meter, feeds }: TriggerFiguresDeps): TriggerFigures {
  const admitted = meter.counter(triggerMetrics.admitted);
  const stalls = meter.counter(triggerMetrics.stalls);
  const offers = meter.counter(triggerMetrics.offers);
  const runs = meter.counter(triggerMetrics.runs);
  const repairs = meter.counter(triggerMetrics.repairs);
  const heldUp = meter.counter(processMetrics.partitionsHeldUp);
  meter.gauge({
    ...triggerMetrics.feeds,
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
    heldUp: (count) => heldUp.of({}).add(count),
  };
}
