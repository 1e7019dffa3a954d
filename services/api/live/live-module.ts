import type { HttpServer } from '../frame/server/create-http-server.ts';
import { calendarRoutes, type CalendarRoutesDeps } from './calendar-routes.ts';
import { campaignListRoutes, type CampaignListRoutesDeps } from './campaign-list-routes.ts';
import { liveEventRoutes, type LiveEventRoutesDeps } from './live-event-routes.ts';

/** What pages show that stay open: lists and streams. */
export function liveRoutes(
  server: HttpServer,
  deps: CampaignListRoutesDeps & LiveEventRoutesDeps & CalendarRoutesDeps,
): void {
  calendarRoutes(server, deps);
  campaignListRoutes(server, deps);
  liveEventRoutes(server, deps);
}
