import type { ApiParts } from '../frame/frame-module.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import { createWebhookStore } from './postgres/webhook-store.ts';
import { deliveryRoutes, type DeliveryRoutesDeps } from './delivery-routes.ts';
import { webhookRoutes, type WebhookRoutesDeps } from './webhook-routes.ts';

/** Who is told what becomes of campaigns and runs (docs/decisions/0088-webhooks-are-clients.md). */
export function webhooksModule({ pool, config }: Pick<ApiParts, 'pool' | 'config'>) {
  return { webhooks: createWebhookStore({ pool }), installationEgress: config.egress, mail: config.mail };
}

export function webhooksRoutes(server: HttpServer, deps: WebhookRoutesDeps & DeliveryRoutesDeps): void {
  webhookRoutes(server, deps);
  deliveryRoutes(server, deps);
}
