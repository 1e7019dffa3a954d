import rateLimit from '@fastify/rate-limit';
import type { FastifyRequest } from 'fastify';
import type { HttpServer } from './frame/server/create-http-server.ts';
import { HttpProblem } from './frame/http-problem.ts';
import type { ApiKeyRecord, ApiKeys } from '../../shared/ports/api-keys.ts';
import type { IdempotentRequests } from './frame/idempotent-requests.port.ts';
import type { ReceiptBook } from './receipts/receipt-book.port.ts';
import type { Retries } from './runs/failures/retries.port.ts';
import type { UserHistories } from './runs/explain/user-histories.port.ts';
import { actionTypeRoutes, type ActionTypeRoutesDeps } from './action-types/action-type-routes.ts';
import { acceptRoutes } from './jobs/accept/accept-routes.ts';
import type { AcceptJobsDeps } from './jobs/accept/accept-jobs.ts';
import { clientFigureRoutes, type ClientFigureRoutesDeps } from './clients/client-figure-routes.ts';
import { jobChangeRoutes, type JobChangeRoutesDeps } from './jobs/job-change-routes.ts';
import { jobRoutes, type JobRoutesDeps } from './jobs/job-routes.ts';
import { clientRoutes, type ClientRoutesDeps } from './clients/client-routes.ts';
import { auditRoutes, type AuditRoutesDeps } from './access/audit-routes.ts';
import { audienceRoutes, type AudienceRoutesDeps } from './audiences/audience-routes.ts';
import { createAuthenticate, type Authentication } from './access/authenticate.ts';
import { budgetRoutes, type BudgetRoutesDeps } from './runs/control/budget-routes.ts';
import { campaignListRoutes, type CampaignListRoutesDeps } from './live/campaign-list-routes.ts';
import { campaignRoutes, type CampaignRoutesDeps } from './campaigns/campaign-routes.ts';
import { comparisonRoutes } from './runs/comparison-routes.ts';
import { deadJobRoutes, type DeadJobRoutesDeps } from './jobs/dead-job-routes.ts';
import { deadLetterRoutes, type DeadLetterRoutesDeps } from './trouble/dead-letter-routes.ts';
import { draftRoutes } from './campaigns/draft-routes.ts';
import { explainRoutes } from './runs/explain/explain-routes.ts';
import { failureRoutes } from './runs/failures/failure-routes.ts';
import { findRoutes, type FindRoutesDeps } from './find/find-routes.ts';
import { addIdempotency } from './frame/idempotency.ts';
import { liveRoutes, type LiveRoutesDeps } from './live/live-routes.ts';
import { logChanges } from './frame/server/log-changes.ts';
import { notTakingPart } from './frame/server/not-taking-part.ts';
import { quarantineRoutes, type QuarantineRoutesDeps } from './trouble/quarantine-routes.ts';
import { retryRoutes } from './runs/failures/retry-routes.ts';
import { runReceiptRoutes } from './receipts/run-receipt-routes.ts';
import { recordChanges } from './access/record-changes.ts';
import { runControlRoutes, type RunControlRoutesDeps } from './runs/control/run-control-routes.ts';
import { groupRoutes, type GroupRoutesDeps } from './schedules/group-routes.ts';
import { checkRole, requireDeclaredRoles } from './access/route-roles.ts';
import { scheduleFireRoutes } from './schedules/schedule-fire-routes.ts';
import { scheduleRoutes, type ScheduleRoutesDeps } from './schedules/schedule-routes.ts';
import { schedulerRoutes, type SchedulerRoutesDeps } from './jobs/scheduler/scheduler-routes.ts';
import { sessionRoutes, type SessionRoutesDeps } from './access/session-routes.ts';
import { settlementRoutes, type SettlementRoutesDeps } from './trouble/settlement-routes.ts';
import { shardRoutes, type ShardRoutesDeps } from './shards/shard-routes.ts';
import { runRoutes, type RunRoutesDeps } from './runs/run-routes.ts';

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
