import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../api/test-api.ts';
import { exitCodes } from '../frame/exit-codes.ts';
import { runMuster } from '../test-muster.ts';

let api: TestApi;
beforeEach(async () => {
  api = await startTestApi();
});
afterEach(() => api.stop());

const ok = (body: unknown) => ({ status: 200, body });

describe.each([
  ['campaign', '/v1/campaigns/x_1', { state: 'draft' }, 'draft, revision 4'],
  ['template', '/v1/templates/x_1', {}, 'revision 4'],
  ['audience', '/v1/audiences/x_1', {}, 'revision 4'],
])('revisions of a %s', (noun, url, fields, restored) => {
  const muster = (...args: string[]) => runMuster([noun, ...args], { api });

  test('are listed from newest to oldest', async () => {
    const items = [{ revision: 2, name: 'Lapsed riders', createdAt: '2026-11-22T08:00:00.000Z' }];
    api.answers[`GET ${url}/revisions?limit=20`] = ok({ items, next: null });
    const { out } = await muster('revisions', 'x_1');
    expect(out.split('\n').some((line) => /2 +2026-11-22 08:00 UTC +Lapsed riders/.test(line))).toBe(true);
  });

  test('are shown field by field', async () => {
    const definition = { name: 'Lapsed riders', countries: ['SG'], owner: 'gro\u202ewth' };
    api.answers[`GET ${url}/revisions/2`] = ok({ revision: 2, createdAt: '2026-11-22T08:00:00.000Z', definition });
    expect(`\n${(await muster('revision', 'x_1', '2')).out}`).toMatchInlineSnapshot(`
      "
        Lapsed riders
        revision 2 · 2026-11-22 08:00 UTC

        countries  ["SG"]
        owner      gro·wth
      "
    `);
  });

  test('are compared field by field', async () => {
    const differences = [
      { pointer: '/countries', before: ['SG'], after: ['SG', 'ID'] },
      { pointer: '/chain/0/params/template', after: 'evil\u202etxt' },
    ];
    api.answers[`GET ${url}/revisions/1/diff?to=3`] = ok({ from: 1, to: 3, differences });
    expect(`\n${(await muster('diff', 'x_1', '1', '3')).out}`).toMatchInlineSnapshot(`
      "
        field                     revision 1   revision 3
        countries                 ["SG"]       ["SG","ID"]
        chain/0/params/template   –            evil·txt
      "
    `);
    api.answers[`GET ${url}/revisions/1/diff`] = ok({ from: 1, to: 3, differences: [] });
    expect((await muster('diff', 'x_1', '1')).out).toBe('revisions 1 and 3 are the same\n');
  });

  test('are restored as a new revision, with warnings', async () => {
    const warnings = [{ detail: 'few users' }];
    api.answers[`POST ${url}/revisions/1/restore`] = ok({ id: 'x_1', revision: 4, ...fields, warnings });
    const { out, notes } = await muster('restore', 'x_1', '1');
    expect([out, notes]).toEqual([`x_1 ${restored}\n`, '! few users\n']);
    expect((await muster('restore', 'x_1', 'first')).code).toBe(exitCodes.usage);
  });
});
