import { afterEach, beforeEach, expect, test } from 'vitest';
import { exitCodes } from '../frame/exit-codes.ts';
import { startTestApi, type TestApi } from '../api/test-api.ts';
import { runMuster, type Sitting } from '../test-muster.ts';

let api: TestApi;
beforeEach(async () => {
  api = await startTestApi();
});

afterEach(() => api.stop());

const route = 'POST /v1/campaigns/cmp_1/trials';
const args = ['campaign', 'start', 'cmp_1', '--country', 'SG', '--test', 'u1', '--test', 'u2'];
const muster = (args: string[], sitting: Sitting = {}) => runMuster(args, { api, ...sitting });

const seen = {
  run: null,
  variants: [],
  users: 2,
  steps: [
    { step: 1, action: 'award-reward', mode: 'test' },
    { step: 2, action: 'send-message', mode: 'live' },
  ],
  isReal: true,
  summary: 'send-message: these 2 users really get it.',
  warnings: [{ pointer: '/chain/1/action', code: 'no-worker', detail: 'no worker can take send-message in SG' }],
  links: { self: null, report: null },
};
const sent = { ...seen, run: { runId: 'run_1' }, links: { self: '/v1/runs/run_1', report: '/v1/runs/run_1/report' } };

test('muster campaign start --test --preview prints which steps are real, and sends nothing', async () => {
  api.answers[route] = { status: 200, body: seen };
  const { out } = await muster([...args, '--preview']);
  expect(out).toMatch(/! no worker can take send-message in SG\nsend-message: these 2 users really get it\.\n/);
  expect(out).toMatch(/1 +award-reward +told that it is a test/);
  expect(out).toMatch(/2 +send-message +real/);
  expect(api.bodies).toEqual([{ kind: 'test', users: ['u1', 'u2'], country: 'SG', preview: true }]);
});

test('muster campaign start --test in a script sends without confirmation and prints the run id', async () => {
  api.answers[route] = { status: 201, body: sent };
  const { out, notes } = await muster(args);
  expect(out).toBe('run_1\n');
  expect(notes).toContain('these 2 users really get it');
  expect(notes).toContain('muster campaign watch run_1');
  expect(api.bodies).toEqual([{ kind: 'test', users: ['u1', 'u2'], country: 'SG' }]);
});

test('muster campaign start --test of a campaign with variants prints the run of each variant', async () => {
  const variants = ['short', 'long'].map((name) => ({ name, runId: `run_${name}` }));
  api.answers[route] = { status: 201, body: { ...sent, variants } };
  const { out, notes } = await muster(args);
  expect(out).toBe('run_short\nrun_long\n');
  expect(notes).toMatch(/variant short:\n.*run_short\n.*run_short\n.*variant long:\n.*run_long/s);
});

test('muster campaign start --test on a terminal prints which steps are real, and sends nothing after a no', async () => {
  api.answers[route] = { status: 200, body: seen };
  const { code, notes } = await muster(args, { typed: 'n\n' });
  expect(code).toBe(exitCodes.failure);
  expect(notes).toContain('not started');
  expect(api.bodies).toEqual([{ kind: 'test', users: ['u1', 'u2'], country: 'SG', preview: true }]);
});

test('muster campaign start --test --again includes users who already received a test', async () => {
  api.answers[route] = { status: 201, body: sent };
  await muster([...args, '--again']);
  expect(api.bodies).toEqual([{ kind: 'test', users: ['u1', 'u2'], country: 'SG', again: true }]);
});

test.each([
  ['a test without its country', ['--test', 'u1'], '--test needs --country'],
  ['a test and a dry run at once', ['--dry', '--test', 'u1', '--country', 'SG'], 'choose one'],
  ['a dry run with a canary', ['--dry', '--canary', '100'], 'choose one'],
  ['a test of users and testers at once', ['--testers', 'aud_1', '--test', 'u1', '--country', 'SG'], 'choose one'],
  ['a preview without a test', ['--preview'], '--preview and --again go with --test or --testers'],
  ['a dry run with a country', ['--dry', '--country', 'SG'], '--country goes with --test'],
  ['testers with a country', ['--testers', 'aud_1', '--country', 'SG'], '--country goes with --test'],
])('muster campaign start rejects %s without a request', async (_what, options, words) => {
  const { code, notes } = await muster(['campaign', 'start', 'cmp_1', ...options]);
  expect([code, api.requests]).toEqual([exitCodes.usage, []]);
  expect(notes).toContain(words);
});

test('muster campaign start --testers sends a test to the users of a list', async () => {
  api.answers[route] = { status: 201, body: sent };
  const { out } = await muster(['campaign', 'start', 'cmp_1', '--testers', 'aud_1', '--yes']);
  expect(out).toBe('run_1\n');
  expect(api.bodies).toEqual([{ kind: 'test', testers: 'aud_1' }]);
});

test('muster campaign start --dry starts without confirmation and prints the run id', async () => {
  const warnings = [{ pointer: '/chain/1/action', code: 'no-worker', detail: 'no worker can take send-message in SG' }];
  const links = { self: '/v1/runs/run_2', report: '/v1/runs/run_2/report' };
  const summary = 'The whole audience is read, and no user is called.';
  api.answers[route] = {
    status: 201,
    body: { run: { runId: 'run_2' }, variants: [], users: null, steps: [], isReal: false, summary, warnings, links },
  };
  const { out, notes } = await muster(['campaign', 'start', 'cmp_1', '--dry'], { typed: '' });
  expect(out).toBe('run_2\n');
  expect(notes).toContain(`${summary}\n! no worker can take send-message in SG`);
  expect(notes).toContain('muster campaign report run_2');
  expect(api.bodies).toEqual([{ kind: 'dry-run' }]);
});
