import { recurrenceOf, type RecurrenceDefinition } from '../../../shared/contracts/schedules/recurrences.ts';
import {
  backfillRequest,
  firedShape,
  fireRequest,
  groupName,
  occurrenceShape,
  occurrenceStates,
  previewBody,
  previewQuery,
  previewShape,
  type PreviewShape,
} from '../../../shared/contracts/schedules/schedules.ts';
import { z } from 'zod';
import { BeyondQuotaError } from '../../../shared/domain/quotas.ts';
import { nextFires } from '../../../shared/domain/recurrence/recurrence.ts';
import { pageQuery, pageShape } from '../frame/pages.contract.ts';
import { jsonAnswer, problems } from '../frame/document/answer-shapes.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import { HttpProblem, invalidRequest, notFound } from '../frame/http-problem.ts';
import { idempotentHeaders } from '../frame/server/idempotency.ts';
import { recordAccepted } from '../jobs/accept/accept-traces.ts';
import type { FireResult, FireRequest } from './schedule-store.port.ts';
import { refusingInvalidCursor, requireId } from '../frame/public-ids.ts';
import { byScheduleId, checkOwner, eitherRole, type ScheduleRoutesDeps } from './schedule-routes.ts';
import { occurrenceView, previewView } from './schedule-view.ts';

const tags = ['schedules'];

const occurrenceQuery = pageQuery.extend({
  state: z.enum(occurrenceStates).optional(),
  group: groupName.optional(),
});

export function scheduleFireRoutes(server: HttpServer, deps: ScheduleRoutesDeps): void {
  fireRoutes(server, deps);
  previewRoutes(server, deps);

  server.route({
    method: 'GET',
    url: '/schedules/:id/occurrences',
    config: { role: 'viewer', scope: 'schedule' },
    schema: {
      operationId: 'listOccurrences',
      summary: 'List occurrences of a schedule, newest first: fired, waiting, and skipped with the cause',
      tags,
      params: byScheduleId,
      querystring: occurrenceQuery,
      response: { 200: jsonAnswer('A page of occurrences', pageShape(occurrenceShape)) },
    },
    handler: async ({ params: { id }, query: { limit, cursor, ...filter } }) => {
      const scheduleId = requireId('schedule', id);
      if (!(await deps.schedules.get(scheduleId))) throw notFound('schedule', id);
      const page = await refusingInvalidCursor(cursor, () =>
        deps.schedules.occurrences(scheduleId, filter, limit, cursor ?? null),
      );
      return { items: page.items.map(occurrenceView), next: page.next };
    },
  });
}

function fireRoutes(server: HttpServer, deps: ScheduleRoutesDeps): void {
  const { schedules } = deps;
  const answered = { 200: jsonAnswer('What fired', firedShape) };

  /**
   * Creates the requested occurrences of a schedule. A job of such an occurrence starts its own trace, like a job of
   * the scheduler.
   */
  const fire = async (id: string, requested: FireRequest, groups: readonly string[] | null) => {
    const beganMs = deps.clock.monotonicMs();
    const fired = await schedules.fire(requireId('schedule', id), requested, groups);
    if (fired.kind !== 'fired') return firedView(id, fired);
    for (const { jobId } of fired.occurrences) if (jobId !== null) recordAccepted(jobId, undefined, beganMs, deps);
    return firedView(id, fired);
  };

  server.route({
    method: 'POST',
    url: '/schedules/:id/run-now',
    config: {
      role: eitherRole,
      scope: 'schedule',
      refusals: { 'no-groups': 'none of the groups is registered' },
      audit: 'fired a schedule now',
    },
    schema: {
      operationId: 'runScheduleNow',
      summary: 'Fire a schedule now, outside of its recurrence',
      description:
        'Possible regardless of the overlap policy, and while the schedule is paused. With an `Idempotency-Key`, a repeated request fires nothing.',
      tags,
      headers: idempotentHeaders,
      params: byScheduleId,
      body: fireRequest.nullish(),
      response: answered,
    },
    handler: async (request) => {
      const { id } = request.params;
      const { body, begun } = request;
      await checkOwner(request, id, schedules);
      const { groups = null } = body ?? {};
      // A repeat of the request has the same instant, for which an occurrence exists already.
      const requested = { kind: 'manual', atMs: begun ? timeOfId(begun.createdId) : null } as const;
      return fire(id, requested, groups);
    },
  });

  server.route({
    method: 'POST',
    url: '/schedules/:id/backfill',
    config: {
      role: eitherRole,
      scope: 'schedule',
      audit: 'backfilled a schedule',
      refusals: {
        'invalid-span': '`until` lies before `from`',
        'no-groups': 'none of the groups is registered',
        'out-of-range': 'the range has more than 1,000 instants',
      },
    },
    schema: {
      operationId: 'backfillSchedule',
      summary: 'Fire missed instants of a period now',
      description:
        'Fires each instant of the recurrence that has not fired, for each group: at most 1,000. Repeated requests fire no instant twice.',
      tags,
      headers: idempotentHeaders,
      params: byScheduleId,
      body: backfillRequest,
      response: answered,
    },
    handler: async (request) => {
      const { id } = request.params;
      const { from, until, groups = null } = request.body;
      await checkOwner(request, id, schedules);
      const requested = { kind: 'backfill', fromMs: Date.parse(from), untilMs: Date.parse(until) } as const;
      if (requested.untilMs < requested.fromMs) {
        throw invalidRequest([
          { pointer: '/until', code: 'invalid-span', detail: `${until} lies before from, ${from}` },
        ]);
      }
      return fire(id, requested, groups);
    },
  });
}

function timeOfId(uuid: string): number {
  return Number.parseInt(uuid.replaceAll('-', '').slice(0, 12), 16);
}

function firedView(id: string, fired: FireResult) {
  switch (fired.kind) {
    case 'fired':
      return { fired: fired.occurrences.map(occurrenceView), alreadyFired: fired.alreadyFired };
    case 'missing':
      throw notFound('schedule', id);
    case 'unreadable':
      throw unreadable(id, fired.cause);
    case 'disabled':
      throw new HttpProblem({ status: 409, code: 'state-forbids', detail: `${id} is disabled: enable it first` });
    case 'no-groups':
      throw new HttpProblem({
        status: 409,
        code: 'no-groups',
        detail: `none of these groups is one of ${id} at the moment`,
      });
    case 'no-room':
      throw noRoom(fired);
    case 'no-run-room':
      throw new BeyondQuotaError('openRuns', fired.limit);
    case 'too-many': {
      const detail = `more than ${fired.atMost} instants are in this period: choose a shorter one`;
      throw invalidRequest([{ pointer: '/until', code: 'out-of-range', detail }]);
    }
  }
}

function noRoom({ jobs, room: { jobs: free, bound, limit } }: Extract<FireResult, { kind: 'no-room' }>): HttpProblem {
  const detail = `these are ${jobs} jobs, and ${bound} of their client (${limit}) leaves room for ${free}`;
  const code = bound === 'maxStoredJobs' ? 'quota-exceeded' : 'too-many-jobs';
  return new HttpProblem({ status: 429, code, detail, headers: { 'retry-after': '60' } });
}

function unreadable(id: string, cause: string): HttpProblem {
  const detail = `${id} cannot be read: ${cause}; PATCH /v1/schedules/${id} gives its fields new values`;
  return new HttpProblem({ status: 409, code: 'unreadable-schedule', detail });
}

function previewRoutes(server: HttpServer, { schedules, workCalendars, clock }: ScheduleRoutesDeps): void {
  const answered = { 200: jsonAnswer('The next fires', previewShape) };

  const preview = async (
    definition: RecurrenceDefinition,
    madeAtMs: number,
    { after, before, count }: PreviewRequest,
  ): Promise<PreviewShape> => {
    const recurrence = recurrenceOf(definition, madeAtMs, await workCalendars.named(definition));
    const afterMs = after === undefined ? clock.now().getTime() : Date.parse(after);
    const beforeMs = before === undefined ? Infinity : Date.parse(before);
    return previewView({ zone: definition.zone, recurrence }, nextFires(recurrence, afterMs, count, beforeMs));
  };

  server.route({
    method: 'POST',
    url: '/schedules/preview',
    // The request has no entry in the audit log, because a preview changes nothing.
    config: { role: 'viewer', scope: 'calculation', heavy: 'previews', isFrequent: true },
    schema: {
      operationId: 'previewRecurrence',
      summary: 'Preview the fires of a new schedule',
      description: 'Times that a clock change or a day off shifts, repeats, skips or moves are marked.',
      tags,
      body: previewBody,
      response: answered,
    },
    handler: ({ body: { count, after, before, ...definition } }) => {
      const nowMs = clock.now().getTime();
      // The preview may begin in the past, for example at the last clock change.
      const madeAtMs = after === undefined ? nowMs : Math.min(nowMs, Date.parse(after));
      return preview(definition, madeAtMs, { count, after, before });
    },
  });

  server.route({
    method: 'GET',
    url: '/schedules/:id/preview',
    config: { role: 'viewer', scope: 'schedule', heavy: 'previews' },
    schema: {
      operationId: 'previewSchedule',
      summary: 'List the next fires of a schedule',
      description:
        'Computed as if the schedule were active. Times that a clock change or a day off shifts, repeats, skips or moves are marked.',
      tags,
      params: byScheduleId,
      querystring: previewQuery,
      response: { ...answered, ...problems(409) },
    },
    handler: async ({ params: { id }, query }) => {
      const schedule = await schedules.get(requireId('schedule', id));
      if (!schedule) throw notFound('schedule', id);
      const { kept, unreadable: wrong } = schedule.definition;
      if (wrong) throw unreadable(id, wrong.cause);
      return preview(kept.recurrence, schedule.createdAt.getTime(), query);
    },
  });
}

interface PreviewRequest {
  count: number;
  after?: string | undefined;
  before?: string | undefined;
}
