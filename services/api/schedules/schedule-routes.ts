import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  newSchedule,
  schedulePatch,
  scheduleShape,
  type NewScheduleBody,
} from '../../../shared/contracts/schedules/schedules.ts';
import { idPattern, publicId } from '../../../shared/domain/ids/ids.ts';
import { scheduleStates, scheduleVerbs, type ScheduleVerb } from '../../../shared/domain/recurrence/schedule-states.ts';
import { patchRefusals } from '../../../shared/contracts/stated-rules.ts';
import type { Scope } from '../../../shared/domain/scopes.ts';
import { topicOf } from '../../../shared/contracts/jobs/topic-urls.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { Tracing } from '../../../shared/ports/tracing.ts';
import type { SecretBox } from '../../../shared/runtime/configuration/secret-box.ts';
import type { ClientReader } from '../../../shared/runtime/installation/client-reader.ts';
import { pageQuery, pageShape, partOfName } from '../frame/pages.contract.ts';
import { jsonAnswer, problems } from '../frame/document/answer-shapes.ts';
import { bodyAsItCame, type HttpServer } from '../frame/server/create-http-server.ts';
import { changeRevised, entityTag, expectedRevision, ifMatchHeaders } from '../frame/if-match.ts';
import { HttpProblem, invalidRequest, notFound } from '../frame/http-problem.ts';
import { idempotentHeaders } from '../frame/server/idempotency.ts';
import type { ScheduleChange, ScheduleRecord, ScheduleStore } from './schedule-store.port.ts';
import { cursorInQuery, idInQuery, pageView, requireId } from '../frame/public-ids.ts';
import { requireScheduleChanger, seesContentOfJobs } from '../access/rights.ts';
import { campaignsInScope, clientsInScope, scopeOf } from '../access/scopes.ts';
import { egressOf, type ClientEgress } from '../clients/client-egress.ts';
import { targetOf } from '../clients/call-target.ts';
import { clientNamed, endpointNamed, knowingEndpoint } from '../clients/named-client.ts';
import { stateForbids, stillDeciding } from './schedule-problems.ts';
import { scheduleView } from './schedule-view.ts';
import type { WorkCalendarStore } from './work-calendar-store.port.ts';
import { checkKept, definitionOf, nothingKept, patchedSchedule, type CallPlace } from './wanted-schedule.ts';
import { textShape } from '../../../shared/contracts/stored-texts.ts';

export interface ScheduleRoutesDeps {
  schedules: ScheduleStore;
  workCalendars: WorkCalendarStore;
  clients: Pick<ClientReader, 'current' | 'refresh'>;
  secretBox: SecretBox;
  clientEgress: ClientEgress;
  clock: Clock;
  tracing?: Tracing | null | undefined;
}

/** Roles that may change schedules; the schedule's owner determines which one. */
export const eitherRole = ['scheduler', 'manager'] as const;

export const byScheduleId = z.object({ id: z.string().describe('sch_…') });
const tags = ['schedules'];
const answered = jsonAnswer('The schedule', scheduleShape);

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
  const { schedules, secretBox } = deps;
  const answer = (request: FastifyRequest, reply: FastifyReply, schedule: ScheduleRecord) =>
    reply.header('etag', entityTag(schedule.revision)).send(scheduleView(schedule, seesContentOfJobs(request)));

  async function require(id: string): Promise<ScheduleRecord> {
    const schedule = await schedules.get(requireId('schedule', id));
    if (!schedule) throw notFound('schedule', id);
    return schedule;
  }

  /** A schedule that keeps its host may be changed in other fields, even if egress rules now forbid the host. */
  async function placeOf({ target }: NewScheduleBody, scope: Scope, before?: ScheduleRecord): Promise<CallPlace> {
    const named = await clientNamed(target.client, scope, deps.clients, '/target/client');
    const client = await knowingEndpoint(named, target.endpoint, deps.clients);
    const endpoint = endpointNamed(client, target.endpoint, '/target/endpoint');
    const url = targetOf(target, endpoint, '/target/url');
    const urlBefore = before?.clientId === client.clientId ? before.definition.kept?.call?.url : undefined;
    const isKept = urlBefore !== undefined && URL.parse(urlBefore)?.origin === new URL(url).origin;
    const pointer = topicOf(url) === undefined ? '/target/url' : '/target/endpoint';
    const forbidden = isKept ? null : deps.clientEgress.problemOf(egressOf(client, endpoint.terms), url, pointer);
    if (forbidden) throw invalidRequest([forbidden]);
    return { client, endpoint, url };
  }

  server.route({
    method: 'POST',
    url: '/schedules',
    config: { role: 'scheduler', scope: 'schedule', audit: 'made a schedule' },
    schema: {
      operationId: 'createSchedule',
      summary: 'Create a schedule',
      description: 'It fires from its next instant on. `POST /v1/schedules/preview` says when that would be.',
      tags,
      headers: idempotentHeaders,
      body: newSchedule,
      response: { 201: answered },
    },
    handler: async (request, reply) => {
      const { body, begun } = request;
      const place = await placeOf(body, scopeOf(request));
      const definition = definitionOf({ wanted: body, kept: nothingKept }, place, secretBox);
      const { name, note = null } = body;
      const { clientId } = place.client;
      const created = await schedules.create({ scheduleId: begun?.createdId, name, note, clientId, definition });
      reply.code(201).header('location', `/v1/schedules/${publicId('schedule', created.scheduleId)}`);
      return answer(request, reply, created);
    },
  });

  server.route({
    method: 'GET',
    url: '/schedules',
    config: { role: 'viewer', scope: 'schedule' },
    schema: {
      operationId: 'listSchedules',
      summary: 'List schedules, newest first',
      description: 'Those of campaigns, too.',
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
      return pageView('schedule', page, (each) => scheduleView(each, seesContentOfJobs(request)));
    },
  });

  server.route({
    method: 'GET',
    url: '/schedules/:id',
    config: { role: 'viewer', scope: 'schedule' },
    schema: {
      operationId: 'getSchedule',
      summary: 'Show a schedule',
      tags,
      params: byScheduleId,
      response: { 200: answered },
    },
    handler: async (request, reply) => answer(request, reply, await require(request.params.id)),
  });

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
        unreadable: 'a field that cannot be read as it is stored is not given anew',
      },
    },
    schema: {
      operationId: 'changeSchedule',
      summary: 'Change some of a schedule',
      description:
        'What is due by then still fires as it was, and what fired is left alone. null takes a field back to what it is for a new one (JSON merge patch). ' +
        'Of a campaign’s schedule only the note can be changed here.',
      tags,
      params: byScheduleId,
      headers: ifMatchHeaders,
      body: schedulePatch,
      response: { 200: answered, ...problems(409) },
    },
    // The merged schedule is validated instead of the patch, as its fields have the usual limits.
    validatorCompiler: bodyAsItCame,
    handler: async (request, reply) => {
      const { id } = request.params;
      const body: unknown = request.body;
      const changed = await changeRevised(expectedRevision(request.headers['if-match']), {
        look: async () => {
          const before = await require(id);
          requireScheduleChanger(request, before.campaignId);
          return before;
        },
        change: async (before) => {
          const change =
            before.campaignId === null ? await changeOf(before, body, scopeOf(request)) : noteOf(before, body);
          return await schedules.change(before.scheduleId, change, before.revision);
        },
        nameOf: ({ scheduleId }) => publicId('schedule', scheduleId),
      });
      if (changed.kind === 'missing') throw notFound('schedule', id);
      if (changed.kind === 'busy') throw stillDeciding(id);
      return answer(request, reply, changed.schedule);
    },
  });

  async function changeOf(before: ScheduleRecord, body: unknown, scope: Scope) {
    const patched = patchedSchedule(before, body);
    const { name, note = null } = patched.wanted;
    const place = await placeOf(patched.wanted, scope, before);
    checkKept(patched, place, before);
    return { name, note, clientId: place.client.clientId, definition: definitionOf(patched, place, secretBox) };
  }

  for (const verb of scheduleVerbs) verbRoute(server, verb, deps);

  server.route({
    method: 'DELETE',
    url: '/schedules/:id',
    config: { role: 'scheduler', scope: 'schedule', audit: 'deleted a schedule' },
    schema: {
      operationId: 'deleteSchedule',
      summary: 'Delete a schedule',
      description: 'It fires no more, and what it fired is not listed any more; jobs that it made go on.',
      tags,
      params: byScheduleId,
      response: { 204: z.null().describe('It is gone'), ...problems(409) },
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

/** Checks the owner: managers change schedules of campaigns, schedulers those of clients. */
export async function checkOwner(
  request: FastifyRequest,
  id: string,
  schedules: Pick<ScheduleStore, 'get'>,
): Promise<void> {
  const schedule = await schedules.get(requireId('schedule', id));
  if (schedule) requireScheduleChanger(request, schedule.campaignId);
}

const summaries: Record<ScheduleVerb, string> = {
  pause: 'Let it rest for a while; the run that it started rests with it',
  resume: 'Let it go on; what it left out is recorded as skipped',
  disable: 'Switch it off; what waits is given up, and the run that it started is cancelled',
  enable: 'Switch it on',
};

const verbBody = z.strictObject({
  reason: textShape(500).optional(),
});

function verbRoute(server: HttpServer, verb: ScheduleVerb, { schedules }: ScheduleRoutesDeps): void {
  server.route({
    method: 'POST',
    url: `/schedules/:id/${verb}`,
    config: { role: eitherRole, scope: 'schedule', audit: `${verb}d a schedule` },
    schema: {
      operationId: `${verb}Schedule`,
      summary: summaries[verb],
      description: 'Asking for it again changes nothing.',
      tags,
      headers: idempotentHeaders,
      params: byScheduleId,
      body: verbBody.nullish(),
      response: { 200: answered },
    },
    handler: async (request, reply) => {
      const { id } = request.params;
      const { reason } = request.body ?? {};
      await checkOwner(request, id, schedules);
      const controlled = await schedules.control(requireId('schedule', id), verb, reason ?? null);
      if (!controlled) throw notFound('schedule', id);
      const { move, schedule } = controlled;
      request.auditDetail = { ...(reason === undefined ? {} : { reason }), state: schedule.state };
      if (move.kind === 'forbidden') throw stateForbids(schedule, verb, move.allowed);
      const view = scheduleView(schedule, seesContentOfJobs(request));
      return reply.header('etag', entityTag(schedule.revision)).send(view);
    },
  });
}

const notePatch = z.strictObject({ note: scheduleShape.shape.note.optional() });

function noteOf({ scheduleId, campaignId }: ScheduleRecord, body: unknown): ScheduleChange {
  const patch = notePatch.safeParse(body);
  if (patch.success) return patch.data;
  const id = publicId('schedule', scheduleId);
  const detail = `${id} is the schedule of ${publicId('campaign', campaignId ?? '')}: only its note can be changed here`;
  throw new HttpProblem({ status: 409, code: 'schedule-of-campaign', detail });
}
