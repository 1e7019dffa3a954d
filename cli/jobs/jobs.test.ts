import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { exitCodes } from '../frame/exit-codes.ts';
import { startTestApi, type TestApi } from '../api/test-api.ts';
import { runMuster } from '../test-muster.ts';

let api: TestApi;
beforeEach(async () => {
  api = await startTestApi();
});
afterEach(() => api.stop());

const muster = (args: string[], piped?: string) => runMuster(args, { api, piped });

const ok = (body: unknown, status = 200) => ({ status, body });
const at = '2026-12-01T09:00:00.000Z';
const accepted = {
  id: 'job_1',
  clientId: 'cli_1',
  dueAt: at,
  duplicate: false,
  warnings: [],
  links: { self: '/v1/jobs/job_1' },
};
const job = {
  id: 'job_1',
  clientId: 'cli_1',
  state: 'called',
  scheduledFor: at,
  dueAt: null,
  acceptedAt: at,
  expiresAt: null,
  endedAt: at,
  attempt: 2,
  method: 'POST',
  url: 'https://shop.test/hook',
  headers: null,
  body: null,
  cause: null,
  idempotencyKey: 'order-17',
  tags: ['eu'],
  scheduleId: null,
  repeats: null,
  retry: null,
  timeoutMs: null,
  finalCodes: null,
  template: false,
  reportWithinSeconds: null,
  sidelinedFor: null,
  endpoint: 'default',
  priority: 'high',
  attempts: [{ attempt: 1, at, status: 503, latencyMs: 12, error: 'http-503', answer: 'busy' }],
  links: { self: '/v1/jobs/job_1', client: '/v1/clients/cli_1' },
};

describe('muster jobs', () => {
  test('counts prints the jobs of each client by outcome, and their total', async () => {
    const none = { accepted: 0, called: 0, expired: 0, cancelled: 0, dead: 0, stored: 0 };
    const [first, second] = [
      { ...none, clientId: 'cli_1', accepted: 41_200, called: 40_000, stored: 1200 },
      { ...none, clientId: 'cli_2', accepted: 7, dead: 7 },
    ];
    const all = { ...none, accepted: 41_207, called: 40_000, dead: 7, stored: 1200 };
    api.answers['GET /v1/jobs/counts'] = ok({ asOf: at, ...all, clients: [first, second] });
    const { out } = await muster(['jobs', 'counts']);
    expect(out).toMatch(/cli_1 +41,200 +40,000 +0 +0 +0 +1,200/);
    expect(out).toMatch(/cli_2 +7 +0 +0 +0 +7 +0/);
    expect(out).toMatch(/all +41,207 +40,000 +0 +0 +7 +1,200/);
  });

  test('schedule sends the arguments as a job and prints its id', async () => {
    api.answers['POST /v1/jobs'] = ok(accepted, 201);
    const args = ['jobs', 'schedule', 'orders', 'https://shop.test/hook', '--at', at, '--body', '{"order":17}'];
    args.push('--key', 'order-17', '--tag', 'eu', '--tag', 'gold', '--priority', 'high');
    const { code, out, notes } = await muster(args);
    expect(code).toBe(exitCodes.ok);
    expect(out).toBe('job_1\n');
    expect(notes).toContain(at);
    const sent = { client: 'orders', url: 'https://shop.test/hook', dueAt: at, body: { order: 17 } };
    expect(api.bodies).toEqual([{ ...sent, idempotencyKey: 'order-17', tags: ['eu', 'gold'], priority: 'high' }]);
  });

  test.each([
    ['{"order":17}', { order: 17 }],
    ['[1]', [1]],
    ['null', null],
    ['false', false],
    ['0', 0],
    ['17.5', 17.5],
    ['12345678901234567890', '12345678901234567890'],
    ['1.0', '1.0'],
    ['"quoted"', '"quoted"'],
    ['{broken', '{broken'],
    ['', ''],
  ])('schedule sends the body %s as JSON if it is JSON, otherwise as text', async (text, body) => {
    api.answers['POST /v1/jobs'] = ok(accepted, 201);
    await muster(['jobs', 'schedule', 'orders', 'https://shop.test/hook', '--body', text]);
    expect(api.bodies).toEqual([{ client: 'orders', url: 'https://shop.test/hook', body }]);
  });

  test('send uploads lines and prints each refused line with its problem', async () => {
    const lines = [
      { line: 1, status: 'accepted', id: 'job_1' },
      { line: 2, status: 'refused', errors: [{ pointer: '/url', code: 'missing', detail: 'is missing' }] },
    ];
    const body = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    api.answers['POST /v1/jobs/bulk?client=orders'] = ok(body);
    const { code, out, notes } = await muster(['jobs', 'send', '-', '--client', 'orders'], '{"url":"x"}\n{}\n');
    expect(code).toBe(exitCodes.failure);
    expect(out).toBe('1 accepted, 0 known, 1 refused, 0 unknown\n');
    expect(notes).toContain('line 2: /url is missing');
    expect(api.bodies).toEqual(['{"url":"x"}\n{}\n']);
  });

  test('show prints the calls of a job with times to the second, and the responses of the receiver', async () => {
    api.answers['GET /v1/jobs/job_1'] = ok(job);
    const { out } = await muster(['jobs', 'show', 'job_1']);
    expect(out).toMatch(/call 1 .*:\d\d:\d\d UTC +503 in 12 ms\n +answer +busy\n/);
    expect(out).toMatch(/priority +high\n/);
    expect(JSON.parse((await muster(['--json', 'jobs', 'show', 'job_1'])).out)).toEqual(job);
  });

  test('list passes its filters to the API and prints the cursor of the next page', async () => {
    api.answers['GET /v1/jobs?client=orders&state=called&priority=low&limit=2'] = ok({ items: [job], next: 'abc' });
    const args = ['jobs', 'list', '--client', 'orders', '--state', 'called', '--priority', 'low', '--limit', '2'];
    const { out, notes } = await muster(args);
    expect(out).toContain('job_1');
    expect(notes).toContain('--cursor abc');
  });

  test('cancel prints the result for each job', async () => {
    api.answers['POST /v1/jobs/job_1/cancel'] = ok({ id: 'job_1', result: 'cancelled' });
    api.answers['POST /v1/jobs/job_2/cancel'] = ok({ id: 'job_2', result: 'too-late' });
    expect((await muster(['jobs', 'cancel', 'job_1', 'job_2'])).out).toBe('job_1 cancelled\njob_2 too-late\n');
  });

  test('reschedule and run-now change the due time of a job', async () => {
    const moved = { ...job, state: 'pending', dueAt: at, endedAt: null };
    api.answers['POST /v1/jobs/job_1/reschedule'] = ok(moved);
    api.answers['POST /v1/jobs/job_1/run-now'] = ok(moved);
    expect((await muster(['jobs', 'reschedule', 'job_1', '--in', '90'])).code).toBe(exitCodes.ok);
    expect(api.bodies).toEqual([{ delaySeconds: 90 }]);
    expect((await muster(['jobs', 'run-now', 'job_1'])).out).toBe(`job_1 pending, due ${at}\n`);
    expect((await muster(['jobs', 'reschedule', 'job_1', '--in', 'soon'])).code).toBe(exitCodes.usage);
    await muster(['jobs', 'reschedule', 'job_1', '--local', '2026-12-01T09:00', '--zone', 'Asia/Singapore']);
    expect(api.bodies.at(-1)).toEqual({ localTime: '2026-12-01T09:00', zone: 'Asia/Singapore' });
  });
});

describe('muster jobs for many jobs at once', () => {
  test('find, resend, cancel-list and reschedule-list read ids, or keys from a file, and print one line per job', async () => {
    const named = { id: 'job_1', idempotencyKey: 'order-17' };
    api.answers['POST /v1/jobs/find'] = ok({
      found: 1,
      results: [
        { id: 'job_1', job },
        { id: 'job_2', job: null },
      ],
    });
    api.answers['POST /v1/jobs/resend'] = ok({ sent: 1, results: [{ ...named, result: 'sent', jobId: 'job_9' }] });
    api.answers['POST /v1/jobs/cancel'] = ok({ cancelled: 0, results: [{ ...named, result: 'called' }] });
    api.answers['POST /v1/jobs/reschedule'] = ok({ rescheduled: 0, results: [{ ...named, result: 'too-late' }] });
    const found = await muster(['jobs', 'find', 'orders', 'job_1', 'job_2']);
    expect(found.out).toBe('job_1 job_1 called\njob_2 not-found\n');
    const resent = await muster(['jobs', 'resend', 'orders', '--keys', '--from', '-', '--in', '9'], 'order-17\n\n');
    expect(resent.out).toBe('order-17 sent job_9\n');
    expect((await muster(['jobs', 'cancel-list', 'orders', '--keys', 'order-17'])).out).toBe('order-17 called\n');
    await muster(['jobs', 'reschedule-list', 'orders', '--keys', 'order-17', '--at', at]);
    const keys = { client: 'orders', idempotencyKeys: ['order-17'] };
    expect(api.bodies).toEqual([
      { client: 'orders', ids: ['job_1', 'job_2'] },
      { ...keys, delaySeconds: 9 },
      keys,
      { ...keys, dueAt: at },
    ]);
    expect((await muster(['jobs', 'find', 'orders'])).code).toBe(exitCodes.usage);
  });

  test('cancel-all and reschedule-all start a change, and change prints its progress', async () => {
    const change = {
      id: 'jch_1',
      clientId: 'cli_1',
      verb: 'cancel',
      state: 'running',
      seen: 1500,
      changed: 1400,
      tooLate: 100,
      dueAt: null,
      createdAt: at,
      endedAt: null,
      links: { self: '/v1/jobs/changes/jch_1' },
    };
    api.answers['POST /v1/jobs/changes'] = ok(change, 202);
    api.answers['GET /v1/jobs/changes/jch_1'] = ok(change);
    expect((await muster(['jobs', 'cancel-all', 'orders', '--tag', 'eu'])).out).toBe('jch_1\n');
    await muster(['jobs', 'reschedule-all', 'orders', '--at', at]);
    expect(api.bodies).toEqual([
      { verb: 'cancel', client: 'orders', tag: 'eu' },
      { verb: 'reschedule', client: 'orders', dueAt: at },
    ]);
    const { out } = await muster(['jobs', 'change', 'jch_1']);
    expect(out).toBe('jch_1 running: 1,500 fitted, 1,400 cancelled, too late for 100\n');
  });
});

const endpoint = {
  name: 'default',
  clientId: 'cli_1',
  revision: 2,
  enabled: true,
  disabledReason: null,
  url: null,
  concurrency: 50,
  keys: [{ id: 'csk_1', createdAt: at, expiresAt: null }],
  warnings: [],
  createdAt: at,
  updatedAt: at,
};
const client = {
  id: 'cli_1',
  name: 'orders',
  revision: 2,
  maxSchedules: 10_000,
  endpoint,
  createdAt: at,
  updatedAt: at,
};

describe('muster clients', () => {
  test('create requires only a name and accepts fields', async () => {
    api.answers['POST /v1/clients'] = ok(client, 201);
    expect((await muster(['clients', 'create', 'orders'])).out).toBe('cli_1\n');
    await muster(['clients', 'create', 'orders', 'endpoint.concurrency=20']);
    expect(api.bodies).toEqual([{ name: 'orders' }, { name: 'orders', endpoint: { concurrency: 20 } }]);
  });

  test('set changes limits of a client by its name, and show prints its endpoint default too', async () => {
    api.answers['PATCH /v1/clients/orders'] = ok(client);
    api.answers['GET /v1/clients/orders'] = ok(client);
    expect((await muster(['clients', 'set', 'orders', 'maxSchedules=9'])).code).toBe(exitCodes.ok);
    expect(api.bodies).toEqual([{ maxSchedules: 9 }]);
    const { out } = await muster(['clients', 'show', 'orders']);
    expect(out).toMatch(/maxSchedules +10000\n/);
    expect(out).toMatch(/endpoint\.concurrency +50\n/);
  });

  test('delete removes a client, or prints why the API refused', async () => {
    api.answers['DELETE /v1/clients/orders'] = { status: 204, body: '' };
    expect((await muster(['clients', 'delete', 'orders'])).notes).toBe('orders is deleted\n');
    const problem = { type: 'urn:x', title: 'Conflict', status: 409, detail: 'it has 3 stored jobs', code: 'x' };
    api.answers['DELETE /v1/clients/orders'] = { status: 409, body: { ...problem, errors: [], requestId: 'r' } };
    const refused = await muster(['clients', 'delete', 'orders']);
    expect(refused.code).toBe(exitCodes.refused);
    expect(refused.notes).toContain('3 stored jobs');
  });

  test('ledger prints all sums, and fails if they do not add up', async () => {
    const ledger = {
      clientId: 'cli_1',
      asOf: at,
      accepted: 1500,
      called: 1000,
      expired: 1,
      cancelled: 2,
      dead: 3,
      sidelined: 4,
      pending: 490,
      waiting: 12,
      check: {
        at,
        stored: 494,
        counted: 493,
        partitions: 64,
        due: 2,
        oldestDueMs: 1500,
        blocked: 7,
        blockedKeys: 3,
        oldestBlockedMs: 12_000,
        openHosts: 1,
        difference: -1,
      },
      balanced: false,
    };
    api.answers['GET /v1/clients/orders/ledger'] = ok(ledger);
    const { code, out } = await muster(['clients', 'ledger', 'orders']);
    expect(code).toBe(exitCodes.failure);
    expect(out).toMatch(/accepted +1,500/);
    expect(out).toContain('does not balance: -1 jobs');
    expect(out).toContain(
      '2 due, the oldest for 2 s, 3 ordering keys with blocked jobs, for up to 12 s, 1 hosts with an open circuit',
    );
    expect(out).toContain('12 of these wait for others of their ordering key');
  });

  test('load prints the waiting jobs and the call rates against their limits, by endpoint and dispatcher', async () => {
    const lastTenMinutes = { calls: 26_400, callsPerSecond: 44, p95AtMostMs: 250 };
    const figures = {
      due: 430,
      lagMs: 600,
      sidelined: 400,
      callsPerSecond: 42.5,
      maxCallsPerSecond: 210,
      underWay: 14,
    };
    const all = { ...figures, lastTenMinutes };
    const endpoint = { endpoint: 'hooks', ...all, maxUnderWay: 64, circuitOpenSince: null };
    const own = {
      endpoint: 'default',
      ...all,
      due: 0,
      sidelined: 0,
      maxCallsPerSecond: null,
      maxUnderWay: 36,
      circuitOpenSince: null,
    };
    const dispatcher = { dispatcher: 'dispatcher@d1/1', region: 'sg', callsPerSecond: 42.5, underWay: 14 };
    const dispatchers = [
      { ...dispatcher, maxUnderWay: 16, credit: 86 },
      { ...dispatcher, dispatcher: 'dispatcher@d2/2', callsPerSecond: 0, underWay: 0, maxUnderWay: null, credit: 200 },
    ];
    const load = { clientId: 'cli_1', asOf: '', ...all, maxUnderWay: 100, estimated: true };
    api.answers['GET /v1/clients/orders/load'] = ok({ ...load, endpoints: [endpoint, own], dispatchers });
    const { out } = await muster(['clients', 'load', 'orders']);
    expect(out).toContain('at least 430 due, the oldest for 0.6 s, 400 sidelined; 42.5 of 210 calls/s');
    expect(out).toMatch(/hooks +430 +0\.6 s +400 +42\.5 of 210 +14 of 64/);
    expect(out).toMatch(/default +0 +42\.5 +14 of 36/);
    expect(out).toMatch(/dispatcher@d1\/1 +sg +42\.5 +14 of 16 +86/);
    expect(out).toMatch(/dispatcher@d2\/2 +sg +0 +0 +200/);

    api.answers['GET /v1/clients/orders/load'] = ok({ ...load, due: 0, endpoints: [own], dispatchers: [] });
    expect((await muster(['clients', 'load', 'orders'])).out).toContain('no dispatcher takes jobs now');
  });

  test('forecast and list print tables', async () => {
    const minute = { minute: at, calls: 600, callsPerSecond: 10, full: true };
    const peak = { minute: at, callsPerSecond: 10 };
    const facts = { clientId: 'cli_1', asOf: at, hours: 6, estimated: true, publishRatePerSecond: 5 };
    api.answers['GET /v1/clients/orders/forecast?hours=6'] = ok({ ...facts, peak, minutes: [minute] });
    expect((await muster(['clients', 'forecast', 'orders'])).out).toMatch(/600 +10 +full/);
    api.answers['GET /v1/clients?limit=50'] = ok({ items: [client], next: null });
    expect((await muster(['clients', 'list'])).out).toMatch(/orders +cli_1 +1 +enabled/);
  });
});

describe('muster endpoints', () => {
  test('add-key prints a generated secret once, or reads a secret from a file', async () => {
    const key = { id: 'csk_2', createdAt: at, expiresAt: null };
    api.answers['POST /v1/clients/orders/endpoints/default/keys'] = [
      ok({ key, secret: 'whsec_abc', endpoint }, 201),
      ok({ key, secret: null, endpoint }, 201),
    ];
    expect((await muster(['endpoints', 'add-key', 'orders'])).out).toBe('whsec_abc\n');
    const given = await muster(
      ['endpoints', 'add-key', 'orders', '--secret-file', '-', '--others-expire-in', '60'],
      'whsec_x\n',
    );
    expect(given.out).toBe('csk_2\n');
    expect(api.bodies[1]).toEqual({ secret: 'whsec_x', othersExpireInSeconds: 60 });
  });

  test('show and remove-key warn if the calls of an endpoint are not signed', async () => {
    const detail = 'its calls are not signed: POST /v1/clients/orders/endpoints/default/keys makes a key';
    const unsigned = { ...endpoint, keys: [], warnings: [{ pointer: '/keys', code: 'unsigned', detail }] };
    api.answers['GET /v1/clients/orders'] = ok({ ...client, endpoint: unsigned });
    api.answers['GET /v1/clients/orders/endpoints/billing'] = ok({ ...unsigned, name: 'billing' });
    api.answers['DELETE /v1/clients/orders/endpoints/default/keys/csk_1'] = ok(unsigned);
    const warning = /warning +its calls are not signed: `muster endpoints add-key orders\/default` makes a key\n/;
    expect((await muster(['clients', 'show', 'orders'])).out).toMatch(warning);
    expect((await muster(['endpoints', 'show', 'orders/billing'])).out).toMatch(warning);
    const removed = await muster(['endpoints', 'remove-key', 'orders', 'csk_1']);
    expect(removed.notes).toBe(
      'orders signs without csk_1\nits calls are not signed: `muster endpoints add-key orders/default` makes a key\n',
    );
  });

  test('address an endpoint as client/endpoint, and the endpoint default by the client alone', async () => {
    const path = '/v1/clients/orders/endpoints';
    api.answers[`POST ${path}`] = ok({ ...endpoint, name: 'billing' }, 201);
    api.answers[`PATCH ${path}/default`] = ok(endpoint);
    api.answers[`PATCH ${path}/billing`] = ok(endpoint);
    api.answers[`POST ${path}/default/disable`] = ok({ ...endpoint, enabled: false });
    api.answers[`POST ${path}/billing/enable`] = ok(endpoint);
    api.answers[`DELETE ${path}/billing`] = { status: 204, body: '' };
    for (const args of [
      ['create', 'orders/billing', 'url=https://billing.test'],
      ['set', 'orders', 'concurrency=9'],
      ['set', 'orders/billing', 'concurrency=null'],
      ['disable', 'orders', '--reason', 'loops'],
      ['enable', 'orders/billing'],
      ['delete', 'orders/billing'],
    ])
      expect((await muster(['endpoints', ...args])).code, args.join(' ')).toBe(exitCodes.ok);
    const made = { name: 'billing', url: 'https://billing.test' };
    expect(api.bodies).toEqual([made, { concurrency: 9 }, { concurrency: null }, { reason: 'loops' }]);
  });

  test('list prints a table of endpoints', async () => {
    api.answers['GET /v1/clients/orders/endpoints'] = ok({ items: [endpoint], next: null });
    expect((await muster(['endpoints', 'list', 'orders'])).out).toMatch(/default +enabled +1 .*of each job/);
  });
});
