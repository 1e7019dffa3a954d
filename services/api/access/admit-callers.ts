import cookie from '@fastify/cookie';
import type { FastifyRequest } from 'fastify';
import type { ApiKeyRecord } from './credentials/postgres/key-rows.ts';
import { HttpProblem } from '../frame/http-problem.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import { notTakingPart } from '../frame/server/not-taking-part.ts';
import type { Authentication } from './authenticate.ts';
import { countCalls, type CountCallsDeps } from './callers/count-calls.ts';
import { checkFieldsOfOperators } from './rights.ts';
import { checkRole, requireDeclaredRoles } from './route-roles.ts';
import { checkScope, type CheckScopeDeps } from './scopes.ts';

export interface AdmitCallersDeps extends CheckScopeDeps, CountCallsDeps {
  authentication: Authentication;
  /**
   * Returns the reason why this process may not use its database, such as a missing migration. The API then refuses all
   * requests. Undefined if there is no reason.
   */
  databaseProblem?: (() => Error | undefined) | undefined;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller's key; null if the route needs no key. */
    apiKey: ApiKeyRecord | null;
  }
}

/**
 * Authenticates and authorizes each request to a route that is registered after this call. Such a route must declare
 * its role.
 */
export async function admitCallers(server: HttpServer, deps: AdmitCallersDeps): Promise<void> {
  const { authentication } = deps;
  await server.register(cookie);
  server.decorateRequest('session', null);
  server.decorateRequest('readsUsers', false);
  requireDeclaredRoles(server);
  countCalls(server, deps);
  server.addHook('onRequest', async (request, reply) => {
    if (deps.databaseProblem?.()) throw notTakingPart();
    reply.header('cache-control', 'no-store');
    if (request.routeOptions.config.role === 'anybody') return;
    const caller = await authentication.callerOf(request);
    request.apiKey = caller.apiKey;
    request.session = caller.session;
    checkRole(request);
    await checkScope(request, deps);
  });
  server.addHook('preValidation', (request, _reply, done) => {
    checkFieldsOfOperators(request);
    done();
  });
}

export async function isKeyGood(authentication: Authentication, request: FastifyRequest): Promise<boolean> {
  try {
    await authentication.callerOf(request);
    return true;
  } catch (error) {
    // The statuses 401 and 403 are about the caller; 403 means that an operator has shut the person out, or that the
    // person's token grants no role any more.
    if (error instanceof HttpProblem && [401, 403].includes(error.status)) return false;
    throw error;
  }
}
