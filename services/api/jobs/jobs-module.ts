import { randomUUID } from 'node:crypto';
import { totalsSlotOf } from '../../../shared/domain/step/totals-slot.ts';
import { createJobIntake } from '../../../shared/postgres/jobs/job-intake.ts';
import { createAcceptPool } from '../../../shared/postgres/connection/pool.ts';
import type { ApiParts } from '../frame/frame-module.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import { acceptRoutes, type AcceptRoutesDeps } from './accept/accept-routes.ts';
import { createAccepting, type AcceptingDeps } from './accept/accepting.ts';
import { createKeyRateExchange } from './accept/postgres/key-rate-exchange.ts';
import { createJobChanger } from './change-jobs.ts';
import { createClientTurns } from './client-turns.ts';
import { deadJobRoutes, type DeadJobRoutesDeps } from './dead-job-routes.ts';
import { jobChangeRoutes, type JobChangeRoutesDeps } from './job-change-routes.ts';
import { jobListRoutes, type JobListRoutesDeps } from './job-list-routes.ts';
import { jobRoutes, type JobRoutesDeps } from './job-routes.ts';
import { createDeadJobStore } from './postgres/dead-job-store.ts';
import { createJobChanges } from './postgres/job-changes.ts';
import { createJobReports } from './postgres/job-reports.ts';
import { createJobStore } from './postgres/job-store.ts';
import { createListedJobs } from './postgres/listed-jobs.ts';
import { reportRoutes, type ReportRoutesDeps } from './report-routes.ts';

type Parts = Pick<
  ApiParts,
  'config' | 'pool' | 'poolOptions' | 'clients' | 'clock' | 'logger' | 'meter' | 'tracing' | 'onClose' | 'onStart'
>;

/** Callbacks that are due once. */
export function jobsModule(
  parts: Parts,
  { clientFigures, clientEgress }: { clientFigures: AcceptingDeps['figures']; clientEgress: AcceptingDeps['egress'] },
) {
  const { config, pool, poolOptions, clients, clock, logger, meter, tracing, onClose, onStart } = parts;
  // Apart: its statements are few, always the same, and end soon. Three flushes at once, and what they look up.
  const acceptPool = onClose(createAcceptPool(poolOptions('jobs')), (opened) => opened.end());
  // Beside those that jobs are accepted by, so that no list holds these up.
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
      ...{ clients, intake, figures: clientFigures, secretBox: config.secretBox },
      egress: clientEgress,
      exchangeKeyRates: createKeyRateExchange({ pool: acceptPool, owner }),
      ...{ owner, clock, logger, meter, tracing },
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

export type { DeadJobStore } from './postgres/dead-job-store.ts';
export type { JobChanges } from './postgres/job-changes.ts';

type Deps = AcceptRoutesDeps &
  JobRoutesDeps &
  JobListRoutesDeps &
  JobChangeRoutesDeps &
  DeadJobRoutesDeps &
  ReportRoutesDeps;

export async function jobsRoutes(server: HttpServer, deps: Deps): Promise<void> {
  deadJobRoutes(server, deps);
  await acceptRoutes(server, deps);
  jobRoutes(server, deps);
  jobListRoutes(server, deps);
  jobChangeRoutes(server, deps);
  reportRoutes(server, deps);
}
