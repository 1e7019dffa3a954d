import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { awaitReady, reasonNotReady } from './await-ready.ts';

const folder = mkdtempSync(join(tmpdir(), 'muster-ready-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

describe('a service that starts', () => {
  it('lists its parts that are not ready as the reason, and has no reason once it is ready', async () => {
    await using service = await serve([
      503,
      { parts: { database: 'ok', kafka: 'no broker answers', schema: 'missing' } },
    ]);
    expect(await reasonNotReady(service.url)).toBe('kafka: no broker answers; schema: missing');
    service.answer = [200, {}];
    expect(await reasonNotReady(service.url)).toBeUndefined();
  });

  it('states as the reason that nothing answers while no server listens', async () => {
    const service = await serve([200, {}]);
    await service[Symbol.asyncDispose]();
    expect(await reasonNotReady(service.url)).toBe('no answer yet');
  });

  it('fails with its reason and the end of its log if the process ends', async () => {
    await using service = await serve([503, { parts: { schema: 'missing' } }]);
    const logFile = join(folder, 'api.log');
    writeFileSync(logFile, 'first\nlast words\n');
    const waiting = awaitReady({ name: 'api', process: { running: false, logFile }, readyUrl: service.url }, 60_000);
    await expect(waiting).rejects.toThrow('api ended before it was ready: schema: missing\n--- api\nfirst\nlast words');
  });

  it('fails if it is not ready in time', async () => {
    await using service = await serve([503, {}]);
    const process = { running: true, logFile: join(folder, 'none.log') };
    const waiting = awaitReady({ name: 'api', process, readyUrl: service.url }, -1);
    await expect(waiting).rejects.toThrow('api was not ready within -1 ms: not ready\n--- api\n(no log)');
  });
});

async function serve(answer: [status: number, body: object]) {
  const served = { answer };
  const server = createServer((_request, response) => {
    const [status, body] = served.answer;
    response.writeHead(status).end(JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = z.object({ port: z.int() }).parse(server.address());
  return Object.assign(served, {
    url: `http://127.0.0.1:${port}/readyz`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  });
}
