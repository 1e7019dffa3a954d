import type { ApiParts } from '../frame/frame-module.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import { createClientEgress } from './client-egress.ts';
import { clientFigureRoutes, type ClientFigureRoutesDeps } from './client-figure-routes.ts';
import { clientRoutes, type ClientRoutesDeps } from './client-routes.ts';
import { createClientFigures } from './postgres/client-figures.ts';
import { createClientLedgers } from './postgres/client-ledgers.ts';
import { createClientLoads } from './postgres/client-loads.ts';
import { createClientTotals } from './postgres/client-totals.ts';
import { createEndpointStore } from './postgres/endpoint-store.ts';
import { endpointRoutes, type EndpointRoutesDeps } from './endpoint-routes.ts';
import { createClientStore } from './postgres/client-store.ts';

/** Who schedules callbacks. */
export function clientsModule({ pool, config }: Pick<ApiParts, 'pool' | 'config'>) {
  return {
    clientStore: createClientStore({ pool }),
    endpointStore: createEndpointStore({ pool }),
    clientEgress: createClientEgress(config.egress, config.targetTopics),
    clientFigures: createClientFigures({ pool }),
    clientLedgers: createClientLedgers({ pool }),
    clientLoads: createClientLoads({ pool }),
    clientTotals: createClientTotals({ pool }),
  };
}

export type { ClientStore } from './postgres/client-store.ts';

export function clientsRoutes(
  server: HttpServer,
  deps: ClientRoutesDeps & EndpointRoutesDeps & ClientFigureRoutesDeps,
): void {
  clientRoutes(server, deps);
  endpointRoutes(server, deps);
  clientFigureRoutes(server, deps);
}
