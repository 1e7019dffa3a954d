import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  webhookHeaders,
  webhookKeyOf,
  webhookProblem,
} from '../../../../../shared/domain/endpoint/standard-webhooks.ts';
import {
  registeredTypeAt,
  someSigningSecret,
  typeEndpointsDeps,
} from '../../../../../test/support/registered-type-at.ts';
import { createPreviewEndpoints, readPreviewAnswer } from './preview-endpoints.ts';

const call = { action: { type: 'award-reward', params: { offer: '5 %' } }, country: 'SG', user: 'u1' };
const message = { subject: 'Hello', html: '<p>Hello</p>', text: 'Hello', to: 'ada@example.com' };

describe('a request for a preview', () => {
  let server: Server;
  let seen: { method: string | undefined; url: string | undefined; headers: IncomingHttpHeaders; body: Buffer }[];
  let isHanging: boolean;
  let base: string;
  const source = createPreviewEndpoints({ ...typeEndpointsDeps, timeoutMs: 150 });

  beforeEach(async () => {
    seen = [];
    isHanging = false;
    server = createServer((request, response) => {
      const { method, url, headers } = request;
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        seen.push({ method, url, headers, body: Buffer.concat(chunks) });
        if (!isHanging) response.end(JSON.stringify(message));
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    base = `http://127.0.0.1:${typeof address === 'object' ? (address?.port ?? 0) : 0}`;
  });

  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  const fetchPreview = (url = `${base}/v1/preview?kind=mail`, secrets = {}) =>
    source.fetch({ type: registeredTypeAt(base, secrets, { previewUrl: url }), url: new URL(url), call });

  it('is one POST request with action, parameters, country and user', async () => {
    expect(await fetchPreview()).toEqual({ kind: 'message', message });
    expect(seen.map(({ method, url, body }) => [method, url, body.toString()])).toEqual([
      ['POST', '/v1/preview?kind=mail', JSON.stringify(call)],
    ]);
    expect(seen[0]?.headers).toMatchObject({ 'content-type': 'application/json' });
  });

  it('has the credentials of the action type’s calls, and a signature of its body', async () => {
    await fetchPreview(undefined, { authorization: 'Bearer 47.11', signing: someSigningSecret });
    const [first] = seen;
    expect(first?.headers.authorization).toBe('Bearer 47.11');
    const key = webhookKeyOf(someSigningSecret) ?? expect.fail('the secret is no key');
    const header = (name: string) => String(first?.headers[name]);
    const received = {
      id: header(webhookHeaders.id),
      timestamp: header(webhookHeaders.timestamp),
      signature: header(webhookHeaders.signature),
      body: first?.body ?? Buffer.alloc(0),
    };
    expect(webhookProblem(key, received, Date.now() / 1000)).toBeNull();
  });

  it('never connects to a blocked address, whatever host name resolves to it', async () => {
    const forbidden = { kind: 'unavailable', cause: 'address that may not be called' };
    expect(await fetchPreview('http://169.254.169.254/latest')).toEqual(forbidden);
    expect(await fetchPreview('http://innocent.test/preview')).toEqual(forbidden);
    expect(seen).toEqual([]);
  });

  it('fails after its timeout if the server hangs', async () => {
    isHanging = true;
    expect(await fetchPreview()).toEqual({ kind: 'unavailable', cause: 'no whole answer within 150 ms' });
  });
});

describe('the answer to a request for a preview', () => {
  const answered = (status: number, body: unknown) =>
    readPreviewAnswer({
      kind: 'answered',
      status,
      retryAfter: null,
      contentEncoding: undefined,
      body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
    });

  it.each([{ subject: 'Hello' }, { html: '<p>' }, { text: '' }, { ...message, colour: 'red', from: null }])(
    'is shown as a message: %j',
    (body) => expect(answered(200, body).kind).toBe('message'),
  );

  it.each([
    [422, { code: 'no-address', message: 'the user has no address' }, 'refused', 'no-address: the user has no address'],
    [422, { code: 'opted-out' }, 'refused', 'opted-out'],
    [422, '<html>', 'unavailable', 'HTTP 422'],
    [503, { code: 'busy', message: 'later' }, 'unavailable', 'HTTP 503, busy: later'],
    [302, '', 'unavailable', 'HTTP 302'],
    [200, '<html>', 'unavailable', 'the response is not valid: Invalid input: expected object, received undefined'],
    [200, { to: 'ada@example.com' }, 'unavailable', 'the response is not valid: has neither subject, html nor text'],
    [
      200,
      { html: 5 },
      'unavailable',
      'the response is not valid: html: Invalid input: expected string, received number',
    ],
  ])('is a failure if it is %i %j: %s, %s', (status, body, kind, cause) => {
    expect(answered(status, body)).toEqual({ kind, cause });
  });
});
