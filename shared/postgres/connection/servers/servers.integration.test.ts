import pg, { type Pool } from 'pg';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findFreePorts } from '../../../infrastructure/free-ports.ts';
import { createEmptyTestDatabase, type TestDatabase } from '../../../../test/support/postgres-database.ts';
import { startTransactionPooler } from '../../../../test/support/transaction-pooler.ts';
import { parseDatabaseUrl } from '../../../runtime/configuration/database-url.ts';
import { createPool } from '../pool.ts';
import { createDatabase, dropDatabase } from '../databases.ts';
import { connectClient } from './servers.ts';
import { checkServers } from './check-servers.ts';

/** Several addresses of one server, and one of no server; settings of the database decide whether it is the leader. */
describe('the servers of a DATABASE_URL with several hosts', () => {
  let database: TestDatabase;
  let nobody: string;
  const pools: Pool[] = [];
  beforeEach(async () => {
    database = await createEmptyTestDatabase();
    nobody = `127.0.0.1:${(await findFreePorts(1))[0] ?? 0}`;
  });
  afterEach(async () => {
    await Promise.all(pools.splice(0).map((pool) => pool.end()));
    await database.drop();
  });

  const at = (...hosts: string[]) => database.url.replace(new URL(database.url).host, hosts.join(','));
  const there = () => new URL(database.url).host;
  const open = (connectionString: string) => {
    const pool = createPool({
      connectionString,
      applicationName: 'servers',
      max: 3,
      logger: pino({ level: 'silent' }),
    });
    pools.push(pool);
    return pool;
  };
  const mayBeRead = async (setting: 'on' | 'off') => {
    const client = await connectClient(database.url);
    const name = client.escapeIdentifier(client.database ?? '');
    await client.query('set default_transaction_read_only = off');
    await client.query(`alter database ${name} set default_transaction_read_only = ${setting}`);
    await client.end();
  };

  it('are tried until one answers, by pools and single connections', async () => {
    const url = at(nobody, there());
    const pool = open(url);
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => pool.query<{ name: string }>('select current_database() as name')),
    );
    expect(new Set(answers.map(({ rows }) => rows[0]?.name)).size).toBe(1);
    const client = await connectClient(url);
    expect((await client.query('select 1 as n')).rows).toEqual([{ n: 1 }]);
    await client.end();
  });

  it('are listed with their reasons if none is suitable', async () => {
    await mayBeRead('on');
    const reasons = `${nobody}: connect ECONNREFUSED ${nobody}; ${there()}: may only be read`;
    const reported = `no server in DATABASE_URL may be written to: ${reasons}`;
    await expect(open(at(nobody, there())).query('select 1')).rejects.toThrow(reported);
    await expect(connectClient(at(nobody, there()))).rejects.toThrow(reported);
    const primary = open(`${at(nobody, there())}?target_session_attrs=primary`);
    expect((await primary.query('select 1 as n')).rows).toEqual([{ n: 1 }]);
    await expect(checkServers(at(nobody, there()))).rejects.toThrow(
      `${nobody} is away (connect ECONNREFUSED ${nobody}), ${there()} may only be read`,
    );
  });

  it('are queried for their role behind a pooler that does not report it', async () => {
    const pooler = await startTransactionPooler(database.url, true);
    const { host } = new URL(pooler.url);
    const pool = open(at(nobody, host));
    expect((await pool.query('select 1 as n')).rows).toEqual([{ n: 1 }]);
    await mayBeRead('on');
    await expect(open(at(nobody, host)).query('select 1')).rejects.toThrow(`${host}: may only be read`);
    await Promise.all(pools.splice(0).map((opened) => opened.end()));
    await pooler.close();
  });

  it('are not tried one after another with a wrong password', async () => {
    const wrong = at(there(), nobody).replace(/:[^:@/]*@/, ':wrong@');
    await expect(open(wrong).query('select 1')).rejects.toMatchObject({ code: '28P01' });
    await expect(connectClient(wrong)).rejects.toMatchObject({ code: '28P01' });
  });

  it('lose their connections once they are read-only, and are used again later', async () => {
    const pool = open(at(nobody, there()));
    await pool.query('select 1');
    // Changed in this session, as a change of the server's configuration would in all sessions.
    await pool.query('set default_transaction_read_only = on');
    const pid = async () => (await pool.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid;
    await mayBeRead('on');
    await expect(pid()).rejects.toThrow('no server in DATABASE_URL may be written to');
    await mayBeRead('off');
    expect(await pid()).toBeTypeOf('number');
  });

  it('cause no extra query if the URL has one host', async () => {
    const pool = open(database.url);
    const client = await pool.connect();
    expect([pool.constructor, client.constructor]).toEqual([pg.Pool, pg.Client]);
    client.release();
    const [first] = parseDatabaseUrl('postgres://u:p@[::1]:6432/db').servers;
    const { host, port, database: name, user } = new pg.Client({ connectionString: first.url });
    expect([host, port, name, user]).toEqual(['::1', 6432, 'db', 'u']);
  });

  it('can be used to create a database', async () => {
    const name = `${new URL(database.url).pathname.slice(1)}_own`;
    const url = await createDatabase(at(nobody, there()), name);
    expect((await open(url).query<{ name: string }>('select current_database() as name')).rows).toEqual([{ name }]);
    await dropDatabase(at(nobody, there()), name);
  });
});
