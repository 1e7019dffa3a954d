import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { v7 as uuidv7 } from 'uuid';
import { createRetentionStore } from '../../services/trigger/retain/postgres/retention.ts';
import { problem } from '../../services/api/frame/problems.contract.ts';
import { authorized } from '../support/api-deps.ts';
import { apiOnPostgres } from '../support/api-on-postgres.ts';
import { setClock } from '../support/postgres-clock.ts';
import {
  receivedSuppressions,
  suppressionList,
  suppressionUpload,
} from '../../services/api/withheld/suppressions/suppressions.contract.ts';
import { createSuppressionUploads } from '../../services/api/withheld/suppressions/postgres/suppression-uploads.ts';

const on = apiOnPostgres();

async function upload(payload: string | Buffer, query: string, headers: Record<string, string> = {}) {
  return await on.api.server.inject({
    method: 'POST',
    url: `/v1/suppressions/uploads?actionType=send-message${query}`,
    headers: { ...authorized, 'content-type': 'text/csv', ...headers },
    payload,
  });
}

async function uploaded(...parameters: Parameters<typeof upload>) {
  const response = await upload(...parameters);
  expect(response.statusCode).toBe(201);
  return suppressionUpload.parse(response.json());
}

async function get(url: string): Promise<unknown> {
  return (await on.api.server.inject({ method: 'GET', url: `/v1/suppressions${url}`, headers: authorized })).json();
}

async function add(...users: string[]): Promise<void> {
  const payload = { actionType: 'send-message', users };
  await on.api.server.inject({ method: 'POST', url: '/v1/suppressions', headers: authorized, payload });
}

async function pass(ms: number): Promise<void> {
  on.deps.clock.advance(ms);
  await setClock(on.deps.pool, on.deps.clock.nowMs());
}

async function people(): Promise<string[]> {
  const { rows } = await on.deps.pool.query<{ user_id: string }>(
    'select user_id from suppression_lists join suppressed_people using (list_no) order by user_id',
  );
  return rows.map((row) => row.user_id);
}

async function listDisplayed() {
  const { items } = (await get('')) as { items: unknown[] };
  return suppressionList.parse(items[0]);
}

function start(mode: 'replace' | 'add', confirmRemoved: number | null) {
  return { uploadId: uuidv7(), actionType: 'send-message', mode, note: null, confirmRemoved };
}

const rowsOf = (...users: string[]) => ({ users, countries: users.map(() => '*'), lines: users.map((_, n) => n + 1) });
const end = { rows: 1, rejected: 0, rejects: [] };

async function begun(mode: 'replace' | 'add', confirmRemoved: number | null = null) {
  const begin = await createSuppressionUploads(on.deps).begin(start(mode, confirmRemoved));
  if (begin.kind !== 'begun') expect.fail(`the upload is ${begin.kind}`);
  return begin.upload;
}

describe('an uploaded suppression file', () => {
  it('adds each user once to the list, and returns the rejected rows', async () => {
    await add('a', 'b');
    const done = await uploaded('userId\nb\nc\n\nc\r\n"x""y"\na,b\nnew\u0001line', '&note=asked%20to&acceptRejected=2');
    expect(done).toMatchObject({ state: 'done', mode: 'add', rows: 6, people: 2, rejected: 2, note: 'asked to' });
    expect(done.rejects.map(({ line, rule }) => [line, rule])).toEqual([
      [7, 'too-many-columns'],
      [8, 'control-character'],
    ]);
    expect(await people()).toEqual(['a', 'b', 'c', 'x"y']);
    expect(await listDisplayed()).toMatchObject({ people: 4, version: 3 });
    expect(await get(`/uploads/${done.id}`)).toEqual(done);
    expect(await get('/users/c')).toMatchObject({ lists: [{ note: 'asked to' }] });
  });

  it('replaces the list, also when compressed, and keeps users who were added in the meantime', async () => {
    await add('a', 'b');
    await pass(1000);
    const upload = await begun('replace', 2);
    await upload.add(rowsOf('c', 'd'));
    expect(await people()).toEqual(['a', 'b']);
    await add('e');
    await upload.finish(end);
    expect(await people()).toEqual(['c', 'd', 'e']);
    await pass(1000);
    await uploaded(gzipSync('f\ng'), '&mode=replace&confirmRemoved=3', { 'content-encoding': 'gzip' });
    expect(await listDisplayed()).toMatchObject({ people: 2 });
  });

  it('leaves the list unchanged and records the cause if the upload is incomplete', async () => {
    await add('a');
    const response = await upload(gzipSync('b\nc').subarray(0, 15), '&mode=replace', { 'content-encoding': 'gzip' });
    expect(response.statusCode).toBe(400);
    expect(await people()).toEqual(['a']);
    const { items } = (await get('/uploads')) as { items: unknown[] };
    expect(suppressionUpload.parse(items[0])).toMatchObject({ state: 'failed', people: 0 });
    expect(suppressionUpload.parse(items[0]).cause).toContain('cannot be decompressed');
  });

  it('leaves the list unchanged if it is refused, even after its first parts', async () => {
    await add('a');
    const before = await listDisplayed();
    const many = Array.from({ length: 30_000 }, (_, n) => `u-${n}`);
    const refused = await upload(['userId', ...many, ...many.map(() => 'NULL')].join('\n'), '');
    expect(problem.parse(refused.json()).code).toBe('too-many-rejected');
    expect(await people()).toEqual(['a']);
    expect(await listDisplayed()).toEqual(before);
    const { items } = (await get('/uploads')) as { items: unknown[] };
    expect(items[0]).toMatchObject({ state: 'failed', people: 0, rejected: 30_000 });
    const done = await uploaded(['userId', ...many, 'NULL'].join('\n'), '');
    expect(done).toMatchObject({ state: 'done', people: 30_000, rejected: 1 });
    expect(await listDisplayed()).toMatchObject({ people: 30_001 });
  });

  it('changes the list only once it is complete, and keeps users who were added in the meantime', async () => {
    await add('a');
    const upload = await begun('add');
    await upload.add(rowsOf('b', 'c'));
    await add('c', 'd');
    expect(await people()).toEqual(['a', 'c', 'd']);
    expect(await upload.finish(end)).toMatchObject({ state: 'done', people: 1 });
    expect(await people()).toEqual(['a', 'b', 'c', 'd']);
    expect(await listDisplayed()).toMatchObject({ people: 4 });
  });

  it('may have other columns, and the response describes how it was read', async () => {
    const response = await upload('userId;reason\nid-1;asked by phone\nid-2;asked by mail\n', '');
    expect(receivedSuppressions.parse(response.json())).toMatchObject({
      people: 2,
      reading: { separator: ';', userColumn: 'userId', countryColumn: null, columns: ['userId', 'reason'] },
    });
    expect(await people()).toEqual(['id-1', 'id-2']);
  });

  it('blocks a second upload to the same list, and is stored once under its idempotency key', async () => {
    const first = await begun('add');
    expect((await upload('a', '')).statusCode).toBe(429);
    await first.fail('given up', end);
    const headers = { 'idempotency-key': 'k1' };
    const once = await uploaded('a', '', headers);
    expect(await uploaded('b', '', headers)).toEqual(once);
    expect(await people()).toEqual(['a']);
  });

  it('is refused if its action type is unknown or if it contains no users', async () => {
    const url = '/v1/suppressions/uploads?actionType=send-letter';
    const headers = { ...authorized, 'content-type': 'text/csv' };
    const unknown = await on.api.server.inject({ method: 'POST', url, headers, payload: 'a' });
    expect(unknown.json()).toMatchObject({ status: 422, errors: [{ pointer: '/actionType' }] });
    expect((await upload('userId\n', '')).json()).toMatchObject({ code: 'no-users' });
  });
});

describe('a replacement that removes users', () => {
  const ten = Array.from({ length: 10 }, (_, place) => `u${place}`);
  const without = (count: number) => [...ten.slice(count), 'new'].join('\n');

  async function replaced(file: string, query = '') {
    const response = await upload(file, `&mode=replace${query}`);
    return response.statusCode === 201 ? 'done' : problem.parse(response.json());
  }

  beforeEach(async () => {
    await add(...ten);
    await pass(1000);
  });

  it('is applied directly if it removes at most a tenth of the list', async () => {
    expect(await replaced(without(0))).toBe('done');
    await pass(1000);
    expect(await people()).toHaveLength(11);
    expect(await replaced(without(1))).toBe('done');
    expect(await people()).not.toContain('u0');
  });

  it('is refused with the number of removals if it removes more, and changes nothing', async () => {
    const refused = await replaced(without(2));
    expect(refused).toMatchObject({
      status: 409,
      code: 'replacement-not-confirmed',
      detail: expect.stringContaining('replaces 10 people by 9: it removes 2 of them') as unknown,
      errors: [{ pointer: '/confirmRemoved', detail: expect.stringContaining('has to be 2,') as unknown }],
    });
    expect(await people()).toEqual(ten);
    expect(await listDisplayed()).toMatchObject({ people: 10, version: 2 });
    const { items } = (await get('/uploads')) as { items: unknown[] };
    expect(items[0]).toMatchObject({ state: 'failed', cause: expect.stringContaining('removes 2 of them') as unknown });
  });

  it('is applied if the number is confirmed, and refused with any other number', async () => {
    for (const wrong of [0, 1, 3, 10]) {
      expect(await replaced(without(2), `&confirmRemoved=${wrong}`)).toMatchObject({ status: 409 });
    }
    expect(await people()).toEqual(ten);
    expect(await replaced(without(2), '&confirmRemoved=2')).toBe('done');
    expect(await people()).toEqual(['new', ...ten.slice(2)]);
  });

  it.each([
    ['separated by semicolons', 'userId;note\nu0;asked to\nu1;asked to\n', 8],
    ['of other people', 'a\nb\n', 10],
    ['with few of them', 'u3', 9],
  ])('is refused for a file %s', async (_what, file, removed) => {
    expect(await replaced(file)).toMatchObject({
      errors: [{ detail: expect.stringContaining(`${removed},`) as unknown }],
    });
    expect(await people()).toEqual(ten);
  });

  it('does not count users who were added while the file was read', async () => {
    const upload = await begun('replace');
    await upload.add(rowsOf(...ten.slice(1)));
    await add('late1', 'late2');
    await upload.finish(end);
    expect(await people()).toEqual(['late1', 'late2', ...ten.slice(1)]);
  });

  it('can be repeated with the confirmed number of removed users, under the same idempotency key', async () => {
    const headers = { 'idempotency-key': 'k1' };
    expect((await upload(without(5), '&mode=replace', headers)).statusCode).toBe(409);
    expect((await upload(without(5), '&mode=replace&confirmRemoved=5', headers)).statusCode).toBe(201);
    expect(await people()).toEqual(['new', ...ten.slice(5)]);
  });

  it('needs no confirmed number of removed users if the list is new', async () => {
    const url = '/v1/suppressions/uploads?actionType=*&mode=replace';
    const headers = { ...authorized, 'content-type': 'text/csv' };
    const response = await on.api.server.inject({ method: 'POST', url, headers, payload: 'a' });
    expect(response.statusCode).toBe(201);
  });

  it('is refused if the number is malformed', async () => {
    expect(await replaced(without(2), '&confirmRemoved=two')).toMatchObject({
      status: 422,
      errors: [{ pointer: '/confirmRemoved' }],
    });
  });
});

describe('retention of suppression lists', () => {
  it('deletes the users of replaced lists in chunks, and no others', async () => {
    const retention = createRetentionStore({ pool: on.deps.pool });
    await add('a', 'b', 'c');
    await pass(1000);
    await uploaded('d\ne', '&mode=replace&confirmRemoved=3');
    expect(await retention.deleteReplacedPeople(2)).toBe(2);
    expect(await retention.deleteReplacedPeople(2)).toBe(1);
    expect(await retention.deleteReplacedPeople(2)).toBe(0);
    expect(await people()).toEqual(['d', 'e']);
  });

  it('deletes the numbers of replaced lists that no upload uses, except for the highest', async () => {
    const retention = createRetentionStore({ pool: on.deps.pool });
    const numbers = async () => {
      const { rows } = await on.deps.pool.query<{ listNo: number; state: string }>(
        'select list_no as "listNo", state from suppression_list_versions order by list_no',
      );
      return rows.map(({ state }) => state);
    };
    await add('a');
    await pass(1000);
    await uploaded('b', '&mode=replace&confirmRemoved=1');
    await pass(1000);
    await uploaded('c', '&mode=replace&confirmRemoved=1');
    expect(await numbers()).toEqual(['gone', 'gone', 'in-force']);
    await retention.deleteReplacedPeople(100);
    // An upload that still exists loaded the second number.
    expect(await numbers()).toEqual(['gone', 'in-force']);
    const failed = await begun('replace');
    await failed.fail('given up', end);
    await pass(31 * 86_400_000);
    expect(await retention.deleteSuppressionUploads(30, 2)).toBe(2);
    expect(await retention.deleteSuppressionUploads(30, 100)).toBe(1);
    await retention.deleteReplacedPeople(100);
    expect(await numbers()).toEqual(['in-force', 'gone']);
    expect(await people()).toEqual(['c']);
  });

  it('ends an upload whose process has died, and keeps nothing of a replacement', async () => {
    const retention = createRetentionStore({ pool: on.deps.pool });
    await add('a');
    const upload = await begun('replace');
    await upload.add(rowsOf('b'));
    await pass(16 * 60_000);
    expect(await retention.failLostUploads()).toBe(1);
    await expect(upload.add(rowsOf('c'))).rejects.toThrow();
    await expect(upload.finish(end)).rejects.toThrow();
    expect(await retention.deleteReplacedPeople(10)).toBe(1);
    expect(await people()).toEqual(['a']);
  });
});
