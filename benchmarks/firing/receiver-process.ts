import { once } from 'node:events';
import { createStubServer } from '../stub/http.ts';
import { listeningPort } from './listening-port.ts';

const lags: Record<'jobs' | 'quiet' | 'warm', number[]> = { jobs: [], quiet: [], warm: [] };

const slowPath = /^\/slow\/(\d+)\//;

const server = createStubServer(({ path }) => {
  const kind = path.startsWith('/quiet/') ? 'quiet' : path.startsWith('/warm/') ? 'warm' : 'jobs';
  lags[kind].push(Date.now() - Number(path.slice(path.lastIndexOf('/') + 1)));
  return { status: 200, text: '', latencyMs: Number(slowPath.exec(path)?.[1] ?? 0) };
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
process.on('message', () => process.send?.(lags));
process.on('disconnect', () => process.exit());
process.send?.({ port: listeningPort(server) });
