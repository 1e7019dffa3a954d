import { afterEach, beforeEach, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../api/test-api.ts';
import { exitCodes } from '../frame/exit-codes.ts';
import { runMuster } from '../test-muster.ts';

let api: TestApi;
beforeEach(async () => {
  api = await startTestApi();
});
afterEach(() => api.stop());

const muster = (args: string[], piped?: string) => runMuster(['suppressions', ...args], { api, piped });
const list = { actionType: 'send-message', people: 1200, version: 4, changedAt: '2026-11-21T20:44:20.000Z' };
const upload = {
  ...{ id: 'sup_1', actionType: '*', mode: 'replace', state: 'done', cause: null, note: null, rows: 1502 },
  ...{ people: 1500, rejected: 1, rejects: [{ line: 7, value: 'a\\u0000', rule: 'control-character' }] },
  ...{ createdAt: list.changedAt, endedAt: list.changedAt, links: { self: '/v1/suppressions/uploads/sup_1' } },
};

test('list shows how many people are on which', async () => {
  api.answers['GET /v1/suppressions'] = { status: 200, body: { items: [list], next: null } };
  const { code, out } = await muster(['list']);
  expect(code).toBe(exitCodes.ok);
  expect(out).toMatch(/send-message +1,200 +4 +2026-11-21/);
});

test('add puts people on one, with why', async () => {
  api.answers['POST /v1/suppressions'] = { status: 200, body: { ...list, added: 2 } };
  const { out, notes } = await muster(['add', 'u1', 'u2', '--action', 'send-message', '--note', 'asked to']);
  expect(api.bodies).toEqual([{ actionType: 'send-message', users: ['u1', 'u2'], note: 'asked to' }]);
  expect([out, notes]).toEqual(['2\n', '2 added, 1,200 people on the list of send-message\n']);
});

test('remove and show name the user as it is', async () => {
  api.answers['DELETE /v1/suppressions/users/a%2Fb?actionType=*'] = { status: 204, body: null };
  expect((await muster(['remove', 'a/b', '--action', '*'])).notes).toBe('not on that list any more\n');
  const lists = [{ actionType: '*', note: 'asked to', addedAt: list.changedAt }];
  api.answers['GET /v1/suppressions/users/a%2Fb'] = { status: 200, body: { userId: 'a/b', lists } };
  expect((await muster(['show', 'a/b'])).out).toContain('asked to');
});

test('upload sends a file as it comes, and says what is no user', async () => {
  api.answers['POST /v1/suppressions/uploads?actionType=*&mode=replace'] = { status: 201, body: upload };
  const { out, notes } = await muster(['upload', '-', '--action', '*', '--mode', 'replace'], 'u1\nu2\n');
  expect(api.bodies).toEqual(['u1\nu2\n']);
  expect(out).toBe('sup_1\n');
  expect(notes).toBe('1,500 people on the list now, 1 rows are no user: muster suppressions upload-of sup_1\n');
  api.answers['GET /v1/suppressions/uploads/sup_1'] = { status: 200, body: upload };
  expect((await muster(['upload-of', 'sup_1'])).out).toMatch(/line 7 +control character: a\\u0000/);
});
