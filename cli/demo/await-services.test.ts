import { createServer } from 'node:http';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createSettableClock } from '../../test/support/settable-clock.ts';
import { settled } from '../../test/support/pass-time.ts';
import { awaitServices, reasonNotReady } from './await-services.ts';

describe('services that start', () => {
  it('are awaited for as long as the machine needs, and those that wait are reported every 5 s', async () => {
    const clock = createSettableClock();
    const lines: string[] = [];
    const states = new Map([
      ['api', 'no answer yet'],
      ['worker-1', 'kafka: no group yet'],
    ]);
    const look = (name: string) => () => Promise.resolve(states.get(name));
    const services = ['sandbox', ...states.keys()].map((name) => ({ name, look: look(name) }));
    let isReady = false;
    const waiting = awaitServices(services, { clock, report: (line) => lines.push(line) }).then(() => {
      isReady = true;
    });
    async function pass(ms: number): Promise<void> {
      await settled();
      clock.advance(ms);
      await settled();
    }
    await pass(4000);
    expect(lines).toEqual([]);
    await pass(1000);
    expect(lines).toEqual(['waits for api (no answer yet), worker-1 (kafka: no group yet), for 5 s']);
    states.delete('api');
    await pass(3_600_000);
    expect(isReady).toBe(false);
    expect(lines.at(-1)).toBe('waits for worker-1 (kafka: no group yet), for 3605 s');
    states.delete('worker-1');
    await pass(50);
    await waiting;
    expect(isReady).toBe(true);
  });

  it('end the wait if one of them has ended', async () => {
    const clock = createSettableClock();
    const look = () => Promise.reject(new Error('api did not start (exit code 1): no schema'));
    const waiting = awaitServices([{ name: 'api', look }], { clock, report: () => undefined });
    await expect(waiting).rejects.toThrow('api did not start');
  });

  it('are asked for the parts that are not ready', async () => {
    const body = { status: 'not-ready', parts: { database: 'ok', kafka: 'no broker answers', schema: 'missing' } };
    const server = createServer((_request, response) => response.writeHead(503).end(JSON.stringify(body)));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = z.object({ port: z.int() }).parse(server.address());
    const url = `http://127.0.0.1:${port}/readyz`;
    expect(await reasonNotReady(url)).toBe('kafka: no broker answers; schema: missing');
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
    expect(await reasonNotReady(url)).toBe('no answer yet');
  });
});
