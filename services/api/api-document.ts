import type { FastifySchema } from 'fastify';
import { createLogger } from '../../shared/runtime/logger.ts';
import { noMeter } from '../../shared/runtime/meter/no-meter.ts';
import { systemClock } from '../../shared/runtime/system-clock.ts';
import { createApi } from './api.ts';
import type { ApiDeps } from './api-parts.ts';

/**
 * Returns the OpenAPI document that is the same for all installations, from the shapes of the routes. Routes are
 * registered but never called, so they need no working dependencies. The document contains no country or action type of
 * an installation.
 */
export async function apiDocument(): Promise<unknown> {
  return (await describedApi()).document;
}

interface DescribedApi {
  document: unknown;
  /** Shapes of requests and responses from which the document is written, by method and path. */
  shapes: ReadonlyMap<string, FastifySchema>;
  /** Sentences of the audit log, by method and route. */
  sentences: ReadonlyMap<string, string>;
}

export async function describedApi(): Promise<DescribedApi> {
  const deps = {
    logger: createLogger('api', 'silent'),
    meter: noMeter,
    clock: systemClock,
    config: {},
    catalogue: { current: () => ({ actionTypes: {} }) },
    accepting: {},
  };
  if (!isEnoughToRegister(deps)) throw new TypeError('the routes cannot be registered');
  const api = await createApi(deps);
  try {
    const { server } = api;
    const document: unknown = structuredClone(server.swagger());
    return { document, shapes: server.requestShapes, sentences: server.changeSentences };
  } finally {
    await api.close();
  }
}

/**
 * Treats an object without stores as complete dependencies. This is safe, because a registration only keeps references
 * to stores, and no handler runs here.
 */
function isEnoughToRegister(deps: object): deps is ApiDeps {
  return 'logger' in deps && 'catalogue' in deps;
}
