import type { HttpServer } from '../../frame/server/create-http-server.ts';
import type { CallerNotes } from './caller-notes.ts';

export interface CountCallsDeps {
  /** Without them nothing is counted. */
  callerNotes?: Pick<CallerNotes, 'called'> | undefined;
}

/** What was asked where no operation is: a path that there is not. */
const noOperation = 'none';

/**
 * Counts each answer for the key that asked, one that has ended too, by what it asked. A stream counts when it ends.
 */
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
