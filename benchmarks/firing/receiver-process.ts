import { once } from 'node:events';
import { createStubServer } from '../stub/http.ts';
import { listeningPort } from './listening-port.ts';

const lags: Record<'jobs' | 'quiet', number[]> = { jobs: [], quiet: [] };

const server = createStubServer(({ path }) => {
  lags[path.startsWith('/quiet/') ? 'quiet' : 'jobs'].push(Date.now() - Number(path.slice(path.lastIndexOf('/') + 1)));
  return { status: 200, text: '', latencyMs: 0 };
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
process.on('message', () => process.send?.(lags));
process.on('disconnect', () => process.exit());
process.send?.({ port: listeningPort(server) });
