import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { once } from 'node:events';

export interface ApiRequest {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** With `end: 'lost'`, the connection ends after the request was applied, without an answer. */
export type ApiAnswer = { status: number; body?: unknown; headers?: Record<string, string> } | { end: 'lost' };

/** A stand-in for the API of a provider, on 127.0.0.1. */
export interface StandInApi {
  url: string;
  requests: ApiRequest[];
  /** Returns the highest number of requests in progress at the same time. */
  mostAtOnce(): number;
  close(): void;
}

export async function startStandInApi(
  answer: (request: ApiRequest) => ApiAnswer | Promise<ApiAnswer>,
): Promise<StandInApi> {
  const requests: ApiRequest[] = [];
  let atOnce = 0;
  let most = 0;
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      most = Math.max(most, ++atOnce);
      const { method = '', url = '', headers } = incoming;
      const request = { method, path: url, headers, body: Buffer.concat(chunks).toString('utf8') };
      requests.push(request);
      void Promise.resolve(answer(request)).then((given) => {
        atOnce--;
        send(response, given);
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    mostAtOnce: () => most,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function send(response: ServerResponse, answer: ApiAnswer): void {
  if ('end' in answer) {
    response.destroy();
    return;
  }
  response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers });
  response.end(answer.body === undefined ? undefined : JSON.stringify(answer.body));
}
