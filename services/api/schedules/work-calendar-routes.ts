import { z } from 'zod';
import {
  mostWorkCalendars,
  workCalendarDefinition,
  workCalendarName,
  workCalendarShape,
  workCalendarSummary,
  type WorkCalendarShape,
  type WorkCalendarSummary,
} from '../../../shared/contracts/schedules/work-calendars.ts';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import { HttpProblem, notFound, quoted } from '../frame/http-problem.ts';
import { pageShape } from '../frame/pages.contract.ts';
import { jsonAnswer, problems } from '../frame/document/answer-shapes.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import type { CalendarRemoval, WorkCalendarRecord, WorkCalendarStore } from './work-calendar-store.port.ts';

export interface WorkCalendarRoutesDeps {
  workCalendars: WorkCalendarStore;
}

const byName = z.object({ name: workCalendarName });
const tags = ['work calendars'];

export function workCalendarRoutes(server: HttpServer, { workCalendars }: WorkCalendarRoutesDeps): void {
  server.route({
    method: 'GET',
    url: '/work-calendars',
    config: { role: 'viewer', scope: 'none' },
    schema: {
      operationId: 'listWorkCalendars',
      summary: 'List work calendars, by name, without their dates',
      tags,
      response: { 200: jsonAnswer('All work calendars', pageShape(workCalendarSummary)) },
    },
    handler: async () => ({ items: (await workCalendars.list()).map(summaryOf), next: null }),
  });

  server.route({
    method: 'GET',
    url: '/work-calendars/:name',
    config: { role: 'viewer', scope: 'none' },
    schema: {
      operationId: 'getWorkCalendar',
      summary: 'Show a work calendar',
      tags,
      params: byName,
      response: { 200: jsonAnswer('The work calendar', workCalendarShape), ...problems(422) },
    },
    handler: async ({ params: { name } }) => {
      const calendar = await workCalendars.get(name);
      if (!calendar) throw notFound('work-calendar', name);
      return viewOf(calendar);
    },
  });

  server.route({
    method: 'PUT',
    url: '/work-calendars/:name',
    config: { role: 'operator', scope: 'installation', never: [404], audit: 'set a work calendar' },
    schema: {
      operationId: 'putWorkCalendar',
      summary: 'Create or replace a work calendar',
      description: 'Applies to occurrences that its schedules have not decided yet; fired and skipped ones stay.',
      tags,
      params: byName,
      body: workCalendarDefinition,
      response: { 200: jsonAnswer('The work calendar', workCalendarShape), ...problems(409) },
    },
    handler: async ({ params: { name }, body }) => {
      const calendar = await workCalendars.put(name, body);
      if (!calendar) throw tooMany(name);
      return viewOf(calendar);
    },
  });

  server.route({
    method: 'DELETE',
    url: '/work-calendars/:name',
    config: { role: 'operator', scope: 'installation', never: [404], audit: 'deleted a work calendar' },
    schema: {
      operationId: 'deleteWorkCalendar',
      summary: 'Delete a work calendar that no schedule uses',
      description: 'Deleting it again changes nothing.',
      tags,
      params: byName,
      response: { 204: z.null().describe('The work calendar is deleted'), ...problems(409, 422) },
    },
    handler: async ({ params: { name } }, reply) => {
      const removed = await workCalendars.remove(name);
      if (removed.kind === 'in-use') throw inUse(name, removed);
      return reply.code(204).send(null);
    },
  });
}

function viewOf({
  name,
  revision,
  definition,
  schedules,
  createdAt,
  updatedAt,
}: WorkCalendarRecord): WorkCalendarShape {
  return {
    name,
    revision,
    ...definition,
    schedules,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
    links: { self: `/v1/work-calendars/${name}` },
  };
}

function summaryOf(record: WorkCalendarRecord): WorkCalendarSummary {
  const { dates, ...rest } = viewOf(record);
  return { ...rest, datesOff: dates.length };
}

function tooMany(name: string): HttpProblem {
  const detail = `there are ${mostWorkCalendars} work calendars, which is the limit: ${quoted(name)} was not created`;
  return new HttpProblem({ status: 409, code: 'too-many-work-calendars', detail });
}

function inUse(name: string, { users }: Extract<CalendarRemoval, { kind: 'in-use' }>): HttpProblem {
  const named = users.map((user) => `${quoted(user.name)} (${publicId('schedule', user.scheduleId)})`).join(', ');
  const detail = `schedules use the work calendar ${quoted(name)}: ${named}; remove it from them first`;
  return new HttpProblem({ status: 409, code: 'work-calendar-in-use', detail });
}
