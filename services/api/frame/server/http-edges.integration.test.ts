import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { once } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { authorized, someCampaign } from '../../../../test/support/api-deps.ts';
import { apiOnPostgres } from '../../../../test/support/api-on-postgres.ts';
import { createApi } from '../../api.ts';
import { problem } from '../problems.contract.ts';
import { NoServerError } from '../../../../shared/postgres/connection/servers/try-servers.ts';
import { databaseUnavailable } from './database-unavailable.ts';

const on = apiOnPostgres();

/** Sends raw bytes on a new connection, and returns everything that the server sends. */
async function sendRaw(bytes: string) {
  const { port, hostname } = new URL(await on.start());
  const socket = connect({ port: Number(port), host: hostname });
  socket.end(bytes);
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
  return { head: head.toLowerCase(), body: problem.parse(JSON.parse(body)) };
}

describe('a malformed request', () => {
  it.each([
    ['a line of something else', 'GET\r\n\r\n', 400, 'malformed-request'],
    [
      'a head of 20 KiB',
      `GET / HTTP/1.1\r\nhost: x\r\nx-long: ${'x'.repeat(20_000)}\r\n\r\n`,
      431,
      'headers-too-large',
    ],
  ])('gets a problem as its answer: %s', async (_case, bytes, status, code) => {
    const { head, body } = await sendRaw(bytes);

    expect(head).toContain(`http/1.1 ${status}`);
    expect(head).toContain('content-type: application/problem+json');
    expect(head).toContain(`x-request-id: ${body.requestId}`);
    expect(body).toMatchObject({ status, code });
  });

  it('loses its connection after thirty seconds if its headers do not end', () => {
    expect(on.api.server.server.headersTimeout).toBe(30_000);
  });

  it.each([
    ['a body that never ends is cut after thirty seconds', 'application/json', true],
    ['a file that is read as it comes may take longer', 'text/csv', false],
  ])('is subject to time limits: %s', async (_what, type, isCut) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const { port, hostname } = new URL(await on.start());
      const socket = connect({ port: Number(port), host: hostname });
      const begun = once(on.api.server.server, 'request');
      const path = type === 'text/csv' ? '/v1/audiences/upload?name=x&country=SG' : '/v1/campaigns';
      const head = `POST ${path} HTTP/1.1\r\nhost: x\r\nauthorization: ${authorized.authorization}\r\n`;
      socket.write(`${head}content-type: ${type}\r\ncontent-length: 100\r\n\r\n{`);
      await begun;
      let answer = '';
      socket.on('data', (bytes: Buffer) => (answer += bytes.toString()));
      vi.advanceTimersByTime(30_000);
      if (isCut) await once(socket, 'close');
      else await new Promise((resolve) => setImmediate(resolve));
      expect(answer.startsWith('HTTP/1.1 408')).toBe(isCut);
      expect(socket.destroyed).toBe(isCut);
      socket.destroy();
    } finally {
      vi.useRealTimers();
    }
  });
});

it.each(['text/csv', 'application/x-ndjson', 'application/json'])(
  'the rest of a request that was refused by its headers is read for at most thirty seconds: %s',
  async (type) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const { port, hostname } = new URL(await on.start());
      const socket = connect({ port: Number(port), host: hostname });
      socket.write(`POST /v1/campaigns HTTP/1.1\r\nhost: x\r\ncontent-type: ${type}\r\ncontent-length: 100\r\n\r\n{`);
      const [answer] = z.tuple([z.instanceof(Buffer)]).parse(await once(socket, 'data'));
      expect(answer.toString()).toMatch(/^HTTP\/1.1 401/);
      const closed = once(socket, 'close');
      vi.advanceTimersByTime(30_000);
      await closed;
    } finally {
      vi.useRealTimers();
    }
  },
);

describe('a body larger than the limit', () => {
  const kibibytes = 2048;
  const piece = 'x'.repeat(1024);
  it.each([
    ['says so in its head', `content-length: ${kibibytes * 1024}`, piece],
    ['comes in chunks', 'transfer-encoding: chunked', `400\r\n${piece}\r\n`],
  ])(
    'is read to its end after the answer was sent, so that the sender can read the answer: it %s',
    async (_how, framing, part) => {
      const { port, hostname } = new URL(await on.start());
      const socket = connect({ port: Number(port), host: hostname });
      const answers = text(socket);
      const answered = once(socket, 'data');
      const head = `host: x\r\nauthorization: ${authorized.authorization}\r\n`;
      socket.write(`POST /v1/campaigns HTTP/1.1\r\n${head}content-type: application/json\r\n${framing}\r\n\r\n`);
      // The sent bytes exceed the limit in both cases.
      socket.write(part.repeat(kibibytes - 1));
      await answered;
      socket.write(part + (framing.startsWith('transfer') ? '0\r\n\r\n' : ''));
      socket.end(`GET /v1/nowhere HTTP/1.1\r\n${head}connection: close\r\n\r\n`);

      expect((await answers).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 413', 'HTTP/1.1 404']);
    },
  );
});

describe('a method that a path does not support', () => {
  it.each([
    ['PUT', '/v1/campaigns', 'GET, HEAD, POST'],
    ['PUT', '/v1/campaigns/cmp_1', 'DELETE, GET, HEAD, PATCH'],
    ['GET', '/v1/campaigns/cmp_1/start', 'POST'],
    ['POST', '/healthz', 'GET, HEAD'],
    ['TRACE', '/v1/runs', 'GET, HEAD'],
  ] as const)('gets status 405 and the supported methods: %s %s', async (method, url, allow) => {
    const response = await on.api.server.inject({ method, url, headers: authorized });

    expect(response.statusCode).toBe(405);
    expect(response.headers.allow).toBe(allow);
    expect(problem.parse(response.json()).code).toBe('method-not-allowed');
  });

  it.each(['/v1/campaigns/', '/v1/campaigns/a/b/c', '/v2'])(
    'gets status 404 if the path does not exist: %s',
    async (url) => {
      expect((await on.api.server.inject({ method: 'PUT', url, headers: authorized })).statusCode).toBe(404);
    },
  );
});

describe('HEAD', () => {
  it.each(['/healthz', '/readyz', '/openapi.json', '/v1/campaigns'])(
    'is answered at %s like GET, without a body',
    async (url) => {
      const response = await on.api.server.inject({ method: 'HEAD', url, headers: authorized });

      expect(response.statusCode).toBe(200);
      expect(response.body).toBe('');
    },
  );
});

it('a browser at the root is redirected to the documentation', async () => {
  const response = await on.api.server.inject({ method: 'GET', url: '/' });

  expect(response.statusCode).toBe(302);
  expect(response.headers.location).toBe('/docs/');
});

describe('the API while the database is unavailable', () => {
  const failure = (code: string | undefined, message = 'x') => Object.assign(new Error(message), { code });

  it.each([
    ['nobody listens', failure('ECONNREFUSED')],
    ['it starts', failure('57P03', 'the database system is starting up')],
    ['it was shut down', failure('57P01')],
    ['the connection broke', new Error('Connection terminated unexpectedly')],
    ['no connection was free', new Error('timeout exceeded when trying to connect')],
    ['none of several servers leads', new NoServerError('read-write', [])],
    ['a connection left for another leader', new Error('Connection lost: two:5432 leads now')],
    ['a connection failed below', new Error('lost', { cause: failure('ECONNRESET') })],
  ])('answers 503 database-unavailable, not 500, when %s', (_case, error) => {
    expect(databaseUnavailable(error)).toMatchObject({ status: 503, code: 'database-unavailable' });
  });

  it.each([
    ['its disk is full', failure('53100', 'could not extend file')],
    ['a transaction found its disk full', new Error('rolled back', { cause: failure('53100') })],
  ])('answers 503 database-full with Retry-After when %s', (_case, error) => {
    expect(databaseUnavailable(error)).toMatchObject({
      status: 503,
      code: 'database-full',
      headers: { 'retry-after': '30' },
    });
  });

  it('answers 503 with Retry-After at every path below /v1', async () => {
    const away = () => Promise.reject(failure('ECONNREFUSED'));
    const stores = {
      campaignLists: { ...on.deps.campaignLists, page: away },
      reports: { ...on.deps.reports, list: away },
      idempotency: { ...on.deps.idempotency, begin: away },
    };
    const [withKeys, without] = [
      await createApi({ ...on.deps, ...stores }),
      await createApi({ ...on.deps, apiKeys: { ...on.deps.apiKeys, find: away } }),
    ];
    const headers = { ...authorized, 'idempotency-key': 'k' };
    const responses = await Promise.all([
      withKeys.server.inject({ method: 'GET', url: '/v1/campaigns', headers }),
      withKeys.server.inject({ method: 'GET', url: '/v1/runs', headers }),
      withKeys.server.inject({ method: 'POST', url: '/v1/campaigns', headers, payload: someCampaign }),
      without.server.inject({ method: 'GET', url: '/v1/action-types', headers }),
    ]);

    for (const response of responses) {
      expect(response.statusCode).toBe(503);
      expect(response.headers['retry-after']).toBe('2');
      expect(problem.parse(response.json()).code).toBe('database-unavailable');
    }
  });

  it('answers 500 to an error in a statement', async () => {
    const wrong = { ...on.deps.campaignLists, page: () => Promise.reject(failure('42P01', 'relation does not exist')) };
    const { server } = await createApi({ ...on.deps, campaignLists: wrong });

    expect((await server.inject({ method: 'GET', url: '/v1/campaigns', headers: authorized })).statusCode).toBe(500);
  });

  it('reports the cause at /readyz without the message of the error', async () => {
    const ping = () => Promise.reject(failure('ECONNREFUSED', 'connect to user@host'));
    const { server } = await createApi({ ...on.deps, ping });

    const { detail } = problem.parse((await server.inject({ method: 'GET', url: '/readyz' })).json());

    expect(detail).toBe('the database does not answer: ECONNREFUSED');
  });
});
