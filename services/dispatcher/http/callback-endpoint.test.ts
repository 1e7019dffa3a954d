import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startDnsServer } from '../../../test/support/dns-server.ts';
import { systemClock } from '../../../shared/runtime/system-clock.ts';
import type { EgressRule } from '../../../shared/contracts/jobs/endpoint-terms.ts';
import { createHostNames, LookupFailedError } from '../../../shared/http-client/host-names.ts';
import { readInstallationEgress } from '../../../shared/runtime/configuration/installation-egress.ts';
import { keptAnswerBytes, type Callback } from '../ports/callback-endpoint.ts';
import { createAccessTokens } from '../call/access-tokens.ts';
import { createCallbackEndpoint } from './callback-endpoint.ts';

const loopback: EgressRule[] = [{ cidr: '127.0.0.0/8' }];
const installation = readInstallationEgress({});

let answer: (request: IncomingMessage, response: ServerResponse) => void;
let seen: { method: string; url: string; host: string; body: string }[];
let port: number;
let stop: () => void;
let closers: (() => Promise<void>)[];

beforeEach(async () => {
  seen = [];
  closers = [];
  answer = (_request, response) => response.end('thanks');
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      seen.push({ method, url, host: headers.host ?? '', body: Buffer.concat(chunks).toString() });
      answer(request, response);
    });
  });
  // The server keeps connections longer than a test lasts. A connection that closes during a test was closed by the
  // endpoint.
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  port = typeof address === 'object' && address ? address.port : 0;
  stop = () => {
    server.close();
    server.closeAllConnections();
  };
});
afterEach(async () => {
  vi.restoreAllMocks();
  await Promise.all(closers.map((close) => close()));
  stop();
});

/** @param addresses addresses of host names; by default, the machine resolves the names */
function endpointOf(addresses?: Record<string, string[]>) {
  const looked: string[] = [];
  const endpoint = createCallbackEndpoint({
    installation,
    clock: systemClock,
    names: addresses
      ? {
          addressesOf: ({ hostname }) => {
            looked.push(hostname);
            const found = addresses[hostname];
            return found ? Promise.resolve(found) : Promise.reject(new LookupFailedError('ENOTFOUND'));
          },
          close: () => undefined,
        }
      : createHostNames({ clock: systemClock }),
  });
  closers.push(() => endpoint.close());
  return { endpoint, looked };
}

function callback(
  url: string,
  egress: readonly EgressRule[],
  more: Partial<Callback> & { timeoutMs?: number } = {},
): Callback {
  const { timeoutMs = 2000, ...rest } = more;
  const limits = { clientId: 'one', revision: 1, concurrency: 2, timeoutMs, egress };
  const { origin, pathname, search } = new URL(url);
  const target = { origin, path: pathname + search };
  return {
    limits,
    method: 'POST',
    ...target,
    headers: ['x-a', 'b'],
    body: Buffer.from('{}'),
    notAfterMs: Infinity,
    ...rest,
  };
}

describe('the calls of a client', () => {
  it('are sent with method, path, query and body', async () => {
    const { endpoint } = endpointOf();
    const sent = await endpoint.call(callback(`http://127.0.0.1:${port}/a/b?c=d%20e`, loopback, { method: 'PUT' }));
    expect(sent).toMatchObject({ kind: 'answered', status: 200, retryAfterMs: null, body: Buffer.from('thanks') });
    expect(seen).toEqual([{ method: 'PUT', url: '/a/b?c=d%20e', host: `127.0.0.1:${port}`, body: '{}' }]);
  });

  it.each(['127.0.0.1', 'localhost', '[::1]', '2130706433', '0x7f000001', '127.1', '[::ffff:127.0.0.1]', '0.0.0.0'])(
    'never reach %s without an egress rule',
    async (host) => {
      const { endpoint } = endpointOf();
      expect(await endpoint.call(callback(`http://${host}:${port}/`, []))).toMatchObject({ kind: 'forbidden' });
      expect(seen).toEqual([]);
    },
  );

  it('are allowed or forbidden by the address of a host name, not by the name', async () => {
    const { endpoint, looked } = endpointOf({
      'innocent.example': ['127.0.0.1'],
      'metadata.example': ['169.254.169.254'],
    });
    const of = (host: string, rules: EgressRule[]) => endpoint.call(callback(`http://${host}:${port}/`, rules));
    expect(await of('innocent.example', [{ host: 'innocent.example' }])).toMatchObject({ kind: 'forbidden' });
    expect(await of('metadata.example', [{ cidr: '0.0.0.0/0' }])).toMatchObject({ kind: 'forbidden' });
    expect(looked).toEqual(['innocent.example', 'metadata.example']);
    expect(seen).toEqual([]);
  });

  it('connect to the checked address, although a second look-up would return another address', async () => {
    const answers = [['127.0.0.1'], ['10.0.0.1']];
    const endpoint = createCallbackEndpoint({
      installation,
      clock: systemClock,
      names: { addressesOf: () => Promise.resolve(answers.shift() ?? []), close: () => undefined },
    });
    closers.push(() => endpoint.close());
    const sent = await endpoint.call(callback(`http://rebound.example:${port}/`, [{ cidr: '127.0.0.1/32' }]));
    expect(sent).toMatchObject({ kind: 'answered' });
    expect(seen).toMatchObject([{ host: `rebound.example:${port}` }]);
    expect(answers).toEqual([['10.0.0.1']]);
  });

  it('use only the allowed addresses of a name, and try the next address if one does not answer', async () => {
    const { endpoint } = endpointOf({ 'many.example': ['10.0.0.1', '127.0.0.2', '127.0.0.1'] });
    const sent = await endpoint.call(callback(`http://many.example:${port}/`, loopback));
    expect(sent).toMatchObject({ kind: 'answered' });
  });

  it('report a name without an address as unresolved', async () => {
    const { endpoint } = endpointOf({});
    const sent = await endpoint.call(callback(`http://nowhere.example:${port}/`, loopback));
    expect(sent).toEqual({ kind: 'unresolved', cause: 'host name not found', isFinal: true });
  });

  it('report a look-up as unresolved if no name server answers, even if the time-out is short', async () => {
    const server = await startDnsServer(() => null);
    const names = createHostNames({ clock: systemClock, servers: [server.address], hostsFile: '', resolverFile: '' });
    const endpoint = createCallbackEndpoint({ installation, clock: systemClock, names });
    closers.push(() => endpoint.close());
    const calls = [100, 300].map((timeoutMs) =>
      endpoint.call(callback(`http://silent.example:${port}/`, loopback, { timeoutMs })),
    );
    const unresolved = { kind: 'unresolved', cause: 'host name cannot be looked up now', isFinal: false };
    expect(await Promise.all(calls)).toEqual([unresolved, unresolved]);
    server.close();
  });

  it('do not follow a redirect', async () => {
    answer = (_request, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end();
    const { endpoint } = endpointOf();
    expect(await endpoint.call(callback(`http://127.0.0.1:${port}/`, loopback))).toMatchObject({ status: 302 });
    expect(seen).toHaveLength(1);
  });

  it('keep only the beginning of a long answer', async () => {
    answer = (_request, response) => response.writeHead(200).write('x'.repeat(3 * keptAnswerBytes));
    const { endpoint } = endpointOf();
    const sent = await endpoint.call(callback(`http://127.0.0.1:${port}/`, loopback));
    expect(sent).toEqual({
      kind: 'answered',
      status: 200,
      retryAfterMs: null,
      body: Buffer.alloc(keptAnswerBytes, 'x'),
    });
  });

  it('end at their time-out if the answer trickles in', async () => {
    answer = (_request, response) => response.writeHead(200).write('x');
    const { endpoint } = endpointOf();
    const sent = await endpoint.call(callback(`http://127.0.0.1:${port}/`, loopback, { timeoutMs: 150 }));
    expect(sent).toMatchObject({ kind: 'unanswered' });
  });

  it("end at the job's own time-out if it is shorter", async () => {
    answer = (_request, response) => response.writeHead(200).write('x');
    const { endpoint } = endpointOf();
    const own = { ...callback(`http://127.0.0.1:${port}/`, loopback, { timeoutMs: 60_000 }), timeoutMs: 150 };
    expect(await endpoint.call(own)).toMatchObject({ kind: 'unanswered' });
  });

  it('report Retry-After in milliseconds', async () => {
    answer = (_request, response) => response.writeHead(503, { 'retry-after': '7' }).end();
    const { endpoint } = endpointOf();
    expect(await endpoint.call(callback(`http://127.0.0.1:${port}/`, loopback))).toMatchObject({
      status: 503,
      retryAfterMs: 7000,
    });
  });

  it('are not sent after the time until which they may begin', async () => {
    const { endpoint } = endpointOf();
    const late = callback(`http://127.0.0.1:${port}/`, loopback, { notAfterMs: systemClock.monotonicMs() - 1 });
    expect(await endpoint.call(late)).toMatchObject({ kind: 'unanswered' });
    expect(seen).toEqual([]);
  });

  describe('a call on a kept connection that is reset without an answer', () => {
    async function callTwice(
      more: Pick<Callback, 'notAfterMs'> = { notAfterMs: Infinity },
      onReset: () => void = () => undefined,
    ) {
      let sentAgain = 0;
      const names = createHostNames({ clock: systemClock });
      const onSentAgain = () => sentAgain++;
      const endpoint = createCallbackEndpoint({ installation, clock: systemClock, names, onSentAgain });
      closers.push(() => endpoint.close());
      await endpoint.call(callback(`http://127.0.0.1:${port}/before`, loopback));
      answer = ({ socket }) => {
        answer = (_request, response) => response.end('again');
        onReset();
        socket.resetAndDestroy();
      };
      const outcome = await endpoint.call(
        callback(`http://127.0.0.1:${port}/a`, loopback, { timeoutMs: 20_000, ...more }),
      );
      return { outcome, sentAgain, urls: seen.map(({ url }) => url) };
    }

    it('is sent once more and counts as one call', async () => {
      const { outcome, sentAgain, urls } = await callTwice();
      expect(outcome).toMatchObject({ kind: 'answered', status: 200, body: Buffer.from('again') });
      expect({ sentAgain, urls }).toEqual({ sentAgain: 1, urls: ['/before', '/a', '/a'] });
    });

    it('is not sent again after the time until which it may begin', async () => {
      const now = vi.spyOn(performance, 'now').mockReturnValue(1000);
      const { outcome, sentAgain, urls } = await callTwice({ notAfterMs: 1000 }, () => now.mockReturnValue(1001));
      expect(outcome).toEqual({ kind: 'unanswered', cause: 'connection reset' });
      expect({ sentAgain, urls }).toEqual({ sentAgain: 0, urls: ['/before', '/a'] });
    });
  });

  it('finish under the old rules if the rules change meanwhile, and then their connection is closed', async () => {
    const { endpoint } = endpointOf();
    const held = Promise.withResolvers<{ socket: Socket; response: ServerResponse }>();
    answer = ({ socket }, response) => held.resolve({ socket, response });
    const call = callback(`http://127.0.0.1:${port}/`, loopback);
    const first = endpoint.call(call);
    const { socket, response } = await held.promise;
    const closed = once(socket, 'close');
    answer = (_request, other) => other.end('by the new rules');
    const second = await endpoint.call({ ...call, limits: { ...call.limits, revision: 2 } });
    expect(second).toMatchObject({ kind: 'answered', body: Buffer.from('by the new rules') });
    response.end('by the old rules');
    expect(await first).toMatchObject({ kind: 'answered', body: Buffer.from('by the old rules') });
    await closed;
  });

  it('leave no open connection after the endpoint is closed', async () => {
    const { endpoint } = endpointOf();
    const held = Promise.withResolvers<Socket>();
    answer = ({ socket }, response) => {
      held.resolve(socket);
      response.end();
    };
    await endpoint.call(callback(`http://127.0.0.1:${port}/`, loopback));
    const closed = once(await held.promise, 'close');
    await endpoint.close();
    await closed;
  });

  it('follow changed rules from the next call on, even with an open connection', async () => {
    const { endpoint } = endpointOf();
    const url = `http://127.0.0.1:${port}/`;
    expect(await endpoint.call(callback(url, loopback))).toMatchObject({ kind: 'answered' });
    const stricter = { ...callback(url, []).limits, revision: 2 };
    expect(await endpoint.call(callback(url, [], { limits: stricter }))).toMatchObject({ kind: 'forbidden' });
    expect(seen).toHaveLength(1);
  });
});

describe('the requests for access tokens', () => {
  async function headerFor(egress: readonly EgressRule[]) {
    const { endpoint } = endpointOf();
    const { limits } = callback('http://shop.example/', egress);
    const tokenUrl = `http://127.0.0.1:${port}/token`;
    const terms = { limits, tokenUrl, id: 'shop', secret: 'hidden', scope: null };
    return await createAccessTokens(terms, { endpoint, clock: systemClock }).authorization();
  }

  it('never reach an address that the egress rules of the client forbid', async () => {
    expect(await headerFor([])).toMatchObject({ kind: 'unsent' });
    expect(seen).toEqual([]);
    answer = (_request, response) => response.end(JSON.stringify({ access_token: 'abc', token_type: 'bearer' }));
    expect(await headerFor(loopback)).toMatchObject({ kind: 'header', value: 'Bearer abc' });
    expect(seen).toMatchObject([{ url: '/token' }]);
  });
});
