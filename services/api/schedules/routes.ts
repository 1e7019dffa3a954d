import type { ApiParts } from '../api-parts.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import { groupRoutes } from './group-routes.ts';
import { createGroupStore } from './postgres/group-store.ts';
import { createWorkCalendarStore } from './postgres/work-calendar-store.ts';
import { scheduleFireRoutes } from './schedule-fire-routes.ts';
import { scheduleRoutes } from './schedule-routes.ts';
import { scheduleVerbRoutes } from './schedule-verb-routes.ts';
import { workCalendarRoutes } from './work-calendar-routes.ts';

export { workCalendarProblem as explain } from './work-calendar-problem.ts';

export const tags = [
  { name: 'schedules', description: 'Recurring callbacks and their occurrences' },
  { name: 'groups', description: 'Groups that schedules fire for, such as markets' },
  { name: 'work calendars', description: 'Days off for schedules' },
];

export function routes(server: HttpServer, parts: ApiParts): void {
  const { pool } = parts;
  const deps = { ...parts, workCalendars: createWorkCalendarStore({ pool }) };
  scheduleRoutes(server, deps);
  scheduleVerbRoutes(server, deps);
  scheduleFireRoutes(server, deps);
  groupRoutes(server, { groups: createGroupStore({ pool }) });
  workCalendarRoutes(server, deps);
}
