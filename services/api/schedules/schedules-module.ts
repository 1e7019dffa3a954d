import type { ApiParts } from '../frame/frame-module.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import { groupRoutes, type GroupRoutesDeps } from './group-routes.ts';
import { createGroupStore } from './postgres/group-store.ts';
import { createScheduleStore } from './postgres/schedule-store.ts';
import { createWorkCalendarStore } from './postgres/work-calendar-store.ts';
import { scheduleFireRoutes } from './schedule-fire-routes.ts';
import { scheduleRoutes, type ScheduleRoutesDeps } from './schedule-routes.ts';
import { workCalendarRoutes } from './work-calendar-routes.ts';

/** What recurs, and the markets that it fires for. */
export function schedulesModule({ pool, config }: Pick<ApiParts, 'pool' | 'config'>) {
  return {
    schedules: createScheduleStore({ pool, region: config.region, owner: 'api', quotas: config.quotas }),
    groups: createGroupStore({ pool }),
    workCalendars: createWorkCalendarStore({ pool }),
  };
}

export function schedulesRoutes(server: HttpServer, deps: ScheduleRoutesDeps & GroupRoutesDeps): void {
  scheduleRoutes(server, deps);
  scheduleFireRoutes(server, deps);
  groupRoutes(server, deps);
  workCalendarRoutes(server, deps);
}
