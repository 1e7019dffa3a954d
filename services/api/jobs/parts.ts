import { randomUUID } from 'node:crypto';
import { totalsSlotOf } from '../../../shared/domain/step/totals-slot.ts';
import { createJobIntake } from '../../../shared/postgres/jobs/job-intake.ts';
import { createAcceptPool } from '../../../shared/postgres/connection/pool.ts';
import type { BaseParts } from '../frame/parts.ts';
import { createAccepting, type AcceptingDeps } from './accept/accepting.ts';
import { createKeyRateExchange } from './accept/postgres/key-rate-exchange.ts';
import { createJobChanger } from './change-jobs.ts';
import { createClientTurns } from './client-turns.ts';
import { createDeadJobStore } from './postgres/dead-job-store.ts';
import { createJobChanges } from './postgres/job-changes.ts';
import { createJobReports } from './postgres/job-reports.ts';
import { createJobStore } from './postgres/job-store.ts';
import { createListedJobs } from './postgres/listed-jobs.ts';

interface ClientParts {
  clientFigures: AcceptingDeps['figures'];
  clientEgress: AcceptingDeps['egress'];
}

/** Creates the stores of jobs, which have connections of their own, and the loops that accept and change jobs. */
export function createJobParts(parts: BaseParts, { clientFigures, clientEgress }: ClientParts) {
  const { pool, poolOptions, clients, secretBox, clock, logger, meter, tracing, onClose, onStart } = parts;
  // The acceptance of jobs has a pool of its own for few, uniform and short statements: three concurrent flushes and
  // their lookups.
  const acceptPool = onClose(createAcceptPool(poolOptions('jobs')), (opened) => opened.end());
  // Lists have a pool of their own, so that they do not delay the acceptance of jobs.
  const listPool = onClose(createAcceptPool(poolOptions('job-lists')), (opened) => opened.end());
  const owner = randomUUID();
  const slot = totalsSlotOf(`${owner}/changes`);
  const jobStore = createJobStore({ pool: acceptPool, slot });
  const jobChanges = createJobChanges({ pool: acceptPool, slot });
  const jobChanger = onClose(createJobChanger({ changes: jobChanges, jobStore, clock, logger }), (created) =>
    created.stop(),
  );
  const intake = createJobIntake({ pool: acceptPool });
  const accepting = onClose(
    createAccepting({
      clients,
      intake,
      figures: clientFigures,
      secretBox,
      egress: clientEgress,
      exchangeKeyRates: createKeyRateExchange({ pool: acceptPool, owner }),
      owner,
      clock,
      logger,
      meter,
      tracing,
    }),
    (created) => created.stop(),
  );
  onStart(() => accepting.start());
  onStart(() => jobChanger.start());
  return {
    jobStore,
    jobReports: createJobReports({ pool: acceptPool, slot }),
    listedJobs: createListedJobs({ pool: listPool, slot: totalsSlotOf(`${owner}/lists`) }),
    clientTurns: createClientTurns(),
    jobChanges,
    jobChanger,
    accepting,
    deadJobs: createDeadJobStore({ pool }),
  };
}

export type { DeadJob, DeadJobContent, DeadJobFilter, DeadJobGroup, DeadJobStore } from './postgres/dead-job-store.ts';
export type { JobChanges } from './postgres/job-changes.ts';
