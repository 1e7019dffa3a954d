import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  cancelledJob,
  jobShape,
  jobStates,
  jobSummary,
  type CancelAnswer,
  type JobShape,
} from '../../../shared/contracts/jobs/job-shapes.ts';
import { clientRef, jobTag } from '../../../shared/contracts/jobs/jobs.ts';
import { endpointName, jobPriority } from '../../../shared/contracts/jobs/call-terms.ts';
import { orderingFields } from '../../../shared/contracts/jobs/job-keys.ts';
import { newDue } from '../../../shared/contracts/jobs/due-times.ts';
import { instant } from '../../../shared/contracts/instants.ts';
import type { Scope } from '../../../shared/domain/scopes.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { Tracing } from '../../../shared/ports/tracing.ts';
import type { ClientReader } from '../../../shared/runtime/installation/client-reader.ts';
import { canReadJobContents } from '../access/rights.ts';
import { scopeOf } from '../access/scopes.ts';
import { requireReadableClient } from '../clients/named-client.ts';
import { dueTimeOf } from './accept/due-time.ts';
import { pageQuery, pageShape } from '../frame/pages.contract.ts';
import { jsonAnswer } from '../frame/document/answer-shapes.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import { HttpProblem, invalidRequest, notFound, quoted } from '../frame/http-problem.ts';
import { idempotentHeaders } from '../frame/server/idempotency.ts';
import type { JobFilter } from './postgres/job-lists.ts';
import type { JobChangeResult, JobStore } from './postgres/job-store.ts';
import { refusingInvalidCursor, requireId } from '../frame/public-ids.ts';
import { jobSummaryView, jobView } from './job-view.ts';

export interface JobRoutesDeps {
  jobStore: JobStore;
  clients: Pick<ClientReader, 'current' | 'refresh'>;
  clock: Clock;
  tracing?: Tracing | null | undefined;
}

const byId = z.object({ id: z.string().describe('job_…') });
const tags = ['jobs'];
const jobAnswer = jsonAnswer('The job', jobShape);

const filter = {
  client: clientRef.optional(),
  state: z
    .enum(jobStates)
    .optional()
    .describe('State of the jobs. Default: pending and firing; other states require the client'),
  tag: jobTag.optional(),
  endpoint: endpointName.optional().describe('Jobs of the endpoint with this name'),
  orderingKey: orderingFields.orderingKey.describe('Jobs with this ordering key, in their order; requires the client'),
  priority: jobPriority.optional().describe('Jobs with this priority'),
  dueFrom: instant.optional().describe('Inclusive'),
  dueUntil: instant.optional().describe('Exclusive'),
};

const needClient = new Set<string | undefined>([
  'waiting',
  'reporting',
  'sidelined',
  'called',
  'expired',
  'cancelled',
  'dead',
]);

export function jobRoutes(server: HttpServer, deps: JobRoutesDeps): void {
  listRoute(server, deps);
  jobRoute(server, deps);
  cancelRoute(server, deps);
  moveRoute(server, 'reschedule', deps);
  moveRoute(server, 'run-now', deps);
}

function listRoute(server: HttpServer, { jobStore, clients }: JobRoutesDeps): void {
  server.route({
    method: 'GET',
    url: '/jobs',
    config: {
      role: 'viewer',
      scope: 'client',
      refusals: {
        missing: '`orderingKey` and this state require `client`',
        'unknown-client': 'no client has this id or name',
        'invalid-span': '`dueUntil` is not later than `dueFrom`',
      },
    },
    schema: {
      operationId: 'listJobs',
      summary: 'List jobs: open jobs by due time, ended jobs newest first',
      description:
        'A page reads a bounded number of jobs, so it may contain fewer than requested although `next` continues the list.',
      tags,
      querystring: pageQuery.extend(filter),
      response: { 200: jsonAnswer('A page of jobs', pageShape(jobSummary)) },
    },
    handler: async (request) => {
      const { limit, cursor, ...wanted } = request.query;
      const found = await jobFilterOf(wanted, scopeOf(request), clients);
      const page = await refusingInvalidCursor(cursor, () => jobStore.list(found, limit, cursor ?? null));
      return { items: page.items.map(jobSummaryView), next: page.next };
    },
  });
}

function jobRoute(server: HttpServer, deps: JobRoutesDeps): void {
  server.route({
    method: 'GET',
    url: '/jobs/:id',
    config: { role: 'viewer', scope: 'client' },
    schema: {
      operationId: 'getJob',
      summary: 'Show a job and its calls',
      tags,
      params: byId,
      response: { 200: jobAnswer },
    },
    handler: (request) => viewOf(request.params.id, request, deps),
  });
}

function cancelRoute(server: HttpServer, { jobStore }: JobRoutesDeps): void {
  server.route({
    method: 'POST',
    url: '/jobs/:id/cancel',
    config: { role: 'scheduler', scope: 'client', audit: 'cancelled a job' },
    schema: {
      operationId: 'cancelJob',
      summary: 'Cancel a job',
      description:
        '`cancelled`: it will not be called. `called`: it was called. `too-late`: it is being called, or is expired or dead. A repeated request has the same answer.',
      tags,
      headers: idempotentHeaders,
      params: byId,
      response: { 200: jsonAnswer('Result of the cancellation', cancelledJob) },
    },
    handler: async (request) => {
      const { id } = request.params;
      const [changed] = await jobStore.cancel([requireId('job', id)]);
      if (!changed || changed.kind === 'missing') throw notFound('job', id);
      const result = cancelAnswerOf(changed);
      request.auditDetail = { result };
      return { id, result };
    },
  });
}

const moves = {
  reschedule: { operationId: 'rescheduleJob', summary: 'Reschedule a job', audit: 'rescheduled a job' },
  'run-now': { operationId: 'runJobNow', summary: 'Call a job at once', audit: 'made a job due at once' },
} as const;

function moveRoute(server: HttpServer, verb: keyof typeof moves, deps: JobRoutesDeps): void {
  const { jobStore, clock } = deps;
  const { operationId, summary, audit } = moves[verb];
  server.route({
    method: 'POST',
    url: `/jobs/:id/${verb}`,
    config: { role: 'scheduler', scope: 'client', audit },
    schema: {
      operationId,
      summary,
      tags,
      headers: idempotentHeaders,
      params: byId,
      ...(verb === 'reschedule' && { body: newDue }),
      response: { 200: jobAnswer },
    },
    handler: async (request) => {
      const { id } = request.params;
      const to = verb === 'run-now' ? { delayMs: 0 } : dueTimeOf(newDue.parse(request.body), clock.now());
      const [changed] = await jobStore.move([requireId('job', id)], to);
      if (!changed || changed.kind === 'missing') throw notFound('job', id);
      if (changed.kind !== 'changed') throw cannotMove(id, changed);
      return viewOf(id, request, deps);
    },
  });
}

async function viewOf(id: string, request: FastifyRequest, { jobStore, tracing }: JobRoutesDeps): Promise<JobShape> {
  return jobView(await requireJob(jobStore, id), canReadJobContents(request), tracing?.share ?? 0);
}

async function requireJob(jobStore: JobStore, id: string) {
  const job = await jobStore.find(requireId('job', id));
  if (!job) throw notFound('job', id);
  return job;
}

/**
 * Returns the filter of a request.
 * @throws {HttpProblem} 422 for an unknown client, or if a client is required and missing; 403 for a client outside the
 * scope
 */
async function jobFilterOf(
  { client: ref, state, tag, endpoint, orderingKey, priority, dueFrom, dueUntil }: z.output<z.ZodObject<typeof filter>>,
  scope: Scope,
  clients: JobRoutesDeps['clients'],
): Promise<JobFilter> {
  if (ref === undefined && (needClient.has(state) || orderingKey !== undefined)) {
    const described = orderingKey === undefined ? `that are ${quoted(state)}` : `of the key ${quoted(orderingKey)}`;
    const detail = `is missing: jobs ${described} are listed by client`;
    throw invalidRequest([{ pointer: '/client', code: 'missing', detail }]);
  }
  return {
    clientIds: ref === undefined ? (scope.clients ?? undefined) : [await requireReadableClient(ref, scope, clients)],
    state,
    tag,
    endpoint,
    orderingKey,
    priority,
    dueFrom: dueFrom === undefined ? undefined : new Date(dueFrom),
    dueUntil: dueUntil === undefined ? undefined : new Date(dueUntil),
  };
}

export function cancelAnswerOf(changed: Exclude<JobChangeResult, { kind: 'missing' }>): CancelAnswer {
  if (changed.kind === 'changed') return 'cancelled';
  if (changed.kind === 'firing' || changed.kind === 'reporting') return 'too-late';
  return changed.outcome === 'cancelled' || changed.outcome === 'called' ? changed.outcome : 'too-late';
}

function cannotMove(
  id: string,
  changed: Extract<JobChangeResult, { kind: 'firing' | 'reporting' | 'ended' }>,
): HttpProblem {
  const state = changed.kind === 'ended' ? changed.outcome : changed.kind;
  const detail = `${id} is ${state} and cannot be rescheduled; only pending, waiting and sidelined jobs can`;
  return new HttpProblem({ status: 409, code: 'state-forbids', detail });
}
