import cookie from '@fastify/cookie';
import rateLimit from '@fastify/rate-limit';
import type { FastifyRequest } from 'fastify';
import type { ApiKeyRecord } from '../../shared/ports/api-keys.ts';
import { accessRoutes } from './access/access-module.ts';
import type { AuditLog } from './access/audit-log.port.ts';
import { createAuthenticate, type AuthenticateDeps, type Authentication } from './access/authenticate.ts';
import { recordChanges } from './access/record-changes.ts';
import { checkRole, requireDeclaredRoles } from './access/route-roles.ts';
import { actionTypeRoutes } from './action-types/action-type-routes.ts';
import { audienceRoutes } from './audiences/audience-routes.ts';
import { campaignsRoutes } from './campaigns/campaigns-module.ts';
import { clientsRoutes } from './clients/clients-module.ts';
import { findRoutes } from './find/find-routes.ts';
import { HttpProblem } from './frame/http-problem.ts';
import { addIdempotency } from './frame/idempotency.ts';
import type { IdempotentRequests } from './frame/idempotent-requests.port.ts';
import type { HttpServer } from './frame/server/create-http-server.ts';
import { logChanges } from './frame/server/log-changes.ts';
import { notTakingPart } from './frame/server/not-taking-part.ts';
import { jobsRoutes } from './jobs/jobs-module.ts';
import { liveRoutes } from './live/live-module.ts';
import { runReceiptRoutes } from './receipts/run-receipt-routes.ts';
import { runsRoutes } from './runs/runs-module.ts';
import { schedulesRoutes } from './schedules/schedules-module.ts';
import { shardRoutes } from './shards/shard-routes.ts';
import { troubleRoutes } from './trouble/trouble-module.ts';

/** What needs a key, room by room. */
const rooms = [
  accessRoutes,
  campaignsRoutes,
  runsRoutes,
  liveRoutes,
  findRoutes,
  runReceiptRoutes,
  audienceRoutes,
  actionTypeRoutes,
  troubleRoutes,
  shardRoutes,
  clientsRoutes,
  schedulesRoutes,
  jobsRoutes,
];

/** What all of them together ask for. */
type RoomDeps = (typeof rooms)[number] extends (server: HttpServer, deps: infer Deps) => unknown ? Deps : never;

export type V1Deps = Omit<RoomDeps, 'isKeyGood' | 'authentication'> & Omit<AuthenticateDeps, 'onRefused'> & FrameDeps;

interface FrameDeps {
  audit: AuditLog;
  idempotency: IdempotentRequests;
  /** Called for each request that is refused for its key. */
  onRefusedKey?: (() => void) | undefined;
  /**
   * Why this process may not take part in its database, such as a schema that lacks something. Nothing is carried
   * out while there is a reason.
   */
  refusal?: (() => Error | undefined) | undefined;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Who asks; null where no key is needed. */
    apiKey: ApiKeyRecord | null;
  }
}

/** Per key and process: far above what people and their programs need, and far below what would hurt the others. */
const requestsPerMinute = 6000;

/** Everything that needs a key. */
export async function v1Routes(server: HttpServer, deps: V1Deps): Promise<void> {
  const authentication = createAuthenticate({ ...deps, onRefused: deps.onRefusedKey });
  await server.register(cookie);
  admitCallers(server, authentication, deps.refusal);
  logChanges(server);
  server.setNotFoundHandler(server.answerNoRoute);
  await server.register(rateLimit, {
    max: requestsPerMinute,
    timeWindow: 60_000,
    keyGenerator: ({ apiKey, ip }) => apiKey?.key ?? ip,
    errorResponseBuilder: (_request, { max }) => {
      const detail = `more than ${max} requests in a minute; retry-after says when the next one is taken`;
      return new HttpProblem({ status: 429, code: 'too-many-requests', detail });
    },
  });
  addIdempotency(server, deps.idempotency);
  recordChanges(server, deps.audit);
  const isKeyGood = goodnessOf(authentication);
  for (const routes of rooms) await routes(server, { ...deps, authentication, isKeyGood });
}

function admitCallers(server: HttpServer, authentication: Authentication, refusal: FrameDeps['refusal']): void {
  server.decorateRequest('session', null);
  requireDeclaredRoles(server);
  server.addHook('onRequest', async (request, reply) => {
    if (refusal?.()) throw notTakingPart();
    reply.header('cache-control', 'no-store');
    if (request.routeOptions.config.role === 'anybody') return;
    const caller = await authentication.callerOf(request);
    request.apiKey = caller.apiKey;
    request.session = caller.session;
    checkRole(request);
  });
}

/** Whether a request would be taken now, by the key or the session that it came with. */
function goodnessOf(authentication: Authentication) {
  return async (request: FastifyRequest) => {
    try {
      await authentication.callerOf(request);
      return true;
    } catch (error) {
      if (error instanceof HttpProblem && error.status === 401) return false;
      throw error;
    }
  };
}
