import type { FastifySchema } from 'fastify';
import { createLogger } from '../../shared/runtime/logger.ts';
import { createApi, type ApiDeps } from './api.ts';

/**
 * The OpenAPI document of any installation, written from the shapes of the routes: they are registered and never
 * called, so that nothing of what they ask has to be there. It names no country and no action type; an installation's
 * own document does.
 */
export async function apiDocument(): Promise<unknown> {
  return (await describedApi()).document;
}

/** The document with the shapes that it is written from, by method and path. */
export async function describedApi(): Promise<{ document: unknown; shapes: ReadonlyMap<string, FastifySchema> }> {
  const deps = {
    logger: createLogger('api', 'silent'),
    catalogue: { current: () => ({ actionTypes: {} }) },
    accepting: {},
  };
  if (!isEnoughToRegister(deps)) throw new TypeError('the routes cannot be registered');
  const api = await createApi(deps);
  try {
    return { document: structuredClone(api.server.swagger()), shapes: api.server.requestShapes };
  } finally {
    await api.close();
  }
}

/** Stores are kept hold of while routes are registered and asked when they are called, which no route is here. */
function isEnoughToRegister(deps: object): deps is ApiDeps {
  return 'logger' in deps && 'catalogue' in deps;
}
