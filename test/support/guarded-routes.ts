import { z } from 'zod';
import { routeScopes, type RouteScope } from '../../services/api/access/scopes.ts';
import { operationsOf, readDocument, type Operation } from './fuzz/operations.ts';

/** An operation that needs a credential, with the access rules that the OpenAPI document declares for it. */
export interface GuardedRoute {
  name: string;
  operation: Operation;
  needed: readonly string[];
  scope: RouteScope;
}

const accessOf = z.object({ 'x-required-role': z.string(), 'x-scope': z.enum(routeScopes) });
const documentedPaths = z.object({ paths: z.record(z.string(), z.record(z.string(), z.unknown())) });

/** Returns the guarded operations of an OpenAPI document. Throws if one of them declares no role or no scope. */
export function guardedRoutes(document: unknown): readonly GuardedRoute[] {
  const { paths } = documentedPaths.parse(document);
  return operationsOf(readDocument(document))
    .filter(({ security }) => security?.length !== 0)
    .map((operation) => {
      const { method, path } = operation;
      const access = accessOf.parse(paths[path]?.[method.toLowerCase()]);
      return {
        name: `${method} ${path}`,
        operation,
        needed: access['x-required-role'].split(' or '),
        scope: access['x-scope'],
      };
    });
}
