import type { ApiParts } from '../api-parts.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import { clientFigureRoutes } from './client-figure-routes.ts';
import { clientRoutes } from './client-routes.ts';
import { endpointRoutes } from './endpoint-routes.ts';
import { createClientLedgers } from './postgres/client-ledgers.ts';
import { createClientLoads } from './postgres/client-loads.ts';
import { createClientTotals } from './postgres/client-totals.ts';

export const tags = [
  { name: 'clients', description: 'Clients that schedule callbacks, with their endpoints and limits' },
];

export function routes(server: HttpServer, parts: ApiParts): void {
  const { pool } = parts;
  clientRoutes(server, parts);
  endpointRoutes(server, parts);
  clientFigureRoutes(server, {
    ...parts,
    clientLedgers: createClientLedgers({ pool }),
    clientLoads: createClientLoads({ pool }),
    clientTotals: createClientTotals({ pool }),
  });
}
