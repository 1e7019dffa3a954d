import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { acceptedJob, jobResults } from '../../../../shared/contracts/jobs/jobs.ts';
import { clientShape } from '../../../../shared/contracts/jobs/clients.ts';
import { authorized } from '../../../../test/support/api-deps.ts';
import { apiOnPostgres } from '../../../../test/support/api-on-postgres.ts';
import { problem } from '../../frame/problems.contract.ts';

const on = apiOnPostgres();

function post(url: string, payload: unknown, headers: Record<string, string> = {}) {
  const type = { 'content-type': 'application/json' };
  const body = typeof payload === 'string' ? payload : JSON.stringify(payload);
  return on.api.server.inject({ method: 'POST', url, headers: { ...authorized, ...type, ...headers }, payload: body });
}

async function makeClient(definition: object = {}) {
  return clientShape.parse((await post('/v1/clients', { name: 'orders', ...definition })).json());
}

const someJob = { client: 'orders', url: 'https://shop.test/hook', body: { order: 17 } };
const now = '2026-01-01T00:00:00.000Z';
const stored = () => on.rowsOf('jobs');
const containing = (text: string): unknown => expect.stringContaining(text);

describe('scheduling a callback', () => {
  it('stores the job and answers with its id and due time', async () => {
    const client = await makeClient({ relevancySeconds: 60 });
    const response = await post('/v1/jobs', { ...someJob, dueAt: '2026-03-01T10:00:00+01:00', tags: ['a:b'] });

    expect(response.statusCode).toBe(201);
    const accepted = acceptedJob.parse(response.json());
    expect(accepted).toMatchObject({ clientId: client.id, dueAt: '2026-03-01T09:00:00.000Z', duplicate: false });
    expect(response.headers.location).toBe(accepted.links.self);
    expect(response.headers['content-security-policy']).toBe("default-src 'none';frame-ancestors 'none'");
    expect(response.headers['x-content-type-options']).toBe('nosniff');
    const [dueAt, expiresAt] = [new Date('2026-03-01T09:00:00Z'), new Date('2026-03-01T09:01:00Z')];
    expect(await stored()).toMatchObject([
      {
        due_at: dueAt,
        expires_at: expiresAt,
        method: 'POST',
        url: someJob.url,
        tags: ['a:b'],
        key: null,
        body: '{"order":17}',
        headers: '{"content-type":"application/json"}',
      },
    ]);
  });

  it.each([
    ...[null, false, true, 0, 17.5, [], {}].map((body) => [body, JSON.stringify(body), 'application/json'] as const),
    ['', '', 'text/plain; charset=utf-8'] as const,
    ['null', 'null', 'text/plain; charset=utf-8'] as const,
  ])('stores the body %j as text with the matching content type', async (body, text, type) => {
    await makeClient();
    const accepted = acceptedJob.parse((await post('/v1/jobs', { ...someJob, body })).json());
    expect(await stored()).toMatchObject([{ body: text, headers: JSON.stringify({ 'content-type': type }) }]);
    const read = await on.ask('GET', accepted.links.self);
    expect(read.json()).toMatchObject({ body: text });
  });

  it('stores no body if the request has none', async () => {
    await makeClient();
    await post('/v1/jobs', { client: 'orders', url: someJob.url });
    expect(await stored()).toMatchObject([{ body: null, headers: null }]);
  });

  it.each([
    [{}, now],
    [{ delaySeconds: 1.5 }, '2026-01-01T00:00:01.500Z'],
    [{ dueAt: '2020-01-01T00:00:00Z' }, now],
    [{ dueAt: '0001-01-01T00:00:00Z' }, now],
    [{ localTime: '2026-03-01T09:00', zone: 'Asia/Singapore' }, '2026-03-01T01:00:00.000Z'],
    // A local time that is skipped when clocks go forward means the next existing instant. A local time that occurs
    // twice when clocks go back means its first occurrence.
    [{ localTime: '2026-03-29T02:30:00', zone: 'Europe/Berlin' }, '2026-03-29T01:00:00.000Z'],
    [{ localTime: '2026-10-25T02:30:00', zone: 'Europe/Berlin' }, '2026-10-25T00:30:00.000Z'],
    [{ localTime: '2025-03-01T09:00:00', zone: 'Asia/Singapore' }, now],
  ])('sets the due time from %j', async (due, at) => {
    await makeClient();
    expect((await post('/v1/jobs', { ...someJob, ...due })).json()).toMatchObject({ dueAt: at });
  });

  it.each([
    [{ localTime: '2026-03-01T09:00:00' }, '/zone'],
    [{ zone: 'Asia/Singapore' }, '/zone'],
    [{ localTime: '2026-03-01T09:00:00', zone: 'Asia/Atlantis' }, '/zone'],
    [{ localTime: '2026-02-30T09:00:00', zone: 'Asia/Singapore' }, '/localTime'],
    [{ localTime: '2026-03-01T09:00:00Z', zone: 'Asia/Singapore' }, '/localTime'],
    [{ localTime: '2099-03-01T09:00:00', zone: 'Asia/Singapore' }, '/localTime'],
    [{ localTime: '2026-03-01T09:00:00', zone: 'Asia/Singapore', delaySeconds: 5 }, '/localTime'],
    [{ delaySeconds: 5, dueAt: now }, '/delaySeconds'],
  ])('is refused unless it has exactly one due time, which must exist in its zone: %j', async (due, pointer) => {
    await makeClient();
    const refused = await post('/v1/jobs', { ...someJob, ...due });
    expect([refused.statusCode, problem.parse(refused.json()).errors.map((error) => error.pointer)]).toEqual([
      422,
      [pointer],
    ]);
  });

  it('spreads jobs over jitterSeconds, and always gives the same key the same due time', async () => {
    await makeClient();
    const due = { dueAt: '2026-03-01T09:00:00Z', jitterSeconds: 3600, relevancySeconds: 60 };
    const jobs = Array.from({ length: 40 }, (_, index) => ({ ...someJob, ...due, idempotencyKey: `order-${index}` }));
    await post('/v1/jobs/bulk', { jobs });
    const rows = await on.pool.query<{ afterMs: number; lives: number }>(
      `select extract(epoch from due_at - '2026-03-01T09:00:00Z')::float8 * 1000 as "afterMs",
         extract(epoch from expires_at - due_at)::float8 as lives from jobs`,
    );
    const after = rows.rows.map(({ afterMs }) => afterMs);
    expect(new Set(after).size).toBe(40);
    expect(Math.min(...after)).toBeGreaterThanOrEqual(0);
    expect(Math.min(...after)).toBeLessThan(900_000);
    expect(Math.max(...after)).toBeLessThan(3_600_000);
    expect(Math.max(...after)).toBeGreaterThan(2_700_000);
    expect(new Set(rows.rows.map(({ lives }) => lives))).toEqual(new Set([60]));
  });

  it('stores the request as a template if requested, with the values for its calls', async () => {
    await makeClient();
    const keys = { idempotencyKey: 'order-17', orderingKey: 'merchant-3' };
    const body = { order: '{{key}}', of: '{{ orderingKey }}', try: '{{attempt}}' };
    const wanted = { ...someJob, ...keys, body, headers: { 'x-at': '{{scheduledFor}}' }, template: true };
    const { id } = acceptedJob.parse((await post('/v1/jobs', wanted)).json());
    const [row] = await stored();
    expect(JSON.parse(String(row?.['terms']))).toEqual({
      template: { form: 'json', values: { key: 'order-17', orderingKey: 'merchant-3' } },
    });
    const answer = await on.api.server.inject({ url: `/v1/jobs/${id}`, headers: authorized });
    expect(answer.json()).toMatchObject({ template: true, body: JSON.stringify(body) });
  });

  it('fills the Idempotency-Key header into a template, and requires valid JSON only for a JSON content type', async () => {
    await makeClient();
    const wanted = { ...someJob, body: 'order={{key}}&n={{attempt}}', template: true };
    expect((await post('/v1/jobs', wanted, { 'idempotency-key': 'order-17' })).statusCode).toBe(201);
    const asJson = { 'content-type': 'application/vnd.shop+json; charset=utf-8' };
    const refused = await post('/v1/jobs', { ...wanted, headers: asJson }, { 'idempotency-key': 'order-18' });
    expect(problem.parse(refused.json()).errors).toMatchObject([{ pointer: '/body', code: 'not-json' }]);
  });

  it('is refused if its template uses a name without a value', async () => {
    await makeClient();
    const wanted = { body: { a: '{{ordre}}', b: '{{key}}' }, headers: { 'X-Group': 'of {{group}}' }, template: true };
    const refused = await post('/v1/jobs', { ...someJob, ...wanted });
    expect(refused.statusCode).toBe(422);
    expect(problem.parse(refused.json()).errors).toMatchObject([
      { pointer: '/headers/X-Group', code: 'no-value', detail: containing('"{{group}}" at character 4') },
      { pointer: '/body', code: 'unknown-name', detail: containing('"{{ordre}}" at character 7') },
      { pointer: '/body', code: 'no-value', detail: containing('the job has no idempotencyKey') },
    ]);
    expect((await post('/v1/jobs', { ...someJob, ...wanted, template: false })).statusCode).toBe(201);
  });

  it('is refused if its filled template could become too long', async () => {
    await makeClient();
    const idempotencyKey = 'k'.repeat(255);
    const long = { ...someJob, idempotencyKey, template: true };
    const body = '{{key}}'.repeat(258);
    expect(problem.parse((await post('/v1/jobs', { ...long, body })).json()).errors).toEqual([
      { pointer: '/body', code: 'too-long', detail: 'may have 65790 bytes once it is filled, at most 65536 are sent' },
    ]);
    const headers = Object.fromEntries([1, 2, 3].map((n) => [`x-${n}`, '{{key}}'.repeat(11)]));
    expect(problem.parse((await post('/v1/jobs', { ...long, headers })).json()).errors).toMatchObject([
      { pointer: '/headers', code: 'too-long', detail: containing('8424 bytes together') },
    ]);
  });

  it('accepts the id of the client as well as its name', async () => {
    const { id } = await makeClient();
    expect((await post('/v1/jobs', { ...someJob, client: id })).statusCode).toBe(201);
  });

  it('returns the same job for a repeat of its key, and refuses the key for another call', async () => {
    await makeClient();
    const keyed = { ...someJob, idempotencyKey: 'order-17' };
    const first = acceptedJob.parse((await post('/v1/jobs', keyed)).json());
    const again = await post('/v1/jobs', someJob, { 'idempotency-key': 'order-17' });
    expect(again.statusCode).toBe(200);
    expect(again.json()).toEqual({ ...first, duplicate: true });

    const other = await post('/v1/jobs', { ...keyed, url: 'https://shop.test/other' });
    expect(other.statusCode).toBe(422);
    expect(problem.parse(other.json()).errors).toMatchObject([
      { pointer: '/idempotencyKey', code: 'idempotency-key-reused' },
    ]);
    expect(await stored()).toHaveLength(1);
  });

  it('uses and checks the key in the header only if the body has no key', async () => {
    await makeClient();
    const header = { 'idempotency-key': 'two words' };
    const own = await post('/v1/jobs', { ...someJob, idempotencyKey: 'order-17' }, header);
    expect(own.statusCode, own.body).toBe(201);
    const refused = await post('/v1/jobs', someJob, header);
    expect(refused.statusCode).toBe(422);
    expect(problem.parse(refused.json()).errors).toMatchObject([
      { pointer: '/idempotency-key', code: 'invalid-value' },
    ]);
    expect(await stored()).toHaveLength(1);
  });

  it('returns an ended job for a repeat of its key, and refuses the key for another call, in single and bulk requests', async () => {
    await makeClient();
    const keyed = { ...someJob, idempotencyKey: 'order-17', headers: { 'X-Shop': 'a' } };
    const { id } = acceptedJob.parse((await post('/v1/jobs', keyed)).json());
    expect((await post(`/v1/jobs/${id}/cancel`, {})).json()).toMatchObject({ result: 'cancelled' });

    const others = [
      { ...keyed, body: { order: 18 } },
      { ...keyed, headers: { 'X-Shop': 'b' } },
    ];
    for (const other of others) {
      const response = await post('/v1/jobs', other);
      expect(response.statusCode).toBe(422);
      expect(problem.parse(response.json()).errors).toMatchObject([
        { pointer: '/idempotencyKey', code: 'idempotency-key-reused' },
      ]);
    }
    const repeat = await post('/v1/jobs', { ...keyed, headers: { 'x-shop': 'a' } });
    expect([repeat.statusCode, repeat.json()]).toMatchObject([200, { id, duplicate: true }]);

    const jobs = [...others, keyed].map(({ client: _client, ...rest }) => rest);
    const { results } = jobResults.parse((await post('/v1/jobs/bulk', { client: 'orders', jobs })).json());
    expect(results).toMatchObject([
      { status: 'refused', errors: [{ pointer: '/jobs/0/idempotencyKey', code: 'idempotency-key-reused' }] },
      { status: 'refused', errors: [{ pointer: '/jobs/1/idempotencyKey', code: 'idempotency-key-reused' }] },
      { status: 'duplicate', id },
    ]);
    expect(await stored()).toEqual([]);
  });

  it.each([
    ['/client', { client: 'nobody' }],
    ['/url', { url: 'ftp://shop.test/' }],
    ['/url', { url: 'https://user:secret@shop.test/' }],
    ['/dueAt', { dueAt: 'tomorrow' }],
    ['/dueAt', { dueAt: '2036-12-31T00:00:00Z' }],
    ['/delaySeconds', { dueAt: now, delaySeconds: 1 }],
    ['/headers/Host', { headers: { Host: 'other.test' } }],
    ['/headers/webhook-id', { headers: { 'webhook-id': 'x' } }],
    ['/headers/x-a', { headers: { 'x-a': 'a\r\nb: c' } }],
    ['/body', { body: 'x'.repeat(65_537) }],
    ['/body', { body: 'a\u0000b' }],
    ['/tags/0', { tags: ['two words'] }],
    ['/idempotencyKey', { idempotencyKey: 'ünïcødé' }],
    ['/retries', { retries: 3 }],
  ])('refuses invalid input: %s', async (pointer, changes) => {
    await makeClient();
    const response = await post('/v1/jobs', { ...someJob, ...changes });
    expect(response.statusCode).toBe(422);
    expect(problem.parse(response.json()).errors.map((error) => error.pointer)).toEqual([pointer]);
    expect(await stored()).toHaveLength(0);
  });

  it.each([
    ['http://169.254.169.254/latest', '169.254.169.254 is never called'],
    ['http://[64:ff9b::a9fe:a9fe]/', '64:ff9b::a9fe:a9fe is never called'],
    ['http://2130706433:8080/', '127.0.0.1 is none that the egress rules of the client "orders" may open'],
    ['http://localhost/', '127.0.0.1 is none that the egress rules of the client "orders" may open'],
  ])('is refused if its call could never be sent: %s', async (url, cause) => {
    await makeClient();
    const problems = [{ pointer: '/url', code: 'forbidden-address', detail: `"${url}" may not be called: ${cause}` }];
    const refused = await post('/v1/jobs', { ...someJob, url });
    expect([refused.statusCode, problem.parse(refused.json()).errors]).toEqual([422, problems]);
    const bulk = await post('/v1/jobs/bulk', { client: 'orders', jobs: [{ url }, { url: someJob.url }] });
    expect(jobResults.parse(bulk.json()).results).toMatchObject([
      { status: 'refused', errors: [{ pointer: '/jobs/0/url', code: 'forbidden-address' }] },
      { status: 'accepted' },
    ]);
    expect(await stored()).toHaveLength(1);
  });

  it('is checked against the current egress rules of its client', async () => {
    const { id } = await makeClient({ endpoint: { egress: { allow: [{ host: 'shop.test', port: 443 }] } } });
    const other = { ...someJob, url: 'https://other.test/hook' };
    expect((await post('/v1/jobs', someJob)).statusCode).toBe(201);
    expect((await post('/v1/jobs', other)).statusCode).toBe(422);
    expect((await on.ask('PATCH', `/v1/clients/${id}/endpoints/default`, { egress: null })).statusCode).toBe(200);
    expect((await post('/v1/jobs', other)).statusCode).toBe(201);
  });

  it('is refused as soon as a request to disable its client was answered', async () => {
    const { id } = await makeClient();
    await post(`/v1/clients/${id}/endpoints/default/disable`, { reason: 'calls in circles' });
    const refused = await post('/v1/jobs', someJob);
    expect(refused.statusCode).toBe(409);
    expect(problem.parse(refused.json())).toMatchObject({ code: 'client-disabled' });
    await post(`/v1/clients/${id}/endpoints/default/enable`, {});
    expect((await post('/v1/jobs', someJob)).statusCode).toBe(201);
  });

  it('is refused beyond the limits of its client, with the header Retry-After', async () => {
    await makeClient({ acceptPerSecond: 2, maxStoredJobs: 1000 });
    const statuses = [];
    for (let index = 0; index < 3; index++) statuses.push(await post('/v1/jobs', someJob));
    expect(statuses.map(({ statusCode }) => statusCode)).toEqual([201, 201, 429]);
    expect(statuses[2]?.headers['retry-after']).toBe('1');
  });

  it('is answered with a warning if its minute is already full', async () => {
    await makeClient({ endpoint: { publishRatePerSecond: 0.1 } });
    const warnings = [];
    for (let index = 0; index < 7; index++) {
      warnings.push(acceptedJob.parse((await post('/v1/jobs', { ...someJob, delaySeconds: 90 })).json()).warnings);
    }
    expect(warnings.map((each) => each.map(({ code }) => code))).toEqual([[], [], [], [], [], [], ['minute-full']]);
  });

  it('adds no entry to the audit log, because there may be thousands of requests a second', async () => {
    await makeClient();
    const before = await on.rowsOf('audit_log');
    await post('/v1/jobs', someJob);
    expect(await on.rowsOf('audit_log')).toHaveLength(before.length);
  });
});

describe('scheduling many callbacks in one request', () => {
  it('returns one result for each job: stored, duplicate, or refused with its problems', async () => {
    await makeClient();
    const { client: _client, ...rest } = someJob;
    const jobs = [
      { ...rest, idempotencyKey: 'a' },
      { ...rest, idempotencyKey: 'a' },
      { ...rest, url: 'nowhere' },
      { ...rest, client: 'nobody' },
      'no job',
      { ...rest, delaySeconds: 5 },
    ];
    const response = await post('/v1/jobs/bulk', { client: 'orders', jobs });
    expect(response.statusCode).toBe(200);
    const answer = jobResults.parse(response.json());
    expect(answer).toMatchObject({ accepted: 2, duplicates: 1, refused: 3, unknown: 0 });
    const outcomes = answer.results.map((each) => ('errors' in each ? each.errors[0]?.pointer : each.status));
    expect(outcomes).toEqual(['accepted', 'duplicate', '/jobs/2/url', '/jobs/3/client', '/jobs/4/url', 'accepted']);
    expect(await stored()).toHaveLength(2);
  });

  it('accepts at most 5,000 jobs', async () => {
    await makeClient();
    const jobs = Array.from({ length: 5000 }, () => ({ url: someJob.url }));
    expect((await post('/v1/jobs/bulk', { client: 'orders', jobs })).json()).toMatchObject({ accepted: 5000 });
    expect((await post('/v1/jobs/bulk', { client: 'orders', jobs: [...jobs, {}] })).statusCode).toBe(422);
    expect((await post('/v1/jobs/bulk', { client: 'orders', jobs: [] })).statusCode).toBe(422);
  });

  it('counts only newly stored jobs towards the limits of its client', async () => {
    await makeClient({ acceptPerSecond: 3 });
    const jobs = Array.from({ length: 5 }, () => ({ url: someJob.url }));
    const answer = jobResults.parse((await post('/v1/jobs/bulk', { client: 'orders', jobs })).json());
    expect(answer.results.map(({ status }) => status)).toEqual([
      ...['accepted', 'accepted', 'accepted'],
      ...['refused', 'refused'],
    ]);
  });
});

describe('lines of jobs', () => {
  const result = z.looseObject({ line: z.int(), status: z.string() });
  const send = async (lines: string) => {
    const response = await post('/v1/jobs/bulk?client=orders', lines, { 'content-type': 'application/x-ndjson' });
    expect(response.statusCode).toBe(200);
    return response.body
      .trimEnd()
      .split('\n')
      .map((line) => result.parse(JSON.parse(line)));
  };

  it('are stored as they arrive, and each gets a line with its result', async () => {
    await makeClient();
    const results = await send(`{"url":"https://a.test"}\n\nno json\r\n{"url":1}\n{"url":"https://b.test"}`);
    expect(results.map(({ line, status }) => [line, status])).toEqual([
      [1, 'accepted'],
      [3, 'refused'],
      [4, 'refused'],
      [5, 'accepted'],
    ]);
    expect(results[2]).toMatchObject({ errors: [{ pointer: '/url' }] });
  });

  it('may be more jobs than a single request allows', async () => {
    await makeClient();
    const results = await send(`${JSON.stringify({ url: someJob.url })}\n`.repeat(6203));
    expect(results).toHaveLength(6203);
    expect(results.map(({ line }) => line)).toEqual(results.map((_, index) => index + 1));
    expect(await stored()).toHaveLength(6203);
  });
});

describe('the trace of the caller that schedules a job', () => {
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
  const termsOf = async () => (await stored()).map(({ terms }) => z.string().nullable().parse(terms));
  const traceOfJob = async (id: string) => {
    const answer = await on.api.server.inject({ method: 'GET', url: `/v1/jobs/${id}`, headers: authorized });
    return z.object({ traceId: z.string().optional() }).parse(answer.json()).traceId;
  };

  it('is stored and shown with the job, but is not compared when the job’s key is repeated', async () => {
    await makeClient();
    const job = { ...someJob, idempotencyKey: 'order-17' };
    const { id } = acceptedJob.parse((await post('/v1/jobs', job, { traceparent, tracestate: 'rojo=1' })).json());
    expect(await termsOf()).toEqual([`{"trace":{"parent":"${traceparent}","state":"rojo=1"}}`]);
    expect(await traceOfJob(id)).toBe('4bf92f3577b34da6a3ce929d0e0e4736');
    const again = await post('/v1/jobs', job, { traceparent: traceparent.replace('4bf9', '5bf9') });
    expect(again.json()).toMatchObject({ id, duplicate: true });
  });

  it.each([
    [{}, null],
    [{ traceparent: 'nonsense' }, null],
    [{ traceparent: 'x'.repeat(4000), tracestate: 'a=1' }, null],
    [{ tracestate: 'a=1' }, null],
    [{ traceparent, tracestate: `a=${'x'.repeat(4000)}` }, `{"trace":{"parent":"${traceparent}"}}`],
    [{ traceparent, tracestate: 'no pair' }, `{"trace":{"parent":"${traceparent}"}}`],
  ])('is ignored without an error if it is invalid: %.60j', async (headers, terms) => {
    await makeClient();
    expect((await post('/v1/jobs', someJob, headers)).statusCode).toBe(201);
    expect(await termsOf()).toEqual([terms]);
  });
});
