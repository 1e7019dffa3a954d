import { afterEach, expect, test } from 'vitest';
import { z } from 'zod';
import { segmentDescription, userPage } from '../../shared/contracts/segmentation.ts';
import { stopService, type Service } from '../../shared/runtime/service.ts';
import { noMeter } from '../../shared/runtime/no-meter.ts';
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

async function post(url: string, users: string[]): Promise<Response> {
  const action = { type: 'send-message', params: {} };
  return await fetch(url, {
    method: 'POST',
    headers: { 'idempotency-key': 'key-1', 'muster-attempt': '1', 'muster-mode': 'live' },
    body: JSON.stringify({ campaign: 'cmp_1', run: 'run_1', step: 1, country: 'SG', batch: 1, action, users }),
  });
}

test('a segment can be read and its users served over HTTP, odd ids included', async () => {
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

test('an answer can be lost with its connection', async () => {
  const url = await start({ SANDBOX_POINTS_NO_ANSWER_SHARE: '1' });
  await expect(post(`${url}/points/v1/batches`, ['a'])).rejects.toThrow();
});

test('paths and methods that do not exist are refused', async () => {
  const url = await start();
  expect((await fetch(`${url}/rewards/v1/batches`)).status).toBe(405);
  expect((await fetch(`${url}/nothing`)).status).toBe(404);
  expect((await fetch(`${url}/segmentation/v1/segments/%E0%A4%A?country=SG`)).status).toBe(404);
});

test('a stopping sandbox finishes the calls it has', async () => {
  const url = await start({ SANDBOX_MESSAGES_LATENCY_MS: '20' });
  const answer = post(`${url}/messages/v1/batches`, ['a']);
  await untilCalled(url);
  if (sandbox) await stopService(sandbox);
  expect((await answer).status).toBe(202);
});

const calledOnce = z.object({ messages: z.object({ calls: z.literal(1) }) });

async function untilCalled(url: string): Promise<void> {
  let called = false;
  while (!called) called = calledOnce.safeParse(await (await fetch(`${url}/stats`)).json()).success;
}
