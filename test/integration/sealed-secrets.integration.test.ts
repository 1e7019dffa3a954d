import { pino } from 'pino';
import { beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { callJob, type CallJobDeps } from '../../services/dispatcher/call/call-job.ts';
import { createReportInviter } from '../../services/dispatcher/call/report-inviter.ts';
import { createCallOpener } from '../../services/dispatcher/call/call-opener.ts';
import { createClientDirectory } from '../../services/dispatcher/client-directory.ts';
import { heldJobOf } from '../../services/dispatcher/jobs/held-job.ts';
import type { Callback, CallbackAnswer } from '../../services/dispatcher/ports/callback-endpoint.ts';
import { acceptedJob } from '../../shared/contracts/jobs/jobs.ts';
import { uuidOf } from '../../shared/domain/ids/ids.ts';
import { jobPartitionOf } from '../../shared/domain/job/job-ids.ts';
import { createSecretBox, type SecretBox } from '../../shared/runtime/configuration/secret-box.ts';
import { apiOnPostgres } from '../support/api-on-postgres.ts';
import { ledgerLeaseMs } from '../support/conformance/call-ledger.conformance.ts';
import { callLedgerOn } from '../support/postgres-call-ledger.ts';

const on = apiOnPostgres();
const secrets = { header: 'Bearer team-a-secret', query: 'query-secret-17', path: 'B024BE7L/path-secret-xyz' };

beforeEach(async () => {
  await on.ask('POST', '/v1/clients', { name: 'orders', endpoint: { retry: { strategy: 'fixed', attempts: 3 } } });
  await on.ask('POST', '/v1/clients', { name: 'chat', endpoint: { sealPaths: true } });
});

const url = `https://shop.test/hook?token=${secrets.query}&order=17`;
const headers = { authorization: secrets.header, accept: 'text/plain' };
const hook = `https://hooks.test/services/${secrets.path}`;

async function accept(job: object): Promise<string> {
  const accepted = acceptedJob.parse(
    (await on.ask('POST', '/v1/jobs', { client: 'orders', url, headers, ...job })).json(),
  );
  return uuidOf('job', accepted.id) ?? '';
}

/** Returns all rows of all tables, as text, that contain a text which must not be stored. */
async function leaks(): Promise<string[]> {
  const { rows: tables } = await on.pool.query<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class c where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace`,
  );
  expect(tables.length).toBeGreaterThan(40);
  const found: string[] = [];
  for (const { name } of tables) {
    const wanted = Object.values(secrets).map((secret) => `%${secret}%`);
    const { rows } = await on.pool.query<{ row: string }>(
      `select t::text as row from ${name} t where t::text like any($1)`,
      [wanted],
    );
    found.push(...rows.map(({ row }) => `${name}: ${row}`));
  }
  return found;
}

/** Claims, calls and records jobs like a dispatcher. Returns what the receiver was sent. */
async function callAll(
  answer: (call: Callback) => CallbackAnswer,
  secretBox = on.deps.config.secretBox,
  tokenAnswer: (call: Callback) => CallbackAnswer = () => expect.unreachable('no token is asked for'),
) {
  const calls: Callback[] = [];
  const tokenEndpoint = { call: (call: Callback) => Promise.resolve(tokenAnswer(call)) };
  const logger = pino({ level: 'silent' });
  const deps: CallJobDeps = {
    endpoint: {
      call: (call) => {
        calls.push(call);
        return Promise.resolve(answer(call));
      },
    },
    clients: createClientDirectory({ reader: on.deps.clients, secretBox, tokenEndpoint, clock: on.deps.clock, logger }),
    inviter: createReportInviter({ secretBox, publicAddress: undefined }),
    opener: createCallOpener({ secretBox, clock: on.deps.clock, logger }),
    refusalOf: () => null,
    isFirstHand: () => false,
    aliveUntilMs: () => Infinity,
    clock: on.deps.clock,
    random: () => 0.5,
  };
  const ledger = callLedgerOn(on.pool, 'a');
  const { rows } = await on.pool.query<{ id: string; us: string }>(
    `select id, (extract(epoch from due_at) * 1000000)::int8::text as us from jobs where due_at <= now() order by id`,
  );
  const keys = rows.map(({ id, us }) => ({ partition: jobPartitionOf(id), dueUs: Number(us), jobId: id }));
  const { claimed } = await ledger.flush({ results: [], claims: keys });
  const held = claimed.map((job) => heldJobOf(job, deps.clock.monotonicMs(), ledgerLeaseMs));
  const called = await Promise.all(held.map((job) => callJob(job, deps)));
  await ledger.flush({ results: called.map(({ job, verdict, note }) => ({ ...job, verdict, note })), claims: [] });
  return { calls, verdicts: called.map(({ verdict }) => verdict) };
}

const echo =
  (status: number) =>
  ({ path, headers: sent }: Callback): CallbackAnswer => ({
    kind: 'answered',
    status,
    retryAfterMs: null,
    body: Buffer.from(JSON.stringify({ path, sent })),
  });

it('no table contains a secret of a job in clear text, from acceptance to end, and the receiver gets the secret', async () => {
  const [id] = [await accept({ idempotencyKey: 'order-17' }), await accept({ client: 'chat', url: hook, headers: {} })];
  expect(await leaks()).toEqual([]);
  const retried = await callAll(echo(500));
  expect(retried.calls.map(({ path }) => path).sort()).toEqual([
    `/hook?token=${secrets.query}&order=17`,
    `/services/${secrets.path}`,
  ]);
  expect(retried.calls.flatMap((call) => call.headers)).toContain(secrets.header);
  expect(await leaks()).toEqual([]);

  await on.pool.query('update jobs set attempt = 9, due_at = now()');
  await callAll(echo(500));
  expect(await on.rowsOf('dead_jobs')).toHaveLength(2);
  expect(await leaks()).toEqual([]);

  const replayed = await on.ask('POST', '/v1/quarantine/jobs/replay', { client: 'orders' });
  expect(replayed.statusCode).toBeLessThan(300);
  const { calls, verdicts } = await callAll(echo(200));
  expect(verdicts).toEqual([{ kind: 'called' }]);
  expect(calls[0]).toMatchObject({ path: `/hook?token=${secrets.query}&order=17` });
  expect(await leaks()).toEqual([]);
  const repeat = await on.ask('POST', '/v1/jobs', { client: 'orders', url, headers, idempotencyKey: 'order-17' });
  expect(repeat.json()).toMatchObject({ duplicate: true });
  expect(uuidOf('job', acceptedJob.parse(repeat.json()).id)).toBe(id);
  const other = { client: 'orders', url, headers: { ...headers, authorization: 'x' }, idempotencyKey: 'order-17' };
  expect((await on.ask('POST', '/v1/jobs', other)).statusCode).toBe(422);
});

it('no table or response contains a secret of a schedule or of its jobs, and a change keeps the secret', async () => {
  const target = { client: 'orders', url, headers };
  const made = await on.ask('POST', '/v1/schedules', { name: 'hourly', everySeconds: 3600, target });
  const { id } = z.object({ id: z.string() }).parse(made.json());
  const displayed = {
    url: 'https://shop.test/hook?[sealed]',
    headers: { authorization: { set: true, length: secrets.header.length }, accept: 'text/plain' },
  };
  expect(made.json()).toMatchObject({ target: displayed });
  const patch = { target: { ...displayed, headers: { ...displayed.headers, 'x-shop': 'shop-7' }, method: 'PUT' } };
  const changed = await on.ask('PATCH', `/v1/schedules/${id}`, patch);
  expect(changed.json()).toMatchObject({
    target: { ...displayed, method: 'PUT', headers: { ...displayed.headers, 'x-shop': { set: true, length: 6 } } },
  });
  expect((await on.ask('POST', `/v1/schedules/${id}/run-now`)).statusCode).toBe(200);
  expect(await leaks()).toEqual([]);
  const { calls } = await callAll(echo(200));
  expect(calls[0]).toMatchObject({ method: 'PUT', path: `/hook?token=${secrets.query}&order=17` });
  expect(calls[0]?.headers).toEqual(expect.arrayContaining([secrets.header, 'shop-7', 'muster-schedule-id']));
  expect(await leaks()).toEqual([]);

  const moved = await on.ask('PATCH', `/v1/schedules/${id}`, { target: { url: 'https://else.test/hook' } });
  expect(moved.json()).toMatchObject({
    status: 422,
    errors: [
      { pointer: '/target/headers/authorization', code: 'secret-missing' },
      { pointer: '/target/headers/x-shop', code: 'secret-missing' },
    ],
  });
  const again = { url: 'https://else.test/hook', headers: { authorization: 'Bearer other', 'x-shop': null } };
  expect((await on.ask('PATCH', `/v1/schedules/${id}`, { target: again })).json()).toMatchObject({
    target: { url: again.url, headers: { authorization: { set: true, length: 12 } } },
  });
});

it.each([
  [{ kind: 'bearer', token: 'bearer-of-the-client' }, 'Bearer bearer-of-the-client'],
  [{ kind: 'basic', username: 'shop', password: 'pass-of-the-client' }, 'Basic c2hvcDpwYXNzLW9mLXRoZS1jbGllbnQ='],
])('the credentials of a client are sent only to its origins and stored only sealed: %j', async (auth, header) => {
  await on.ask('PUT', '/v1/clients/orders/endpoints/default/auth', { ...auth, origins: ['https://shop.test'] });
  const body = { order: 17 };
  await accept({ headers: undefined, body, url: 'https://shop.test/hook' });
  await accept({ headers: undefined, body, url: 'https://shop.test:8443/hook' });
  await accept({ headers: { Authorization: 'Own of the job' }, body, url: 'https://shop.test/own' });
  await on.deps.clients.refresh();
  const { calls } = await callAll(echo(500));
  const sent = calls.map(({ origin, path, headers: all }) => {
    const at = all.indexOf('authorization');
    return [origin + path, at < 0 ? null : all[at + 1]];
  });
  expect(sent.sort()).toEqual([
    ['https://shop.test/hook', header],
    ['https://shop.test/own', 'Own of the job'],
    ['https://shop.test:8443/hook', null],
  ]);
  expect(await on.rowsOf('job_attempts')).toHaveLength(3);
  const stored = JSON.stringify(
    await Promise.all(['client_endpoints', 'jobs', 'job_attempts', 'audit_log'].map(on.rowsOf)),
  );
  for (const secret of ['-of-the-client', 'c2hvcDp', 'Own of the job']) expect(stored).not.toContain(secret);

  const { verdicts } = await callAgainWithout(createSecretBox([]));
  expect(verdicts).toEqual([{ kind: 'released', delayMs: expect.any(Number) as number }]);
});

const oauth2 = { kind: 'oauth2', origins: ['https://shop.test'], tokenUrl: 'https://id.test/token', clientId: 'shop' };

it('access tokens and client credentials are used for calls and stored nowhere in clear text', async () => {
  await on.ask('PUT', '/v1/clients/orders/endpoints/default/auth', { ...oauth2, clientSecret: 'secret-of-the-client' });
  const url = 'https://shop.test/hook';
  await accept({ headers: undefined, url });
  await accept({ headers: undefined, url });
  await on.deps.clients.refresh();
  const requested: Callback[] = [];
  const { calls } = await callAll(echo(500), undefined, (call) => {
    requested.push(call);
    const body = Buffer.from('{"access_token":"token-of-the-client","token_type":"bearer","expires_in":60}');
    return { kind: 'answered', status: 200, retryAfterMs: null, body };
  });
  expect(requested.map(({ origin, path }) => origin + path)).toEqual(['https://id.test/token']);
  expect(calls.map(({ headers: sent }) => sent[sent.indexOf('authorization') + 1])).toEqual([
    'Bearer token-of-the-client',
    'Bearer token-of-the-client',
  ]);
  const tables = ['client_endpoints', 'jobs', 'job_attempts', 'audit_log'];
  const stored = JSON.stringify(await Promise.all(tables.map(on.rowsOf)));
  expect(stored).not.toContain('-of-the-client');
});

it('jobs of a client wait without losing attempts while no access token is available, and other clients are called', async () => {
  await on.ask('PUT', '/v1/clients/orders/endpoints/default/auth', { ...oauth2, clientSecret: 'secret-of-the-client' });
  await accept({ headers: undefined, url: 'https://shop.test/hook' });
  await accept({ client: 'chat', headers: undefined, url: 'https://shop.test/other' });
  await on.deps.clients.refresh();
  const { calls, verdicts } = await callAll(echo(200), undefined, () => ({ kind: 'unanswered', cause: 'no answer' }));
  expect(calls.map(({ path }) => path)).toEqual(['/other']);
  expect(verdicts.map(({ kind }) => kind).sort()).toEqual(['called', 'released']);
  expect(await on.rowsOf('jobs')).toMatchObject([{ attempt: 1, sideline: null }]);
  expect(await on.rowsOf('job_attempts')).toEqual([]);
});

async function callAgainWithout(secretBox: SecretBox) {
  await on.pool.query(`delete from jobs where url <> 'https://shop.test/hook'`);
  await on.pool.query('update jobs set due_at = now()');
  return await callAll(() => expect.unreachable('nothing is called without it'), secretBox);
}

it('a job stored before sealing is still called, and its repeat is recognised', async () => {
  const id = await accept({ idempotencyKey: 'order-17' });
  const plain = JSON.stringify({ ...headers });
  await on.pool.query('update jobs set url = $2, headers = $3 where id = $1', [id, url, plain]);
  const repeat = await on.ask('POST', '/v1/jobs', { client: 'orders', url, headers, idempotencyKey: 'order-17' });
  expect(repeat.json()).toMatchObject({ duplicate: true });
  const view = await on.ask('GET', `/v1/jobs/${acceptedJob.parse(repeat.json()).id}`);
  expect(view.body).not.toContain(secrets.header);
  const { calls } = await callAll(echo(200));
  expect(calls[0]?.headers).toContain(secrets.header);
});
