import { once } from 'node:events';
import { createServer } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { signWebhook, webhookKeyOf } from '../shared/domain/endpoint/standard-webhooks.ts';
import { createReceiver } from './example-receiver.ts';
import { createMuster } from './muster.ts';
import { UnverifiedCall, verify } from './verify.ts';

const keyed = z.object({ idempotencyKey: z.string() });
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

describe('the SDK', () => {
  it('repeats a request under the same idempotency key after a temporary refusal or a lost response', async () => {
    const accepted = {
      id: 'job_1',
      clientId: 'cli_1',
      dueAt: null,
      duplicate: true,
      warnings: [],
      links: { self: '' },
    };
    const answers = [
      () => Promise.resolve(new Response('{}', { status: 429, headers: { 'retry-after': '0' } })),
      () => Promise.reject(new TypeError('fetch failed')),
      () => Promise.resolve(Response.json(accepted)),
    ];
    let sent = 0;
    const keys: unknown[] = [];
    const fetch = async (input: string | URL | Request) => {
      keys.push(keyed.parse(await new Request(input).json()).idempotencyKey);
      return await (answers[sent++] ?? expect.fail('asked too often'))();
    };
    const muster = createMuster({ url: 'http://muster.test', apiKey: 'k', fetch });
    const wanted = { client: 'orders', url: 'https://shop.test', method: 'POST' } as const;
    expect(await muster.schedule({ ...wanted, idempotencyKey: 'a' })).toEqual(accepted);
    expect(sent).toBe(3);

    sent = 1;
    expect(await muster.schedule(wanted)).toEqual(accepted);
    const [first, again] = keys.slice(3);
    expect(first).toMatch(/^[0-9a-f-]{36}$/);
    expect(again).toBe(first);
  });
});

describe('a refusal of the API', () => {
  it('is thrown as an error that names the first problem and the number of further problems', async () => {
    const errors = [
      { pointer: '/url', code: 'invalid-value', detail: 'has to be http or https' },
      { pointer: '/retries', code: 'unknown-field', detail: 'is not accepted here' },
    ];
    const problem = { status: 422, code: 'invalid-request', detail: 'the request has problems', errors };
    const fetch = () => Promise.resolve(Response.json(problem, { status: 422 }));
    const muster = createMuster({ url: 'http://muster.test', apiKey: 'k', fetch });
    const wanted = { client: 'orders', url: 'ftp://shop.test', method: 'POST' } as const;
    await expect(muster.schedule(wanted)).rejects.toMatchObject({
      message: 'the request has problems: /url has to be http or https, and 1 more',
      code: 'invalid-request',
      status: 422,
      problem: { code: 'invalid-request', errors },
    });
  });
});

describe('an unreachable service', () => {
  const none = { retries: 0, apiKey: 'k' };

  it('is reported with its address and the reason', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = z.object({ port: z.int() }).parse(server.address());
    server.close();
    await once(server, 'close');
    const url = `http://127.0.0.1:${port}`;
    await expect(createMuster({ ...none, url }).job('job_1')).rejects.toMatchObject({
      name: 'MusterUnavailable',
      code: 'unreachable',
      message: `no answer from ${url}: connect ECONNREFUSED 127.0.0.1:${port}`,
    });
  });

  it.each([
    ['several addresses', new AggregateError([new Error('first'), new Error('second')]), 'Error: first, Error: second'],
    ['no reason', undefined, 'fetch failed'],
    ['an empty reason', new Error(''), 'fetch failed'],
  ])('is reported with %s', async (_, cause, reason) => {
    const fetch = () => Promise.reject(new TypeError('fetch failed', { cause }));
    const muster = createMuster({ ...none, url: 'http://muster.test', fetch });
    await expect(muster.job('job_1')).rejects.toThrow(`no answer from http://muster.test: ${reason}`);
  });

  it('is distinguished from another server that answers', async () => {
    const fetch = () => Promise.resolve(new Response('<h1>Bad Gateway</h1>', { status: 502 }));
    await expect(createMuster({ ...none, url: 'http://muster.test', fetch }).job('job_1')).rejects.toMatchObject({
      code: 'unexpected-answer',
      status: 502,
      message: 'http://muster.test answered 502, but not as Muster does',
    });
  });

  it('is not reported if the caller aborts: the abort error is rethrown unchanged', async () => {
    const aborted = new DOMException('stopped', 'AbortError');
    const muster = createMuster({ ...none, url: 'http://muster.test', fetch: () => Promise.reject(aborted) });
    await expect(muster.job('job_1')).rejects.toBe(aborted);
  });
});

/** Test vectors of the Standard Webhooks specification. */
const published = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  headers: {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  },
  body: '{"test": 2432232314}',
};

describe('the verify function of the SDK', () => {
  const { secret, headers, body } = published;
  const at = { secrets: [secret], nowMs: 1_614_265_330_000 };

  it('accepts a signed call, also with an older secret while both are valid', () => {
    expect(verify(headers, body, at)).toEqual({ id: headers['webhook-id'], at: new Date(at.nowMs) });
    const other = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
    expect(verify(headers, Buffer.from(body), { ...at, secrets: [other, secret] }).id).toBe(headers['webhook-id']);
  });

  it.each([
    ['another body', headers, `${body} `, at],
    ['another id', { ...headers, 'webhook-id': 'msg_other' }, body, at],
    ['another secret', headers, body, { ...at, secrets: [`whsec_${Buffer.alloc(32, 1).toString('base64')}`] }],
    ['a call that is a day old', headers, body, { ...at, nowMs: at.nowMs + 86_400_000 }],
    ['no time', { ...headers, 'webhook-timestamp': 'now' }, body, at],
    ['no headers', {}, body, at],
  ])('rejects %s', (_what, given, content, terms) => {
    expect(() => verify(given, content, terms)).toThrow(UnverifiedCall);
  });
});

describe('the example receiver', () => {
  it('handles each job once, and answers 2xx only to signed calls', async () => {
    const handled: string[] = [];
    const receiver = createReceiver({ secrets: [published.secret], handle: (text) => void handled.push(text) });
    receiver.listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    closing.push(() => new Promise((resolve) => receiver.close(resolve)));
    const address = receiver.address();
    const url = `http://127.0.0.1:${typeof address === 'object' ? (address?.port ?? 0) : 0}/`;
    const key = webhookKeyOf(published.secret) ?? expect.fail('no secret');
    const timestamp = Math.floor(Date.now() / 1000);
    const call = async (id: string, signed = 'hello') => {
      const signature = signWebhook(key, id, timestamp, Buffer.from(signed));
      const headers = { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': signature };
      return (await fetch(url, { method: 'POST', headers, body: 'hello' })).status;
    };
    expect([await call('job_1'), await call('job_1'), await call('job_2'), await call('job_3', 'other')]).toEqual([
      ...[204, 204, 204, 401],
    ]);
    expect(handled).toEqual(['hello', 'hello']);
  });
});
