import type { ApiParts } from '../api-parts.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import { comparisonRoutes } from './comparison-routes.ts';
import { budgetRoutes } from './control/budget-routes.ts';
import { createBudgetStore } from './control/postgres/budget-store.ts';
import { createRunControl } from './control/postgres/run-control.ts';
import { runControlRoutes } from './control/run-control-routes.ts';
import { explainRoutes } from './explain/explain-routes.ts';
import { createUserHistories } from './explain/postgres/user-histories.ts';
import { failureRoutes } from './failures/failure-routes.ts';
import { createRetries } from './failures/postgres/retries.ts';
import { retryRoutes } from './failures/retry-routes.ts';
import { createEarlierRates } from './postgres/earlier-rates.ts';
import { reportTableRoutes } from './report-table-routes.ts';
import { runRoutes } from './run-routes.ts';
import { createReportLinks } from './share/postgres/report-links.ts';
import { shareRoutes } from './share/share-routes.ts';
import { heldOutRoutes } from './users/held-out-routes.ts';
import { createHeldOutUsers } from './users/postgres/held-out-users.ts';
import { createRunUsers } from './users/postgres/run-users.ts';
import { runUserRoutes } from './users/run-user-routes.ts';

export const tags = [{ name: 'runs', description: 'Runs of campaigns: progress, report, failures' }];

export function routes(server: HttpServer, parts: ApiParts): void {
  const { pool, heavyPool } = parts;
  const deps = { ...parts, retries: createRetries(parts) };
  budgetRoutes(server, { ...parts, budgets: createBudgetStore({ pool }) });
  runRoutes(server, { ...deps, earlierRates: createEarlierRates({ pool }) });
  comparisonRoutes(server, deps);
  runControlRoutes(server, { ...parts, control: createRunControl({ pool }) });
  failureRoutes(server, parts);
  reportTableRoutes(server, parts);
  explainRoutes(server, { ...parts, histories: createUserHistories({ pool }) });
  retryRoutes(server, deps);
  runUserRoutes(server, {
    ...parts,
    users: createRunUsers({ pool }),
    heavyUsers: createRunUsers({ pool: heavyPool }),
  });
  heldOutRoutes(server, {
    ...parts,
    heldOut: createHeldOutUsers({ pool }),
    heavyHeldOut: createHeldOutUsers({ pool: heavyPool }),
  });
  shareRoutes(server, { ...deps, reportLinks: createReportLinks({ pool }) });
}
