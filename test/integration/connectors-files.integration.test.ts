import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { runMuster } from '../../cli/test-muster.ts';
import { createFilesSource } from '../../services/connectors/databases/files/files-source.ts';
import { SourceError } from '../../services/connectors/databases/source.port.ts';
import { compareUserIds } from '../../shared/domain/ids/user-id.ts';
import { collect } from '../support/collect.ts';
import { createEmptyTestDatabase, type TestDatabase } from '../support/postgres-database.ts';
import { startConnectors, type ConnectorsTerms, type RunningConnectors } from '../support/running-connectors.ts';

/** Ids whose byte order differs from the order of collations and of UTF-16. */
const oddIds = ['B', 'a', 'ä', 'z', 'ｗｉｄｅ', '🎟️ ticket', 'back\\slash', "o'neill", ' two  words '];

let store: TestDatabase;
let folder: string;
let outside: string;
let connectors: RunningConnectors[] = [];

beforeAll(async () => {
  [store, folder, outside] = await Promise.all([
    createEmptyTestDatabase(),
    mkdtemp(join(tmpdir(), 'muster-exports-')),
    mkdtemp(join(tmpdir(), 'muster-outside-')),
  ]);
  const header = 'id,country,rides\n';
  await writeFile(join(folder, 'odd.csv'), header + oddIds.map((id) => `"${id}",ID,1\n`).join(''));
  await writeFile(join(folder, 'doubles.csv'), `${header}u1,SG,1\nu1,VN,1\n`);
  await writeFile(join(folder, 'broken.csv'), `${header}u1,SG,1\n,SG,2\nu2,Singapore,3\n`);
  await writeFile(join(outside, 'secret.csv'), `${header}u1,SG,1\n`);
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  await connection.run(
    `copy (select 'r' || i as id, case when i % 5 = 0 then 'VN' else 'SG' end as country from range(5000) t(i))
     to '${folder}/riders.parquet'`,
  );
  connection.closeSync();
  instance.closeSync();
});

afterEach(async () => {
  for (const each of connectors) await each.stop();
  connectors = [];
});

afterAll(async () => {
  await Promise.all([store.drop(), rm(folder, { recursive: true }), rm(outside, { recursive: true })]);
});

async function start(segments: ConnectorsTerms['segments']): Promise<RunningConnectors> {
  const running = await startConnectors({ storeUrl: store.url, directory: folder, segments });
  connectors.push(running);
  return running;
}

const usersOf = (file: string) => `select id as user_id, country from '${folder}/${file}'`;

describe('a segment of files', () => {
  it('gives the users of Parquet and CSV files once, in the order of bytes', async () => {
    const running = await start({ riders: usersOf('riders.parquet'), odd: usersOf('odd.csv') });
    const expected = Array.from({ length: 5000 }, (_, i) => `r${i}`).filter((_, i) => i % 5 !== 0);
    expect(await running.read('riders', 'SG', 900)).toEqual(expected.toSorted(compareUserIds));
    expect(await running.read('riders', 'VN', 900)).toHaveLength(1000);
    expect(await running.read('odd', 'ID', 2)).toEqual(oddIds.toSorted(compareUserIds));
  });

  it('joins files, and computes with time', async () => {
    const query = `select r.id as user_id, 'SG' as country from '${folder}/riders.parquet' r
      join read_csv('${folder}/doubles.csv') d on r.id = 'r' || d.rides
      where now() - interval '90 days' < now() group by r.id`;
    const running = await start({ joined: query });
    expect(await running.read('joined')).toEqual(['r1']);
  });

  it('keeps the contract of segmentation services, as verified by check-endpoint', async () => {
    const running = await start({ first: usersOf('riders.parquet'), second: usersOf('odd.csv') });
    const args = ['check-endpoint', running.url, '--segmentation', '--segment', 'first'];
    const { code, out } = await runMuster(args, { environment: {} });
    expect(out).toContain('keeps the contract of segmentation services, as far as it was played\n');
    expect(code).toBe(0);
  });

  it('reads the files as they are when a snapshot is built', async () => {
    const running = await start({ grows: { query: usersOf('grows.csv'), reuseSeconds: 0 } });
    await writeFile(join(folder, 'grows.csv'), 'id,country\nu1,SG\n');
    expect(await running.read('grows')).toEqual(['u1']);
    await writeFile(join(folder, 'grows.csv'), 'id,country\nu1,SG\nu2,SG\n');
    expect(await running.read('grows')).toEqual(['u1', 'u2']);
  });

  it.each([
    ['of a file that does not exist', () => usersOf('nothing.csv'), /No files found/],
    ['without a country', () => `select id as user_id from '${folder}/odd.csv'`, /country.*; it has to return user_id/],
    ['of a file outside of the directory', () => `select * from '${outside}/secret.csv'`, /Cannot access file/],
    [
      'that leaves the directory',
      () => `select * from '${folder}/../${basename(outside)}/secret.csv'`,
      /Cannot access/,
    ],
    [
      'that writes a file',
      () => `select 1) q; copy (select 1) to '${folder}/written.csv'; select (1`,
      /multiple statements/,
    ],
    ['that reads the web', () => `select * from 'https://127.0.0.1:1/users.csv'`, /Cannot access file/],
    ['with a user in two countries', () => usersOf('doubles.csv'), /user_id "u1" is in SG and VN/],
    ['with rows that break a rule', () => usersOf('broken.csv'), /user_id "u2" has the country "Singapore"/],
  ])('refuses a query %s', async (what, query, cause) => {
    const id = what.replaceAll(' ', '-');
    const running = await start({ [id]: query() });
    const { status, code, message } = await running.refusalOf(id);
    expect({ status, code }).toEqual({ status: 422, code: 'segment-refused' });
    expect(message).toMatch(cause);
    expect(message).toContain(`segments.${id}.query`);
    expect(existsSync(join(folder, 'written.csv'))).toBe(false);
  });

  it('ends a query that takes longer than its limit, and names the limit', async () => {
    const slow = 'select sum(hash(a.range + b.range)) from range(1000000) a, range(1000000) b';
    const query = `select (${slow})::varchar as user_id, 'SG' as country`;
    const running = await start({ slow: { query, timeoutSeconds: 1 } });
    const { status, message } = await running.refusalOf('slow');
    expect(status).toBe(503);
    expect(message).toBe('segments.slow.query took longer than its timeoutSeconds (1)');
  });
});

describe('rows of files', () => {
  const query = `select lpad(range::varchar, 200, '0') as user_id, 'SG' as country from range(200000)`;

  it('are no longer read once their reader stops, and the stop never counts as their end', async () => {
    const source = createFilesSource({ directory: folder, memoryMb: 500, maxConnections: 1 });
    const stopping = new AbortController();
    const reading = (async () => {
      for await (const part of source.rows({ text: query, timeoutMs: 60_000 }, stopping.signal))
        if (part.length > 0) stopping.abort();
    })();
    await expect(reading).rejects.toBeInstanceOf(SourceError);
    // The only slot of the source is free again.
    const [first] = await collect(source.rows({ text: query, timeoutMs: 60_000 }, new AbortController().signal));
    expect(first?.[0]).toEqual({ userId: '0'.repeat(200), country: 'SG' });
    await source.close();
  });

  it('are found for users as attributes', async () => {
    const source = createFilesSource({ directory: folder, memoryMb: 500, maxConnections: 1 });
    const text = `select id as user_id, rides from '${folder}/doubles.csv' where country = 'SG' and id = any(:users)`;
    const found = await source.attributes({ text, timeoutMs: 10_000 }, ['u1', "o'neill"]);
    expect(found).toEqual(new Map([['u1', { user_id: 'u1', rides: 1n }]]));
    await source.close();
  });

  it('are sorted with temporary files if they do not fit into the memory', async () => {
    const source = createFilesSource({ directory: folder, memoryMb: 100, maxConnections: 1 });
    const large = `select lpad((range * 7919 % 500009)::varchar, 250, 'x') as user_id, 'SG' as country from range(500009)`;
    let rows = 0;
    let last = '';
    for await (const part of source.rows({ text: large, timeoutMs: 60_000 }, new AbortController().signal))
      for (const { userId } of part) {
        if (userId !== null && userId > last) rows++;
        last = userId ?? '';
      }
    expect(rows).toBe(500_009);
    await source.close();
  });
});
