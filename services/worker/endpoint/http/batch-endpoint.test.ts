import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type Server as TcpServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { actionTypeConfig } from '../../../../shared/contracts/endpoints/action-type-config.ts';
import { webhookHeaders, webhookKeyOf, webhookProblem } from '../../../../shared/domain/endpoint/standard-webhooks.ts';
import { noMeter } from '../../../../shared/runtime/meter/no-meter.ts';
import { systemClock } from '../../../../shared/runtime/system-clock.ts';
import { createHostNames } from '../../../../shared/http-client/host-names.ts';
import { createEgressGuard } from '../../../../shared/runtime/egress/address-guard.ts';
import { readInstallationEgress } from '../../../../shared/runtime/configuration/installation-egress.ts';
import type { BatchRequest, StatusRequest, CallableTypes } from '../batch-endpoint.port.ts';
import { workerMetrics } from '../../report/metrics.ts';
import { createBatchEndpoint, type HttpBatchEndpoint } from './batch-endpoint.ts';

const body = '{"campaign":"cmp_x","users":["ünïcode 🛵","with \\"quotes\\""]}';
const request: BatchRequest = {
  actionType: 'award-reward',
  country: 'SG',
  mode: 'live',
  idempotencyKey: 'feed-17-1',
  attempt: 3,
  notAfterMs: Number.POSITIVE_INFINITY,
  body: Buffer.from(body),
};

interface Seen {
  url: string | undefined;
  headers: IncomingMessage['headers'];
  body: string;
}

/** Secret from the published test vectors of Standard Webhooks. */
const signing = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

describe('the batch endpoint client', () => {
  let server: Server;
  let answer: (request: IncomingMessage, response: ServerResponse) => void;
  let seen: Seen[];
  let endpoint: HttpBatchEndpoint;
  let url: string;

  beforeEach(async () => {
    seen = [];
    answer = (_request, response) => response.end('{"results":[]}');
    server = createServer((incoming, response) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () => {
        seen.push({ url: incoming.url, headers: incoming.headers, body: Buffer.concat(chunks).toString('utf8') });
        answer(incoming, response);
      });
    });
    url = `http://127.0.0.1:${await portOf(server)}/v1/batches`;
    endpoint = clientOf(`${url}?shard=1`);
  });

  afterEach(async () => {
    await endpoint.close();
    server.closeAllConnections();
    server.close();
  });

  it('posts exactly the given bytes, with idempotency key, attempt and Authorization header', async () => {
    await endpoint.call(request);
    expect(seen).toMatchObject([
      {
        url: '/v1/batches?shard=1',
        body,
        headers: {
          'content-type': 'application/json',
          'content-length': String(Buffer.byteLength(body)),
          'accept-encoding': 'identity',
          'idempotency-key': 'feed-17-1',
          'muster-attempt': '3',
          'muster-mode': 'live',
          authorization: 'Bearer secret',
        },
      },
    ]);
  });

  it('connects to no forbidden address, neither as an IP literal nor through a host name', async () => {
    const forbidden = { kind: 'not-applied', cause: 'address that may not be called' };
    for (const host of ['169.254.169.254', '[::ffff:169.254.169.254]', '[fd00:ec2::254]', '2852039166']) {
      const client = clientOf(`http://${host}/latest/meta-data/`);
      expect(await client.call(request)).toMatchObject(forbidden);
      expect(
        await client.askStatus({ actionType: 'award-reward', mode: 'live', body: Buffer.from('{}') }),
      ).toMatchObject(forbidden);
      await client.close();
    }
    const named = clientOf('http://innocent.test/', [['169.254.169.254'], ['100.100.100.200']]);
    expect(await named.call(request)).toMatchObject(forbidden);
    expect(await named.call(request)).toMatchObject(forbidden);
    await named.close();
  });

  it('resolves and checks a host name for each connection, and connects to the checked address', async () => {
    answer = (_request, response) => response.writeHead(200, { connection: 'close' }).end('{"results":[]}');
    const { port } = new URL(url);
    const resolved = [['127.0.0.1'], ['169.254.169.254'], ['127.0.0.1']];
    const rebound = clientOf(`http://rebound.test:${port}/`, resolved);
    expect(await rebound.call(request)).toMatchObject({ kind: 'answered' });
    expect(await rebound.call(request)).toMatchObject({ cause: 'address that may not be called' });
    expect(await rebound.call(request)).toMatchObject({ kind: 'answered' });
    expect(seen.map(({ headers }) => headers.host)).toEqual([`rebound.test:${port}`, `rebound.test:${port}`]);
    expect(resolved).toEqual([]);
    await rebound.close();
  });

  it('sends "test" or "live" in the muster-mode header of calls and status requests', async () => {
    await endpoint.call({ ...request, mode: 'test' });
    await endpoint.askStatus({ actionType: 'award-reward', mode: 'test', body: Buffer.from('{}') });
    await endpoint.call(request);
    expect(seen.map(({ headers }) => headers['muster-mode'])).toEqual(['test', 'test', 'live']);
  });

  it('sends no signature without a signing secret', async () => {
    await endpoint.call(request);
    expect(Object.keys(seen[0]?.headers ?? {}).filter((name) => name.startsWith('webhook-'))).toEqual([]);
  });

  it('signs calls and status requests while a signing secret is configured', async () => {
    const types = typesOf(`${url}?shard=1`);
    endpoint.follow(withSecrets(types, { signing }));
    await endpoint.call(request);
    await endpoint.askStatus({
      actionType: 'award-reward',
      mode: 'live',
      body: Buffer.from('{"users":["u1"]}'),
    });
    expect(seen.map((call) => signatureProblem(call))).toEqual([null, null]);
    expect(seen[0]?.headers['webhook-id']).toBe('feed-17-1');
    expect(signatureProblem(seen[0], `whsec_${Buffer.alloc(24).toString('base64')}`)).toContain('no signature');

    endpoint.follow(types);
    await endpoint.call(request);
    expect(seen[2]?.headers).not.toHaveProperty('webhook-signature');
  });

  it('sends a changed value of the Authorization secret from the next call on', async () => {
    endpoint.follow(withSecrets(typesOf(url), { authorization: 'Bearer newer' }));
    await endpoint.call(request);
    expect(seen[0]?.headers.authorization).toBe('Bearer newer');
  });

  it('returns an answer with status 418 and its whole body', async () => {
    answer = (_request, response) => response.writeHead(418).end('ünïcode 🛵');
    expect(await endpoint.call(request)).toEqual({
      kind: 'answered',
      status: 418,
      retryAfterMs: null,
      body: Buffer.from('ünïcode 🛵'),
    });
  });

  it('joins an answer that arrives in pieces, even if a UTF-8 character is split', async () => {
    const [first, second] = [Buffer.from('🛵').subarray(0, 2), Buffer.from('🛵').subarray(2)];
    answer = (_request, response) => {
      response.write(first, () => response.end(second));
    };
    expect(await endpoint.call(request)).toMatchObject({ kind: 'answered', body: Buffer.from('🛵') });
  });

  it('converts Retry-After into milliseconds', async () => {
    answer = (_request, response) => response.writeHead(429, { 'retry-after': '7' }).end();
    expect(await endpoint.call(request)).toMatchObject({ kind: 'answered', status: 429, retryAfterMs: 7000 });
  });

  it('reports the Content-Encoding of a compressed answer', async () => {
    answer = (_request, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('garbled');
    expect(await endpoint.call(request)).toMatchObject({ kind: 'answered', contentEncoding: 'gzip' });
  });

  it('does not follow a redirect', async () => {
    answer = (_request, response) => response.writeHead(307, { location: '/elsewhere' }).end();
    expect(await endpoint.call(request)).toMatchObject({ kind: 'answered', status: 307 });
    expect(seen).toHaveLength(1);
  });

  it('reports a call without an answer within the time-out as ambiguous', async () => {
    endpoint.follow(typesOf(`${url}?shard=1`, { timeoutMs: 400 }));
    answer = () => undefined;
    expect(await endpoint.call(request)).toMatchObject({ kind: 'ambiguous', cause: 'no whole answer within 400 ms' });
  });

  it('reports a call as ambiguous if its answer arrives in pieces for longer than the time-out', async () => {
    endpoint.follow(typesOf(`${url}?shard=1`, { timeoutMs: 400 }));
    answer = (_request, response) => {
      const drip = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(drip));
    };
    expect(await endpoint.call(request)).toMatchObject({ kind: 'ambiguous', cause: 'no whole answer within 400 ms' });
  });

  it('reports a reset connection as ambiguous, and does not send the call again', async () => {
    answer = (incoming) => incoming.socket.resetAndDestroy();
    expect(await endpoint.call(request)).toMatchObject({ kind: 'ambiguous' });
    expect(seen).toHaveLength(1);
  });

  it('does not send a call of class C again if its reused connection is reset', async () => {
    await endpoint.call(request);
    answer = (incoming) => incoming.socket.resetAndDestroy();
    expect(await endpoint.call(request)).toMatchObject({ kind: 'ambiguous' });
    expect(seen).toHaveLength(2);
  });

  it('reports an incomplete body as ambiguous', async () => {
    answer = (_request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{"results":[', () => response.destroy());
    };
    expect(await endpoint.call(request)).toMatchObject({ kind: 'ambiguous' });
  });

  it("stops reading a call's answer that exceeds the maximum size", async () => {
    answer = (_request, response) => response.end('x'.repeat(2000));
    expect(await endpoint.call(request)).toEqual({ kind: 'ambiguous', cause: 'answer longer than 1024 bytes' });
  });

  it('reports an answer that is not HTTP as ambiguous', async () => {
    const other = createTcpServer((socket) => socket.on('data', () => socket.end('no HTTP at all\r\n\r\n')));
    const client = clientOf(`http://127.0.0.1:${await portOf(other)}/`);
    expect(await client.call(request)).toMatchObject({ kind: 'ambiguous' });
    await client.close();
    other.close();
  });

  it('reports a refused connection as not applied', async () => {
    const other = createServer();
    const port = await portOf(other);
    other.close();
    await once(other, 'close');
    const client = clientOf(`http://127.0.0.1:${port}/`);
    const refused = await client.call(request);
    expect(refused).toMatchObject({ kind: 'not-applied' });
    expect(refused.kind === 'not-applied' && refused.cause).toBe('connection refused');
    await client.close();
  });

  it('reports a failed TLS handshake as not applied', async () => {
    const other = createTcpServer((socket) => socket.end('no TLS'));
    const client = clientOf(`https://127.0.0.1:${await portOf(other)}/`);
    expect(await client.call(request)).toMatchObject({ kind: 'not-applied' });
    await client.close();
    other.close();
  });

  it('reports a call of an action type that is not configured as not applied', async () => {
    expect(await endpoint.call({ ...request, actionType: 'other' })).toMatchObject({ kind: 'not-applied' });
  });

  it('does not send a call after the time from which another worker may claim the step', async () => {
    const late = { ...request, notAfterMs: systemClock.monotonicMs() - 1 };
    expect(await endpoint.call(late)).toEqual({ kind: 'not-applied', cause: 'came too late to be sent' });
    expect(seen).toEqual([]);
  });

  describe('a status request of the batch endpoint client', () => {
    const question: StatusRequest = {
      actionType: 'award-reward',
      mode: 'live',
      body: Buffer.from('{"users":["u1"]}'),
    };

    it('is posted with the Authorization header and without an idempotency key', async () => {
      answer = (_request, response) => response.end('{"results":[]}');
      expect(await endpoint.askStatus(question)).toMatchObject({ kind: 'answered', status: 200 });
      expect(seen).toMatchObject([{ url: '/v1/status', body: '{"users":["u1"]}' }]);
      expect(seen[0]?.headers).toMatchObject({ authorization: 'Bearer secret', 'accept-encoding': 'identity' });
      expect(seen[0]?.headers).not.toHaveProperty('idempotency-key');
    });

    it('stops reading an answer that exceeds the maximum size', async () => {
      answer = (_request, response) => response.end('x'.repeat(2000));
      expect(await endpoint.askStatus(question)).toEqual({ kind: 'ambiguous', cause: 'answer longer than 1024 bytes' });
    });

    it('times out if its answer arrives in pieces for longer than the time-out', async () => {
      endpoint.follow(typesOf(`${url}?shard=1`, { timeoutMs: 400 }));
      answer = (_request, response) => {
        const drip = setInterval(() => response.write(' '), 20);
        response.on('close', () => clearInterval(drip));
      };
      expect(await endpoint.askStatus(question)).toMatchObject({ cause: 'no whole answer within 400 ms' });
    });

    it('follows no redirect', async () => {
      answer = (_request, response) => response.writeHead(307, { location: '/elsewhere' }).end();
      expect(await endpoint.askStatus(question)).toMatchObject({ kind: 'answered', status: 307 });
      expect(seen).toHaveLength(1);
    });

    it('is reported as not applied if its action type is not configured', async () => {
      expect(await endpoint.askStatus({ ...question, actionType: 'other' })).toMatchObject({ kind: 'not-applied' });
    });
  });

  it('reads less than 32 MiB of an answer of 1 GiB', async () => {
    const chunk = Buffer.alloc(64 * 1024, ' ');
    let written = 0;
    answer = (_request, response) => {
      response.writeHead(200, { 'content-length': String(2 ** 30) });
      const write = () => {
        while (written < 2 ** 30 && !response.destroyed) {
          written += chunk.length;
          if (!response.write(chunk)) break;
        }
      };
      response.on('drain', write);
      write();
    };
    expect(await endpoint.call(request)).toEqual({ kind: 'ambiguous', cause: 'answer longer than 1024 bytes' });
    // The endpoint cannot write more than what fits into the socket buffers of both sides.
    expect(written).toBeLessThan(32 * 2 ** 20);
  });

  it('sends later calls to a changed URL, while a call in flight ends at the old URL', async () => {
    const begun = Promise.withResolvers<ServerResponse>();
    answer = (_request, response) => begun.resolve(response);
    const underWay = endpoint.call(request);
    const response = await begun.promise;
    answer = (_request, later) => later.end('later');

    endpoint.follow(typesOf(`${url}/elsewhere`));

    expect(await endpoint.call(request)).toMatchObject({ kind: 'answered', body: Buffer.from('later') });
    response.end('first');
    expect(await underWay).toMatchObject({ kind: 'answered', body: Buffer.from('first') });
    expect(seen.map((call) => call.url)).toEqual(['/v1/batches?shard=1', '/v1/batches/elsewhere']);
  });

  it('keeps its connections if a change of configuration does not concern them', async () => {
    const ports = new Set<number | undefined>();
    server.on('connection', ({ remotePort }) => ports.add(remotePort));
    const repeatable = { class: 'A', statusUrl: undefined, appliesLateSeconds: undefined };
    endpoint.follow(typesOf(url, repeatable));
    await endpoint.call(request);
    endpoint.follow(typesOf(url, { ...repeatable, maxAttempts: 3 }));
    await endpoint.call(request);
    expect(ports.size).toBe(1);
  });

  it('serves later calls after a call that timed out', async () => {
    endpoint.follow(typesOf(`${url}?shard=1`, { timeoutMs: 400 }));
    answer = () => undefined;
    await endpoint.call(request);
    answer = (_request, response) => response.end('ok');
    expect(await endpoint.call(request)).toMatchObject({ kind: 'answered', body: Buffer.from('ok') });
  });
});

function typesOf(url: string, changes: object = {}): CallableTypes {
  const config = actionTypeConfig.parse({
    url,
    class: 'C',
    statusUrl: new URL('/v1/status', url).href,
    appliesLateSeconds: 60,
    timeoutMs: 20_000,
    maxAnswerBytes: 1024,
    ...changes,
  });
  return new Map([['award-reward', { config, authorization: 'Bearer secret', signing: undefined }]]);
}

/** Returns the same action types with these secrets. */
function withSecrets(types: CallableTypes, secrets: { authorization?: string; signing?: string }): CallableTypes {
  return new Map(Array.from(types, ([name, type]) => [name, { ...type, ...secrets }]));
}

const guard = createEgressGuard([readInstallationEgress({})]);
const names = createHostNames({ clock: systemClock });

/** @param resolved addresses that successive look-ups return; by default, the machine resolves names */
function clientOf(url: string, resolved?: string[][]): HttpBatchEndpoint {
  const given = resolved && { addressesOf: () => Promise.resolve(resolved.shift() ?? []), close: () => undefined };
  return createBatchEndpoint({
    types: typesOf(url),
    clock: systemClock,
    sentAgain: noMeter.counter(workerMetrics.sentAgain),
    egress: { guard, names: given ?? names },
  });
}

/** Returns the problem that a receiver would find in the signature; null if there is none. */
function signatureProblem(call: Seen | undefined, secret = signing): string | null {
  const key = webhookKeyOf(secret);
  if (!key || !call) throw new Error('there is nothing to check');
  const header = (name: string) => z.string().optional().parse(call.headers[name]);
  const { id, timestamp, signature } = webhookHeaders;
  const received = { id: header(id), timestamp: header(timestamp), signature: header(signature) };
  return webhookProblem(key, { ...received, body: Buffer.from(call.body) }, Date.now() / 1000);
}

/** Makes the server listen on a free port. */
async function portOf(server: TcpServer): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('the server does not listen on a port');
  return address.port;
}
