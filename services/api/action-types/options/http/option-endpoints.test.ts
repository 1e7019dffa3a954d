import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  webhookHeaders,
  webhookKeyOf,
  webhookProblem,
} from '../../../../../shared/domain/endpoint/standard-webhooks.ts';
import {
  registeredTypeAt as typeAt,
  someSigningSecret as signing,
  typeEndpointsDeps,
} from '../../../../../test/support/registered-type-at.ts';
import { createOptionEndpoints } from './option-endpoints.ts';

const ride = { value: 'ride-5', label: 'Ride, 5 off' };

describe('a request for the options of a parameter', () => {
  let server: Server;
  let seen: IncomingMessage[];
  let answer: (request: IncomingMessage, response: ServerResponse) => void;
  let base: string;
  let source: ReturnType<typeof sourceOf>;

  beforeEach(async () => {
    seen = [];
    answer = (_request, response) => response.end(JSON.stringify({ options: [ride] }));
    server = createServer((request, response) => {
      seen.push(request);
      answer(request, response);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    base = `http://127.0.0.1:${addressOf(server).port}`;
    source = sourceOf();
  });

  afterEach(async () => {
    await source.close();
    server.closeAllConnections();
    server.close();
  });

  const ask = (
    query: { country?: string; search?: string } = {},
    { url = `${base}/v1/options`, type = typeAt(base) } = {},
  ) => source.fetch({ type, url: new URL(url), country: query.country, search: query.search, limit: 50 });

  it('is one GET request that appends the search to the query of the URL', async () => {
    expect(await ask()).toEqual({ ok: true, page: { options: [ride], more: false } });
    await ask({ country: 'SG', search: '5 off & more' }, { url: `${base}/v1/options?kind=ride` });
    expect(seen.map(({ method, url }) => [method, url])).toEqual([
      ['GET', '/v1/options?limit=50'],
      ['GET', '/v1/options?kind=ride&country=SG&search=5%20off%20%26%20more&limit=50'],
    ]);
    expect(seen[0]?.headers).toMatchObject({ 'accept-encoding': 'identity' });
    expect(seen[0]?.headers.authorization).toBeUndefined();
  });

  it('has the same credentials as the calls of the action type', async () => {
    const type = typeAt(base, { authorization: 'Bearer 47.11', signing });
    await ask({}, { type });
    expect(seen[0]?.headers.authorization).toBe('Bearer 47.11');
    expect(signatureProblem(seen[0])).toBeNull();
    await ask({}, { type: typeAt(base, {}, { authorizationEnv: 'REWARDS_AUTHORIZATION' }) });
    expect(seen[1]?.headers.authorization).toBe('Bearer of the environment');
  });

  it('is not sent if a secret is missing or belongs to another address', async () => {
    const unset = typeAt(base, {}, { authorizationEnv: 'OTHER_AUTHORIZATION' });
    expect(await ask({}, { type: unset })).toMatchObject({ ok: false, cause: /^here OTHER_AUTHORIZATION is not set/ });
    const { secrets } = typeAt('http://127.0.0.1:1', { authorization: 'Bearer 47.11' });
    expect(await ask({}, { type: { ...typeAt(base), secrets } })).toEqual({
      ok: false,
      cause: 'a secret of the action type does not open here',
    });
    expect(seen).toEqual([]);
  });

  it('does not follow redirects', async () => {
    answer = (_request, response) => response.writeHead(302, { location: `${base}/elsewhere` }).end();
    expect(await ask()).toEqual({ ok: false, cause: 'HTTP 302' });
    expect(seen).toHaveLength(1);
  });

  it('fails if the response has 10 MiB', async () => {
    answer = (_request, response) => {
      const options = [{ ...ride, description: 'x'.repeat(10 * 1024 * 1024) }];
      response.end(JSON.stringify({ options }));
    };
    expect(await ask()).toEqual({ ok: false, cause: 'answer longer than 1048576 bytes' });
  });

  it('fails after its timeout if the server hangs', async () => {
    source = sourceOf(150);
    answer = () => undefined;
    expect(await ask()).toEqual({ ok: false, cause: 'no whole answer within 150 ms' });
    answer = (_request, response) => void response.writeHead(200).write('{"options":[');
    expect(await ask()).toEqual({ ok: false, cause: 'no whole answer within 150 ms' });
  });

  it.each<[string, unknown, string]>([
    ['no JSON', undefined, 'Invalid input: expected object, received undefined'],
    ['a list', [ride], 'Invalid input: expected object, received array'],
    ['no options', {}, 'options: Invalid input: expected array, received undefined'],
    ['an option without a value', { options: [{ label: 'x' }] }, 'options.0.value: Invalid input'],
    ['a value that is neither text nor number', { options: [{ value: true }] }, 'options.0.value: Invalid input'],
    ['a label that is none', { options: [ride, { value: 'x', label: 5 }] }, 'options.1.label: Invalid input'],
    ['a word for more', { options: [], more: 'yes' }, 'more: Invalid input'],
  ])('refuses %s, and names the invalid place in the response', async (_name, body, where) => {
    answer = (_request, response) => response.end(body === undefined ? '<html>' : JSON.stringify(body));
    const answered = await ask();
    expect(answered.ok).toBe(false);
    expect(!answered.ok && answered.cause).toContain(`the response is not valid: ${where}`);
  });

  it('accepts a response with 5,000 options or with unknown fields', async () => {
    const options = Array.from({ length: 5000 }, (_, index) => ({ value: `reward-${index}`, colour: 'red' }));
    answer = (_request, response) => response.end(JSON.stringify({ options, version: 2 }));
    const answered = await ask();
    expect(answered.ok && answered.page.options.length).toBe(5000);
  });

  it('never connects to a blocked address, whatever host name resolves to it', async () => {
    const forbidden = { ok: false, cause: 'address that may not be called' };
    for (const host of ['169.254.169.254', '[::ffff:169.254.169.254]', '2852039166']) {
      expect(await ask({}, { url: `http://${host}/latest` })).toEqual(forbidden);
    }
    expect(await ask({}, { url: 'http://innocent.test/options' })).toEqual(forbidden);
  });

  it('reports that a server is not running', async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
    expect(await ask()).toEqual({ ok: false, cause: 'connection refused' });
  });
});

function sourceOf(timeoutMs = 20_000) {
  return createOptionEndpoints({ ...typeEndpointsDeps, timeoutMs });
}

function signatureProblem(request: IncomingMessage | undefined): string | null {
  const key = webhookKeyOf(signing);
  if (!key || !request) throw new Error('there is no call, or no key');
  const header = (name: string) => String(request.headers[name]);
  const { id, timestamp, signature } = webhookHeaders;
  const received = {
    id: header(id),
    timestamp: header(timestamp),
    signature: header(signature),
    body: Buffer.alloc(0),
  };
  return webhookProblem(key, received, Date.now() / 1000);
}

function addressOf(server: Server): AddressInfo {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no address');
  return address;
}
