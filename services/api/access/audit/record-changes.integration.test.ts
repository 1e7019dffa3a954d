import { Writable } from 'node:stream';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { authorized, someCampaign } from '../../../../test/support/api-deps.ts';
import { apiOnPostgres } from '../../../../test/support/api-on-postgres.ts';
import { auditRecord } from '../../../../shared/contracts/access/audit.ts';
import { publicId } from '../../../../shared/domain/ids/ids.ts';
import { createApi } from '../../api.ts';
import { pageShape } from '../../frame/pages.contract.ts';
import { createActionTypeStore } from '../../action-types/postgres/action-type-store.ts';

const on = apiOnPostgres();

function audited({ server } = on.api) {
  const send = (method: 'POST' | 'PATCH' | 'GET', url: string, payload?: object, headers = {}) =>
    server.inject({ method, url, headers: { ...authorized, ...headers }, ...(payload && { payload }) });
  const listed = async (query = '') => {
    const response = await send('GET', `/v1/audit${query}`);
    return pageShape(auditRecord).parse(response.json()).items;
  };
  const create = async () => {
    const response = await send('POST', '/v1/campaigns', someCampaign);
    return z.object({ id: z.string() }).parse(response.json()).id;
  };
  return { send, listed, create };
}

it('a change that succeeded is in the audit log before it is answered, with its key and its subject', async () => {
  const { send, listed } = audited();

  const created = await send('POST', '/v1/campaigns', someCampaign, { 'x-request-id': 'mine' });
  const { id } = z.object({ id: z.string() }).parse(created.json());
  await send('POST', `/v1/campaigns/${id}/start`);

  const facts = { keyId: publicId('apiKey', on.key), keyName: 'a test', method: 'POST', subject: id };
  expect(await listed()).toMatchObject([
    { ...facts, route: '/v1/campaigns/:id/start', summary: 'started a campaign', status: 200 },
    { ...facts, route: '/v1/campaigns', summary: 'created a campaign', status: 201, requestId: 'mine' },
  ]);
});

it('a change that the state of its object forbids is in the audit log with the reason', async () => {
  const { send, listed, create } = audited();
  const id = await create();
  await createActionTypeStore(on.deps).change('award-reward', { enabled: false }, null);

  await send('POST', `/v1/campaigns/${id}/start`);

  const [refused] = await listed();
  expect(refused).toMatchObject({ status: 409, subject: id, detail: { refused: 'no-longer-configured' } });
});

it('reads are not in the audit log, nor are changes that were refused for their key, id or body', async () => {
  const { send, listed } = audited();

  await send('POST', '/v1/campaigns', { name: 'secret' });
  await send('POST', '/v1/campaigns/cmp_01jdyjm7sbfx2v4x0000000000/start');
  await on.api.server.inject({ method: 'POST', url: '/v1/campaigns', payload: someCampaign });
  await send('GET', '/v1/campaigns');

  expect(await listed()).toEqual([]);
});

it('previews and estimates are not in the audit log', async () => {
  const { send, listed, create } = audited();
  const id = await create();

  const requests = [
    await send('POST', '/v1/campaigns/preview', someCampaign),
    await send('POST', `/v1/campaigns/${id}/estimate`),
    await send('POST', '/v1/schedules/preview', { cron: '0 9 * * *' }),
  ];

  expect(requests.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200]);
  expect((await listed()).map(({ route }) => route)).toEqual(['/v1/campaigns']);
});

it('a repeat that is answered by its Idempotency-Key is not recorded twice', async () => {
  const { send, listed } = audited();

  await send('POST', '/v1/campaigns', someCampaign, { 'idempotency-key': 'k' });
  await send('POST', '/v1/campaigns', someCampaign, { 'idempotency-key': 'k' });

  expect(await listed()).toHaveLength(1);
});

it('the audit log never contains the body of a request', async () => {
  const { create, listed } = audited();

  await create();

  expect(JSON.stringify(await listed())).not.toContain('lapsed-riders');
});

it('a change is answered even if it cannot be recorded, and a log line then has the whole entry', async () => {
  const lines: string[] = [];
  const sink = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      lines.push(chunk.toString());
      done();
    },
  });
  const broken = {
    record: () => Promise.reject(new Error('no room')),
    list: () => Promise.reject(new Error('no room')),
  };
  const { create } = audited(await createApi({ ...on.deps, audit: broken, logger: pino(sink) }));

  const id = await create();

  const error = z.looseObject({ level: z.number(), msg: z.string() }).parse(JSON.parse(lines[0] ?? ''));
  expect(error).toMatchObject({
    level: 50,
    msg: 'could not record a change in the audit log',
    subject: id,
    status: 201,
  });
});

it('changes are listed by subject, key and time, page by page', async () => {
  const { send, listed, create } = audited();
  const [first, second] = [await create(), await create()];
  await on.passTime(60_000);
  await send('POST', `/v1/campaigns/${first}/start`);

  expect((await listed(`?subject=${second}`)).map(({ route }) => route)).toEqual(['/v1/campaigns']);
  expect(await listed(`?keyId=${publicId('apiKey', on.key)}`)).toHaveLength(3);
  expect(await listed(`?since=${on.deps.clock.now().toISOString()}`)).toHaveLength(1);
  expect(await listed(`?until=${on.deps.clock.now().toISOString()}&method=POST`)).toHaveLength(2);
  const page = await send('GET', '/v1/audit?limit=2');
  const { next } = pageShape(auditRecord).parse(page.json());
  expect((await listed(`?limit=2&cursor=${next ?? ''}`)).map(({ subject }) => subject)).toEqual([first]);
});

it.each([
  ['subject=', 200],
  ['keyId=17', 422],
  ['method=GET', 200],
  ['method=TRACE', 422],
  ['since=yesterday', 422],
  ['cursor=nonsense', 422],
  ['user=1', 422],
])('the audit log responds to the query ?%s with %i', async (query, status) => {
  const { send } = audited();

  expect((await send('GET', `/v1/audit?${query}`)).statusCode).toBe(status);
});
