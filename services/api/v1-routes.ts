import rateLimit from '@fastify/rate-limit';
import type { FastifyRequest } from 'fastify';
import type { HttpServer } from './http/create-http-server.ts';
import { HttpProblem } from './http/http-problem.ts';
import type { ApiKeyRecord, ApiKeys } from '../../shared/ports/api-keys.ts';
import type { IdempotentRequests } from './ports/idempotent-requests.ts';
import type { ReceiptBook } from './ports/receipt-book.ts';
import type { Retries } from './ports/retries.ts';
import type { UserHistories } from './ports/user-histories.ts';
import { actionTypeRoutes, type ActionTypeRoutesDeps } from './action-type-routes.ts';
import { acceptRoutes } from './accept-routes.ts';
import type { AcceptJobsDeps } from './accept-jobs.ts';
import { clientFigureRoutes, type ClientFigureRoutesDeps } from './client-figure-routes.ts';
import { jobChangeRoutes, type JobChangeRoutesDeps } from './job-change-routes.ts';
import { jobRoutes, type JobRoutesDeps } from './job-routes.ts';
import { clientRoutes, type ClientRoutesDeps } from './client-routes.ts';
import { auditRoutes, type AuditRoutesDeps } from './audit-routes.ts';
import { audienceRoutes, type AudienceRoutesDeps } from './audience-routes.ts';
import { createAuthenticate, type Authentication } from './authenticate.ts';
import { budgetRoutes, type BudgetRoutesDeps } from './budget-routes.ts';
import { campaignListRoutes, type CampaignListRoutesDeps } from './campaign-list-routes.ts';
import { campaignRoutes, type CampaignRoutesDeps } from './campaign-routes.ts';
import { comparisonRoutes } from './comparison-routes.ts';
import { deadJobRoutes, type DeadJobRoutesDeps } from './dead-job-routes.ts';
import { deadLetterRoutes, type DeadLetterRoutesDeps } from './dead-letter-routes.ts';
import { draftRoutes } from './draft-routes.ts';
import { explainRoutes } from './explain-routes.ts';
import { failureRoutes } from './failure-routes.ts';
import { findRoutes, type FindRoutesDeps } from './find-routes.ts';
import { addIdempotency } from './idempotency.ts';
import { liveRoutes, type LiveRoutesDeps } from './live-routes.ts';
import { logChanges } from './log-changes.ts';
import { notTakingPart } from './not-taking-part.ts';
import { quarantineRoutes, type QuarantineRoutesDeps } from './quarantine-routes.ts';
import { retryRoutes } from './retry-routes.ts';
import { runReceiptRoutes } from './run-receipt-routes.ts';
import { recordChanges } from './record-changes.ts';
import { runControlRoutes, type RunControlRoutesDeps } from './run-control-routes.ts';
import { groupRoutes, type GroupRoutesDeps } from './group-routes.ts';
import { checkRole, requireDeclaredRoles } from './route-roles.ts';
import { scheduleFireRoutes } from './schedule-fire-routes.ts';
import { scheduleRoutes, type ScheduleRoutesDeps } from './schedule-routes.ts';
import { schedulerRoutes, type SchedulerRoutesDeps } from './scheduler-routes.ts';
import { sessionRoutes, type SessionRoutesDeps } from './session-routes.ts';
import { settlementRoutes, type SettlementRoutesDeps } from './settlement-routes.ts';
import { shardRoutes, type ShardRoutesDeps } from './shard-routes.ts';
import { runRoutes, type RunRoutesDeps } from './run-routes.ts';

export interface V1RoutesDeps
  extends
    CampaignRoutesDeps,
    CampaignListRoutesDeps,
    FindRoutesDeps,
    BudgetRoutesDeps,
    ActionTypeRoutesDeps,
    ShardRoutesDeps,
    AudienceRoutesDeps,
    Omit<RunRoutesDeps, 'isKeyGood'>,
    Omit<LiveRoutesDeps, 'isKeyGood'>,
    RunControlRoutesDeps,
    DeadLetterRoutesDeps,
    QuarantineRoutesDeps,
    SettlementRoutesDeps,
    ActionTypeRoutesDeps,
    ShardRoutesDeps,
    ClientRoutesDeps,
    ClientFigureRoutesDeps,
    JobRoutesDeps,
    JobChangeRoutesDeps,
    ScheduleRoutesDeps,
    GroupRoutesDeps,
    DeadJobRoutesDeps,
    SchedulerRoutesDeps,
    AuditRoutesDeps,
    SessionRoutesDeps {
  apiKeys: ApiKeys;
  /** What jobs are accepted by. */
  accepting: AcceptJobsDeps;
  /** Called for each request that is refused for its key. */
  onRefusedKey?: (() => void) | undefined;
  idempotency: IdempotentRequests;
  /** Why this process may not take part in its database, such as a schema that lacks something. Nothing is carried out while there is a reason. */
  refusal?: (() => Error | undefined) | undefined;
  histories: UserHistories;
  retries: Retries;
  receipts: ReceiptBook;
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
export async function v1Routes(server: HttpServer, deps: V1RoutesDeps): Promise<void> {
  const authentication = createAuthenticate({ ...deps, onRefused: deps.onRefusedKey });
  const isKeyGood = goodnessOf(authentication);
  server.decorateRequest('session', null);
  requireDeclaredRoles(server);
  server.addHook('onRequest', async (request, reply) => {
    if (deps.refusal?.()) throw notTakingPart();
    reply.header('cache-control', 'no-store');
    if (request.routeOptions.config.role === 'anybody') return;
    const caller = await authentication.callerOf(request);
    request.apiKey = caller.apiKey;
    request.session = caller.session;
    checkRole(request);
  });
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

  sessionRoutes(server, { ...deps, authentication });
  campaignRoutes(server, deps);
  campaignListRoutes(server, deps);
  draftRoutes(server, deps);
  budgetRoutes(server, deps);
  runRoutes(server, { ...deps, isKeyGood });
  comparisonRoutes(server, deps);
  liveRoutes(server, { ...deps, isKeyGood });
  runControlRoutes(server, deps);
  failureRoutes(server, deps);
  findRoutes(server, deps);
  settlementRoutes(server, deps);
  explainRoutes(server, deps);
  retryRoutes(server, deps);
  runReceiptRoutes(server, deps);
  await audienceRoutes(server, deps);
  actionTypeRoutes(server, deps);
  deadLetterRoutes(server, deps);
  quarantineRoutes(server, deps);
  shardRoutes(server, deps);
  auditRoutes(server, deps);
  clientRoutes(server, deps);
  clientFigureRoutes(server, deps);
  scheduleRoutes(server, deps);
  scheduleFireRoutes(server, deps);
  groupRoutes(server, deps);
  deadJobRoutes(server, deps);
  schedulerRoutes(server, deps);
  await acceptRoutes(server, deps.accepting);
  jobRoutes(server, deps);
  jobChangeRoutes(server, deps);
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
