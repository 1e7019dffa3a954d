import type { ApiParts } from '../../api-parts.ts';
import type { HttpServer } from '../../frame/server/create-http-server.ts';
import { healthRoutes } from './health-routes.ts';
import { createSystemFacts } from './postgres/system-facts.ts';
import { systemRoutes } from './system-routes.ts';

export const tags = [{ name: 'health', description: 'For operators: health, processes and configuration' }];

export function routes(server: HttpServer, parts: ApiParts): void {
  const { pool, config, environment, clock } = parts;
  const own = { environment, region: config.region, startedAt: clock.now() };
  systemRoutes(server, { ...parts, systemFacts: createSystemFacts({ pool }), own });
}

/** Registers the health routes. They need no authentication, because the probes of an orchestrator have no key. */
export function openRoutes(server: HttpServer, parts: ApiParts): void {
  healthRoutes(server, parts);
}
