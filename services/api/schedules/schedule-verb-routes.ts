import { z } from 'zod';
import { textShape } from '../../../shared/contracts/stored-texts.ts';
import { scheduleVerbs, type ScheduleVerb } from '../../../shared/domain/recurrence/schedule-states.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import { notFound } from '../frame/http-problem.ts';
import { idempotentHeaders } from '../frame/server/idempotency.ts';
import { requireId } from '../frame/public-ids.ts';
import { stateForbids } from './schedule-problems.ts';
import {
  answerSchedule,
  byScheduleId,
  checkOwner,
  eitherRole,
  scheduleAnswer,
  type ScheduleRoutesDeps,
} from './schedule-routes.ts';

const summaries: Record<ScheduleVerb, string> = {
  pause: 'Pause a schedule and the run that it started',
  resume: 'Resume a schedule; missed instants are recorded as skipped',
  disable: 'Disable a schedule; waiting occurrences are dropped, and the run that it started is cancelled',
  enable: 'Enable a schedule',
};

const verbBody = z.strictObject({
  reason: textShape(500).optional(),
});

/** Registers one route each to pause, resume, disable and enable a schedule. */
export function scheduleVerbRoutes(server: HttpServer, deps: Pick<ScheduleRoutesDeps, 'schedules'>): void {
  for (const verb of scheduleVerbs) verbRoute(server, verb, deps);
}

function verbRoute(server: HttpServer, verb: ScheduleVerb, { schedules }: Pick<ScheduleRoutesDeps, 'schedules'>): void {
  server.route({
    method: 'POST',
    url: `/schedules/:id/${verb}`,
    config: { role: eitherRole, scope: 'schedule', audit: `${verb}d a schedule` },
    schema: {
      operationId: `${verb}Schedule`,
      summary: summaries[verb],
      description: 'A repeated request changes nothing.',
      tags: ['schedules'],
      headers: idempotentHeaders,
      params: byScheduleId,
      body: verbBody.nullish(),
      response: { 200: scheduleAnswer },
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
      return answerSchedule(request, reply, schedule);
    },
  });
}
