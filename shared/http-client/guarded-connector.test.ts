import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createServer, type Server } from 'node:http';
import { Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { portOf } from '../../test/support/raw-server.ts';
import { startSilentAddress } from '../../test/support/silent-address.ts';
import { guardedConnector } from './guarded-connector.ts';
import { createHttpOrigin } from './http-dispatch.ts';

const [first, second, third, fourth] = ['127.0.0.11', '127.0.0.12', '127.0.0.13', '127.0.0.14'] as const;

describe('a connection to a name with several addresses', () => {
  const closers: (() => unknown)[] = [];

  afterEach(async () => {
    for (const close of closers.splice(0).toReversed()) await close();
  });

  /** Starts a server that answers with its own address, and ends each connection. */
  async function serve(host: string, port = 0): Promise<number> {
    const server: Server = createServer((_request, response) => {
      response.writeHead(200, { connection: 'close' }).end(host);
    });
    closers.push(() => server.close());
    return await portOf(server, host, port);
  }

  function originOf(port: number, addresses: readonly string[], forbidden: readonly string[] = []) {
    const connect = guardedConnector({
      guard: { mayConnect: ({ address }) => !forbidden.includes(address) },
      // Longer than a test may take: the connector must not wait for a silent address.
      timeoutMs: 120_000,
      resolve: () => Promise.resolve(addresses),
    });
    const origin = createHttpOrigin({
      origin: `http://receiver.test:${port}`,
      connections: 1,
      timeoutMs: 120_000,
      maxAnswerBytes: 1000,
      connect,
    });
    closers.push(() => origin.close());
    return async () => {
      const outcome = await origin.send({ method: 'POST', path: '/', headers: [], body: Buffer.from('{}') });
      return outcome.kind === 'answered' ? outcome.body.toString() : `${outcome.kind}: ${outcome.cause}`;
    };
  }

  it('is made to the second address if the first refuses', async () => {
    const port = await serve(second);
    expect(await originOf(port, [first, second])()).toBe(second);
  });

  it('is made to the second address if the first is silent', async () => {
    const port = await serve(second);
    const silent = await startSilentAddress(first, port);
    closers.push(() => silent.close());
    const sockets: Socket[] = [];
    const collect = (message: unknown) => sockets.push(...socketIn(message));
    subscribe('net.client.socket', collect);
    closers.push(() => unsubscribe('net.client.socket', collect));
    expect(await originOf(port, [first, second])()).toBe(second);
    expect(sockets).toHaveLength(2);
    expect(sockets.filter(({ connecting }) => connecting)).toEqual([]);
  });

  it('is made to no forbidden address, even if all others refuse', async () => {
    const port = await serve(second);
    expect(await originOf(port, [first, second], [second])()).toBe('not-applied: connection refused');
    const forbidden = 'not-applied: address that may not be called';
    expect(await originOf(port, [second], [second])()).toBe(forbidden);
  });

  it('is made to the address of the last connection first', async () => {
    const port = await serve(second);
    const call = originOf(port, [first, second]);
    expect(await call()).toBe(second);
    await serve(first, port);
    expect(await call()).toBe(second);
  });

  it('is given up after three addresses', async () => {
    const port = await serve(fourth);
    expect(await originOf(port, [first, second, third, fourth])()).toBe('not-applied: connection refused');
  });
});

function socketIn(message: unknown): Socket[] {
  if (typeof message !== 'object' || message === null || !('socket' in message)) return [];
  return message.socket instanceof Socket ? [message.socket] : [];
}
