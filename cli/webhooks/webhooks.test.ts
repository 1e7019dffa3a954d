import { afterEach, beforeEach, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../api/test-api.ts';
import { exitCodes } from '../frame/exit-codes.ts';
import { runMuster } from '../test-muster.ts';

let api: TestApi;
beforeEach(async () => {
  api = await startTestApi();
});
afterEach(() => api.stop());

const muster = (...args: string[]) => runMuster(['webhooks', ...args], { api });
const ok = (body: unknown) => ({ status: 200, body });

const webhook = {
  id: 'whk_1',
  revision: 2,
  url: 'https://bot.example.com/[sealed]',
  name: null,
  enabled: true,
  format: 'standard',
  events: ['run.ended', 'run.paused'],
  campaigns: null,
  tags: ['payday', 'vip'],
  owners: ['growth'],
  egress: { allow: [] },
  client: 'cli_1',
  waiting: 1,
  dead: 3,
  links: {},
  lastSent: { at: '2026-11-21T08:00:00.000Z', event: 'run.paused', status: 204 },
  createdAt: '2026-11-20T08:00:00.000Z',
};

test('is made of its options, and its secret printed alone', async () => {
  api.answers['POST /v1/webhooks'] = { status: 201, body: { webhook, secret: 'whsec_1' } };
  const { out, notes } = await muster(
    'create',
    'https://bot.example.com/a',
    '--event',
    'run.ended',
    '--tag',
    'vip',
    'enabled=false',
  );
  expect(out).toBe('whsec_1\n');
  expect(notes).toContain('whk_1');
  expect(api.bodies).toEqual([
    { url: 'https://bot.example.com/a', events: ['run.ended'], tags: ['vip'], enabled: false },
  ]);
});

test('of a channel prints no secret, but how to test it', async () => {
  api.answers['POST /v1/webhooks'] = { status: 201, body: { webhook, secret: null } };
  const url = 'https://hooks.slack.com/services/T0';
  const { out, notes } = await muster('create', url, '--format', 'slack', '--event', 'run.ended');
  expect(out).toBe('');
  expect(notes).toContain('muster webhooks test whk_1');
  expect(notes).not.toContain('it is not shown again');
  expect(api.bodies).toEqual([{ url, format: 'slack', events: ['run.ended'] }]);
});

test('is listed and shown with what it is told of, and what died', async () => {
  api.answers['GET /v1/webhooks'] = ok({ items: [webhook], next: null });
  const { out } = await muster('list');
  expect(out).toMatch(/whk_1 .*run\.ended run\.paused .*tag payday or vip · owner growth .*2026-11-21 08:00 UTC +1 +3/);
  api.answers['GET /v1/webhooks/whk_1'] = ok(webhook);
  expect((await muster('show', 'whk_1')).out).toContain('dead       3: muster webhooks send-again whk_1');
});

test('is changed, tested, sent again and deleted', async () => {
  api.answers['PATCH /v1/webhooks/whk_1'] = ok(webhook);
  await muster('set', 'whk_1', 'tags=["vip"]', 'enabled=true');
  expect(api.bodies).toEqual([{ tags: ['vip'], enabled: true }]);
  api.answers['POST /v1/webhooks/whk_1/test'] = { status: 202, body: { id: 'job_1' } };
  expect((await muster('test', 'whk_1')).out).toBe('job_1\n');
  api.answers['POST /v1/webhooks/whk_1/send-again'] = ok({ notices: 3, expired: 1 });
  expect((await muster('send-again', 'whk_1')).out).toBe('3 sent again, 1 had expired\n');
  api.answers['DELETE /v1/webhooks/whk_1'] = { status: 204, body: undefined };
  expect((await muster('delete', 'whk_1')).code).toBe(exitCodes.ok);
});

test('its deliveries say what came of each', async () => {
  const dead = {
    id: 'job_1',
    event: 'run.ended',
    state: 'dead',
    at: webhook.createdAt,
    attempts: 12,
    status: 500,
    cause: 'http-500',
  };
  api.answers['GET /v1/webhooks/whk_1/deliveries?state=dead&limit=20'] = ok({ items: [dead], next: null });
  const { out } = await muster('deliveries', 'whk_1', '--state', 'dead');
  expect(out).toMatch(/2026-11-20 08:00 UTC +run\.ended +dead +12 +500 +http-500 +job_1/);
});
