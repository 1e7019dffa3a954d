import { once } from 'node:events';
import { createServer } from 'node:http';
import { listeningPort } from './listening-port.ts';

/** Answers every call at once, and notes how late it came: the due time is the last part of its path. */
export interface Receiver {
  /** Ends with a slash. */
  readonly url: string;
  /** `quiet`: of calls below `/quiet/`; `jobs`: of the others. */
  lagsOf(client: 'jobs' | 'quiet'): number[];
  stop(): void;
}

export async function startReceiver(): Promise<Receiver> {
  const lags: Record<'jobs' | 'quiet', number[]> = { jobs: [], quiet: [] };
  const server = createServer((request, response) => {
    const url = request.url ?? '';
    lags[url.startsWith('/quiet/') ? 'quiet' : 'jobs'].push(Date.now() - Number(url.slice(url.lastIndexOf('/') + 1)));
    request.resume();
    response.writeHead(204).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${listeningPort(server)}/`,
    lagsOf: (client) => lags[client],
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
