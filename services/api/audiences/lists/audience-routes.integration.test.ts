import { once } from 'node:events';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { audienceList } from '../../../../shared/contracts/campaigns/audiences.ts';
import {
  receivedAudience,
  rejectedRow,
  uploadedAudience,
} from '../../../../shared/contracts/campaigns/uploaded-audiences.ts';
import { uuidOf } from '../../../../shared/domain/ids/ids.ts';
import { authorized, someCampaign, testApiKey } from '../../../../test/support/api-deps.ts';
import { apiOnPostgres } from '../../../../test/support/api-on-postgres.ts';
import { settled } from '../../../../test/support/pass-time.ts';
import { createApi } from '../../api.ts';
import { pageShape } from '../../frame/pages.contract.ts';
import { problem } from '../../frame/problems.contract.ts';

const on = apiOnPostgres();

const csv = { 'content-type': 'text/csv' };

function upload(payload: string | Buffer, query = '?name=VIP&country=SG', headers: Record<string, string> = {}) {
  return on.api.server.inject({
    method: 'POST',
    url: `/v1/audiences/upload${query}`,
    headers: { ...authorized, ...csv, ...headers },
    payload,
  });
}

function get(url: string) {
  return on.api.server.inject({ method: 'GET', url, headers: authorized });
}

const listed = async () => audienceList.parse((await get('/v1/audiences')).json()).items;

async function uploaded(...parameters: Parameters<typeof upload>) {
  const response = await upload(...parameters);
  expect(response.statusCode).toBe(201);
  return uploadedAudience.parse(response.json());
}

async function usersOf(id: string): Promise<string[]> {
  return (await on.deps.storedAudiences.listPage(uuidOf('audience', id) ?? '', 'SG', null))?.users ?? [];
}

describe('an upload', () => {
  it('creates a list of distinct users and returns its location', async () => {
    const response = await upload('b\na\n\nb\r\nc');
    const list = uploadedAudience.parse(response.json());
    expect(response.headers.location).toBe(`/v1/audiences/${list.id}`);
    expect(list).toMatchObject({
      name: 'VIP',
      state: 'ready',
      users: 3,
      rows: 4,
      duplicates: 1,
      rejected: 0,
      cause: null,
    });
    expect(await usersOf(list.id)).toEqual(['a', 'b', 'c']);
    expect((await get(`/v1/audiences/${list.id}`)).json()).toEqual(list);
  });

  it('is split into countries by its column of countries', async () => {
    const list = await uploaded('country,userId\nSG,a\nID,b\nSG,"c,""d"""\n', '?name=VIP');
    expect(list.countries).toEqual([
      { country: 'ID', users: 1 },
      { country: 'SG', users: 2 },
    ]);
    expect(await usersOf(list.id)).toEqual(['a', 'c,"d"']);
  });

  it('may use other names of columns, and the response describes how the file was read', async () => {
    const file = 'plan;customer;market\ngold; u-1;sg\ngold;u-2 ;Vietnam\n';
    const response = await upload(file, '?name=VIP&user=customer&country=market');
    expect(receivedAudience.parse(response.json())).toMatchObject({
      countries: [
        { country: 'SG', users: 1 },
        { country: 'VN', users: 1 },
      ],
      reading: {
        encoding: 'utf-8',
        separator: ';',
        columns: ['plan', 'customer', 'market'],
        trimmed: 2,
        warnings: [],
        userColumn: 'customer',
        countryColumn: 'market',
      },
    });
  });

  it('is accepted if at most as many users are in two countries as the caller allows, and lists these users', async () => {
    const file = 'userId,country\na,SG\na,ID\nb,SG\n';
    expect((await upload(file, '?name=VIP')).statusCode).toBe(422);
    const [failed, ...others] = await listed();
    expect([failed, others]).toMatchObject([{ state: 'failed', rejected: 1, size: null }, []]);
    const rejects = await get(`${failed?.links.self ?? ''}/rejects`);
    expect(rejects.json()).toMatchObject({ items: [{ line: 3, rule: 'second-country' }] });
    expect(await uploaded(file, '?name=VIP&acceptRejected=1')).toMatchObject({ users: 2, rejected: 1 });
  });

  it.each([
    ['with its content encoding', { 'content-encoding': 'gzip' }],
    ['with a content encoding in capitals', { 'content-encoding': 'GZIP' }],
    ['with the old name of its content encoding', { 'content-encoding': 'x-gzip' }],
    ['without a content encoding', {}],
  ])('may be compressed with gzip: %s', async (_what, headers) => {
    const list = await uploaded(gzipSync('\ufeffuserId\na\nb\n'), undefined, headers);
    expect(list).toMatchObject({ users: 2, rows: 2, rejected: 0 });
  });

  it('lists rejected rows with their lines, and accepts the other rows', async () => {
    const rows = Buffer.concat([
      Buffer.from(
        `userId,country\na,SG\n,SG\n"b"1,SG\n\u0007,SG\nc\nd,XX\ne,SG,1\n${'x'.repeat(300)},SG\n${'y'.repeat(70_000)}\n`,
      ),
      Buffer.from([0xff, 0xfe, 0x0a]),
      Buffer.from('z,SG'),
    ]);
    const refused = problem.parse((await upload(rows, '?name=VIP')).json());
    expect(refused).toMatchObject({ status: 422, code: 'too-many-rejected' });
    expect(refused.detail).toContain('9 of 11 rows are rejected');
    expect(refused.detail).toContain('line 3 (""): the user id is empty');
    expect(refused.detail).toContain('acceptRejected=9');
    const list = await uploaded(rows, '?name=VIP&acceptRejected=9');
    expect(list).toMatchObject({ users: 2, rows: 11, rejected: 9 });
    const page = pageShape(rejectedRow).parse((await get(`/v1/audiences/${list.id}/rejects?limit=3`)).json());
    expect(page).toEqual({
      items: [
        { line: 3, value: '', rule: 'empty' },
        { line: 4, value: '\\"b\\"1,SG', rule: 'malformed-row' },
        { line: 5, value: '\\u0007', rule: 'control-character' },
      ],
      next: '5',
    });
    const file = await get(`/v1/audiences/${list.id}/rejects?format=csv`);
    expect(file.headers['content-disposition']).toBe(`attachment; filename="${list.id}-rejects.csv"`);
    expect(file.body.split('\r\n').slice(0, 3)).toEqual([
      'line,rule,value',
      '3,empty,',
      '4,malformed-row,"\\""b\\""1,SG"',
    ]);
    const rest = pageShape(rejectedRow).parse((await get(`/v1/audiences/${list.id}/rejects?cursor=5`)).json());
    expect(rest.items.map(({ line, rule }) => [line, rule])).toEqual([
      [6, 'missing-country'],
      [7, 'unknown-country'],
      [8, 'too-many-columns'],
      [9, 'too-long'],
      [10, 'too-long'],
      [11, 'not-utf-8'],
    ]);
    expect(rest.next).toBeNull();
  });

  it('creates one list with an idempotency key, and a repeat receives the first response', async () => {
    const headers = { 'idempotency-key': 'k1' };
    const first = await uploaded('a\nb', undefined, headers);
    const again = await upload('a\nb', undefined, headers);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(again.json()).toMatchObject(first);
    expect(await listed()).toHaveLength(1);
  });

  it.each([
    ['without a name', 'a', '?country=SG', {}, 422, 'invalid-request'],
    ['for a country that is not configured', 'a', '?name=VIP&country=XX', {}, 422, 'invalid-request'],
    ['of another type', 'a', undefined, { 'content-type': 'application/json' }, 415, 'unsupported-media-type'],
    [
      'in another charset',
      'a',
      undefined,
      { 'content-type': 'text/csv; charset=utf-16le' },
      415,
      'unsupported-charset',
    ],
    ['packed otherwise', 'a', undefined, { 'content-encoding': 'br' }, 415, 'unsupported-encoding'],
    ['that is not packed as it says', 'a', undefined, { 'content-encoding': 'gzip' }, 400, 'malformed-gzip'],
    [
      'whose packing is cut',
      gzipSync('a\nb\n').subarray(0, 15),
      undefined,
      { 'content-encoding': 'gzip' },
      400,
      'malformed-gzip',
    ],
    ['that is packed twice', gzipSync(gzipSync('a\nb\n')), undefined, {}, 415, 'unsupported-encoding'],
    ['without a row', 'userId\n', undefined, {}, 422, 'no-users'],
    ['that is a workbook', 'PK\u0003\u0004\u0014', undefined, {}, 422, 'unreadable-file'],
    ['whose header is no user', 'email\na@example.test\n', undefined, {}, 422, 'no-user-column'],
    ['with two columns of users', 'userId,user_id\na,b\n', undefined, {}, 422, 'repeated-column'],
    ['without the column that is named', 'userId\na\n', '?name=VIP&country=SG&user=ref', {}, 422, 'unknown-column'],
    ['with another separator in its rows', 'userId\nu-1;SG\n', undefined, {}, 422, 'unclear-separator'],
    ['without countries', 'userId\na\n', '?name=VIP', {}, 422, 'no-country-column'],
    ['of another country', 'country,userId\nVN,u-1\nSG,u-2\n', undefined, {}, 422, 'other-country'],
    ['with many rows that are no user', 'userId\na\nNULL\n', undefined, {}, 422, 'too-many-rejected'],
    ['with many users in two countries', 'userId,country\na,SG\na,ID\n', '?name=VIP', {}, 422, 'too-many-rejected'],
    ['of which no row is a user', '\u0001\n\u0002\n', undefined, {}, 422, 'no-users'],
  ] as const)('is refused: %s', async (_what, payload, query, headers, status, code) => {
    const response = await upload(payload, query, headers);
    expect(response.statusCode).toBe(status);
    expect(problem.parse(response.json()).code).toBe(code);
    expect((await listed()).filter(({ state }) => state === 'ready')).toEqual([]);
  });

  it('leaves a failed list with its cause and without users if the connection is lost', async () => {
    const begun = Promise.withResolvers<unknown>();
    const begin: typeof on.deps.audiences.begin = (start) => {
      const beginning = on.deps.audiences.begin(start);
      begun.resolve(beginning);
      return beginning;
    };
    const api = await createApi({ ...on.deps, audiences: { ...on.deps.audiences, begin } });
    const { port, hostname } = new URL(await api.start());
    const socket = connect({ port: Number(port), host: hostname });
    const head = `POST /v1/audiences/upload?name=VIP&country=SG HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${testApiKey}\r\n`;
    socket.write(`${head}content-type: text/csv\r\ncontent-length: 1000\r\n\r\na\nb\nc`);
    await once(socket, 'connect');
    await begun.promise;
    // Lets the server read everything that has arrived so far.
    for (let turn = 0; turn < 5; turn++) await settled();
    socket.destroy();
    await expect.poll(async () => (await listed())[0]?.state, { interval: 5 }).toBe('failed');
    await api.close();
    const found: unknown = (await get((await listed())[0]?.links.self ?? '')).json();
    expect(found).toMatchObject({ cause: 'the upload was cut after 2 lines', countries: [] });
  });

  it('may be larger than the bodies of other requests', async () => {
    const users = Array.from({ length: 100_000 }, (_, i) => `user-with-a-long-name-${i}`);
    expect(await uploaded(users.join('\n'))).toMatchObject({ users: 100_000, rows: 100_000 });
  });
});

describe('an uploaded list', () => {
  it('is deleted permanently, but not while a scheduled campaign uses it', async () => {
    const { id } = await uploaded('a');
    const created = await on.api.server.inject({
      method: 'POST',
      url: '/v1/campaigns',
      headers: authorized,
      payload: { ...someCampaign, audience: { include: [{ list: id }] } },
    });
    const self = String(created.headers.location);
    const remove = (list: string) =>
      on.api.server.inject({ method: 'DELETE', url: `/v1/audiences/${list}`, headers: authorized });
    await on.api.server.inject({ method: 'POST', url: `${self}/start`, headers: authorized });
    const refused = await remove(id);
    expect(refused.statusCode).toBe(409);
    expect(problem.parse(refused.json())).toMatchObject({ code: 'audience-in-use' });
    expect(problem.parse(refused.json()).detail).toContain(self.split('/').at(-1));

    const other = (await uploaded('b')).id;
    expect((await remove(other)).statusCode).toBe(204);
    expect((await remove(other)).statusCode).toBe(204);
    expect((await get(`/v1/audiences/${other}`)).statusCode).toBe(404);
    expect((await get(`/v1/audiences/${other}/rejects`)).statusCode).toBe(404);
  });

  it('can be renamed, is then found by its new name, and links to the campaigns that use it', async () => {
    const [{ id }, other] = [await uploaded('a'), await uploaded('b')];
    const rename = (name: string, list = id) =>
      on.api.server.inject({ method: 'PATCH', url: `/v1/audiences/${list}`, headers: authorized, payload: { name } });
    expect((await rename(' ')).statusCode).toBe(422);
    expect((await rename('Gold', 'aud_01h455vb4pex5vsknk084sn02q')).statusCode).toBe(404);
    expect((await rename('Gold tier')).json()).toMatchObject({ id, name: 'Gold tier', usedBy: 0 });
    const matching = { ...authorized, 'if-match': '"1"' };
    const late = { method: 'PATCH', url: `/v1/audiences/${id}`, headers: matching, payload: { name: 'x' } } as const;
    expect((await on.api.server.inject(late)).statusCode).toBe(412);
    const sources = { method: 'PATCH', url: `/v1/audiences/${id}`, headers: authorized } as const;
    const refused = await on.api.server.inject({ ...sources, payload: { name: 'x', countries: ['SG'] } });
    expect(problem.parse(refused.json()).errors).toMatchObject([{ code: 'not-of-a-list', pointer: '/countries' }]);
    const payload = { ...someCampaign, audience: { include: [{ segment: 's' }], exclude: [{ list: id }] } };
    const created = await on.api.server.inject({ method: 'POST', url: '/v1/campaigns', headers: authorized, payload });
    const idsOf = async (url: string) =>
      z.object({ items: z.array(z.object({ id: z.string() })) }).parse((await get(url)).json());
    expect(await idsOf('/v1/audiences?q=gold&used=true')).toEqual({ items: [{ id }] });
    expect(await idsOf('/v1/audiences?used=false&rejected=false')).toEqual({ items: [{ id: other.id }] });
    expect((await get('/v1/audiences/counts')).json()).toMatchObject({
      lists: 2,
      withRejects: 0,
      notUsed: 1,
      failed: 0,
    });
    const campaign = String(created.headers.location).split('/').at(-1);
    expect(await idsOf(`/v1/campaigns?list=${id}`)).toEqual({ items: [{ id: campaign }] });
    expect(await idsOf(`/v1/campaigns?list=${other.id}`)).toEqual({ items: [] });
    expect((await get('/v1/campaigns?list=mine')).statusCode).toBe(422);
  });
});
