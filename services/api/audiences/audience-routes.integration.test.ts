import { once } from 'node:events';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { rejectedRow, uploadedAudience } from '../../../shared/contracts/campaigns/audiences.ts';
import { uuidOf } from '../../../shared/domain/ids/ids.ts';
import { authorized, someCampaign, testApiKey } from '../../../test/support/api-deps.ts';
import { apiOnPostgres } from '../../../test/support/api-on-postgres.ts';
import { settled } from '../../../test/support/pass-time.ts';
import { createApi } from '../api.ts';
import { pageShape } from '../frame/pages.contract.ts';
import { problem } from '../frame/problems.contract.ts';

const on = apiOnPostgres();

const csv = { 'content-type': 'text/csv' };

function upload(payload: string | Buffer, query = '?name=VIP&country=SG', headers: Record<string, string> = {}) {
  return on.api.server.inject({
    method: 'POST',
    url: `/v1/audiences${query}`,
    headers: { ...authorized, ...csv, ...headers },
    payload,
  });
}

function get(url: string) {
  return on.api.server.inject({ method: 'GET', url, headers: authorized });
}

async function uploaded(...parameters: Parameters<typeof upload>) {
  const response = await upload(...parameters);
  expect(response.statusCode).toBe(201);
  return uploadedAudience.parse(response.json());
}

async function usersOf(id: string): Promise<string[]> {
  return (await on.deps.storedAudiences.listPage(uuidOf('audience', id) ?? '', 'SG', null))?.users ?? [];
}

describe('an upload', () => {
  it('makes a list of different users, and answers where it is', async () => {
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

  it('is split by its column of countries', async () => {
    const list = await uploaded('country,userId\nSG,a\nID,b\nSG,"c,""d"""\n', '?name=VIP');
    expect(list.countries).toEqual([
      { country: 'ID', users: 1 },
      { country: 'SG', users: 2 },
    ]);
    expect(await usersOf(list.id)).toEqual(['a', 'c,"d"']);
  });

  it('comes packed with gzip too', async () => {
    const list = await uploaded(gzipSync('userId\na\nb\n'), undefined, { 'content-encoding': 'gzip' });
    expect(list).toMatchObject({ users: 2, rows: 2 });
  });

  it('tells which rows are no user, by line, and takes the others', async () => {
    const rows = Buffer.concat([
      Buffer.from(
        `userId,country\na,SG\n,SG\n"b,SG\n\u0007,SG\nc\nd,XX\ne,SG,1\n${'x'.repeat(300)},SG\n${'y'.repeat(5000)}\n`,
      ),
      Buffer.from([0xff, 0xfe, 0x0a]),
      Buffer.from('z,SG'),
    ]);
    const list = await uploaded(rows, '?name=VIP');
    expect(list).toMatchObject({ users: 2, rows: 11, rejected: 9 });
    const page = pageShape(rejectedRow).parse((await get(`/v1/audiences/${list.id}/rejects?limit=3`)).json());
    expect(page).toEqual({
      items: [
        { line: 3, value: '', rule: 'empty' },
        { line: 4, value: '\\"b,SG', rule: 'malformed-row' },
        { line: 5, value: '\\u0007', rule: 'control-character' },
      ],
      next: '5',
    });
    const file = await get(`/v1/audiences/${list.id}/rejects?format=csv`);
    expect(file.headers['content-disposition']).toBe(`attachment; filename="${list.id}-rejects.csv"`);
    expect(file.body.split('\r\n').slice(0, 3)).toEqual(['line,rule,value', '3,empty,', '4,malformed-row,"\\""b,SG"']);
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

  it('is made once under an idempotency key, and a repeat gets the first answer', async () => {
    const headers = { 'idempotency-key': 'k1' };
    const first = await uploaded('a\nb', undefined, headers);
    const again = await upload('a\nb', undefined, headers);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(again.json()).toEqual(first);
    expect((await on.deps.audiences.list({}, 10, null)).items).toHaveLength(1);
  });

  it.each([
    ['without a name', 'a', '?country=SG', {}, 422, 'invalid-request'],
    ['for a country that is not configured', 'a', '?name=VIP&country=XX', {}, 422, 'invalid-request'],
    ['of another type', 'a', undefined, { 'content-type': 'application/json' }, 415, 'unsupported-media-type'],
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
    ['without a row', 'userId\n', undefined, {}, 422, 'no-users'],
    ['of which no row is a user', '\u0001\n\u0002\n', undefined, {}, 422, 'no-users'],
  ] as const)('%s is refused', async (_what, payload, query, headers, status, code) => {
    const response = await upload(payload, query, headers);
    expect(response.statusCode).toBe(status);
    expect(problem.parse(response.json()).code).toBe(code);
    expect((await on.deps.audiences.list({}, 10, null)).items.filter(({ state }) => state === 'ready')).toEqual([]);
  });

  it('that is cut on its way leaves a list that has failed, with its cause, and none of its users', async () => {
    const begun = Promise.withResolvers<unknown>();
    const begin: typeof on.deps.audiences.begin = (start) => {
      const beginning = on.deps.audiences.begin(start);
      begun.resolve(beginning);
      return beginning;
    };
    const api = await createApi({ ...on.deps, audiences: { ...on.deps.audiences, begin } });
    const { port, hostname } = new URL(await api.start());
    const socket = connect({ port: Number(port), host: hostname });
    const head = `POST /v1/audiences?name=VIP&country=SG HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${testApiKey}\r\n`;
    socket.write(`${head}content-type: text/csv\r\ncontent-length: 1000\r\n\r\na\nb\nc`);
    await once(socket, 'connect');
    const rows = async () => (await on.deps.audiences.list({}, 1, null)).items;
    await begun.promise;
    // What had arrived meanwhile is read at once.
    for (let turn = 0; turn < 5; turn++) await settled();
    socket.destroy();
    await expect.poll(async () => (await rows())[0]?.state, { interval: 5 }).toBe('failed');
    await api.close();
    expect(await rows()).toMatchObject([{ cause: 'the upload was cut after 2 lines', countries: [] }]);
  });

  it('is refused while as many as can be are on their way', async () => {
    const ids = [0, 1, 2, 3].map((each) => `01890a5d-ac96-774b-bcce-b302099a805${each}`);
    const begin = (audienceId: string) => on.deps.audiences.begin({ audienceId, name: 'x', country: 'SG' });
    const begun = await Promise.all(ids.map(begin));
    const response = await upload('a');
    expect(response.statusCode).toBe(429);
    expect(response.headers['retry-after']).toBe('5');
    for (const start of begun) {
      if (start.kind === 'begun')
        await start.upload.fail('it ends with its test', { rows: 0, rejected: 0, rejects: [] });
    }
  });

  it('may be larger than any other body', async () => {
    const users = Array.from({ length: 100_000 }, (_, i) => `user-with-a-long-name-${i}`);
    expect(await uploaded(users.join('\n'))).toMatchObject({ users: 100_000, rows: 100_000 });
  });
});

describe('an uploaded list', () => {
  it('is listed, newest first', async () => {
    const ids: string[] = [];
    for (const name of ['x', 'y', 'z']) ids.push((await uploaded('a', `?name=${name}&country=SG`)).id);
    const page = pageShape(uploadedAudience).parse((await get('/v1/audiences?limit=2')).json());
    expect(page.items.map(({ id }) => id)).toEqual([ids[2], ids[1]]);
    const rest = pageShape(uploadedAudience).parse((await get(`/v1/audiences?cursor=${page.next ?? ''}`)).json());
    expect(rest.items.map(({ id }) => id)).toEqual([ids[0]]);
  });

  it('is deleted for good, but not while a campaign that is scheduled names it', async () => {
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

  it('is renamed, found by its new name, and leads to the campaigns that name it', async () => {
    const [{ id }, other] = [await uploaded('a'), await uploaded('b')];
    const rename = (name: string, list = id) =>
      on.api.server.inject({ method: 'PATCH', url: `/v1/audiences/${list}`, headers: authorized, payload: { name } });
    expect((await rename(' ')).statusCode).toBe(422);
    expect((await rename('Gold', 'aud_01h455vb4pex5vsknk084sn02q')).statusCode).toBe(404);
    expect((await rename('Gold tier')).json()).toMatchObject({ id, name: 'Gold tier', usedBy: 0 });
    const payload = { ...someCampaign, audience: { include: [{ segment: 's' }], exclude: [{ list: id }] } };
    const created = await on.api.server.inject({ method: 'POST', url: '/v1/campaigns', headers: authorized, payload });
    const idsOf = async (url: string) =>
      z.object({ items: z.array(z.object({ id: z.string() })) }).parse((await get(url)).json());
    expect(await idsOf('/v1/audiences?q=gold&used=true')).toEqual({ items: [{ id }] });
    expect(await idsOf('/v1/audiences?used=false&rejected=false')).toEqual({ items: [{ id: other.id }] });
    expect((await get('/v1/audiences/counts')).json()).toEqual({ all: 2, withRejects: 0, notUsed: 1, failed: 0 });
    const campaign = String(created.headers.location).split('/').at(-1);
    expect(await idsOf(`/v1/campaigns?list=${id}`)).toEqual({ items: [{ id: campaign }] });
    expect(await idsOf(`/v1/campaigns?list=${other.id}`)).toEqual({ items: [] });
    expect((await get('/v1/campaigns?list=mine')).statusCode).toBe(422);
  });
});
