import { ledgerDifference } from '../../shared/domain/job/ledger-balance.ts';
import { publicId } from '../../shared/domain/ids/ids.ts';
import { partitionCount } from '../../shared/domain/partitioning.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { Leases } from '../../shared/ports/leases.ts';
import type { Meter } from '../../shared/ports/meter.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import { createLoop } from '../../shared/runtime/loop.ts';
import { exportClientFigures, figureOf, type ClientFigure } from './offer/client-figures-meter.ts';
import { schedulerMetrics } from './report/metrics.ts';
import type { LedgerCheck } from './ports/ledger-check.ts';

const checkEveryMs = 60_000;
/**
 * Maximum number of jobs that one check counts, which takes about 0.2 s of database time. If more jobs are stored, a
 * check counts a sample.
 */
const maxJobsCounted = 1_000_000;
const leaseName = 'ledger-check';

export interface LedgerCheckerDeps {
  ledger: LedgerCheck;
  leases: Leases;
  nameOf: (clientId: string) => string | undefined;
  owner: string;
  clock: Clock;
  logger: Logger;
  meter?: Meter | undefined;
}

/**
 * Checks once a minute that no accepted job is missing: accepted = called + expired + cancelled + dead + stored. A
 * lease ensures that only one process makes the check. Also exports the number of waiting jobs by client. If at most a
 * million jobs are stored, a check counts all of them. Otherwise, it counts only partitions with about a million jobs
 * in total, and other partitions at each check.
 */
export interface LedgerChecker {
  start(): void;
  stop(): Promise<void>;
}

export function createLedgerChecker(deps: LedgerCheckerDeps): LedgerChecker {
  const { ledger, leases, nameOf, owner, clock, logger, meter } = deps;
  let next = 0;
  let unbalanced: number | null = null;
  let figures: readonly ClientFigure[] = [];
  meter?.gauge({
    ...schedulerMetrics.unbalanced,
    collect: (gauge) => {
      if (unbalanced !== null) gauge.of({}).set(unbalanced);
    },
  });

  if (meter) exportClientFigures(meter, { figures: () => figures, nameOf });

  async function check(): Promise<void> {
    const jobs = await ledger.expectedInAll();
    const count =
      jobs <= maxJobsCounted ? partitionCount : Math.max(1, Math.floor((partitionCount * maxJobsCounted) / jobs));
    const partitions = Array.from({ length: count }, (_, index) => (next + index) % partitionCount);
    next = (next + count) % partitionCount;
    const checked = await ledger.check(partitions);
    const wrong = checked.filter((each) => ledgerDifference({ ...each, partitions: count }) !== 0);
    for (const { clientId, expected, counted } of wrong) {
      const facts = { clientId: publicId('client', clientId), expected, counted, partitions: count };
      logger.error(facts, 'the jobs of a client are not what was accepted less what has ended');
    }
    unbalanced = wrong.length;
    figures = checked.map((each) => figureOf(each, count));
  }

  const turn = async () => {
    const lease = await leases.acquire(leaseName, owner, 2 * checkEveryMs);
    if (lease) await check();
    else [unbalanced, figures] = [null, []];
    return checkEveryMs;
  };
  const loop = createLoop({ name: 'check-ledger', turn, afterErrorMs: checkEveryMs, clock, logger });

  return {
    start: () => loop.start(),
    stop: async () => {
      await loop.stop();
      const lease = await leases.acquire(leaseName, owner, 1).catch(() => null);
      if (lease) await leases.release(lease).catch(() => undefined);
    },
  };
}
