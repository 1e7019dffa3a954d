import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { exitCodes } from '../frame/exit-codes.ts';
import { campaign } from './sample-campaign.ts';
import { startTestApi, type TestApi } from '../api/test-api.ts';
import { runMuster, type Sitting } from '../test-muster.ts';

let api: TestApi;
beforeEach(async () => {
  api = await startTestApi();
});

afterEach(() => api.stop());

const muster = (args: string[], sitting: Sitting = {}) => runMuster(args, { api, ...sitting });

const ok = (body: unknown) => ({ status: 200, body });

describe('a copy of a campaign', () => {
  test('is created with only the changed options in the request', async () => {
    api.answers['POST /v1/campaigns/cmp_1/clone'] = { status: 201, body: { ...campaign, id: 'cmp_2' } };
    const { out, notes } = await muster(['campaign', 'clone', 'cmp_1', '--name', 'January', '--countries', 'SG']);
    expect([out, notes]).toEqual(['cmp_2\n', 'a draft; to start it now: muster campaign start cmp_2\n']);
    await muster(['campaign', 'clone', 'cmp_1']);
    await muster(['campaign', 'clone', 'cmp_1', '-f', '-'], { piped: '{"schedule":{"type":"now"}}' });
    const at = '2127-01-15T09:00:00Z';
    await muster(['campaign', 'clone', 'cmp_1', '--at', at, '--exclude-segment', 'staff', '--action', 'send-message']);
    expect(api.bodies).toEqual([
      { name: 'January', countries: ['SG'] },
      {},
      { schedule: { type: 'now' } },
      {
        schedule: { type: 'at', time: at },
        audience: { include: [], exclude: [{ segment: 'staff' }] },
        chain: [{ action: 'send-message' }],
      },
    ]);
  });

  test('shows which campaign and revision it was copied from', async () => {
    api.answers['GET /v1/campaigns/cmp_1'] = ok({ ...campaign, origin: { campaignId: 'cmp_0', revision: 3 } });
    api.answers['GET /v1/runs?campaignId=cmp_1&limit=5'] = ok({ items: [], next: null });
    expect((await muster(['campaign', 'show', 'cmp_1'])).out).toMatch(/made from +copy of cmp_0, revision 3\n/);
  });

  test('is rejected if --units-per-user is given without --action', async () => {
    const { code } = await muster(['campaign', 'clone', 'cmp_1', '--units-per-user', '2']);
    expect([code, api.requests]).toEqual([exitCodes.usage, []]);
  });
});

describe('a campaign that is no longer needed', () => {
  const archivedAt = '2026-11-22T08:00:00.000Z';

  test('is archived, shown as archived and unarchived', async () => {
    api.answers['POST /v1/campaigns/cmp_1/archive'] = ok({ ...campaign, archivedAt });
    expect((await muster(['campaign', 'archive', 'cmp_1'])).out).toBe('cmp_1 archived\n');
    api.answers['GET /v1/campaigns/cmp_1'] = ok({ ...campaign, archivedAt });
    api.answers['GET /v1/runs?campaignId=cmp_1&limit=5'] = ok({ items: [], next: null });
    expect((await muster(['campaign', 'show', 'cmp_1'])).out).toMatch(/archived +2026-11-22 08:00 UTC\n/);
    api.answers['POST /v1/campaigns/cmp_1/unarchive'] = ok(campaign);
    expect((await muster(['campaign', 'unarchive', 'cmp_1'])).out).toBe('cmp_1 draft\n');
  });

  test('is not archived while a run is active, and the command prints the reason', async () => {
    const detail = 'cmp_1 cannot be archived: run_1 is running, and has to end first';
    api.answers['POST /v1/campaigns/cmp_1/archive'] = { status: 409, body: { title: 'Conflict', status: 409, detail } };
    const { code, notes } = await muster(['campaign', 'archive', 'cmp_1']);
    expect([code, notes]).toEqual([exitCodes.refused, `not archived: ${detail}\n`]);
  });

  test.each([
    ['y\n', true],
    ['\n', false],
  ])('is deleted only if the user confirms with yes: answer %j', async (typed, goes) => {
    api.answers['GET /v1/campaigns/cmp_1'] = ok(campaign);
    api.answers['DELETE /v1/campaigns/cmp_1'] = ok('');
    const { out, notes } = await muster(['campaign', 'delete', 'cmp_1'], { typed });
    expect(notes).toContain('Lapsed riders, revision 1, for good. Delete it? y/N');
    expect(api.requests.some(({ line }) => line.startsWith('DELETE'))).toBe(goes);
    expect(out).toBe(goes ? 'cmp_1 deleted\n' : '');
  });
});
