import type { FastifyRequest } from 'fastify';
import { mayActAs, type Role } from '../../../shared/domain/roles.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import { HttpProblem } from '../frame/http-problem.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What a key has to be allowed to ask for it; `anybody` needs no key. */
    role?: Role | 'anybody';
  }
}

/** Of the routes that are registered after this, none can be without a role. */
export function requireDeclaredRoles(server: HttpServer): void {
  server.addHook('onRoute', ({ method, url, config }) => {
    if (config?.role === undefined) throw new Error(`${String(method)} ${url} does not say which role it needs`);
  });
}

/** @throws {HttpProblem} 403 when the key that asks may not do what the route does */
export function checkRole({ apiKey, routeOptions }: FastifyRequest): void {
  const { role: needed } = routeOptions.config;
  // No route: nothing to be allowed.
  if (needed === undefined || needed === 'anybody' || !apiKey) return;
  if (!mayActAs(apiKey.role, needed)) throw forbidden(apiKey.role, needed);
}

/** For what only the handler can see, such as whose schedule it is. */
export function requireRole({ apiKey }: FastifyRequest, needed: Role): void {
  if (apiKey && !mayActAs(apiKey.role, needed)) throw forbidden(apiKey.role, needed);
}

function forbidden(role: Role, needed: Role): HttpProblem {
  const detail = `this key is of the role ${role}, and this needs ${needed}`;
  return new HttpProblem({ status: 403, code: 'forbidden', detail, requiredRole: needed });
}
