import { storedQuotas, type Quotas, type QuotaUse } from '../../../shared/domain/quotas.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { Meter } from '../../../shared/ports/meter.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import { createLoop, type Loop } from '../../../shared/runtime/loop.ts';
import { apiMetrics } from '../frame/metrics.ts';

const pollEveryMs = 60_000;

export interface QuotaWatchDeps {
  read: () => Promise<readonly QuotaUse[]>;
  quotas: Quotas;
  meter: Meter;
  clock: Clock;
  logger: Logger;
}

/** Exports, for each quota, the highest use by any account, as a share of the quota. */
export function createQuotaWatch({ read, quotas, meter, clock, logger }: QuotaWatchDeps): Loop {
  let uses: readonly QuotaUse[] = [];
  meter.gauge({
    ...apiMetrics.quotaUsed,
    collect: (gauge) => {
      if (uses.length === 0) return;
      for (const quota of storedQuotas) {
        gauge.of({ quota }).set(Math.max(...uses.map((use) => use[quota])) / quotas[quota]);
      }
    },
  });
  const readUses = async () => {
    uses = await read();
    return pollEveryMs;
  };
  return createLoop({ name: 'look-at-quotas', turn: readUses, afterErrorMs: pollEveryMs, clock, logger });
}
