import type { HttpServer } from '../../frame/server/create-http-server.ts';
import type { CallerNotes } from './caller-notes.ts';

export interface CountCallsDeps {
  /** Undefined means that calls are not counted. */
  callerNotes?: Pick<CallerNotes, 'called'> | undefined;
}

/** Operation name of requests to unknown paths. */
const noOperation = 'none';

/** Counts each response by key, including ended keys, and by operation. A stream counts when it ends. */
export function countCalls(server: HttpServer, { callerNotes }: CountCallsDeps): void {
  if (!callerNotes) return;
  server.addHook('onResponse', (request, reply, done) => {
    const key = request.apiKey?.key ?? request.endedKey;
    if (key !== null) {
      callerNotes.called(key, request.routeOptions.schema?.operationId ?? noOperation, reply.statusCode);
    }
    done();
  });
}
