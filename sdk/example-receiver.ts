import { createServer, type Server } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { UnverifiedCall, verify } from './verify.ts';

export interface ReceiverTerms {
  secrets: readonly string[];
  /** Does the work of a call. Throws to request another call. */
  handle: (body: string) => Promise<void> | void;
}

/**
 * Example of a receiver. It accepts only signed calls, does each job once however often it is called, and answers 2xx
 * only when the work is done. The example stores ids of finished jobs in memory; store them in the transaction of the
 * work instead.
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
