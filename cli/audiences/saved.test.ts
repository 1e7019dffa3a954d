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

const saved = {
  id: 'sav_1',
  name: 'Lapsed riders',
  revision: 2,
  owner: 'growth',
  countries: ['SG', 'ID'],
  audience: { include: [{ segment: 'riders' }], exclude: [{ segment: 'staff' }], holdOutPercent: 5 },
  usedBy: 3,
  createdAt: '2026-11-20T20:44:20.000Z',
  updatedAt: '2026-11-21T20:44:20.000Z',
  latestUse: { campaignId: 'cmp_9', name: 'Payday', revision: 1, createdAt: '2026-11-21T20:44:20.000Z' },
  links: { self: '/v1/saved-audiences/sav_1', estimate: '', campaigns: '' },
};

test('saved-audience create sends what the options say, and change only what they say', async () => {
  api.answers['POST /v1/saved-audiences'] = { status: 201, body: { ...saved, warnings: [{ detail: 'few' }] } };
  const who = ['--segment', 'riders', '--exclude-segment', 'staff', '--hold-out', '5'];
  const made = await muster(
    ...['saved-audience', 'create', '--name', 'Lapsed riders', '--owner', 'growth', '--countries', 'SG, ID', ...who],
  );
  expect([made.code, made.out]).toEqual([exitCodes.ok, 'sav_1\n']);
  expect(made.notes).toContain('! few');
  api.answers['PATCH /v1/saved-audiences/sav_1'] = { status: 200, body: { ...saved, warnings: [] } };
  expect((await muster('saved-audience', 'change', 'sav_1', '--name', 'Riders')).out).toBe('sav_1 revision 2\n');
  const { name, owner, countries, audience } = saved;
  expect(api.bodies).toEqual([{ name, owner, countries, audience }, { name: 'Riders' }]);
  expect((await muster('saved-audience', 'create', '--name', 'x')).notes).toContain('--countries');
});

test('saved audiences are listed and shown with who took them', async () => {
  api.answers['GET /v1/saved-audiences?limit=20'] = { status: 200, body: { items: [saved], next: null } };
  expect((await muster('saved-audience', 'list')).out).toMatch(/sav_1 +Lapsed riders +2 +segment riders +SG ID +3/);
  api.answers['GET /v1/saved-audiences?limit=20&list=aud_1'] = { status: 200, body: { items: [saved], next: null } };
  expect((await muster('saved-audience', 'list', '--list', 'aud_1')).out).toContain('sav_1');
  api.answers['GET /v1/saved-audiences/sav_1'] = { status: 200, body: saved };
  const { out } = await muster('saved-audience', 'show', 'sav_1');
  expect(out).toMatch(/used by +3 campaigns, the newest Payday \(cmp_9\)/);
  expect(out).toMatch(/held out +5 % of them/);
});

test('saved-audience estimate says the range, and delete deletes', async () => {
  api.answers['POST /v1/saved-audiences/sav_1/estimate'] = {
    status: 200,
    body: { countries: [], users: { atLeast: 4, atMost: 125_004 }, holdOutPercent: 5, warnings: [{ detail: 'few' }] },
  };
  expect((await muster('saved-audience', 'estimate', 'sav_1')).out).toContain('! few');
  api.answers['DELETE /v1/saved-audiences/sav_1'] = { status: 204, body: null };
  expect((await muster('saved-audience', 'delete', 'sav_1', '--yes')).out).toBe('sav_1 deleted\n');
});

test('campaign create takes a copy of a saved audience, with a hold-out of its own', async () => {
  api.answers['GET /v1/saved-audiences/sav_1'] = { status: 200, body: saved };
  const body = { id: 'cmp_1', state: 'draft', warnings: [], schedule: { type: 'now' }, startsAt: null };
  api.answers['POST /v1/campaigns'] = { status: 201, body };
  const create = (...more: string[]) =>
    muster(...['campaign', 'create', '--name', 'n', '--countries', 'SG', '--action', 'award-reward'], ...more);
  expect((await create('--saved-audience', 'sav_1', '--hold-out', '10')).out).toBe('cmp_1\n');
  expect(api.bodies.at(-1)).toMatchObject({
    audience: { ...saved.audience, holdOutPercent: 10 },
    savedAudience: { id: 'sav_1', revision: 2 },
  });
  expect((await create('--saved-audience', 'sav_1', '--segment', 'riders')).notes).toContain('no other source');
  expect((await create()).notes).toContain('--saved-audience');
});
