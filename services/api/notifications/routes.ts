import type { ApiParts } from '../api-parts.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import { deliveryRoutes } from './delivery-routes.ts';
import { createNotificationStore } from './postgres/notification-store.ts';
import { notificationRoutes } from './notification-routes.ts';

export const tags = [
  { name: 'notifications', description: 'Messages about campaigns, runs and keys to services, channels and mailboxes' },
];

/**
 * Registers the routes of notifications. Each notification has a client of its own
 * (docs/decisions/0088-notifications.md).
 */
export function routes(server: HttpServer, parts: ApiParts): void {
  const { pool, config } = parts;
  const deps = { ...parts, notifications: createNotificationStore({ pool }), installationEgress: config.egress };
  notificationRoutes(server, deps);
  deliveryRoutes(server, deps);
}
