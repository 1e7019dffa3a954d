import { admitHeavyRequests } from './access/admit-heavy-requests.ts';
import { admitCallers } from './access/admit-callers.ts';
import { recordChanges } from './access/audit/record-changes.ts';
import type { ApiParts } from './api-parts.ts';
import { addIdempotency } from './frame/server/idempotency.ts';
import type { HttpServer } from './frame/server/create-http-server.ts';
import { limitRequests } from './frame/server/limit-requests.ts';
import { logChanges } from './frame/server/log-changes.ts';
import type { RoutesFile } from './routes-files.ts';

/** Registers the routes that need a key, behind the hooks that check each request. */
export async function v1Routes(server: HttpServer, parts: ApiParts, files: readonly RoutesFile[]): Promise<void> {
  await admitCallers(server, parts);
  logChanges(server);
  server.setNotFoundHandler(server.answerNoRoute);
  await limitRequests(server);
  addIdempotency(server, parts.idempotency);
  recordChanges(server, parts.audit);
  admitHeavyRequests(server, parts);
  for (const { routes } of files) await routes(server, parts);
}
