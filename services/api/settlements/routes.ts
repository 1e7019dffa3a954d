import { createSettlements } from '../../../shared/postgres/ledger/settlements.ts';
import type { ApiParts } from '../api-parts.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import { createSettlementRequests } from './postgres/settlement-requests.ts';
import { settlementRoutes } from './settlement-routes.ts';

export function routes(server: HttpServer, parts: ApiParts): void {
  const { pool } = parts;
  const settlements = createSettlements({ pool });
  settlementRoutes(server, { ...parts, settlements, settlementRequests: createSettlementRequests({ pool }) });
}
