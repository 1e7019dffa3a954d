import { afterEach, beforeEach, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../api/test-api.ts';
import { exitCodes } from '../frame/exit-codes.ts';
import { runMuster } from '../test-muster.ts';

let api: TestApi;

beforeEach(async () => {
  api = await startTestApi();
});

afterEach(() => api.stop());

const muster = (...args: string[]) => runMuster(args, { api });

const counted = {
  id: 'cnt_1',
  state: 'done',
  cause: null,
  countries: ['SG', 'ID'],
  audience: { include: [{ segment: 'riders' }], exclude: [{ segment: 'staff' }] },
  users: 1700,
  excluded: 10,
  shared: 50,
  withUsers: null,
  both: null,
  parts: null,
  counted: [
    { country: 'SG', done: true, users: 1400, excluded: 10, shared: 50, withUsers: null, both: null },
    { country: 'ID', done: true, users: 300, excluded: 0, shared: 0, withUsers: null, both: null },
  ],
  requestedBy: 'mei',
  requestedAt: '2026-11-21T20:44:20.000Z',
  startedAt: '2026-11-21T20:44:21.000Z',
  endedAt: '2026-11-21T20:44:29.000Z',
  links: { self: '/v1/audiences/exact-counts/cnt_1' },
};

test('muster audience count prints the result of an earlier equal count, or requests a new count', async () => {
  api.answers['POST /v1/audiences/exact-counts'] = { status: 200, body: counted };
  const { code, out } = await muster(
    ...['audience', 'count', '--countries', 'SG,ID', '--segment', 'riders', '--exclude-segment', 'staff', '--recount'],
  );
  expect(code).toBe(exitCodes.ok);
  expect(out).toContain('1,700 users');
  expect(out).toMatch(/by country +SG 1,400 {2}ID 300/);
  expect(out).toMatch(/left out +10/);
  expect(out).toMatch(/asked +2026-11-21 20:44 UTC by mei/);
  expect(api.bodies).toEqual([{ countries: ['SG', 'ID'], audience: counted.audience, recount: true }]);
});

test('muster audience counted prints a count as the sum of its sources, overlaps and exclusions', async () => {
  const parts = { include: [1700, 60], repeated: 50, exclude: [8], elsewhere: 2 };
  const include = [{ segment: 'riders' }, { list: 'aud_1' }];
  api.answers['GET /v1/audiences/exact-counts/cnt_1'] = {
    status: 200,
    body: { ...counted, audience: { include, exclude: [{ segment: 'staff' }] }, parts },
  };
  const lines = (await muster('audience', 'counted', 'cnt_1')).out.split('\n').map((line) => line.trim());
  const first = lines.findIndex((line) => line.startsWith('sum'));
  expect(lines.slice(first, first + 6)).toEqual([
    expect.stringMatching(/^sum +\+ 1,700 {2}segment riders$/),
    '+ 60  list aud_1',
    '- 50  in several of them, served once',
    '- 8  segment staff',
    '- 2  counted in another country',
    '= 1,700',
  ]);
});

test('muster audience count of a campaign prints how many users it shares with another audience', async () => {
  api.answers['GET /v1/campaigns/cmp_1'] = {
    status: 200,
    body: { countries: ['SG'], audience: { include: [{ segment: 'riders' }], holdOutPercent: 5 } },
  };
  const overlap = { with: { include: [{ segment: 'payday' }] }, withUsers: 900, both: 118 };
  api.answers['POST /v1/audiences/exact-counts'] = { status: 201, body: { ...counted, ...overlap, state: 'running' } };
  const { out, notes } = await muster('audience', 'count', 'cmp_1', '--with-segment', 'payday');
  expect(out).toMatch(/in both +118; only in the first 1,582/);
  expect(out).toMatch(/only there +782/);
  expect(notes).toContain('muster audience counted cnt_1');
  expect(api.bodies).toEqual([
    { countries: ['SG'], audience: { include: [{ segment: 'riders' }] }, with: { include: [{ segment: 'payday' }] } },
  ]);
});

test('muster audience count requires countries, and counts can be listed, shown and cancelled', async () => {
  expect((await muster('audience', 'count', '--segment', 'riders')).notes).toContain('--countries');
  api.answers['GET /v1/audiences/exact-counts?limit=20'] = { status: 200, body: { items: [counted], next: null } };
  expect((await muster('audience', 'counts')).out).toMatch(/cnt_1 +done +1,700 +segment riders, without segment staff/);
  const failed = { ...counted, state: 'failed', cause: 'there is no segment "x"' };
  api.answers['GET /v1/audiences/exact-counts/cnt_1'] = { status: 200, body: failed };
  const printed = await muster('audience', 'counted', 'cnt_1', '--wait');
  expect([printed.code, printed.out.includes('failed: there is no segment "x"')]).toEqual([exitCodes.failure, true]);
  api.answers['POST /v1/audiences/exact-counts/cnt_1/cancel'] = {
    status: 200,
    body: { ...counted, state: 'cancelled' },
  };
  expect((await muster('audience', 'cancel-count', 'cnt_1')).out).toBe('cnt_1 cancelled\n');
});

test('muster audience count of a saved audience counts its sources without its hold-out', async () => {
  const audience = { include: [{ segment: 'riders' }], holdOutPercent: 5 };
  api.answers['GET /v1/audiences/sav_1'] = { status: 200, body: { kind: 'saved', countries: ['SG'], audience } };
  api.answers['POST /v1/audiences/exact-counts'] = { status: 200, body: counted };
  expect((await muster('audience', 'count', 'sav_1')).code).toBe(exitCodes.ok);
  expect(api.bodies).toEqual([{ countries: ['SG'], audience: { include: [{ segment: 'riders' }] } }]);
});

test('muster audience preview estimates a saved audience, or the sources in the options', async () => {
  api.answers['POST /v1/audiences/preview'] = {
    status: 200,
    body: { countries: [], users: { atLeast: 4, atMost: 125_004 }, holdOutPercent: 5, warnings: [{ detail: 'few' }] },
  };
  expect((await muster('audience', 'preview', 'sav_1')).out).toContain('! few');
  await muster('audience', 'preview', '--countries', 'SG', '--segment', 'riders');
  expect(api.bodies).toEqual([{ id: 'sav_1' }, { countries: ['SG'], audience: { include: [{ segment: 'riders' }] } }]);
  expect((await muster('audience', 'preview', '--segment', 'riders')).notes).toContain('--countries');
});
