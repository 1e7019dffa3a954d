import { createServer, type Server } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { UnverifiedCall, verify } from './verify.ts';

export interface ReceiverTerms {
  secrets: readonly string[];
  /** Does what is to be done. It throws when it is to be called again. */
  handle: (body: string) => Promise<void> | void;
}

/**
 * A receiver as it should be: it believes signed calls alone, does each job once however often it is called, and
 * answers 2xx only when it is done. Here the ids of what is done are in memory; keep them in the transaction of the
 * work itself.
 */
export function createReceiver({ secrets, handle }: ReceiverTerms): Server {
  const done = new Set<string>();
  return createServer((request, response) => {
    void (async () => {
      try {
        const body = await buffer(request);
        const { id } = verify(request.headers, body, { secrets });
        if (!done.has(id)) {
          await handle(body.toString());
          done.add(id);
        }
        response.writeHead(204).end();
      } catch (error) {
        response.writeHead(error instanceof UnverifiedCall ? 401 : 500).end();
      }
    })();
  });
}
