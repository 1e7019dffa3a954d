import pg, { type Pool } from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  createEmptyTestDatabase,
  unusualDefaults,
  type TestDatabase,
} from '../../../../test/support/postgres-database.ts';
import { migrate, openForMigrations } from '../migrate.ts';
import { createAcceptPool, createHotPathPool, createPool, createUploadPool } from '../pool.ts';
import { checkRoundTrip } from '../round-trip.ts';
import { connectClient } from './servers.ts';
import { openTestPool } from '../../../../test/support/test-pool.ts';

const logger = pino({ level: 'silent' });

/** The settings from `pg_settings` as one text. */
const selectSettings = `
  select string_agg(name || '=' || setting, ' ' order by name) as settings from pg_settings
  where name in ('DateStyle', 'IntervalStyle', 'TimeZone', 'extra_float_digits', 'bytea_output', 'client_encoding',
    'search_path', 'array_nulls', 'standard_conforming_strings', 'default_transaction_isolation', 'lock_timeout',
    'idle_session_timeout')`;
const right =
  'DateStyle=ISO, YMD IntervalStyle=postgres TimeZone=UTC array_nulls=on bytea_output=hex client_encoding=UTF8 ' +
  'default_transaction_isolation=read committed extra_float_digits=1 idle_session_timeout=0 lock_timeout=0 ' +
  'search_path=public standard_conforming_strings=on';
const settingsRows = z.tuple([z.object({ settings: z.string() })]);

describe('a session on a database with unusual defaults', () => {
  let database: TestDatabase;
  let host: string;
  beforeAll(async () => {
    database = await createEmptyTestDatabase();
    host = new URL(database.url).host;
    const name = new URL(database.url).pathname.slice(1);
    const server = new pg.Client({ connectionString: database.url });
    await server.connect();
    await server.query(unusualDefaults(name));
    await server.query(`create schema elsewhere; alter database ${name} set search_path = elsewhere, public`);
    await server.query(`alter database ${name} set client_encoding = 'LATIN1'`);
    await server.query(`alter database ${name} set lock_timeout = '1ms'`);
    await server.query(`alter database ${name} set idle_session_timeout = '1min'`);
    await server.end();
    await migrate(database.url);
  });
  afterAll(() => database.drop());

  const ways: [string, () => string][] = [
    ['directly', () => database.url],
    ['through a pooler in session mode', () => `${database.url}?pooler=session`],
    ['at one of several servers', () => database.url.replace(host, `${host},${host}`)],
    ['at one of several poolers', () => `${database.url.replace(host, `${host},${host}`)}?pooler=session`],
    ['with options of its own', () => `${database.url}?options=-c%20datestyle%3DGerman%20-c%20work_mem%3D8MB`],
  ];

  it.each(ways)("has Muster's settings in every kind of pool: %s", async (_, url) => {
    for (const create of [createPool, createHotPathPool, createAcceptPool, createUploadPool]) {
      const pool = create({ connectionString: url(), applicationName: 'settings', max: 1, logger });
      expect(settingsRows.parse((await pool.query(selectSettings)).rows)[0].settings, create.name).toBe(right);
      expect(await checkRoundTrip(pool)).toContain('come back as they were sent');
      await pool.end();
    }
  });

  it.each(ways)("has Muster's settings in a single connection and in migrations: %s", async (_, url) => {
    const client = await connectClient(url());
    expect(settingsRows.parse((await client.query(selectSettings)).rows)[0].settings).toBe(right);
    await client.end();
    const migrations = openForMigrations(url());
    const answer: unknown = await migrations.raw(selectSettings);
    await migrations.destroy();
    expect(z.object({ rows: settingsRows }).parse(answer).rows[0].settings).toBe(right);
  });

  it('keeps other startup options of the URL', async () => {
    const pool = createHotPathPool({
      connectionString: `${database.url}?options=-c%20work_mem%3D8MB`,
      applicationName: 'settings',
      max: 1,
      logger,
    });
    const select = `select current_setting('work_mem') as memory, current_setting('enable_seqscan') as scans`;
    expect((await pool.query(select)).rows).toEqual([{ memory: '8MB', scans: 'off' }]);
    await pool.end();
  });

  it('creates the tables in the schema public', async () => {
    const client = await connectClient(database.url);
    const select = `select distinct schemaname from pg_tables where tablename in ('jobs', 'campaigns', 'knex_migrations')`;
    expect((await client.query(select)).rows).toEqual([{ schemaname: 'public' }]);
    await client.end();
  });

  it.each([
    ['datestyle=SQL', 'a time'],
    ['timezone=Asia/Kathmandu', 'a time'],
    ['intervalstyle=sql_standard', 'an interval'],
    ['extra_float_digits=-15', 'a float'],
    ['search_path=elsewhere', 'the schema of tables'],
  ])("fails the doctor's round trip with %s", async (setting, kind) => {
    const pool: Pool = openTestPool({ connectionString: database.url, max: 1, options: `${relied} -c ${setting}` });
    await expect(checkRoundTrip(pool)).rejects.toThrow(`not as they were sent: ${kind}`);
    await pool.end();
  });
});

const relied =
  '-c datestyle=ISO -c intervalstyle=postgres -c timezone=UTC -c extra_float_digits=1 -c bytea_output=hex -c search_path=public';
