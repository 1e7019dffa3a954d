import type { ApiParts } from '../api-parts.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import { calendarRoutes } from './calendar-routes.ts';
import { campaignListRoutes } from './campaign-list-routes.ts';
import { liveEventRoutes } from './live-event-routes.ts';

export function routes(server: HttpServer, parts: ApiParts): void {
  calendarRoutes(server, parts);
  campaignListRoutes(server, parts);
  liveEventRoutes(server, parts);
}
