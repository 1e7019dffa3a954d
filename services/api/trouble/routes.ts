import { createSettlements } from '../../../shared/postgres/ledger/settlements.ts';
import type { ApiParts } from '../api-parts.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import { deadLetterRoutes } from './dead-letter-routes.ts';
import { createSettlementRequests } from './postgres/settlement-requests.ts';
import { quarantineRoutes } from './quarantine-routes.ts';
import { settlementRoutes } from './settlement-routes.ts';

export const tags = [
  { name: 'dead letters', description: 'Messages that were set aside' },
  { name: 'quarantined steps', description: 'Steps whose calls ended their workers again and again' },
];

export function routes(server: HttpServer, parts: ApiParts): void {
  const { pool } = parts;
  const settlements = createSettlements({ pool });
  settlementRoutes(server, { ...parts, settlements, settlementRequests: createSettlementRequests({ pool }) });
  deadLetterRoutes(server, parts);
  quarantineRoutes(server, parts);
}
