import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { campaign } from '../../shared/contracts/campaigns/campaigns.ts';
import { migrate } from '../../shared/postgres/connection/migrate.ts';
import { pageShape } from './frame/pages.contract.ts';
import { problem } from './frame/problems.contract.ts';
import { logInLink, sessionShape } from '../../shared/contracts/access/sessions.ts';
import { runSummary } from '../../shared/contracts/runs/runs.ts';
import { stopService, type Service } from '../../shared/runtime/process/service.ts';
import {
  createEmptyTestDatabase,
  createTestDatabase,
  type TestDatabase,
} from '../../test/support/postgres-database.ts';
import { noMeter } from '../../shared/runtime/meter/no-meter.ts';
import { apiProcess } from './main.ts';

const key = 'muster_the-key-of-the-tests';
const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
const definition = {
  name: 'Lapsed riders',
  countries: ['SG'],
  audience: { include: [{ segment: 'lapsed-riders' }] },
  chain: [{ action: 'award-reward', params: { units: 2 } }],
  schedule: { type: 'at', time: '2999-12-01T09:00:00', zone: 'Asia/Singapore' },
};

let database: TestDatabase;
let folder: string;
let environment: Record<string, string>;
let api: Service & { url: string };

beforeAll(async () => {
  database = await createTestDatabase();
  folder = await mkdtemp(join(tmpdir(), 'muster-api-'));
  const config = join(folder, 'muster.json');
  const actionTypes = { 'award-reward': { url: 'http://rewards.test', class: 'A' } };
  await writeFile(
    config,
    JSON.stringify({ countries: ['SG'], segmentation: { url: 'http://segments.test' }, actionTypes }),
  );
  environment = {
    DATABASE_URL: database.url,
    MUSTER_CONFIG: config,
    MUSTER_BOOTSTRAP_API_KEY: key,
    API_PORT: '0',
    LOG_LEVEL: 'silent',
  };
  api = await apiProcess.prepare(environment).start({ meter: noMeter });
});

afterAll(async () => {
  await stopService(api);
  await stopService(api);
  await database.drop();
  await rm(folder, { recursive: true });
});

describe('the HTTP interface on a database that was not migrated', () => {
  it('answers 503 until the database is migrated, and then serves requests', async () => {
    const empty = await createEmptyTestDatabase();
    const other = await apiProcess.prepare({ ...environment, DATABASE_URL: empty.url }).start({ meter: noMeter });
    const statusOf = async (path: string) => (await fetch(`${other.url}${path}`, { headers })).status;
    try {
      expect(await statusOf('/readyz')).toBe(503);
      const refused = await fetch(`${other.url}/v1/campaigns`, { headers });
      expect(refused.status).toBe(503);
      expect(refused.headers.get('retry-after')).toBe('5');
      expect(problem.parse(await refused.json()).code).toBe('not-ready');
      expect(await statusOf('/healthz')).toBe(200);
      await migrate(empty.url);
      await expect.poll(() => statusOf('/v1/campaigns'), { timeout: 15_000 }).toBe(200);
    } finally {
      await stopService(other);
      await empty.drop();
    }
  });
});

describe('the HTTP interface on Postgres', () => {
  it('opens a session by a link that can be used once, accepts changes only with its CSRF token, and ends the session', async () => {
    const own = { origin: api.url, 'content-type': 'application/json' };
    const made = await fetch(`${api.url}/v1/session/links`, { method: 'POST', headers, body: '{}' });
    const { link } = logInLink.parse(await made.json());
    const logIn = () =>
      fetch(`${api.url}/v1/session`, { method: 'POST', headers: own, body: JSON.stringify({ link }) });
    const opened = await logIn();
    const { csrfToken, keyName, role } = sessionShape.parse(await opened.json());
    const cookie = (opened.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    const ask = async (method: string, path: string, more: Record<string, string> = {}) =>
      (await fetch(`${api.url}${path}`, { method, headers: { ...own, cookie, ...more } })).status;

    expect({ keyName, role, again: (await logIn()).status }).toEqual({
      keyName: 'bootstrap',
      role: 'operator',
      again: 401,
    });
    expect(await ask('GET', '/v1/campaigns/counts')).toBe(200);
    expect(await ask('DELETE', '/v1/session')).toBe(403);
    expect(await ask('DELETE', '/v1/session', { 'x-csrf-token': csrfToken ?? '' })).toBe(204);
    expect(await ask('GET', '/v1/campaigns/counts')).toBe(401);
  });

  it('is ready', async () => {
    expect((await fetch(`${api.url}/readyz`)).status).toBe(200);
  });

  it('creates a campaign once with an idempotency key, starts it, and lists it', async () => {
    const post = (path: string, body?: object) =>
      fetch(`${api.url}${path}`, {
        method: 'POST',
        headers: { ...headers, 'idempotency-key': 'once' },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });

    const first = campaign.parse(await (await post('/v1/campaigns', definition)).json());
    const again = campaign.parse(await (await post('/v1/campaigns', definition)).json());
    const reused = await post(first.links.start);
    const started = await fetch(`${api.url}${first.links.start}`, { method: 'POST', headers });

    expect(again).toEqual(first);
    expect(reused.status).toBe(422);
    expect(campaign.parse(await started.json())).toMatchObject({
      ...definition,
      state: 'scheduled',
      nextRunAt: '2999-12-01T01:00:00.000Z',
    });
    const listed = await fetch(`${api.url}/v1/campaigns`, { headers });
    expect(
      pageShape(campaign)
        .parse(await listed.json())
        .items.map(({ id }) => id),
    ).toEqual([first.id]);
    const runs = await fetch(`${api.url}${first.links.runs}`, { headers });
    expect(pageShape(runSummary).parse(await runs.json()).items).toEqual([]);
  });
});
