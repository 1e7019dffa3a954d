import { readQuotaUse } from '../../../shared/postgres/registry/account-quotas.ts';
import type { ApiParts } from '../api-parts.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import { apiKeyRoutes } from './api-key-routes.ts';
import { auditRoutes } from './audit/audit-routes.ts';
import { createAuditChain } from './audit/postgres/audit-chain.ts';
import { keyCallRoutes } from './key-call-routes.ts';
import { createKeyCalls } from './callers/postgres/key-calls.ts';
import { createRefusedPeople } from './postgres/refused-people.ts';
import { refusedPeopleRoutes } from './refused-people-routes.ts';
import { quotaRoutes } from './quota-routes.ts';
import { sessionRoutes } from './session-routes.ts';

export const tags = [
  { name: 'keys', description: 'Keys of the API, and people of an issuer' },
  { name: 'session', description: 'Sessions of the console' },
  { name: 'audit', description: 'The audit log of changes' },
];

export function routes(server: HttpServer, parts: ApiParts): void {
  const { pool } = parts;
  sessionRoutes(server, parts);
  apiKeyRoutes(server, parts);
  keyCallRoutes(server, { ...parts, keyCalls: createKeyCalls({ pool }) });
  refusedPeopleRoutes(server, { refusedPeople: createRefusedPeople({ pool }) });
  auditRoutes(server, { ...parts, chain: createAuditChain({ pool }) });
  quotaRoutes(server, { ...parts, quotaUse: async (account) => (await readQuotaUse(pool, account))[0] });
}
