import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../api/test-api.ts';
import { runMuster, type Sitting } from '../test-muster.ts';

let api: TestApi;
beforeEach(async () => {
  api = await startTestApi();
});
afterEach(() => api.stop());

const muster = (args: string[], sitting: Sitting = {}) => runMuster(args, { api, ...sitting });
const ok = (body: unknown) => ({ status: 200, body });

const key = {
  id: 'key_1',
  name: 'orders service',
  owner: 'team-orders',
  role: 'scheduler',
  state: 'active',
  revision: 1,
  bounds: { jobsPerSecond: null as number | null, storedJobs: null as number | null, requestsPerMinute: null },
  scope: { clients: ['orders'], countries: null, actionTypes: [], users: false },
  createdAt: '2026-11-01T00:00:00.000Z',
  createdBy: null,
  expiresAt: '2027-06-01T00:00:00.000Z',
  lastUsedAt: null,
  rotatedAt: null,
  formerUntil: null,
  revokedAt: null,
  refusals: null,
  sessions: 2,
  links: { self: '/v1/api-keys/key_1' },
};

test('muster quotas prints the use of each quota of the account, with byte counts in readable units', async () => {
  api.answers['GET /v1/quotas'] = ok({
    account: 'key_1',
    items: [
      { name: 'lists', used: 812, limit: 1000 },
      { name: 'listBytes', used: 3 * 1024 ** 2, limit: 65_536 * 1024 ** 2 },
    ],
  });
  const { out } = await muster(['quotas']);
  expect(out).toMatch(/lists +812 +1,000 +81 %/);
  expect(out).toMatch(/listBytes +3 MiB +65,536 MiB +0 %/);
});

describe('muster api-keys', () => {
  test('list prints the owner, scope, expiry and last use of each key', async () => {
    api.answers['GET /v1/api-keys?limit=50'] = ok({ items: [key], next: null });
    const { out } = await muster(['api-keys', 'list']);
    expect(out).toMatch(/orders service +key_1 +team-orders +scheduler +clients orders · actions none +active/);
    expect(out).toMatch(/2027-06-01.* +never +2/);
  });

  test('list and show print how often an expired key was refused, when last and from which address', async () => {
    const refusals = { count: 17, lastAt: '2026-11-24T10:30:00.000Z', lastFrom: '10.20.7.14' };
    const items = [{ ...key, state: 'expired', refusals }];
    api.answers['GET /v1/api-keys?limit=50&refused=true'] = ok({ items, next: null });
    api.answers['GET /v1/api-keys/key_1'] = ok(items[0]);
    expect((await muster(['api-keys', 'list', '--refused', 'true'])).out).toMatch(/expired.* 17\n/);
    const { out } = await muster(['api-keys', 'show', 'key_1']);
    expect(out).toMatch(/refused +17 times, last 2026-11-24.* from 10\.20\.7\.14/);
  });

  test('calls prints the requests of a key by day and by operation', async () => {
    api.answers['GET /v1/api-keys/key_1/calls'] = ok({
      days: [{ day: '2026-11-24', done: 1204, refused: 17, failed: 0 }],
      operations: [
        { operation: 'getRunReport', done: 1200, refused: 17, failed: 0, lastAt: '2026-11-24T10:30:00.000Z' },
        { operation: 'listRuns', done: 4, refused: 0, failed: 0, lastAt: '2026-11-24T09:30:00.000Z' },
      ],
    });
    const { out } = await muster(['api-keys', 'calls', 'key_1']);
    expect(out).toMatch(/2026-11-24 +1,204 +17/);
    expect(out).toMatch(/getRunReport +1,200 +17 +2026-11-24/);
    api.answers['GET /v1/api-keys/key_2/calls'] = ok({ days: [], operations: [] });
    expect((await muster(['api-keys', 'calls', 'key_2'])).out).toContain('no calls in eight days');
  });

  test('refused-people prints who could not sign in, why and how often', async () => {
    const ada = {
      issuer: 'https://login.test',
      subject: 'ada',
      name: 'ada@example.com',
      code: 'shut-out',
      count: 3,
      detail: 'ada@example.com is shut out of this installation',
      lastFrom: '10.20.7.14',
      keyId: 'key_1',
      firstAt: '2026-11-23T10:30:00.000Z',
      lastAt: '2026-11-24T10:30:00.000Z',
      isInAgain: false,
      mayBeLetIn: true,
    };
    api.answers['GET /v1/refused-people?limit=50'] = ok({ items: [ada] });
    const { out } = await muster(['api-keys', 'refused-people']);
    expect(out).toMatch(/ada@example\.com +shut-out +3 +2026-11-24.* +10\.20\.7\.14 +key_1/);
  });

  test('create, list and show print the rate and storage limits of a key', async () => {
    const bounded = { ...key, bounds: { jobsPerSecond: 200, storedJobs: 500_000, requestsPerMinute: null } };
    api.answers['POST /v1/api-keys'] = { status: 201, body: { key: bounded, secret: 'mk_1_x' } };
    api.answers['GET /v1/api-keys?limit=50'] = ok({ items: [bounded], next: null });
    api.answers['GET /v1/api-keys/key_1'] = ok(bounded);
    const args = ['api-keys', 'create', 'orders service', '--role', 'scheduler', '--client', 'orders'];
    const { notes } = await muster([...args, '--jobs-per-second', '200', '--stored-jobs', '500000']);
    expect(api.bodies.at(-1)).toMatchObject({ bounds: { jobsPerSecond: 200, storedJobs: 500_000 } });
    expect(notes).toContain('200 jobs/s · 500,000 jobs stored: keep it');
    expect((await muster(['api-keys', 'list'])).out).toContain('200 jobs/s · 500,000 jobs stored');
    expect((await muster(['api-keys', 'show', 'key_1'])).out).toMatch(/bounds +200 jobs\/s · 500,000 jobs stored/);
  });

  test('create --reads-users makes a key that can read the users in its scope', async () => {
    const reader = { ...key, scope: { clients: null, countries: ['SG'], actionTypes: null, users: true } };
    api.answers['POST /v1/api-keys'] = { status: 201, body: { key: reader, secret: 'mk_1_x' } };
    const { notes } = await muster([
      ...['api-keys', 'create', 'support desk', '--role', 'viewer', '--country', 'SG', '--reads-users'],
    ]);
    expect(api.bodies.at(-1)).toMatchObject({ scope: { countries: ['SG'], users: true } });
    expect(notes).toContain('countries SG · users of what it sees');
  });

  test('show prints the scope, creator and validity of a key', async () => {
    api.answers['GET /v1/api-keys/key_1'] = ok({ ...key, formerUntil: '2026-12-01T00:00:00.000Z' });
    const { out } = await muster(['api-keys', 'show', 'key_1']);
    for (const fact of ['clients orders · actions none', 'never', 'whoever has the database', 'is good until']) {
      expect(out).toContain(fact);
    }
  });

  test('create sends the scope of the key and prints only the secret on stdout', async () => {
    api.answers['POST /v1/api-keys'] = { status: 201, body: { key, secret: 'mk_1_secret' } };
    const { out, notes } = await muster([
      ...['api-keys', 'create', 'orders service', '--role', 'scheduler', '--owner', 'team-orders'],
      ...['--client', 'orders', '--client', 'billing', '--expires-at', '2027-06-01T00:00:00Z'],
    ]);
    expect(out).toBe('mk_1_secret\n');
    expect(notes).toContain('keep it, it is not shown again');
    expect(api.bodies.at(-1)).toEqual({
      name: 'orders service',
      role: 'scheduler',
      owner: 'team-orders',
      expiresAt: '2027-06-01T00:00:00Z',
      scope: { clients: ['orders', 'billing'] },
    });
  });

  test('create fails without --role', async () => {
    const { code, notes } = await muster(['api-keys', 'create', 'x']);
    expect(code).not.toBe(0);
    expect(notes).toContain('--role');
  });

  test('rotate prints how long the previous secret stays valid', async () => {
    const rotated = { ...key, formerUntil: '2026-12-01T00:00:00.000Z' };
    api.answers['POST /v1/api-keys/key_1/rotate'] = ok({ key: rotated, secret: 'mk_1_other' });
    const { out, notes } = await muster(['api-keys', 'rotate', 'key_1', '--overlap', '0']);
    expect(out).toBe('mk_1_other\n');
    expect(notes).toContain('2026-12-01');
    expect(api.bodies.at(-1)).toEqual({ overlapSeconds: 0 });
  });

  test('revoke reports that the key is refused from now on', async () => {
    api.answers['DELETE /v1/api-keys/key_1'] = ok({ ...key, state: 'revoked' });
    expect((await muster(['api-keys', 'revoke', 'key_1'])).notes).toBe('orders service is refused from now on\n');
  });
});
