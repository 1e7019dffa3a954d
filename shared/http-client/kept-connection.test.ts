import { once } from 'node:events';
import { createServer } from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { portOf } from '../../test/support/raw-server.ts';
import { createHttpOrigin } from './http-dispatch.ts';

const call = { method: 'POST', path: '/', headers: [], body: Buffer.from('{}') };

describe('an idle connection', () => {
  const closers: (() => unknown)[] = [];

  afterEach(async () => {
    vi.restoreAllMocks();
    for (const close of closers.splice(0).toReversed()) await close();
  });

  /** Starts a server that keeps connections for this time, and states the time in its answers if `isNamed`. */
  async function originAt(isRepeatable: boolean, keptMs = 600_000, isNamed = true) {
    const server = createServer((_request, response) => {
      if (!isNamed) response.setHeader('connection', 'keep-alive');
      response.end('ok');
    });
    server.keepAliveTimeout = keptMs;
    let connections = 0;
    const ended: Promise<unknown>[] = [];
    server.on('connection', (socket) => {
      connections++;
      ended.push(once(socket, 'close'));
    });
    const origin = createHttpOrigin({
      origin: `http://127.0.0.1:${await portOf(server)}`,
      connections: 1,
      timeoutMs: 20_000,
      maxAnswerBytes: 1000,
      isRepeatable,
    });
    closers.push(
      () => server.close(),
      () => server.closeAllConnections(),
      () => origin.close(),
    );
    return {
      send: async () => expect(await origin.send(call)).toMatchObject({ kind: 'answered' }),
      connections: () => connections,
      ended: () => Promise.all(ended),
    };
  }

  it('is closed after 0.5 s if its calls cannot be repeated, otherwise after 1.5 s or as its server allows', async () => {
    const kept = [
      { name: 'repeatable, named 4 s', origin: await originAt(true, 4000) },
      { name: 'repeatable', origin: await originAt(true, 600_000, false) },
      { name: 'not repeatable, named 4 s', origin: await originAt(false, 4000) },
    ];
    const closed: string[] = [];
    await Promise.all(kept.map(({ origin }) => origin.send()));
    await Promise.all(kept.map(({ name, origin }) => origin.ended().then(() => closed.push(name))));
    expect(closed).toEqual(kept.map(({ name }) => name).toReversed());
  });

  it.each<[string, boolean, number]>([
    ['is not reused for a call that cannot be repeated', false, 2],
    ['is reused for a call that can be repeated', true, 1],
  ])('%s if the event loop was blocked for over 0.5 s', async (_claim, isRepeatable, connections) => {
    const now = vi.spyOn(performance, 'now').mockReturnValue(1000);
    const origin = await originAt(isRepeatable);
    await origin.send();
    now.mockReturnValue(1501);
    await origin.send();
    expect(origin.connections()).toBe(connections);
  });
});
