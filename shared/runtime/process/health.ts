import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { listening } from './listening.ts';
import { processMetrics } from '../meter/process-metrics.ts';
import type { PrometheusMeter } from '../meter/prometheus-meter.ts';
import type { Readiness } from './readiness.ts';

export interface HealthOptions {
  port: number;
  host: string;
  readiness: () => Promise<Readiness>;
  meter: PrometheusMeter;
}

/** Serves `/healthz` (alive), `/readyz` (should get work) and `/metrics` (Prometheus), for GET and HEAD. */
export async function serveHealth({ port, host, readiness, meter }: HealthOptions): Promise<Server> {
  let parts: Readiness['parts'] = {};
  meter.gauge({
    ...processMetrics.ready,
    collect: (level) => {
      for (const [part, state] of Object.entries(parts)) level.of({ part }).set(state === 'ok' ? 1 : 0);
    },
  });

  async function answer(path: string | undefined, response: ServerResponse): Promise<void> {
    if (path === '/healthz') sendJson(response, 200, { status: 'ok' });
    else if (path === '/readyz') {
      const state = await readiness();
      sendJson(response, state.ready ? 200 : 503, { status: state.ready ? 'ok' : 'not-ready', parts: state.parts });
    } else if (path === '/metrics') {
      ({ parts } = await readiness());
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
