import { createSettlements } from '../../../shared/postgres/ledger/settlements.ts';
import type { ApiParts } from '../frame/frame-module.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import { deadLetterRoutes, type DeadLetterRoutesDeps } from './dead-letter-routes.ts';
import { createDeadLetterStore } from './postgres/dead-letter-store.ts';
import { createQuarantinedSteps } from './postgres/quarantined-steps.ts';
import { createSettlementRequests } from './postgres/settlement-requests.ts';
import { quarantineRoutes, type QuarantineRoutesDeps } from './quarantine-routes.ts';
import { settlementRoutes, type SettlementRoutesDeps } from './settlement-routes.ts';

/** What was set aside, and users of whom an operator says what became of them. */
export function troubleModule({ pool }: Pick<ApiParts, 'pool'>) {
  return {
    deadLetters: createDeadLetterStore({ pool }),
    quarantinedSteps: createQuarantinedSteps({ pool }),
    settlements: createSettlements({ pool }),
    settlementRequests: createSettlementRequests({ pool }),
  };
}

export type { DeadLetterStore } from './postgres/dead-letter-store.ts';
export type { QuarantinedSteps } from './postgres/quarantined-steps.ts';

type Deps = SettlementRoutesDeps & DeadLetterRoutesDeps & QuarantineRoutesDeps;

export function troubleRoutes(server: HttpServer, deps: Deps): void {
  settlementRoutes(server, deps);
  deadLetterRoutes(server, deps);
  quarantineRoutes(server, deps);
}
