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
  id: 'sup_1',
  actionType: '*',
  mode: 'replace',
  state: 'done',
  cause: null,
  note: null,
  rows: 1502,
  people: 1500,
  rejected: 1,
  rejects: [{ line: 7, value: 'a\\u0000', rule: 'control-character' }],
  createdAt: list.changedAt,
  endedAt: list.changedAt,
  links: { self: '/v1/suppressions/uploads/sup_1' },
  lastCallWithinMs: 90_000,
};

test('muster suppressions list prints the number of users on each list', async () => {
  api.answers['GET /v1/suppressions'] = { status: 200, body: { items: [list], next: null } };
  const { code, out } = await muster(['list']);
  expect(code).toBe(exitCodes.ok);
  expect(out).toMatch(/send-message +1,200 +4 +2026-11-21/);
});

test('muster suppressions add puts users on a list with a note', async () => {
  api.answers['POST /v1/suppressions'] = { status: 200, body: { ...list, added: 2, lastCallWithinMs: null } };
  const { out, notes } = await muster(['add', 'u1', 'u2', '--action', 'send-message', '--note', 'asked to']);
  expect(api.bodies).toEqual([{ actionType: 'send-message', users: ['u1', 'u2'], note: 'asked to' }]);
  expect([out, notes]).toEqual(['2\n', '2 added, 1,200 people on the list of send-message\n']);
});

test('muster suppressions remove and show percent-encode the user id', async () => {
  api.answers['DELETE /v1/suppressions/users/a%2Fb?actionType=*'] = { status: 204, body: null };
  expect((await muster(['remove', 'a/b', '--action', '*'])).notes).toBe('not on that list any more\n');
  const lists = [{ actionType: '*', note: 'asked to', addedAt: list.changedAt }];
  api.answers['GET /v1/suppressions/users/a%2Fb'] = { status: 200, body: { userId: 'a/b', lists } };
  expect((await muster(['show', 'a/b'])).out).toContain('asked to');
});

test('muster suppressions upload sends the file unchanged and prints how many rows hold no valid user id', async () => {
  api.answers['POST /v1/suppressions/uploads?actionType=*&mode=replace'] = { status: 201, body: upload };
  const { out, notes } = await muster(['upload', '-', '--action', '*', '--mode', 'replace'], 'u1\nu2\n');
  expect(api.bodies).toEqual(['u1\nu2\n']);
  expect(out).toBe('sup_1\n');
  const wrong = '1 rows are no user: muster suppressions upload-of sup_1';
  const last = 'a call that was claimed before may still begin within 1 min 30 s';
  expect(notes).toBe(`1,500 people on the list now, ${wrong}; ${last}\n`);
  api.answers['GET /v1/suppressions/uploads/sup_1'] = { status: 200, body: upload };
  expect((await muster(['upload-of', 'sup_1'])).out).toMatch(/line 7 +control character: a\\u0000/);
});

test('muster suppressions upload --preview prints how the API would read the file, and changes no list', async () => {
  const reading = { encoding: 'utf-8', separator: null, columns: ['userId'], userColumn: 'userId' };
  const columns = [{ name: 'userId', use: 'user' }];
  const body = {
    format: 'plain',
    reading: { ...reading, countryColumn: null, trimmed: 0, warnings: [] },
    columns,
    rows: 2,
    users: 2,
    firstUsers: [{ line: 2, userId: 'u-1', country: null }],
    countries: [],
    usersElsewhere: 0,
    outcomes: [],
    rejected: 0,
    rejects: [],
    refusal: null,
  };
  const line = 'POST /v1/user-files/preview?countries=none&acceptRejected=3';
  api.answers[line] = { status: 200, body };
  const args = ['upload', '-', '--action', '*', '--mode', 'replace', '--accept-rejected', '3', '--preview'];
  const { code, out } = await muster(args, 'userId\nu-1\nu-2\n');
  expect(code).toBe(exitCodes.ok);
  expect(out).toMatch(/first users +u-1\n/);
  expect(api.requests.map((each) => each.line)).toEqual([line]);
});

test('muster suppressions upload prints how many removals have to be confirmed, and sends that number with the option', async () => {
  const detail = 'the file replaces 4 people by 1: it removes 4 of them';
  const errors = [{ pointer: '/confirmRemoved', code: 'replacement-not-confirmed', detail: 'has to be 4' }];
  const refusal = { title: 'Conflict', status: 409, code: 'replacement-not-confirmed', detail, errors };
  api.answers['POST /v1/suppressions/uploads?actionType=*&mode=replace'] = { status: 409, body: refusal };
  const args = ['upload', '-', '--action', '*', '--mode', 'replace'];
  const refused = await muster(args, 'u1\n');
  expect(refused.code).toBe(exitCodes.refused);
  expect(refused.notes).toContain(detail);
  expect(refused.notes).toMatch(/--confirm-removed +has to be 4/);
  const confirmed = 'POST /v1/suppressions/uploads?actionType=*&mode=replace&confirmRemoved=4';
  api.answers[confirmed] = { status: 201, body: upload };
  expect((await muster([...args, '--confirm-removed', '4'], 'u1\n')).out).toBe('sup_1\n');
});
