import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import { jobChange, newJobChange, type JobChangeShape } from '../../../shared/contracts/jobs/job-changes.ts';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { ClientReader } from '../../../shared/runtime/installation/client-reader.ts';
import { scopeOf } from '../access/scopes.ts';
import { requireNamedClient } from '../clients/named-client.ts';
import { dueTimeOf } from './accept/due-time.ts';
import type { JobChanger } from './change-jobs.ts';
import { jsonAnswer } from '../frame/document/answer-shapes.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import { notFound } from '../frame/http-problem.ts';
import { idempotentHeaders } from '../frame/server/idempotency.ts';
import type { JobChange, JobChanges } from './postgres/job-changes.ts';
import { requireId } from '../frame/public-ids.ts';

export interface JobChangeRoutesDeps {
  jobChanges: JobChanges;
  jobChanger: JobChanger;
  clients: Pick<ClientReader, 'current' | 'refresh'>;
  clock: Clock;
}

const tags = ['jobs'];

export function jobChangeRoutes(server: HttpServer, deps: JobChangeRoutesDeps): void {
  const { jobChanges, jobChanger, clients, clock } = deps;
  server.route({
    method: 'POST',
    url: '/jobs/changes',
    config: { role: 'scheduler', scope: 'client', audit: 'started a change of all matching jobs' },
    schema: {
      operationId: 'changeJobs',
      summary: 'Cancel or reschedule all matching jobs of a client',
      description:
        'Carried out here, part by part; it goes on when a process dies. Jobs that come meanwhile, behind where it is, are changed too.',
      tags,
      headers: idempotentHeaders,
      body: newJobChange,
      response: { 202: jsonAnswer('The change', jobChange) },
    },
    handler: async (request, reply) => {
      const { verb, client, state, tag, endpoint, orderingKey, priority, dueFrom, dueUntil } = request.body;
      const until = (text: string | undefined) => (text === undefined ? undefined : new Date(text));
      const to = dueTimeOf(request.body, clock.now());
      const dueAt = 'dueAt' in to ? to.dueAt : new Date(clock.now().getTime() + to.delayMs);
      const change = await jobChanges.create({
        changeId: request.begun?.createdId ?? uuidv7(),
        clientId: (await requireNamedClient(client, scopeOf(request), clients)).clientId,
        verb,
        filter: { state, tag, endpoint, orderingKey, priority, dueFrom: until(dueFrom), dueUntil: until(dueUntil) },
        dueAt: verb === 'cancel' ? null : dueAt,
      });
      jobChanger.poke();
      request.auditDetail = { ...request.body, change: publicId('jobChange', change.changeId) };
      reply.code(202);
      return jobChangeView(change);
    },
  });

  server.route({
    method: 'GET',
    url: '/jobs/changes/:id',
    config: { role: 'viewer', scope: 'client' },
    schema: {
      operationId: 'getJobChange',
      summary: 'Show the progress of a change of many jobs',
      tags,
      params: z.object({ id: z.string().describe('jch_…') }),
      response: { 200: jsonAnswer('The change', jobChange) },
    },
    handler: async ({ params: { id } }) => {
      const change = await jobChanges.get(requireId('jobChange', id));
      if (!change) throw notFound('jobChange', id);
      return jobChangeView(change);
    },
  });
}

function jobChangeView(change: JobChange): JobChangeShape {
  const { changeId, clientId, verb, state, seen, changed, tooLate, dueAt, createdAt, endedAt } = change;
  const id = publicId('jobChange', changeId);
  return {
    id,
    clientId: publicId('client', clientId),
    verb,
    state,
    seen,
    changed,
    tooLate,
    dueAt: dueAt?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
    endedAt: endedAt?.toISOString() ?? null,
    links: { self: `/v1/jobs/changes/${id}` },
  };
}
