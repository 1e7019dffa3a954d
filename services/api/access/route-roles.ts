import type { FastifyRequest } from 'fastify';
import { mayActAs, type Role } from '../../../shared/domain/roles.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import { HttpProblem } from '../frame/http-problem.ts';
import type { RouteScope } from './scopes.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What a key has to be allowed to ask for it, one of them where several are said; `anybody` needs no key. */
    role?: Role | 'anybody' | readonly Role[];
    scope?: RouteScope;
  }
}

/** Of the routes that are registered after this, none can be without a role, or a scope where it needs a key. */
export function requireDeclaredRoles(server: HttpServer): void {
  server.addHook('onRoute', ({ method, url, config }) => {
    const route = `${String(method)} ${url}`;
    if (config?.role === undefined) throw new Error(`${route} does not say which role it needs`);
    if (config.scope === undefined && config.role !== 'anybody') throw new Error(`${route} does not say what it is of`);
  });
}

/** @throws {HttpProblem} 403 when the key that asks may not do what the route does */
export function checkRole({ apiKey, routeOptions }: FastifyRequest): void {
  const { role: needed } = routeOptions.config;
  // No route: nothing to be allowed.
  if (needed === undefined || needed === 'anybody' || !apiKey) return;
  requireOneOf(apiKey.role, [needed].flat());
}

/** For what only the handler can see, such as whose schedule it is. */
export function requireRole({ apiKey }: FastifyRequest, needed: Role): void {
  if (apiKey) requireOneOf(apiKey.role, [needed]);
}

function requireOneOf(role: Role, needed: readonly Role[]): void {
  if (needed.some((each) => mayActAs(role, each))) return;
  throw forbidden(role, needed);
}

function forbidden(role: Role, needed: readonly Role[]): HttpProblem {
  const detail = `this key is of the role ${role}, and this needs ${needed.join(' or ')}`;
  const [requiredRole = 'operator'] = needed;
  return new HttpProblem({ status: 403, code: 'forbidden', detail, requiredRole });
}
