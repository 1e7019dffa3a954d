import type { ApiParts } from '../api-parts.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import { groupRoutes } from './group-routes.ts';
import { createGroupStore } from './postgres/group-store.ts';
import { createWorkCalendarStore } from './postgres/work-calendar-store.ts';
import { scheduleFireRoutes } from './schedule-fire-routes.ts';
import { scheduleRoutes } from './schedule-routes.ts';
import { workCalendarRoutes } from './work-calendar-routes.ts';

export { workCalendarProblem as explain } from './work-calendar-problem.ts';

export const tags = [
  { name: 'schedules', description: 'What recurs, and what of it fired' },
  { name: 'groups', description: 'The markets that schedules fire for' },
  { name: 'work calendars', description: 'Days off that schedules go by' },
];

export function routes(server: HttpServer, parts: ApiParts): void {
  const { pool } = parts;
  const deps = { ...parts, workCalendars: createWorkCalendarStore({ pool }) };
  scheduleRoutes(server, deps);
  scheduleFireRoutes(server, deps);
  groupRoutes(server, { groups: createGroupStore({ pool }) });
  workCalendarRoutes(server, deps);
}
