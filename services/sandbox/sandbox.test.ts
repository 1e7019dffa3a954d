import { request } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { segmentDescription, userPage } from '../../shared/contracts/endpoints/segmentation.ts';
import { signatureHeaders, webhookKeyOf } from '../../shared/domain/endpoint/standard-webhooks.ts';
import { stopService, type Service } from '../../shared/runtime/process/service.ts';
import { noMeter } from '../../shared/runtime/meter/no-meter.ts';
import { sandboxProcess } from './main.ts';

let sandbox: (Service & { url: string }) | undefined;

afterEach(async () => {
  if (sandbox) await stopService(sandbox);
});

async function start(environment: Record<string, string> = {}): Promise<string> {
  const settings = { SANDBOX_PORT: '0', LOG_LEVEL: 'silent', SANDBOX_SEGMENTS: 'odd=30:odd', ...environment };
  sandbox = await sandboxProcess.prepare(settings).start({ meter: noMeter });
  return sandbox.url;
}

const headers = { 'idempotency-key': 'key-1', 'muster-attempt': '1', 'muster-mode': 'live' };

function bodyOf(users: string[]): string {
  const action = { type: 'send-message', params: {} };
  return JSON.stringify({ campaign: 'cmp_1', run: 'run_1', step: 1, country: 'SG', batch: 1, action, users });
}

async function post(url: string, users: string[]): Promise<Response> {
  return await fetch(url, { method: 'POST', headers, body: bodyOf(users) });
}

/** Returns the statuses of all interim answers and of the answer. `fetch` does not show them. */
function statusesOf(url: string, body?: string): Promise<number[]> {
  return new Promise((resolve, reject) => {
    const statuses: number[] = [];
    request(url, { method: body === undefined ? 'GET' : 'POST', headers })
      .on('information', ({ statusCode }) => statuses.push(statusCode))
      .on('response', (answer) => {
        answer.resume();
        resolve([...statuses, answer.statusCode ?? 0]);
      })
      .on('error', reject)
      .end(body);
  });
}

test('a segment with odd ids can be read and its users served over HTTP', async () => {
  const url = await start();
  const segment = `${url}/segmentation/v1/segments/odd`;
  const { snapshot } = segmentDescription.parse(await (await fetch(`${segment}?country=SG`)).json());
  const query = new URLSearchParams({ country: 'SG', snapshot, limit: '5' });
  const first = userPage.parse(await (await fetch(`${segment}/users?${query.toString()}`)).json());
  query.set('after', first.next ?? '');
  const second = userPage.parse(await (await fetch(`${segment}/users?${query.toString()}`)).json());

  const answer = await post(`${url}/messages/v1/batches`, [...first.users, ...second.users]);

  expect(answer.status).toBe(202);
  expect(await answer.json()).toEqual({ succeeded: 10, failed: [] });
  const stats = z.object({ messages: z.record(z.string(), z.int()) }).parse(await (await fetch(`${url}/stats`)).json());
  expect(stats.messages).toMatchObject({ calls: 1, users: 10, applied: 10, unexpected: 0 });
});

test('the sandbox can close a connection without an answer', async () => {
  const url = await start({ SANDBOX_POINTS_NO_ANSWER_SHARE: '1' });
  await expect(post(`${url}/points/v1/batches`, ['a'])).rejects.toThrow();
});

test('calls and status requests must be signed if a signing secret is configured', async () => {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const url = await start({ SANDBOX_SIGNING_SECRET: secret, SANDBOX_POINTS_MEMORY: 'outcomes' });
  const key = webhookKeyOf(secret);
  if (!key) throw new Error('the secret is none');
  const ask = async (signed: string, sent = signed) => {
    const entries = signatureHeaders(key, 'question-1', new Date(), Buffer.from(signed));
    const headers = entries.flatMap((name, index): [string, string][] =>
      index % 2 === 0 ? [[name, entries[index + 1] ?? '']] : [],
    );
    return await fetch(`${url}/points/v1/status`, { method: 'POST', body: sent, headers });
  };
  const question = JSON.stringify({ run: 'run_1', step: 1, users: ['u1'] });

  expect((await ask(question)).status).toBe(200);
  expect((await ask(question, question.replace('u1', 'u2'))).status).toBe(401);
  const unsigned = await post(`${url}/messages/v1/batches`, ['u1']);
  expect(unsigned.status).toBe(401);
  expect(await unsigned.json()).toEqual({ code: 'bad-signature', message: 'webhook-id is missing' });
});

test('the sandbox refuses unknown paths and methods', async () => {
  const url = await start();
  expect((await fetch(`${url}/rewards/v1/batches`)).status).toBe(405);
  expect((await fetch(`${url}/nothing`)).status).toBe(404);
  expect((await fetch(`${url}/segmentation/v1/segments/%E0%A4%A?country=SG`)).status).toBe(404);
});

test('a stopping sandbox finishes the calls in flight', async () => {
  const url = await start({ SANDBOX_MESSAGES_LATENCY_MS: '20' });
  const answer = post(`${url}/messages/v1/batches`, ['a']);
  await untilCalled(url);
  if (sandbox) await stopService(sandbox);
  expect((await answer).status).toBe(202);
});

describe('a fault rule of a running sandbox', () => {
  const call = (url: string) => post(`${url}/messages/v1/batches`, ['a', 'b']);
  const control = async (url: string, rules: object) =>
    await fetch(`${url}/control`, { method: 'POST', body: JSON.stringify(rules) });
  const withAnswer = (answer: object) => ({ calls: [{ name: 'fault', services: ['messages'], answer }] });

  test('can be switched on and off, and its hits are listed', async () => {
    const url = await start({ SANDBOX_FAULTS: JSON.stringify(withAnswer({ kind: 'status', status: 503 })) });
    expect((await call(url)).status).toBe(503);
    const displayed = z
      .object({ hits: z.record(z.string(), z.int()) })
      .parse(await (await fetch(`${url}/control`)).json());
    expect(displayed.hits).toEqual({ fault: 1 });

    await control(url, {});
    expect((await call(url)).status).toBe(202);
  });

  test('is refused with its path if it is invalid, and the earlier rules stay', async () => {
    const url = await start({ SANDBOX_FAULTS: JSON.stringify(withAnswer({ kind: 'status', status: 503 })) });
    const refused = await control(url, { calls: [{ name: 'fault', sevices: ['messages'] }] });
    expect(refused.status).toBe(400);
    expect(await refused.text()).toContain('/calls/0');
    expect((await call(url)).status).toBe(503);
  });

  test('can cut a body or a connection', async () => {
    const url = await start();
    await control(url, withAnswer({ kind: 'half-body' }));
    await expect(call(url).then((answer) => answer.text())).rejects.toThrow();
    await control(url, withAnswer({ kind: 'reset' }));
    await expect(call(url)).rejects.toThrow();
  });

  test('can send an oversized answer, and a slow one', async () => {
    const url = await start();
    await control(url, withAnswer({ kind: 'oversize', bytes: 3_000_000 }));
    expect(await (await call(url)).text()).toHaveLength(3_000_000);
    await control(url, withAnswer({ kind: 'drip', everyMs: 1 }));
    expect(await (await call(url)).json()).toEqual({ succeeded: 2, failed: [] });
  });

  test('can make a call hang until its caller or the sandbox stops', async () => {
    const url = await start();
    await control(url, withAnswer({ kind: 'hang' }));
    const hanging = call(url);
    hanging.catch(() => undefined);
    await untilCalled(url);
    if (sandbox) await stopService(sandbox);
    await expect(hanging).rejects.toThrow();
  });

  test('can send interim answers before the answer to a call, a status request and a page', async () => {
    const url = await start({ SANDBOX_MESSAGES_MEMORY: 'outcomes' });
    const rule = { name: 'interim', interim: [100, 102, 103, 100] };
    await control(url, { calls: [rule], status: [rule], segmentation: [rule] });
    const body = JSON.stringify({ run: 'run_1', step: 1, users: ['a'] });
    const all = [100, 102, 103, 100, 200];
    expect(await statusesOf(`${url}/messages/v1/status`, body)).toEqual(all);
    expect(await statusesOf(`${url}/segmentation/v1/segments/odd?country=SG`)).toEqual(all);
    await control(url, { calls: [{ ...rule, answer: { kind: 'status', status: 503 } }] });
    expect(await statusesOf(`${url}/messages/v1/batches`, bodyOf(['a']))).toEqual([100, 102, 103, 100, 503]);
  });

  test('can make a segment page unsorted or unavailable', async () => {
    const url = await start();
    const segment = `${url}/segmentation/v1/segments/odd`;
    const { snapshot } = segmentDescription.parse(await (await fetch(`${segment}?country=SG`)).json());
    const page = () => fetch(`${segment}/users?${new URLSearchParams({ country: 'SG', snapshot }).toString()}`);
    const sorted = userPage.parse(await (await page()).json()).users;

    await control(url, { segmentation: [{ name: 'order', segments: ['odd'], answer: { kind: 'unsorted' } }] });
    const { users } = userPage.parse(await (await page()).json());
    expect(users.slice(0, 2)).toEqual(sorted.slice(0, 2).toReversed());
    await control(url, { segmentation: [{ name: 'down', of: 'pages', answer: { kind: 'status', status: 503 } }] });
    expect((await page()).status).toBe(503);
    expect((await fetch(`${segment}?country=SG`)).status).toBe(200);
  });
});

const calledOnce = z.object({ messages: z.object({ calls: z.literal(1) }) });

async function untilCalled(url: string): Promise<void> {
  let called = false;
  while (!called) called = calledOnce.safeParse(await (await fetch(`${url}/stats`)).json()).success;
}
