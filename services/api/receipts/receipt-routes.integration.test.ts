import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { receiptsAnswer } from '../../../shared/contracts/endpoints/receipts.ts';
import { runReport } from '../../../shared/contracts/runs/runs.ts';
import { requestKey } from '../../../shared/domain/step/batch.ts';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import { signWebhook, webhookKeyOf } from '../../../shared/domain/endpoint/standard-webhooks.ts';
import { authorized, receiptsSecret } from '../../../test/support/api-deps.ts';
import { apiOnPostgres } from '../../../test/support/api-on-postgres.ts';
import { claimOne, doneOf, record, startFedRun } from '../../../test/support/conformance/execution-subject.ts';
import { createPostgresExecutionStores } from '../../../test/support/postgres-execution-stores.ts';
import { problem } from '../frame/problems.contract.ts';

const on = apiOnPostgres();

let stores: ReturnType<typeof createPostgresExecutionStores>;
let runId: string;
let feedId: string;
let run: string;

const at = '2026-01-01T00:00:00.000Z';

/** Creates a run of one step that sends a message to u1, u2 and u3, who were all accepted. */
beforeEach(async () => {
  stores = createPostgresExecutionStores(on);
  const chain = [{ action: 'send-message', params: {} }];
  ({ runId, feedId } = await startFedRun(stores, [['=u2', 'u1', 'u3']], { chain }));
  run = publicId('run', runId);
  const ledger = stores.ledgerOf('a');
  await record(ledger, doneOf(await claimOne(ledger, { feedId, batchNo: 1, step: 1 })));
});

function send(body: unknown, headers: Record<string, string> = authorized, type = 'application/json') {
  const payload = typeof body === 'string' ? body : JSON.stringify(body);
  return on.api.server.inject({
    method: 'POST',
    url: '/v1/receipts',
    payload,
    headers: { ...headers, 'content-type': type },
  });
}

function signed(body: string, secret = receiptsSecret, changes: { seconds?: number; body?: string } = {}) {
  const key = webhookKeyOf(secret);
  if (!key) throw new Error('the secret is none');
  const timestamp = Math.floor(on.deps.clock.now().getTime() / 1000) + (changes.seconds ?? 0);
  const signature = signWebhook(key, 'msg_1', timestamp, Buffer.from(changes.body ?? body));
  return { 'webhook-id': 'msg_1', 'webhook-timestamp': String(timestamp), 'webhook-signature': signature };
}

const of = (user: string, status: string, more: object = {}) => ({ run, step: 1, user, status, at, ...more });
const get = (url: string, headers: Record<string, string> = {}) =>
  on.api.server.inject({ method: 'GET', url: `/v1/runs/${run}${url}`, headers: { ...authorized, ...headers } });
const report = async () => runReport.parse((await get('/report')).json());

describe('receipts over HTTP', () => {
  it('are not listed after their deletion, and the report keeps their counts', async () => {
    await send({ receipts: [of('u1', 'delivered')] });
    const [before] = (await report()).steps;
    await on.pool.query(`update runs set receipts_state = 'deleted', receipts_since = '2026-11-28T10:00:00Z'`);
    await on.pool.query('delete from receipts');
    const listed = await get('/receipts');
    expect(problem.parse(listed.json())).toMatchObject({
      status: 409,
      code: 'receipts-not-kept',
      detail: `the receipts of ${run} were deleted on 2026-11-28; its report keeps the figures`,
    });
    const kept = await report();
    expect(kept.receiptsDeletedAt).toBe('2026-11-28T10:00:00.000Z');
    expect(kept.steps[0]?.receipts).toEqual(before?.receipts);
    expect(kept.steps[0]?.receipts).toMatchObject({ delivered: 1 });
  });

  it('are refused before their body is read if it is long and signed with an unknown secret', async () => {
    const long = JSON.stringify({ receipts: [], padding: 'x'.repeat(512 * 1024) });
    const answer = async (body: string, headers: Record<string, string>) => {
      const response = await send(body, headers);
      return [response.statusCode, problem.parse(response.json()).code];
    };
    expect(await answer(long, signed(long))).toEqual([413, 'too-many-bytes']);
    expect(await answer(long, { ...signed(long), 'webhook-signature': 'v1,aaaa' })).toEqual([401, 'bad-signature']);
    expect(await answer(long, signed(long, receiptsSecret, { seconds: -301 }))).toEqual([401, 'bad-signature']);
  });

  it('may be longer if they state their action type, because only the secrets of this type are checked', async () => {
    const body = JSON.stringify({ receipts: [of('u1', 'delivered')], padding: 'x'.repeat(300 * 1024) });
    await on.ask('POST', '/v1/action-types', {
      name: 'send-mail',
      url: 'http://mail.test/',
      class: 'B',
      receipts: true,
    });
    const value = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
    expect((await on.ask('PUT', '/v1/action-types/send-mail/secrets/receipts', { value })).statusCode).toBe(200);
    await on.deps.registry.refresh();
    const to = (query: string) =>
      on.api.server.inject({
        method: 'POST',
        url: `/v1/receipts${query}`,
        payload: body,
        headers: { ...signed(body), 'content-type': 'application/json' },
      });
    expect((await to('')).statusCode).toBe(413);
    expect((await to('?actionType=send-message')).statusCode).toBe(202);
    expect((await to('?actionType=send-mail')).statusCode).toBe(401);
  });

  it('are stored and counted once, have a line in the report, and do not delay the end of the run', async () => {
    const receipts = [of('u1', 'delivered'), of('u1', 'delivered'), of('u3', 'undelivered', { code: 'no-device' })];
    const response = await send({ receipts });
    expect(response.statusCode).toBe(202);
    expect(receiptsAnswer.parse(response.json())).toEqual({ accepted: 3, unknown: 0, refused: 0, problems: [] });
    await send({ receipts });
    const { steps, countries, balanced } = await report();
    const receiptLine = { delivered: 1, undelivered: 1, unexpected: 0, awaiting: 1 };
    expect(steps[0]).toMatchObject({ succeeded: 3, pending: 0, receipts: receiptLine });
    expect(countries[0]?.steps[0]?.receipts).toEqual(receiptLine);
    expect(balanced).toBe(true);
  });

  it('are part of the progress only for action types that send them', async () => {
    const progress = (await get('/progress')).json<{ steps: object[] }>();
    expect(progress.steps[0]).toMatchObject({ receipts: { delivered: 0, undelivered: 0, awaiting: 3 } });
    const chain = [{ action: 'award-reward', params: {} }];
    run = publicId('run', (await startFedRun(stores, [['u1']], { chain })).runId);
    expect((await report()).steps[0]).not.toHaveProperty('receipts');
  });

  it.each([
    ['a list alone', 'application/json', (items: object[]) => JSON.stringify(items)],
    [
      'lines of JSON',
      'application/x-ndjson',
      (items: object[]) => items.map((item) => JSON.stringify(item)).join('\n'),
    ],
  ])('are also accepted as %s', async (_name, type, write) => {
    const response = await send(write([of('u1', 'delivered'), of('u3', 'delivered')]), authorized, type);
    expect(receiptsAnswer.parse(response.json())).toMatchObject({ accepted: 2, problems: [] });
  });

  it('may refer to the call by its Idempotency-Key', async () => {
    const receipt = { key: requestKey(feedId, 1, 1), user: 'u1', status: 'delivered', at };
    expect(receiptsAnswer.parse((await send({ receipts: [receipt] })).json()).accepted).toBe(1);
    expect((await report()).steps[0]?.receipts).toMatchObject({ delivered: 1 });
  });

  it('are listed in the answer if they are invalid or have unknown users, while all other receipts count', async () => {
    const receipts = [
      of('u1', 'delivered'),
      of('nobody', 'delivered'),
      of('u1', 'delivered', { run: publicId('run', '01938f1e-7c00-7000-8000-000000000001') }),
      of('u1', 'delivered', { run: 'r' }),
      of('u1', 'delivered', { step: 2 }),
      of('u1', 'lost'),
      of('u1', 'delivered', { at: 'today' }),
      of('u1', 'delivered', { at: '2026-01-02T00:00:00.001Z' }),
      of('u1', 'delivered', { at: '0000-01-01T00:00:00.000Z' }),
      of('a\u0000b', 'delivered'),
      { key: 'mine', user: 'u1', status: 'delivered', at },
      null,
    ];
    const answer = receiptsAnswer.parse((await send({ receipts })).json());
    expect(answer).toMatchObject({ accepted: 1, unknown: 5, refused: 6 });
    expect(answer.problems.map(({ index, code }) => `${index} ${code}`)).toEqual([
      '1 unknown-user',
      '2 unknown-run',
      '3 unknown-run',
      '4 unknown-step',
      '5 malformed',
      '6 malformed',
      '7 invalid-time',
      '8 invalid-time',
      '9 unknown-user',
      '10 invalid-key',
      '11 malformed',
    ]);
    expect(answer.problems.filter(({ code }) => code === 'malformed').map(({ detail }) => detail)).toEqual([
      '/status: has to be "delivered" or "undelivered", not "lost"',
      '/at: has to be a time such as 2026-12-01T09:00:00Z, not "today"',
      'has to be an object, not null',
    ]);
  });

  it.each<[number, string, string]>([
    [400, 'malformed-json', '{"receipts": ['],
    [400, 'malformed-json', '{"receipt": []}'],
    [413, 'too-many-receipts', JSON.stringify(Array.from({ length: 1001 }, () => ({})))],
  ])('are refused as a whole with %i %s', async (status, code, body) => {
    const response = await send(body);
    expect([response.statusCode, problem.parse(response.json()).code]).toEqual([status, code]);
  });

  it('have no entry in the audit log', async () => {
    await send({ receipts: [of('u1', 'delivered')] });
    expect(await on.rowsOf('audit_log')).toEqual([]);
  });
});

describe('the sender of receipts', () => {
  it('signs receipts with the secret of the action type, and needs no API key', async () => {
    const body = JSON.stringify({ receipts: [of('u1', 'delivered')] });
    const response = await send(body, signed(body));
    expect(response.statusCode).toBe(202);
    expect(receiptsAnswer.parse(response.json()).accepted).toBe(1);
  });

  it('can send receipts only for steps with that action type', async () => {
    const chain = [{ action: 'award-reward', params: {} }];
    const { runId: rewards } = await startFedRun(stores, [['u1']], { chain });
    const body = JSON.stringify({ receipts: [of('u1', 'delivered', { run: publicId('run', rewards) })] });
    const answer = receiptsAnswer.parse((await send(body, signed(body))).json());
    expect(answer.problems.map(({ code }) => code)).toEqual(['other-action-type']);
  });

  it('may sign with the secret set through the API or with the secret in the file', async () => {
    const set = 'whsec_BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB';
    const url = '/v1/action-types/send-message/secrets/receipts';
    const put = await on.api.server.inject({ method: 'PUT', url, headers: authorized, payload: { value: set } });
    expect([put.statusCode, put.body.includes(set)]).toEqual([200, false]);
    await on.deps.catalogue.refresh();
    const body = JSON.stringify({ receipts: [of('u1', 'delivered')] });
    expect((await send(body, signed(body, set))).statusCode).toBe(202);
    expect((await send(body, signed(body))).statusCode).toBe(202);
  });

  it.each<[string, (body: string) => Record<string, string>]>([
    ['nothing at all', () => ({})],
    ['a key that nobody knows', () => ({ authorization: 'Bearer muster_not-a-known-key' })],
    ['another secret', (body) => signed(body, 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA')],
    ['the signature of another body', (body) => signed(body, receiptsSecret, { body: `${body} ` })],
    ['a signature of long ago', (body) => signed(body, receiptsSecret, { seconds: -301 })],
  ])('is refused with %s', async (_name, headersOf) => {
    const body = JSON.stringify({ receipts: [of('u1', 'delivered')] });
    expect((await send(body, headersOf(body))).statusCode).toBe(401);
    expect((await report()).steps[0]?.receipts).toMatchObject({ delivered: 0 });
  });
});

describe('the list of receipts', () => {
  beforeEach(async () => {
    await send({
      receipts: [of('u1', 'delivered'), of('=u2', 'undelivered', { code: 'bounced' }), of('u3', 'undelivered')],
    });
  });

  it('has the undelivered users, in pages', async () => {
    const first = (await get('/receipts?status=undelivered&limit=1')).json<{ items: object[]; next: string }>();
    expect(first.items).toMatchObject([
      { userId: '=u2', step: 1, country: 'SG', status: 'undelivered', code: 'bounced', at },
    ]);
    const second = (await get(`/receipts?status=undelivered&limit=1&cursor=${first.next}`)).json<{ items: object[] }>();
    expect(second.items).toMatchObject([{ userId: 'u3', code: null }]);
  });

  it('is available as a file without formulas for spreadsheets', async () => {
    const response = await get('/receipts?status=undelivered', { accept: 'text/csv' });
    const [head, first] = response.body.split('\r\n');
    expect(head).toBe('userId,step,country,status,code,at,receivedAt');
    expect(first).toContain("'=u2,1,SG,undelivered,bounced,2026-01-01T00:00:00.000Z");
  });

  it('is refused for contradicting parameters and for an unknown run', async () => {
    expect((await get('/receipts?limit=1', { accept: 'text/csv' })).statusCode).toBe(422);
    expect((await get('/receipts?status=lost')).statusCode).toBe(422);
    run = 'run_01h455vb4pex5vsknk084sn02q';
    expect((await get('/receipts')).statusCode).toBe(404);
  });

  it('is part of the explanation of a user', async () => {
    const explained = (await get('/users/%3Du2')).json<{ steps: object[] }>();
    expect(explained.steps[0]).toMatchObject({
      outcome: 'succeeded',
      receipt: { status: 'undelivered', code: 'bounced', at },
    });
  });

  it('is marked as deleted in the explanation of a user', async () => {
    expect((await get('/users/%3Du2')).json()).toMatchObject({ receiptsDeletedAt: null });
    await on.pool.query(`update runs set receipts_state = 'deleted', receipts_since = '2026-11-28T10:00:00Z'`);
    await on.pool.query('delete from receipts');
    expect((await get('/users/%3Du2')).json()).toMatchObject({
      steps: [{ outcome: 'succeeded', receipt: null }],
      receiptsDeletedAt: '2026-11-28T10:00:00.000Z',
    });
  });

  it('documents the 409 for deleted receipts', async () => {
    const { body } = await on.api.server.inject({ method: 'GET', url: '/openapi.json' });
    const { paths } = listed.parse(JSON.parse(body));
    expect(Object.keys(paths['/v1/runs/{id}/receipts'].get.responses)).toContain('409');
  });
});

const listed = z.object({
  paths: z.object({
    '/v1/runs/{id}/receipts': z.object({ get: z.object({ responses: z.record(z.string(), z.unknown()) }) }),
  }),
});
