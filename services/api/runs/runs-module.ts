import type { ApiParts } from '../frame/frame-module.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import { comparisonRoutes } from './comparison-routes.ts';
import { budgetRoutes } from './control/budget-routes.ts';
import { createBudgetStore } from './control/postgres/budget-store.ts';
import { createRunControl } from './control/postgres/run-control.ts';
import { runControlRoutes } from './control/run-control-routes.ts';
import { explainRoutes } from './explain/explain-routes.ts';
import { createEarlierRates } from './postgres/earlier-rates.ts';
import { createUserHistories } from './explain/postgres/user-histories.ts';
import { failureRoutes } from './failures/failure-routes.ts';
import { reportTableRoutes } from './report-table-routes.ts';
import { createRetries } from './failures/postgres/retries.ts';
import { retryRoutes } from './failures/retry-routes.ts';
import { createRunReports } from './postgres/run-reports.ts';
import { runRoutes } from './run-routes.ts';
import { createRunUsers } from './users/postgres/run-users.ts';
import { createReportLinks } from './share/postgres/report-links.ts';
import { shareRoutes } from './share/share-routes.ts';
import { heldOutRoutes } from './users/held-out-routes.ts';
import { createHeldOutUsers } from './users/postgres/held-out-users.ts';
import { runUserRoutes } from './users/run-user-routes.ts';

/** Campaigns being carried out: progress, report, failures, and what people ask of them. */
export function runsModule({ pool, heavyPool, config }: Pick<ApiParts, 'pool' | 'heavyPool' | 'config'>) {
  return {
    reports: createRunReports({ pool }),
    control: createRunControl({ pool }),
    budgets: createBudgetStore({ pool }),
    retries: createRetries({ pool, quotas: config.quotas }),
    histories: createUserHistories({ pool }),
    users: createRunUsers({ pool }),
    heldOut: createHeldOutUsers({ pool }),
    /** Stores that read over the connections for exports and reports. */
    heavyRuns: {
      reports: createRunReports({ pool: heavyPool }),
      users: createRunUsers({ pool: heavyPool }),
      heldOut: createHeldOutUsers({ pool: heavyPool }),
    },
    reportLinks: createReportLinks({ pool }),
    earlierRates: createEarlierRates({ pool }),
  };
}

type Deps = Parameters<typeof runRoutes>[1] &
  Parameters<typeof comparisonRoutes>[1] &
  Parameters<typeof runControlRoutes>[1] &
  Parameters<typeof budgetRoutes>[1] &
  Parameters<typeof failureRoutes>[1] &
  Parameters<typeof retryRoutes>[1] &
  Parameters<typeof explainRoutes>[1] &
  Parameters<typeof runUserRoutes>[1] &
  Parameters<typeof heldOutRoutes>[1] &
  Parameters<typeof shareRoutes>[1];

export function runsRoutes(server: HttpServer, deps: Deps): void {
  budgetRoutes(server, deps);
  runRoutes(server, deps);
  comparisonRoutes(server, deps);
  runControlRoutes(server, deps);
  failureRoutes(server, deps);
  reportTableRoutes(server, deps);
  explainRoutes(server, deps);
  retryRoutes(server, deps);
  runUserRoutes(server, deps);
  heldOutRoutes(server, deps);
  shareRoutes(server, deps);
}
