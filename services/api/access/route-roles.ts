import type { FastifyRequest } from 'fastify';
import { mayActAs, type Role } from '../../../shared/domain/roles.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import { HttpProblem } from '../frame/http-problem.ts';
import { isReadMethod } from '../frame/server/same-origin.ts';
import type { RouteScope } from './scopes.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Role that the caller must have; if there are several, one of them. `anybody` means that no key is needed. */
    role?: Role | 'anybody' | readonly Role[];
    scope?: RouteScope;
  }
}

/**
 * Checks each route that is registered after this call. The route must declare a role, and a scope if it needs a key.
 * The scope `none` is only allowed for routes that change nothing and have no id in their path.
 * @throws {Error} with the route
 */
export function requireDeclaredRoles(server: HttpServer): void {
  server.addHook('onRoute', ({ method, url, config }) => {
    const route = `${String(method)} ${url}`;
    if (config?.role === undefined) throw new Error(`${route} declares no role`);
    if (config.scope === undefined && config.role !== 'anybody') throw new Error(`${route} declares no scope`);
    if (config.scope === 'none' && ![method].flat().every(isReadMethod))
      throw new Error(`${route} may change something, and declares no scope that bounds it`);
    if (config.scope === 'none' && url.includes(':id'))
      throw new Error(`${route} shows one object, and declares no scope that bounds it`);
  });
}

/**
 * Checks that the caller's role permits the route.
 * @throws {HttpProblem} 403
 */
export function checkRole({ apiKey, routeOptions }: FastifyRequest): void {
  const { role: needed } = routeOptions.config;
  // A request to an unknown path has no route, so no role is needed.
  if (needed === undefined || needed === 'anybody' || !apiKey) return;
  requireOneOf(apiKey.role, [needed].flat());
}

/**
 * Requires a role. The functions in rights.ts call it if the role depends on the requested object.
 * @throws {HttpProblem} 403
 */
export function requireRole({ apiKey }: FastifyRequest, needed: Role): void {
  if (apiKey) requireOneOf(apiKey.role, [needed]);
}

function requireOneOf(role: Role, needed: readonly Role[]): void {
  if (needed.some((each) => mayActAs(role, each))) return;
  throw forbidden(role, needed);
}

function forbidden(role: Role, needed: readonly Role[]): HttpProblem {
  const detail = `this key has the role ${role}, and this request needs ${needed.join(' or ')}`;
  const [requiredRole = 'operator'] = needed;
  return new HttpProblem({ status: 403, code: 'forbidden', detail, requiredRole });
}
