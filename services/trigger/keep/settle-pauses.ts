import { batchesInFlight } from '../../../shared/domain/run/under-way.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import type { RunFigures, RunStore } from '../ports/run-store.ts';

/** Every worker has heard of a pause by then, so what is not in flight now will not be any more. */
const heardAfterMs = 2000;

/** Makes runs paused of which no worker holds a step any more, and shows of the others what is still in flight. */
export async function settlePauses({ runStore, logger }: { runStore: RunStore; logger: Logger }): Promise<void> {
  const shown: RunFigures[] = [];
  for (const { runId, forMs, underWay } of await runStore.pausing()) {
    const inFlight = batchesInFlight(underWay);
    if (inFlight === 0 && forMs >= heardAfterMs) {
      if (await runStore.settlePause(runId)) logger.info({ runId, tookMs: Math.round(forMs) }, 'run paused');
    } else {
      shown.push({ runId, inFlight, waiting: underWay.waiting, waitingCause: null });
    }
  }
  if (shown.length > 0) await runStore.show(shown);
}
