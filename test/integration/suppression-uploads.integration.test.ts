import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { v7 as uuidv7 } from 'uuid';
import { createRetentionStore } from '../../services/trigger/retain/postgres/retention.ts';
import { authorized } from '../support/api-deps.ts';
import { apiOnPostgres } from '../support/api-on-postgres.ts';
import { setClock } from '../support/postgres-clock.ts';
import { suppressionList, suppressionUpload } from '../../services/api/suppressions/suppressions.contract.ts';

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

async function listShown() {
  const { items } = (await get('')) as { items: unknown[] };
  return suppressionList.parse(items[0]);
}

const start = (mode: 'replace' | 'add') => ({ uploadId: uuidv7(), actionType: 'send-message', mode, note: null });
const rowsOf = (...users: string[]) => ({ users, countries: users.map(() => '*'), lines: users.map((_, n) => n + 1) });
const end = { rows: 1, rejected: 0, rejects: [] };

async function begun(mode: 'replace' | 'add') {
  const begin = await on.deps.suppressionUploads.begin(start(mode));
  if (begin.kind !== 'begun') expect.fail(`the upload is ${begin.kind}`);
  return begin.upload;
}

describe('a file of people', () => {
  it('is added to the list, each once, with the rows that are no user', async () => {
    await add('a', 'b');
    const done = await uploaded('userId\nb\nc\n\nc\r\n"x""y"\na,b\nnew\u0001line', '&note=asked%20to');
    expect(done).toMatchObject({ state: 'done', mode: 'add', rows: 6, people: 2, rejected: 2, note: 'asked to' });
    expect(done.rejects.map(({ line, rule }) => [line, rule])).toEqual([
      [7, 'too-many-columns'],
      [8, 'control-character'],
    ]);
    expect(await people()).toEqual(['a', 'b', 'c', 'x"y']);
    expect(await listShown()).toMatchObject({ people: 4, version: 3 });
    expect(await get(`/uploads/${done.id}`)).toEqual(done);
    expect(await get('/users/c')).toMatchObject({ lists: [{ note: 'asked to' }] });
  });

  it('takes the place of the list, packed too, and nothing of it is lost that came meanwhile', async () => {
    await add('a', 'b');
    await pass(1000);
    const upload = await begun('replace');
    await upload.add(rowsOf('c', 'd'));
    expect(await people()).toEqual(['a', 'b']);
    await add('e');
    await upload.finish(end);
    expect(await people()).toEqual(['c', 'd', 'e']);
    await pass(1000);
    await uploaded(gzipSync('f\ng'), '&mode=replace', { 'content-encoding': 'gzip' });
    expect(await listShown()).toMatchObject({ people: 2 });
  });

  it('that does not come whole leaves the list as it was, and its cause', async () => {
    await add('a');
    const response = await upload(gzipSync('b\nc').subarray(0, 15), '&mode=replace', { 'content-encoding': 'gzip' });
    expect(response.statusCode).toBe(400);
    expect(await people()).toEqual(['a']);
    const { items } = (await get('/uploads')) as { items: unknown[] };
    expect(suppressionUpload.parse(items[0])).toMatchObject({ state: 'failed', people: 0 });
    expect(suppressionUpload.parse(items[0]).cause).toContain('cannot be unpacked');
  });

  it('keeps a second one of the same list waiting, and is begun once under its key', async () => {
    const first = await begun('add');
    expect((await upload('a', '')).statusCode).toBe(429);
    await first.fail('given up', end);
    const headers = { 'idempotency-key': 'k1' };
    const once = await uploaded('a', '', headers);
    expect(await uploaded('b', '', headers)).toEqual(once);
    expect(await people()).toEqual(['a']);
  });

  it('is refused where its action type is not registered, or holds nobody', async () => {
    const url = '/v1/suppressions/uploads?actionType=send-letter';
    const headers = { ...authorized, 'content-type': 'text/csv' };
    const unknown = await on.api.server.inject({ method: 'POST', url, headers, payload: 'a' });
    expect(unknown.json()).toMatchObject({ status: 422, errors: [{ pointer: '/actionType' }] });
    expect((await upload('userId\n', '')).json()).toMatchObject({ code: 'no-users' });
  });
});

describe('retention', () => {
  it('deletes the people of lists that others have taken the place of, in chunks, and nobody else', async () => {
    const retention = createRetentionStore({ pool: on.deps.pool });
    await add('a', 'b', 'c');
    await pass(1000);
    await uploaded('d\ne', '&mode=replace');
    expect(await retention.deleteReplacedPeople(2)).toBe(2);
    expect(await retention.deleteReplacedPeople(2)).toBe(1);
    expect(await retention.deleteReplacedPeople(2)).toBe(0);
    expect(await people()).toEqual(['d', 'e']);
  });

  it('ends an upload whose process has died: nothing of a replacement stays', async () => {
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
