import type { ApiParts } from '../api-parts.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import { deliveryRoutes } from './delivery-routes.ts';
import { createWebhookStore } from './postgres/webhook-store.ts';
import { webhookRoutes } from './webhook-routes.ts';

export const tags = [{ name: 'webhooks', description: 'Who is told what becomes of campaigns and runs' }];

/** Each webhook is a client (docs/decisions/0088-notifications.md). */
export function routes(server: HttpServer, parts: ApiParts): void {
  const { pool, config } = parts;
  const deps = { ...parts, webhooks: createWebhookStore({ pool }), installationEgress: config.egress };
  webhookRoutes(server, deps);
  deliveryRoutes(server, deps);
}
