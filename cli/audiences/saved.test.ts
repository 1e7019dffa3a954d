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
  kind: 'saved',
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
  links: { self: '/v1/audiences/sav_1', campaigns: '' },
};

test('muster audience save sends all given options, and edit sends only the changed ones', async () => {
  api.answers['POST /v1/audiences'] = { status: 201, body: { ...saved, warnings: [{ detail: 'few' }] } };
  const who = ['--segment', 'riders', '--exclude-segment', 'staff', '--hold-out', '5'];
  const made = await muster(
    ...['audience', 'save', '--name', 'Lapsed riders', '--owner', 'growth', '--countries', 'SG, ID', ...who],
  );
  expect([made.code, made.out]).toEqual([exitCodes.ok, 'sav_1\n']);
  expect(made.notes).toContain('! few');
  api.answers['PATCH /v1/audiences/sav_1'] = { status: 200, body: { ...saved, warnings: [] } };
  expect((await muster('audience', 'edit', 'sav_1', '--name', 'Riders')).out).toBe('sav_1 revision 2\n');
  const { name, owner, countries, audience } = saved;
  await muster('audience', 'edit', 'sav_1', '--description', '');
  expect(api.bodies).toEqual([{ name, owner, countries, audience }, { name: 'Riders' }, { description: null }]);
  expect((await muster('audience', 'save', '--name', 'x')).notes).toContain('--countries');
});

test('muster audience show prints the hold-out and the campaigns of a saved audience, and delete removes it', async () => {
  api.answers['GET /v1/audiences/sav_1'] = { status: 200, body: saved };
  const { out } = await muster('audience', 'show', 'sav_1');
  expect(out).toMatch(/used by +3 campaigns, the newest Payday \(cmp_9\)/);
  expect(out).toMatch(/held out +5 % of them/);
  api.answers['DELETE /v1/audiences/sav_1'] = { status: 204, body: null };
  expect((await muster('audience', 'delete', 'sav_1', '--yes')).out).toBe('sav_1 deleted\n');
});

test('muster campaign create copies a saved audience and can override its hold-out', async () => {
  api.answers['GET /v1/audiences/sav_1'] = { status: 200, body: saved };
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
