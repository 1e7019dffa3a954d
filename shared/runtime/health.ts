import { createServer, type Server } from 'node:http';
import { once } from 'node:events';

/** Answers `/healthz` (the process turns) and `/readyz` (it should get work) for services that have no HTTP interface of their own. */
export async function serveHealth(port: number, host: string, ready: () => boolean): Promise<Server> {
  const server = createServer((request, response) => {
    const healthy = request.url === '/healthz' || (request.url === '/readyz' && ready());
    const known = request.url === '/healthz' || request.url === '/readyz';
    response.writeHead(healthy ? 200 : known ? 503 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ status: healthy ? 'ok' : known ? 'not-ready' : 'not-found' }));
  });
  server.listen(port, host);
  await once(server, 'listening');
  return server;
}
