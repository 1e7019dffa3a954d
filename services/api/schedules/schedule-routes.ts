import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  newSchedule,
  schedulePatch,
  scheduleShape,
  type NewScheduleBody,
} from '../../../shared/contracts/schedules/schedules.ts';
import { idPattern, publicId } from '../../../shared/domain/ids/ids.ts';
import { scheduleStates } from '../../../shared/domain/recurrence/schedule-states.ts';
import { patchRefusals } from '../../../shared/contracts/stated-rules.ts';
import type { Scope } from '../../../shared/domain/scopes.ts';
import { topicOf } from '../../../shared/contracts/jobs/topic-urls.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { Tracing } from '../../../shared/ports/tracing.ts';
import type { SecretBox } from '../../../shared/runtime/configuration/secret-box.ts';
import type { ClientReader } from '../../../shared/runtime/installation/client-reader.ts';
import { pageQuery, pageShape, partOfName } from '../frame/pages.contract.ts';
import { jsonAnswer, problems } from '../frame/document/answer-shapes.ts';
import { rawBody, type HttpServer } from '../frame/server/create-http-server.ts';
import { changeRevised, entityTag, expectedRevision, ifMatchHeaders } from '../frame/if-match.ts';
import { HttpProblem, invalidRequest, notFound } from '../frame/http-problem.ts';
import { idempotentHeaders } from '../frame/server/idempotency.ts';
import type { ScheduleChange, ScheduleRecord, ScheduleStore } from './schedule-store.port.ts';
import { cursorInQuery, idInQuery, pageView, requireId } from '../frame/public-ids.ts';
import { requireScheduleChanger, canReadJobContents } from '../access/rights.ts';
import { campaignsInScope, clientsInScope, scopeOf } from '../access/scopes.ts';
import { egressOf, type ClientEgress } from '../clients/client-egress.ts';
import { targetOf } from '../clients/call-target.ts';
import { requireNamedClient, requireNamedEndpoint, refreshForEndpoint } from '../clients/named-client.ts';
import { stillDeciding } from './schedule-problems.ts';
import { scheduleView } from './schedule-view.ts';
import type { WorkCalendarStore } from './work-calendar-store.port.ts';
import { checkKept, definitionOf, nothingKept, patchedSchedule, type CallPlace } from './requested-schedule.ts';

export interface ScheduleRoutesDeps {
  schedules: ScheduleStore;
  workCalendars: WorkCalendarStore;
  clients: Pick<ClientReader, 'current' | 'refresh'>;
  secretBox: SecretBox;
  clientEgress: ClientEgress;
  clock: Clock;
  tracing?: Tracing | null | undefined;
}

/** Roles that may change schedules. The owner of a schedule determines which role is needed. */
export const eitherRole = ['scheduler', 'manager'] as const;

export const byScheduleId = z.object({ id: z.string().describe('sch_…') });
const tags = ['schedules'];
export const scheduleAnswer = jsonAnswer('The schedule', scheduleShape);

const listQuery = pageQuery.extend({
  state: z.enum(scheduleStates).optional(),
  clientId: z
    .string()
    .optional()
    .describe('cli_…')
    .meta({ pattern: idPattern('client') }),
  q: partOfName,
});

export function scheduleRoutes(server: HttpServer, deps: ScheduleRoutesDeps): void {
  for (const register of [createRoute, listRoute, readRoute, changeRoute, deleteRoute]) register(server, deps);
}

/** Answers a request with the schedule and its ETag. */
export const answerSchedule = (request: FastifyRequest, reply: FastifyReply, schedule: ScheduleRecord) =>
  reply.header('etag', entityTag(schedule.revision)).send(scheduleView(schedule, canReadJobContents(request)));

async function requireSchedule(id: string, schedules: Pick<ScheduleStore, 'get'>): Promise<ScheduleRecord> {
  const schedule = await schedules.get(requireId('schedule', id));
  if (!schedule) throw notFound('schedule', id);
  return schedule;
}

/**
 * Returns the target of a schedule's calls. Other fields of a schedule may be changed while its host stays the same,
 * even if the egress rules now forbid the host.
 */
async function placeOf(
  { target }: NewScheduleBody,
  scope: Scope,
  deps: ScheduleRoutesDeps,
  before?: ScheduleRecord,
): Promise<CallPlace> {
  const named = await requireNamedClient(target.client, scope, deps.clients, '/target/client');
  const client = await refreshForEndpoint(named, target.endpoint, deps.clients);
  const endpoint = requireNamedEndpoint(client, target.endpoint, '/target/endpoint');
  const url = targetOf(target, endpoint, '/target/url');
  const urlBefore = before?.clientId === client.clientId ? before.definition.kept?.call?.url : undefined;
  const isKept = urlBefore !== undefined && URL.parse(urlBefore)?.origin === new URL(url).origin;
  const pointer = topicOf(url) === undefined ? '/target/url' : '/target/endpoint';
  const forbidden = isKept ? null : deps.clientEgress.problemOf(egressOf(client, endpoint.terms), url, pointer);
  if (forbidden) throw invalidRequest([forbidden]);
  return { client, endpoint, url };
}

function createRoute(server: HttpServer, deps: ScheduleRoutesDeps): void {
  server.route({
    method: 'POST',
    url: '/schedules',
    config: { role: 'scheduler', scope: 'schedule', audit: 'created a schedule' },
    schema: {
      operationId: 'createSchedule',
      summary: 'Create a schedule',
      description: 'The schedule fires from its next instant on. `POST /v1/schedules/preview` lists the next fires.',
      tags,
      headers: idempotentHeaders,
      body: newSchedule,
      response: { 201: scheduleAnswer },
    },
    handler: async (request, reply) => {
      const { body, begun } = request;
      const place = await placeOf(body, scopeOf(request), deps);
      const definition = definitionOf({ wanted: body, kept: nothingKept }, place, deps.secretBox);
      const { name, note = null } = body;
      const { clientId } = place.client;
      const created = await deps.schedules.create({ scheduleId: begun?.createdId, name, note, clientId, definition });
      reply.code(201).header('location', `/v1/schedules/${publicId('schedule', created.scheduleId)}`);
      return answerSchedule(request, reply, created);
    },
  });
}

function listRoute(server: HttpServer, { schedules }: ScheduleRoutesDeps): void {
  server.route({
    method: 'GET',
    url: '/schedules',
    config: { role: 'viewer', scope: 'schedule' },
    schema: {
      operationId: 'listSchedules',
      summary: 'List schedules, newest first',
      description: 'Includes schedules of campaigns.',
      tags,
      querystring: listQuery,
      response: { 200: jsonAnswer('A page of schedules', pageShape(scheduleShape)) },
    },
    handler: async (request) => {
      const { limit, cursor, state, clientId, q } = request.query;
      const ofClient = idInQuery('client', 'clientId', clientId);
      const filter = {
        state,
        text: q,
        clientId: ofClient,
        clientIds: clientsInScope(request),
        within: campaignsInScope(request),
      };
      const page = await schedules.list(filter, limit, cursorInQuery('schedule', cursor));
      return pageView('schedule', page, (each) => scheduleView(each, canReadJobContents(request)));
    },
  });
}

function readRoute(server: HttpServer, { schedules }: ScheduleRoutesDeps): void {
  server.route({
    method: 'GET',
    url: '/schedules/:id',
    config: { role: 'viewer', scope: 'schedule' },
    schema: {
      operationId: 'getSchedule',
      summary: 'Show a schedule',
      tags,
      params: byScheduleId,
      response: { 200: scheduleAnswer },
    },
    handler: async (request, reply) =>
      answerSchedule(request, reply, await requireSchedule(request.params.id, schedules)),
  });
}

function changeRoute(server: HttpServer, deps: ScheduleRoutesDeps): void {
  server.route({
    method: 'PATCH',
    url: '/schedules/:id',
    config: {
      role: eitherRole,
      scope: 'schedule',
      audit: 'changed a schedule',
      refusals: {
        ...patchRefusals,
        'invalid-span': '`until` lies before `from`',
        'secret-missing': 'a header or URL that is kept encrypted would go to another client or server',
        unreadable: 'an unreadable field is not given a new value',
      },
    },
    schema: {
      operationId: 'changeSchedule',
      summary: 'Change a schedule',
      description:
        'Instants that are already due fire with the previous definition, and fired occurrences stay. null resets a field to its default (JSON merge patch). ' +
        'For the schedule of a campaign, only the note can be changed here.',
      tags,
      params: byScheduleId,
      headers: ifMatchHeaders,
      body: schedulePatch,
      response: { 200: scheduleAnswer, ...problems(409) },
    },
    // The body is not validated before the handler, because the handler validates the merged schedule.
    validatorCompiler: rawBody,
    handler: async (request, reply) => {
      const { id } = request.params;
      const body: unknown = request.body;
      const changed = await changeRevised(expectedRevision(request.headers['if-match']), {
        read: async () => {
          const before = await requireSchedule(id, deps.schedules);
          requireScheduleChanger(request, before.campaignId);
          return before;
        },
        change: async (before) => {
          const change =
            before.campaignId === null ? await changeOf(before, body, scopeOf(request), deps) : noteOf(before, body);
          return await deps.schedules.change(before.scheduleId, change, before.revision);
        },
        nameOf: ({ scheduleId }) => publicId('schedule', scheduleId),
      });
      if (changed.kind === 'missing') throw notFound('schedule', id);
      if (changed.kind === 'busy') throw stillDeciding(id);
      return answerSchedule(request, reply, changed.schedule);
    },
  });
}

function deleteRoute(server: HttpServer, { schedules }: ScheduleRoutesDeps): void {
  server.route({
    method: 'DELETE',
    url: '/schedules/:id',
    config: { role: 'scheduler', scope: 'schedule', audit: 'deleted a schedule' },
    schema: {
      operationId: 'deleteSchedule',
      summary: 'Delete a schedule',
      description: 'The schedule no longer fires, and its occurrences are no longer listed. Its jobs continue.',
      tags,
      params: byScheduleId,
      response: { 204: z.null().describe('The schedule is deleted'), ...problems(409) },
    },
    handler: async ({ params: { id } }, reply) => {
      const removed = await schedules.remove(requireId('schedule', id));
      if (removed === 'missing') throw notFound('schedule', id);
      if (removed === 'of-campaign') {
        const detail = `${id} is the schedule of a campaign: POST /v1/schedules/${id}/disable ends it`;
        throw new HttpProblem({ status: 409, code: 'schedule-of-campaign', detail });
      }
      return reply.code(204).send(null);
    },
  });
}

async function changeOf(before: ScheduleRecord, body: unknown, scope: Scope, deps: ScheduleRoutesDeps) {
  const patched = patchedSchedule(before, body);
  const { name, note = null } = patched.wanted;
  const place = await placeOf(patched.wanted, scope, deps, before);
  checkKept(patched, place, before);
  return { name, note, clientId: place.client.clientId, definition: definitionOf(patched, place, deps.secretBox) };
}

/**
 * Checks that the caller's role fits the owner: managers change schedules of campaigns, schedulers change schedules of
 * clients.
 */
export async function checkOwner(
  request: FastifyRequest,
  id: string,
  schedules: Pick<ScheduleStore, 'get'>,
): Promise<void> {
  const schedule = await schedules.get(requireId('schedule', id));
  if (schedule) requireScheduleChanger(request, schedule.campaignId);
}

const notePatch = z.strictObject({ note: scheduleShape.shape.note.optional() });

function noteOf({ scheduleId, campaignId }: ScheduleRecord, body: unknown): ScheduleChange {
  const patch = notePatch.safeParse(body);
  if (patch.success) return patch.data;
  const id = publicId('schedule', scheduleId);
  const detail = `${id} is the schedule of ${publicId('campaign', campaignId ?? '')}: only its note can be changed here`;
  throw new HttpProblem({ status: 409, code: 'schedule-of-campaign', detail });
}
