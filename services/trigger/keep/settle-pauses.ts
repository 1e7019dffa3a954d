import { batchesInFlight } from '../../../shared/domain/run/under-way.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import type { RunFigures, RunStore } from '../ports/run-store.ts';

/**
 * Time in milliseconds after which every worker knows about a pause. Batches that are not in flight by then do not
 * start.
 */
const notifiedAfterMs = 2000;

/**
 * Changes the state of runs from `pausing` to `paused` when no worker holds any of their steps. For runs with held
 * steps, records the number of batches in flight.
 */
export async function settlePauses({ runStore, logger }: { runStore: RunStore; logger: Logger }): Promise<void> {
  const figures: RunFigures[] = [];
  for (const { runId, forMs, underWay } of await runStore.pausing()) {
    const inFlight = batchesInFlight(underWay);
    if (inFlight === 0 && forMs >= notifiedAfterMs) {
      if (await runStore.settlePause(runId)) logger.info({ runId, tookMs: Math.round(forMs) }, 'run paused');
    } else {
      figures.push({ runId, inFlight, waiting: underWay.waiting, waitingCause: null });
    }
  }
  if (figures.length > 0) await runStore.show(figures);
}
