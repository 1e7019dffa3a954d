import { z } from 'zod';
import {
  deadJobContent,
  deadJobGroup,
  deadJobShape,
  discardedJobs,
  discardMany,
  replayedJobs,
  replayMany,
  replayOne,
} from '../../../shared/contracts/jobs/dead-jobs.ts';
import { clientRef } from '../../../shared/contracts/jobs/jobs.ts';
import type { Scope } from '../../../shared/domain/scopes.ts';
import type { ClientReader } from '../../../shared/runtime/installation/client-reader.ts';
import { seesContentOfJobs } from '../access/rights.ts';
import { scopeOf } from '../access/scopes.ts';
import { clientToRead } from '../clients/named-client.ts';
import { pageQuery, pageShape } from '../frame/pages.contract.ts';
import { jsonAnswer } from '../frame/document/answer-shapes.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import { HttpProblem, notFound } from '../frame/http-problem.ts';
import { idempotentHeaders } from '../frame/server/idempotency.ts';
import type { DeadJobFilter, DeadJobStore } from './postgres/dead-job-store.ts';
import { refusingInvalidCursor, requireId } from '../frame/public-ids.ts';
import { deadJobContentView, deadJobGroupView, deadJobView } from './dead-job-view.ts';

export interface DeadJobRoutesDeps {
  deadJobs: DeadJobStore;
  clients: Pick<ClientReader, 'current' | 'refresh'>;
}

const byId = z.object({ id: z.string().describe('job_…') });
const tags = ['dead jobs'];
const filter = { client: clientRef.optional(), cause: z.string().min(1).max(500).optional() };

/** Jobs that were given up: their calls failed to the last, or could not be made. */
export function deadJobRoutes(server: HttpServer, deps: DeadJobRoutesDeps): void {
  listRoutes(server, deps);
  replayRoutes(server, deps);
  discardRoutes(server, deps);
}

function listRoutes(server: HttpServer, { deadJobs, clients }: DeadJobRoutesDeps): void {
  server.route({
    method: 'GET',
    url: '/dead-jobs',
    config: { role: 'viewer', scope: 'client', refusals: { 'unknown-client': 'no client has this id or name' } },
    schema: {
      operationId: 'listDeadJobs',
      summary: 'List jobs that were given up, the last first',
      tags,
      querystring: pageQuery.extend(filter),
      response: { 200: jsonAnswer('A page of dead jobs', pageShape(deadJobShape)) },
    },
    handler: async (request) => {
      const { limit, cursor, ...query } = request.query;
      const wanted = await filterOf(query, scopeOf(request), clients);
      const page = await refusingInvalidCursor(cursor, () => deadJobs.list(wanted, limit, cursor ?? null));
      return { items: page.items.map(deadJobView), next: page.next };
    },
  });

  server.route({
    method: 'GET',
    url: '/dead-jobs/groups',
    config: { role: 'viewer', scope: 'client', refusals: { 'unknown-client': 'no client has this id or name' } },
    schema: {
      operationId: 'groupDeadJobs',
      summary: 'Dead jobs by client and cause, most first',
      tags,
      querystring: z.strictObject(filter),
      response: { 200: jsonAnswer('All groups', pageShape(deadJobGroup)) },
    },
    handler: async (request) => {
      const groups = await deadJobs.groups(await filterOf(request.query, scopeOf(request), clients));
      return { items: groups.map(deadJobGroupView), next: null };
    },
  });

  server.route({
    method: 'GET',
    url: '/dead-jobs/:id',
    config: { role: 'viewer', scope: 'client' },
    schema: {
      operationId: 'getDeadJob',
      summary: 'Show a dead job whole',
      tags,
      params: byId,
      response: { 200: jsonAnswer('The job', deadJobContent) },
    },
    handler: async (request) => {
      const { id } = request.params;
      const job = await deadJobs.find(requireId('job', id));
      if (!job) throw notFound('job', id);
      return deadJobContentView(job, seesContentOfJobs(request));
    },
  });
}

interface WantedFilter {
  client?: string | undefined;
  cause?: string | undefined;
}

/** @throws {HttpProblem} 422 for an unknown client, 403 for one out of scope */
async function filterOf(
  { client, cause }: WantedFilter,
  scope: Scope,
  clients: DeadJobRoutesDeps['clients'],
): Promise<DeadJobFilter> {
  if (client === undefined) return { clientIds: scope.clients ?? undefined, cause };
  return { clientIds: [await clientToRead(client, scope, clients)], cause };
}

function replayRoutes(server: HttpServer, { deadJobs, clients }: DeadJobRoutesDeps): void {
  server.route({
    method: 'POST',
    url: '/dead-jobs/:id/replay',
    config: { role: 'scheduler', scope: 'client', audit: 'replayed a dead job' },
    schema: {
      operationId: 'replayDeadJob',
      summary: 'Call a dead job again',
      description: 'It is a job again, under the same id and webhook-id, with all its attempts before it.',
      tags,
      headers: idempotentHeaders,
      params: byId,
      body: replayOne,
      response: { 200: jsonAnswer('How many', replayedJobs) },
    },
    handler: async ({ params: { id }, body }) => {
      const outcome = await deadJobs.replay(requireId('job', id), body);
      if (outcome === 'missing') throw notFound('job', id);
      if (outcome === 'client-deleted') {
        const detail = `the client of ${id} was deleted: nothing is called for it any more`;
        throw new HttpProblem({ status: 409, code: 'client-deleted', detail });
      }
      if (outcome === 'expired') {
        const detail = `${id} has expired; withExpired calls it all the same`;
        throw new HttpProblem({ status: 409, code: 'expired', detail });
      }
      return { jobs: 1, expired: 0 };
    },
  });

  server.route({
    method: 'POST',
    url: '/dead-jobs/replay',
    config: { role: 'scheduler', scope: 'client', audit: 'replayed dead jobs' },
    schema: {
      operationId: 'replayDeadJobs',
      summary: 'Call dead jobs again: those of a client, those for a cause, or all',
      description:
        'With `perSecond` they fall due one after the other; what has expired is left alone unless asked for.',
      tags,
      headers: idempotentHeaders,
      body: replayMany,
      response: { 200: jsonAnswer('How many', replayedJobs) },
    },
    handler: async (request) => {
      const { withExpired, perSecond } = request.body;
      const wanted = await filterOf(request.body, scopeOf(request), clients);
      const replayed = await deadJobs.replayAll(wanted, { withExpired, perSecond: perSecond ?? null });
      request.auditDetail = { ...request.body, ...replayed };
      return replayed;
    },
  });
}

function discardRoutes(server: HttpServer, { deadJobs, clients }: DeadJobRoutesDeps): void {
  const stays = 'It stays in what has ended, and counted as dead.';
  server.route({
    method: 'POST',
    url: '/dead-jobs/:id/discard',
    config: { role: 'scheduler', scope: 'client', audit: 'discarded a dead job' },
    schema: {
      operationId: 'discardDeadJob',
      summary: 'Put a dead job away: nobody will call it again',
      description: `${stays} Its content is deleted.`,
      tags,
      headers: idempotentHeaders,
      params: byId,
      response: { 200: jsonAnswer('How many', discardedJobs) },
    },
    handler: async ({ params: { id } }) => {
      if (!(await deadJobs.discard(requireId('job', id)))) throw notFound('job', id);
      return { jobs: 1 };
    },
  });

  server.route({
    method: 'POST',
    url: '/dead-jobs/discard',
    config: { role: 'scheduler', scope: 'client', audit: 'discarded dead jobs' },
    schema: {
      operationId: 'discardDeadJobs',
      summary: 'Put dead jobs away: those of a client, those for a cause, or all',
      description: `${stays} What dies meanwhile is left.`,
      tags,
      headers: idempotentHeaders,
      body: discardMany,
      response: { 200: jsonAnswer('How many', discardedJobs) },
    },
    handler: async (request) => {
      const jobs = await deadJobs.discardAll(await filterOf(request.body, scopeOf(request), clients));
      request.auditDetail = { ...request.body, jobs };
      return { jobs };
    },
  });
}
