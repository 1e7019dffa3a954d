import type { FastifyRequest } from 'fastify';
import { mayActAs, type Role } from '../../../shared/domain/roles.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import { HttpProblem } from '../frame/http-problem.ts';
import { isReadMethod } from '../frame/server/same-origin.ts';
import type { RouteScope } from './scopes.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Role that a request needs; one of them if several are listed. `anybody` needs no key. */
    role?: Role | 'anybody' | readonly Role[];
    scope?: RouteScope;
  }
}

/**
 * Checks each route that is registered after this. A route must declare a role, and a scope if it needs a key. The
 * scope `none` is only for routes that change nothing and whose path contains no id.
 * @throws {Error} naming the route
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

/** @throws {HttpProblem} 403 if the caller's role does not allow the route */
export function checkRole({ apiKey, routeOptions }: FastifyRequest): void {
  const { role: needed } = routeOptions.config;
  // A request for an unknown path has no route, so there is no role to check.
  if (needed === undefined || needed === 'anybody' || !apiKey) return;
  requireOneOf(apiKey.role, [needed].flat());
}

/** Checks a role that depends on the object, for the functions of rights.ts. @throws {HttpProblem} 403 */
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
