import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { runMuster } from '../../cli/test-muster.ts';
import { segmentPage } from '../../shared/contracts/endpoints/segmentation.ts';
import { compareUserIds } from '../../shared/domain/ids/user-id.ts';
import { startMariaDb, type MariaDb } from '../support/mariadb.ts';
import { createEmptyTestDatabase, type TestDatabase } from '../support/postgres-database.ts';
import { queryDatabase } from '../support/query-database.ts';
import { startConnectors, type ConnectorsTerms, type RunningConnectors } from '../support/running-connectors.ts';

/** Ids whose byte order differs from the order of collations and of UTF-16. */
const oddIds = [
  'B',
  'a',
  'ä',
  'z',
  'é',
  'e\u0301',
  'ｗｉｄｅ',
  '🎟️ ticket',
  'back\\slash',
  '\\N',
  "o'neill",
  '100%',
  ' two  words ',
];

const createTables = [
  'create table riders (id varchar(400) not null, country varchar(10) not null, rides int not null)',
  'create table doubles (id varchar(400), country varchar(10))',
  `insert into doubles values ('u1', 'SG'), ('u1', 'VN'), ('u2', 'SG'), ('u2', 'SG'), ('u3', 'VN')`,
  'create table broken (id varchar(400), country varchar(10))',
  `insert into broken values (null, 'SG'), ('u1', 'Singapore'), ('u2', null), ('u3', 'SG')`,
];

let store: TestDatabase;
let shop: TestDatabase;
let mariaDb: MariaDb;
let connectors: RunningConnectors[] = [];

beforeAll(async () => {
  [store, shop, mariaDb] = await Promise.all([createEmptyTestDatabase(), createEmptyTestDatabase(), startMariaDb()]);
  const quoted = oddIds.map((id) => `('${id.replaceAll("'", "''")}', 'ID', 1)`);
  const riders = Array.from(
    { length: 2500 },
    (_, i) => `('r${(i * 7919) % 10_000}', '${i % 5 === 0 ? 'VN' : 'SG'}', ${i})`,
  );
  const insert = (rows: readonly string[]) => `insert into riders values ${rows.join(', ')}`;
  await runInShop(...createTables, insert(quoted), insert(riders));
  await mariaDb.run(...createTables, insert(quoted.map((row) => row.replaceAll('\\', '\\\\'))), insert(riders));
});

afterEach(async () => {
  for (const each of connectors) await each.stop();
  connectors = [];
});

afterAll(async () => {
  await Promise.all([store.drop(), shop.drop(), mariaDb.end()]);
});

const runInShop = (...statements: string[]) => queryDatabase(shop.url, ...statements);

async function start(terms: Partial<ConnectorsTerms> & Pick<ConnectorsTerms, 'segments'>): Promise<RunningConnectors> {
  const running = await startConnectors({ storeUrl: store.url, shopUrl: shop.url, ...terms });
  connectors.push(running);
  return running;
}

const everybody = 'select id as user_id, country, rides from riders';

describe.each([
  { kind: 'Postgres', shopUrl: () => shop.url, slow: 'select 1 from pg_sleep(60)' },
  { kind: 'MariaDB', shopUrl: () => mariaDb.url, slow: 'select 1 from (select sleep(60)) s' },
])('a segment by SQL in $kind', ({ kind, shopUrl, slow }) => {
  const startHere = (segments: ConnectorsTerms['segments']) => start({ shopUrl: shopUrl(), segments });
  /** Each test has segments, and so snapshots, of its own. */
  const named = (name: string) => `${name}-${kind.toLowerCase()}`;

  it('gives the users of each country once, in the order of bytes', async () => {
    const riders = named('riders');
    const running = await startHere({ [riders]: everybody });
    const inSingapore = Array.from({ length: 2500 }, (_, i) => i)
      .filter((i) => i % 5 !== 0)
      .map((i) => `r${(i * 7919) % 10_000}`);
    expect(await running.read(riders, 'SG', 300)).toEqual(inSingapore.toSorted(compareUserIds));
    expect(await running.read(riders, 'VN', 300)).toHaveLength(500);
    expect(await running.read(riders, 'ID', 2)).toEqual(oddIds.toSorted(compareUserIds));
    expect(await running.read(riders, 'TH')).toEqual([]);
  });

  it('keeps the contract of segmentation services, as verified by check-endpoint', async () => {
    const running = await startHere({
      [named('first')]: everybody,
      [named('second')]: everybody,
      [named('third')]: everybody,
    });
    const args = ['check-endpoint', running.url, '--segmentation', '--segment', named('second')];
    const { code, out } = await runMuster(args, { environment: {} });
    expect(out).toContain('keeps the contract of segmentation services, as far as it was played\n');
    expect(out).not.toContain('maxLimit');
    expect(code).toBe(0);
  });

  it('lists countries and estimates once a snapshot has shown them', async () => {
    const riders = named('listed');
    const running = await startHere({ [riders]: { query: everybody, description: 'All of them' } });
    const list = async (query: Record<string, string>) => segmentPage.parse((await running.get('', query)).body);
    const unknown = { id: riders, name: riders, description: 'All of them', countries: null, estimate: null };
    expect(await list({ country: 'TH' })).toEqual({ segments: [unknown], next: null });
    await running.read(riders);
    const known = { ...unknown, countries: ['ID', 'SG', 'VN'] };
    expect(await list({})).toEqual({ segments: [{ ...known, estimate: 2500 + oddIds.length }], next: null });
    expect(await list({ country: 'SG', search: 'LISTED' })).toEqual({
      segments: [{ ...known, estimate: 2000 }],
      next: null,
    });
    expect(await list({ country: 'TH' })).toEqual({ segments: [], next: null });
  });

  it.each([
    ['without user_id', 'select id, country from riders', 'user_id', '; it has to return user_id and country'],
    ['without country', 'select id as user_id from riders', 'country', '; it has to return user_id and country'],
    ['of a table that does not exist', 'select user_id, country from nowhere', 'nowhere', ''],
    ['that is no SQL', 'select from where', '', ''],
  ])('refuses a query %s before a campaign can start', async (what, query, word, end) => {
    const id = named(`refused-${what.toLowerCase().replaceAll(/[^a-z]/g, '-')}`);
    const running = await startHere({ [id]: query });
    const { status, code, message } = await running.refusalOf(id);
    expect({ status, code }).toEqual({ status: 422, code: 'segment-refused' });
    expect(message).toContain(`segments.${id}.query is refused by the database "shop": `);
    expect(message).toContain(word);
    expect(message.endsWith(end)).toBe(true);
  });

  it('refuses users in several rows, and names them', async () => {
    const doubles = 'select id as user_id, country from doubles';
    const running = await startHere({
      [named('doubles')]: doubles,
      [named('firsts')]: { query: doubles, onDuplicates: 'first' },
    });
    expect(await running.refusalOf(named('doubles'))).toEqual({
      status: 422,
      code: 'segment-refused',
      message: `segments.${named('doubles')}.query returns rows that cannot be members: user_id "u1" is in SG and VN; user_id "u2" is in two rows of SG`,
    });
    expect(await running.read(named('firsts'), 'SG')).toEqual(['u1', 'u2']);
    expect(await running.read(named('firsts'), 'VN')).toEqual(['u3']);
  });

  it('refuses rows without a user id or a country', async () => {
    const query = 'select id as user_id, country from broken';
    const running = await startHere({ [named('broken')]: { query, onDuplicates: 'first' } });
    const { status, message } = await running.refusalOf(named('broken'));
    expect(status).toBe(422);
    for (const problem of [
      'a row has no user_id',
      'user_id "u1" has the country "Singapore", which has to be two capital letters',
      'user_id "u2" has no country',
    ])
      expect(message).toContain(problem);
  });

  it('ends a query that takes longer than its limit, and names the limit', async () => {
    const query = `select id as user_id, country from riders where exists (${slow})`;
    const running = await startHere({ [named('slow')]: { query, timeoutSeconds: 1 } });
    expect(await running.refusalOf(named('slow'))).toEqual({
      status: 503,
      code: 'segment-unavailable',
      message: `segments.${named('slow')}.query took longer than its timeoutSeconds (1)`,
    });
  });

  it('cannot change the database', async () => {
    const before =
      kind === 'Postgres'
        ? 'create function taken() returns text language sql as $$ delete from doubles returning id $$'
        : 'create function taken() returns text modifies sql data begin delete from doubles; return 1; end';
    await (kind === 'Postgres' ? runInShop(before) : mariaDb.run(before));
    const running = await startHere({ [named('writes')]: 'select taken() as user_id, country from riders' });
    const { status, message } = await running.refusalOf(named('writes'));
    expect(status).toBe(422);
    expect(message).toMatch(/read.only transaction/i);
  });
});

describe('the connectors’ port', () => {
  it('refuses a request that it cannot parse, and names the field', async () => {
    const running = await start({ segments: { riders: everybody } });
    const statusOf = async (path: string, query: Record<string, string>) => (await running.get(path, query)).status;
    expect(await running.get('/riders', { country: 'sg' })).toMatchObject({
      status: 400,
      body: { code: 'bad-query', message: 'country: has to be two capital letters' },
    });
    expect(await statusOf('/nobody', { country: 'SG' })).toBe(404);
    const snapshot = await running.snapshotOf('riders');
    expect(await statusOf('/riders/users', { country: 'SG', snapshot, limit: '5001' })).toBe(400);
    expect(await statusOf('/riders/users', { country: 'SG', snapshot: 'other', limit: '10' })).toBe(410);
    expect(await statusOf('/riders/users', { country: 'SG', snapshot, after: '\0' })).toBe(400);
    expect(await statusOf('/riders/members', { country: 'SG' })).toBe(404);
  });

  it('answers only requests with the configured Authorization header', async () => {
    const authorization = 'Bearer 0123456789abcdef';
    const running = await start({
      segments: { riders: everybody },
      environment: { CONNECTORS_AUTHORIZATION: authorization },
    });
    expect(await running.get('', {})).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
    const answers = await Promise.all(
      [authorization, `${authorization}0`].map((header) =>
        fetch(`${running.url}/v1/segments`, { headers: { authorization: header } }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 401]);
  });
});

describe('the connectors’ database', () => {
  it('may be the database of the engine, in which the connectors use only their own schema', async () => {
    const role = 'connectors_of_tests';
    const admin = new pg.Client({ connectionString: inject('databaseUrl') });
    await admin.connect();
    const own = await createEmptyTestDatabase();
    try {
      const url = new URL(own.url);
      [url.username, url.password] = [role, 'secret'];
      await admin.query(`drop role if exists ${role}; create role ${role} login password 'secret'`);
      const owner = new pg.Client({ connectionString: own.url });
      await owner.connect();
      await owner.query('revoke all on schema public from public');
      await expect(start({ storeUrl: url.href, segments: {} })).rejects.toThrow(
        /^DATABASE_URL: permission denied for database .*, and there is no schema connectors: run /,
      );
      await owner.query(`create schema connectors authorization ${role}`);
      await owner.end();
      const running = await start({ storeUrl: url.href, segments: { riders: everybody } });
      expect(await running.read('riders', 'VN')).toHaveLength(500);
    } finally {
      for (const each of connectors.splice(0)) await each.stop();
      await own.drop();
      await admin.query(`drop role ${role}`);
      await admin.end();
    }
  });
});
