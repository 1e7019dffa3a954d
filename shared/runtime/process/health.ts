import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { listening } from './listening.ts';
import type { PrometheusMeter } from '../meter/prometheus-meter.ts';
import type { Readiness } from './readiness.ts';

export interface HealthOptions {
  port: number;
  host: string;
  readiness: () => Promise<Readiness>;
  meter: PrometheusMeter;
}

/**
 * Answers `/healthz` (the process turns), `/readyz` (it should get work) and `/metrics` (Prometheus), for GET and HEAD.
 */
export async function serveHealth({ port, host, readiness, meter }: HealthOptions): Promise<Server> {
  async function answer(path: string | undefined, response: ServerResponse): Promise<void> {
    if (path === '/healthz') sendJson(response, 200, { status: 'ok' });
    else if (path === '/readyz') {
      const { ready, parts } = await readiness();
      sendJson(response, ready ? 200 : 503, { status: ready ? 'ok' : 'not-ready', parts });
    } else if (path === '/metrics') {
      const { contentType, text } = await meter.expose();
      response.writeHead(200, { 'content-type': contentType }).end(text);
    } else sendJson(response, 404, { status: 'not-found' });
  }

  const server = createServer((request, response) => {
    void answer(request.url, response).catch(() => response.writeHead(500).end());
  });
  await listening({ variable: 'HEALTH_PORT', host, port }, async () => {
    server.listen(port, host);
    await once(server, 'listening');
  });
  return server;
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
