import type { Pool } from 'pg';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/support/postgres-database.ts';
import { startTransactionPooler } from '../../../test/support/transaction-pooler.ts';
import { createAcceptPool, createHotPathPool, createPool, createUploadPool } from './pool.ts';
import { requireOwnSessions, requireWritable } from './right-server.ts';

const logger = pino({ level: 'silent' });

describe('the check of the server behind DATABASE_URL', () => {
  let database: TestDatabase;
  const pools: Pool[] = [];
  const open = (url: string, applicationName = 'right-server-test') => {
    const pool = createPool({ connectionString: url, applicationName, max: 4, logger });
    pools.push(pool);
    return pool;
  };
  beforeEach(async () => {
    database = await createTestDatabase();
  });
  afterEach(async () => {
    await Promise.all(pools.splice(0).map((pool) => pool.end()));
    await database.drop();
  });

  it('accepts a writable server with sessions of its own', async () => {
    const pool = open(database.url);
    await requireOwnSessions(pool);
    await requireWritable(pool);
  });

  it('rejects a pooler in transaction mode', async () => {
    const pooler = await startTransactionPooler(database.url);
    const pool = open(pooler.url);
    expect((await pool.query<{ n: number }>('select 1 as n')).rows).toEqual([{ n: 1 }]);
    await expect(requireOwnSessions(pool)).rejects.toThrow(
      'DATABASE_URL leads to a pooler that lends its connections by transaction (pool_mode=transaction): connect to',
    );
    await pool.end();
    pools.length = 0;
    await pooler.close();
  });

  it('accepts a pooler in session mode, where each session gets its settings by a statement', async () => {
    const settingsOf = async (pool: Pool) => {
      await requireOwnSessions(pool);
      const { rows } = await pool.query<{ setting: string }>(
        `select string_agg(name || '=' || setting, ' ' order by name) as setting from pg_settings
          where name in ('statement_timeout', 'idle_in_transaction_session_timeout', 'plan_cache_mode', 'jit',
            'enable_seqscan', 'enable_mergejoin')`,
      );
      return rows[0]?.setting;
    };
    for (const create of [createPool, createHotPathPool, createAcceptPool, createUploadPool]) {
      const [notified, requested] = [database.url, `${database.url}?pooler=session`].map((connectionString) => {
        const pool = create({ connectionString, applicationName: 'told', max: 3, logger });
        pools.push(pool);
        return settingsOf(pool);
      });
      expect(await requested, create.name).toBe(await notified);
      expect(await notified, create.name).toContain('idle_in_transaction_session_timeout=15000');
    }
  });

  it('rejects a read-only database, and closes idle connections to it', async () => {
    const pool = open(database.url);
    const idle = await Promise.all([pool.connect(), pool.connect(), pool.connect()]);
    for (const client of idle) client.release();
    await pool.query(`do $$ begin
      execute format('alter database %I set default_transaction_read_only = on', current_database());
    end $$`);
    // Open connections stay open.
    await requireWritable(pool);
    const other = open(database.url);
    const others = await Promise.all([other.connect(), other.connect()]);
    for (const client of others) client.release();
    await expect(requireWritable(other)).rejects.toThrow('the database may only be read');
    expect(other.totalCount).toBe(0);
  });
});
