import { afterEach, beforeEach, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../api/test-api.ts';
import { exitCodes } from '../frame/exit-codes.ts';
import { runMuster } from '../test-muster.ts';

let api: TestApi;
beforeEach(async () => {
  api = await startTestApi();
});
afterEach(() => api.stop());

const muster = (...args: string[]) => runMuster(['notifications', ...args], { api });
const ok = (body: unknown) => ({ status: 200, body });

const notification = {
  id: 'ntf_1',
  revision: 2,
  url: 'https://bot.example.com/[sealed]',
  name: null,
  enabled: true,
  kind: 'webhook',
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

test('muster notifications create sends its options and prints only the secret on stdout', async () => {
  api.answers['POST /v1/notifications'] = { status: 201, body: { notification, secret: 'whsec_1' } };
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
  expect(notes).toContain('ntf_1');
  expect(api.bodies).toEqual([
    { url: 'https://bot.example.com/a', events: ['run.ended'], tags: ['vip'], enabled: false },
  ]);
});

test('muster notifications create for a chat channel prints no secret, but the command to test it', async () => {
  api.answers['POST /v1/notifications'] = { status: 201, body: { notification, secret: null } };
  const url = 'https://hooks.slack.com/services/T0';
  const { out, notes } = await muster('create', url, '--kind', 'slack', '--event', 'run.ended');
  expect(out).toBe('');
  expect(notes).toContain('muster notifications test ntf_1');
  expect(notes).not.toContain('it is not shown again');
  expect(api.bodies).toEqual([{ url, kind: 'slack', events: ['run.ended'] }]);
});

test('muster notifications list and show print the events, filters and dead deliveries', async () => {
  api.answers['GET /v1/notifications'] = ok({ items: [notification], next: null });
  const { out } = await muster('list');
  expect(out).toMatch(
    /ntf_1 +webhook .*run\.ended run\.paused .*tag payday or vip · owner growth .*2026-11-21 08:00 UTC +1 +3/,
  );
  api.answers['GET /v1/notifications/ntf_1'] = ok(notification);
  expect((await muster('show', 'ntf_1')).out).toContain('dead       3: muster notifications replay ntf_1');
});

test('muster notifications set, test, replay and delete act on one notification', async () => {
  api.answers['PATCH /v1/notifications/ntf_1'] = ok(notification);
  await muster('set', 'ntf_1', 'tags=["vip"]', 'enabled=true');
  expect(api.bodies).toEqual([{ tags: ['vip'], enabled: true }]);
  api.answers['POST /v1/notifications/ntf_1/test'] = { status: 202, body: { id: 'job_1' } };
  expect((await muster('test', 'ntf_1')).out).toBe('job_1\n');
  api.answers['POST /v1/notifications/ntf_1/replay'] = ok({ items: 3, expired: 1 });
  expect((await muster('replay', 'ntf_1')).out).toBe('3 replayed, 1 had expired\n');
  api.answers['DELETE /v1/notifications/ntf_1'] = { status: 204, body: undefined };
  expect((await muster('delete', 'ntf_1')).code).toBe(exitCodes.ok);
});

test('muster notifications deliveries prints the state, attempts and cause of each delivery', async () => {
  const dead = {
    id: 'job_1',
    event: 'run.ended',
    state: 'dead',
    at: notification.createdAt,
    attempts: 12,
    status: 500,
    cause: 'http-500',
  };
  api.answers['GET /v1/notifications/ntf_1/deliveries?state=dead&limit=20'] = ok({ items: [dead], next: null });
  const { out } = await muster('deliveries', 'ntf_1', '--state', 'dead');
  expect(out).toMatch(/2026-11-20 08:00 UTC +run\.ended +dead +12 +500 +http-500 +job_1/);
});
