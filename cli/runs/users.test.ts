import { afterEach, beforeEach, expect, it } from 'vitest';
import { startTestApi, type TestApi } from '../api/test-api.ts';
import { runMuster } from '../test-muster.ts';

let api: TestApi;
beforeEach(async () => {
  api = await startTestApi();
});
afterEach(() => api.stop());

const muster = (...args: string[]) => runMuster(args, { api });
const ok = (body: unknown) => ({ status: 200, body });

it('muster run users prints matching users with the outcome of each step, or writes all of them as CSV', async () => {
  const user = { userId: 'u1', country: 'SG', batchNo: 3, outcome: 'failed', endedInStep: 2, reason: 'no-address' };
  const items = [{ ...user, steps: [null, 'failed', 'skipped'] }];
  api.answers['GET /v1/runs/run_1/users?outcome=failed&limit=100'] = ok({ items, next: 'more' });
  const { out, notes } = await muster('run', 'users', 'run_1', '--outcome', 'failed');
  expect(out).toMatch(/u1 +SG +failed +2 +no-address +– failed skipped/);
  expect(notes).toContain('--limit 1000, or all with --csv');
  api.answers['GET /v1/runs/run_1/users?step=2'] = ok('{"userId":"u1"}\n');
  expect((await muster('run', 'users', 'run_1', '--step', '2', '--ndjson')).out).toBe('{"userId":"u1"}\n');
});

it('muster run users has a column for the variant only if a user has one', async () => {
  const user = { userId: 'u1', country: 'SG', batchNo: 3, outcome: 'failed', endedInStep: 1, reason: null, steps: [] };
  const answerWith = (variant: string | null) =>
    (api.answers['GET /v1/runs/run_1/users?limit=100'] = ok({ items: [{ ...user, variant }], next: null }));
  answerWith('B');
  expect((await muster('run', 'users', 'run_1')).out).toMatch(/country +variant +outcome[^]*SG +B +failed/);
  answerWith(null);
  expect((await muster('run', 'users', 'run_1')).out).toMatch(/country +outcome/);
});

it('muster run held-out prints the users of the hold-out, or writes all of them as CSV', async () => {
  api.answers['GET /v1/runs/run_1/held-out?country=SG&limit=100'] = ok({
    items: [{ userId: 'u9', country: 'SG' }],
    next: null,
  });
  expect((await muster('run', 'held-out', 'run_1', '--country', 'SG')).out).toMatch(/u9 +SG/);
  api.answers['GET /v1/runs/run_1/held-out'] = ok('userId,country\r\nu9,SG\r\n');
  expect((await muster('run', 'held-out', 'run_1', '--csv')).out).toBe('userId,country\r\nu9,SG\r\n');
});

it('muster campaign report --csv writes one line for each step and country', async () => {
  api.answers['GET /v1/runs/run_1/report/table?for=excel'] = ok('runId,step\r\nrun_1,1\r\n');
  expect((await muster('campaign', 'report', 'run_1', '--csv', '--excel')).out).toBe('runId,step\r\nrun_1,1\r\n');
});

it('muster campaign failures filters by users, batch and time', async () => {
  const query = 'q=sg-&batch=7&failedFrom=2026-11-22T04%3A00%3A00Z&failedUntil=2026-11-22T05%3A00%3A00Z';
  api.answers[`GET /v1/runs/run_1/failures?${query}&limit=100`] = ok({ items: [], next: null });
  const span = ['--from', '2026-11-22T04:00:00Z', '--until', '2026-11-22T05:00:00Z'];
  expect((await muster('campaign', 'failures', 'run_1', '--user', 'sg-', '--batch', '7', ...span)).out).toBe(
    'nobody failed\n',
  );
});

it('muster run share prints the path of a link and who can open it if the API has no public URL', async () => {
  const link = { id: 'rpl_1', createdBy: 'key_1', state: 'open', createdAt: '2026-11-22T04:00:00.000Z' };
  const body = { ...link, expiresAt: '2026-11-24T04:00:00.000Z', link: '/v1/shared-reports/abc' };
  api.answers['POST /v1/runs/run_1/share'] = { status: 201, body };
  const { out, notes } = await muster('run', 'share', 'run_1');
  expect(out).toBe(`${api.url}/v1/shared-reports/abc\n`);
  expect(notes).toContain(`whoever gets it has to reach ${api.url}: the API has no API_PUBLIC_URL to say`);
});

it('muster run share prints a new link once, lists links and revokes a link', async () => {
  const times = { createdAt: '2026-11-22T04:00:00.000Z', expiresAt: '2026-11-24T04:00:00.000Z' };
  const link = { id: 'rpl_1', createdBy: 'key_1', state: 'open', ...times };
  api.answers['POST /v1/runs/run_1/share'] = { status: 201, body: { ...link, link: 'https://muster.test/v1/x' } };
  const { out, notes } = await muster('run', 'share', 'run_1', '--days', '2');
  expect(out).toBe('https://muster.test/v1/x\n');
  expect(notes).toContain('until 2026-11-24 04:00 UTC');
  expect(api.bodies).toEqual([{ expiresInSeconds: 172_800 }]);
  expect(notes).not.toContain('API_PUBLIC_URL');
  api.answers['GET /v1/runs/run_1/shares'] = ok({ items: [link], next: null });
  expect((await muster('run', 'shares', 'run_1')).out).toMatch(/rpl_1 +open +2026-11-22 04:00 UTC/);
  api.answers['DELETE /v1/runs/run_1/shares/rpl_1'] = { status: 204, body: undefined };
  expect((await muster('run', 'revoke-share', 'run_1', 'rpl_1')).notes).toContain('rpl_1 shows nothing any more');
});
