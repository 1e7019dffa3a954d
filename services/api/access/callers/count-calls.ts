import type { HttpServer } from '../../frame/server/create-http-server.ts';
import type { CallerCounter } from './caller-counter.ts';

export interface CountCallsDeps {
  /** Counter; if undefined, calls are not counted. */
  callerCounter?: Pick<CallerCounter, 'called'> | undefined;
}

/** Operation name of requests to unknown paths. */
const noOperation = 'none';

/**
 * Counts each response by key and operation, including responses to expired and revoked keys. A streamed response is
 * counted when it ends.
 */
export function countCalls(server: HttpServer, { callerCounter }: CountCallsDeps): void {
  if (!callerCounter) return;
  server.addHook('onResponse', (request, reply, done) => {
    const key = request.apiKey?.key ?? request.endedKey;
    if (key !== null) {
      callerCounter.called(key, request.routeOptions.schema?.operationId ?? noOperation, reply.statusCode);
    }
    done();
  });
}
