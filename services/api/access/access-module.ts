import type { ApiParts } from '../frame/frame-module.ts';
import { readQuotaUse } from '../../../shared/postgres/registry/account-quotas.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import { apiKeyRoutes, type ApiKeyRoutesDeps } from './api-key-routes.ts';
import { auditRoutes } from './audit-routes.ts';
import { createAuditChain } from './postgres/audit-chain.ts';
import { createAuditLog } from './postgres/audit-log.ts';
import { createKeyStore } from './postgres/key-store.ts';
import { createOwners } from './postgres/owners.ts';
import { createSessionStore } from './postgres/session-store.ts';
import { createQuotaWatch } from './quota-watch.ts';
import { quotaRoutes, type QuotaRoutesDeps } from './quota-routes.ts';
import { sessionRoutes } from './session-routes.ts';

/** Who asks, by key or session, and what was changed by whom. */
export function accessModule({
  pool,
  config: { quotas },
  ...parts
}: Pick<ApiParts, 'pool' | 'config' | 'clock' | 'logger' | 'meter' | 'onClose' | 'onStart'>) {
  const watch = createQuotaWatch({ read: () => readQuotaUse(pool, null), quotas, ...parts });
  parts.onClose(watch, (loop) => loop.stop());
  parts.onStart(() => watch.start());
  return {
    quotas,
    quotaUse: async (account: string) => (await readQuotaUse(pool, account))[0],
    apiKeys: createKeyStore({ pool }),
    sessions: createSessionStore({ pool }),
    audit: createAuditLog({ pool }),
    chain: createAuditChain({ pool }),
    owners: createOwners({ pool }),
  };
}

type Deps = Parameters<typeof sessionRoutes>[1] &
  Parameters<typeof auditRoutes>[1] &
  ApiKeyRoutesDeps &
  QuotaRoutesDeps;

export function accessRoutes(server: HttpServer, deps: Deps): void {
  sessionRoutes(server, deps);
  apiKeyRoutes(server, deps);
  auditRoutes(server, deps);
  quotaRoutes(server, deps);
}
