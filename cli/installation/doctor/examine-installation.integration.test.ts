import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { expect, inject, test } from 'vitest';
import { v7 as uuidv7 } from 'uuid';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import { findFreePorts } from '../../../shared/infrastructure/free-ports.ts';
import { createPool } from '../../../shared/postgres/connection/pool.ts';
import { addApiKey } from '../../../shared/postgres/registry/add-api-key.ts';
import { createLogger } from '../../../shared/runtime/logger.ts';
import { noteSettings } from '../../../shared/postgres/registry/service-settings.ts';
import { migrate } from '../../../shared/postgres/connection/migrate.ts';
import { createEmptyTestDatabase } from '../../../test/support/postgres-database.ts';
import { createActionTypeStore } from '../../../services/api/action-types/postgres/action-type-store.ts';
import { actionTypeConfig } from '../../../shared/contracts/endpoints/action-type-config.ts';
import { secretPlace } from '../../../shared/runtime/installation/action-type-secrets.ts';
import { createSecretBox } from '../../../shared/runtime/configuration/secret-box.ts';
import { startTransactionPooler } from '../../../test/support/transaction-pooler.ts';
import { examineInstallation } from './examine-installation.ts';

test('muster doctor reports a missing schema and missing topics, and passes the schema after the migration', async () => {
  const database = await createEmptyTestDatabase();
  const environment = {
    DATABASE_URL: database.url,
    KAFKA_BROKERS: inject('kafkaBrokers'),
    MUSTER_TOPIC_PREFIX: `doctor-${randomBytes(4).toString('hex')}`,
    MUSTER_CONFIG: join(import.meta.dirname, '../../../deploy/examples/engine.json'),
  };
  const statesOf = async () =>
    Object.fromEntries((await examineInstallation(environment)).map(({ name, ok, fix }) => [name, ok ? 'ok' : fix]));

  expect(await statesOf()).toEqual({
    MUSTER_CONFIG: 'ok',
    secrets: 'ok',
    configuration: 'ok',
    sessions: 'ok',
    schema: 'muster migrate',
    values: 'ok',
    brokers: 'ok',
    topics: 'muster topics',
    endpoints: 'start what is called, or correct its url in MUSTER_CONFIG; then muster check-endpoint',
  });
  await migrate(database.url);
  expect(await statesOf()).toMatchObject({ schema: 'ok', clocks: 'ok', 'kept secrets': 'ok', installation: 'ok' });
  await database.drop();
});

test('muster doctor describes each of several Postgres servers and continues on the leader', async () => {
  const database = await createEmptyTestDatabase();
  await migrate(database.url);
  const { host } = new URL(database.url);
  const away = `127.0.0.1:${(await findFreePorts(1))[0] ?? 0}`;
  const checks = await examineInstallation({ DATABASE_URL: database.url.replace(host, `${away},${host}`) });
  const found = `${away} is away (connect ECONNREFUSED ${away}), ${host} leads`;
  expect(checks.find(({ name }) => name === 'servers')).toMatchObject({ ok: true, found });
  expect(checks.find(({ name }) => name === 'schema')).toMatchObject({ ok: true });
  const twice = await examineInstallation({ DATABASE_URL: database.url.replace(host, `${host},${host}`) });
  expect(twice.find(({ name }) => name === 'servers')).toMatchObject({
    ok: false,
    found: `${host} leads, ${host} leads`,
  });
  const alone = await examineInstallation({ DATABASE_URL: database.url });
  expect(alone.some(({ name }) => name === 'servers')).toBe(false);
  await database.drop();
});

test('muster doctor fails if the role may not create tables in the schema public', async () => {
  const database = await createEmptyTestDatabase();
  const server = new pg.Client({ connectionString: database.url });
  await server.connect();
  const role = `reader_${randomBytes(4).toString('hex')}`;
  await server.query(`create role ${role} login password 'secret'`);
  const url = new URL(database.url);
  Object.assign(url, { username: role, password: 'secret' });
  const sentence = `in the schema public of a database of its own, and the role ${role} may not create tables there`;
  const checks = await examineInstallation({ DATABASE_URL: url.href });
  const found = checks.find(({ name }) => name === 'schema');
  expect(found).toMatchObject({ ok: false });
  expect(found?.found).toContain(sentence);
  await expect(migrate(url.href)).rejects.toThrow(sentence);
  await server.query(`drop owned by ${role}; drop role ${role}`);
  await server.end();
  await database.drop();
});

test('muster doctor decrypts the stored secrets of action types', async () => {
  const database = await createEmptyTestDatabase();
  await migrate(database.url);
  const pool = createPool({
    connectionString: database.url,
    applicationName: 'test',
    max: 1,
    logger: createLogger('test', 'silent'),
  });
  const key = randomBytes(32);
  const config = actionTypeConfig.parse({ url: 'http://rewards.test/v1', class: 'A' });
  const { sealed } = createSecretBox([key]).seal('Bearer x', secretPlace('award-reward', 'authorization', config));
  const types = createActionTypeStore({ pool });
  await types.create('award-reward', { config, enabled: true, secrets: { authorization: sealed } });
  await pool.end();
  const keptWith = async (text: string) => {
    const checks = await examineInstallation({ DATABASE_URL: database.url, MUSTER_SECRETS_KEY: text });
    return checks.find(({ name }) => name === 'kept secrets');
  };

  expect(await keptWith(key.toString('base64'))).toMatchObject({ ok: true, found: 'all 1 open' });
  const other = await keptWith(randomBytes(32).toString('base64'));
  expect(other).toMatchObject({ ok: false });
  expect(other?.found).toContain('was sealed with another key');
  await database.drop();
});

test('muster doctor names the account that has nearly used up a quota', async () => {
  const database = await createEmptyTestDatabase();
  await migrate(database.url);
  const pool = createPool({
    connectionString: database.url,
    applicationName: 'test',
    max: 1,
    logger: createLogger('test', 'silent'),
  });
  const account = await addApiKey(pool, { name: 'a team', role: 'operator', digest: 'x' });
  for (let list = 0; list < 4; list++) {
    await pool.query(`insert into audiences (id, name, state, attempt, account) values ($1, 'x', 'ready', $1, $2)`, [
      ...[uuidv7(), account],
    ]);
  }
  await pool.end();
  const quotasWith = async (most: string) => {
    const checks = await examineInstallation({ DATABASE_URL: database.url, QUOTA_LISTS: most });
    return checks.find(({ name }) => name === 'quotas');
  };

  const whose = publicId('apiKey', account);
  expect(await quotasWith('5')).toMatchObject({ ok: false, found: `nearly used: lists of ${whose} 80 %` });
  expect(await quotasWith('6')).toMatchObject({ ok: true, found: `the nearest is lists of ${whose} 66 %` });
  await database.drop();
});

test('muster doctor names services whose value of a setting differs from the other services', async () => {
  const database = await createEmptyTestDatabase();
  await migrate(database.url);
  const pool = createPool({
    connectionString: database.url,
    applicationName: 'test',
    max: 1,
    logger: createLogger('test', 'silent'),
  });
  const settings = async (own?: string) => {
    const environment = { DATABASE_URL: database.url, ...(own && { QUOTA_OPEN_RUNS: own }) };
    return (await examineInstallation(environment)).find(({ name }) => name === 'settings');
  };
  await noteSettings(pool, 'api', { QUOTA_OPEN_RUNS: 1000 });
  await noteSettings(pool, 'scheduler', { QUOTA_OPEN_RUNS: 50 });
  const differ = 'QUOTA_OPEN_RUNS is 1000 in api, 50 in scheduler, 1000 in this command';
  expect(await settings()).toMatchObject({ ok: false, found: differ });
  await noteSettings(pool, 'scheduler', { QUOTA_OPEN_RUNS: 1000 });
  const agree = 'QUOTA_OPEN_RUNS: the same in api, scheduler, this command';
  expect(await settings()).toMatchObject({ ok: true, found: agree });
  expect(await settings('200')).toMatchObject({ ok: false });
  await pool.end();
  await database.drop();
});

test('muster doctor names processes with a wrong clock or wrong time zone data', async () => {
  const database = await createEmptyTestDatabase();
  await migrate(database.url);
  const pool = createPool({
    connectionString: database.url,
    applicationName: 'test',
    max: 1,
    logger: createLogger('test', 'silent'),
  });
  const processes = async () =>
    (await examineInstallation({ DATABASE_URL: database.url })).find(({ name }) => name === 'processes');
  const begin = (owner: string, zoneData: string, aheadMs: number | null) =>
    pool.query(
      `insert into processes (owner, service, version, region, node, zone_data, clock_offset_ms, clock_uncertainty_ms,
        expires_at)
      values ($1, 'worker', '0.1.0', 'sg', '24.1.0', $2, $3, 2, now() + interval '90 s')`,
      [owner, zoneData, aheadMs],
    );
  expect(await processes()).toMatchObject({ ok: true, found: 'none runs' });
  await begin('worker@new/0', '2026c', null);
  expect((await processes())?.found).toBe('1 run; their clocks are not known yet; zone data 2026c in all of them');
  await begin('worker@a/1', '2026c', 1);
  await begin('worker@b/2', '2026c', -3);
  expect(await processes()).toMatchObject({
    ok: true,
    found: "3 run; their clocks and the database's are at most 8 ms apart; zone data 2026c in all of them",
  });
  await begin('worker@late/3', '2025b', -4000);
  expect(await processes()).toMatchObject({
    ok: false,
    found:
      "the clock of worker@late in sg is 4000 ms behind the database's, to 2 ms; " +
      '1 of them (worker@late) go by zone data 2025b, 3 by 2026c',
  });
  await pool.end();
  await database.drop();
});

test('muster doctor names the transaction pooler behind DATABASE_URL', async () => {
  const database = await createEmptyTestDatabase();
  const pooler = await startTransactionPooler(database.url);
  const checks = await examineInstallation({ DATABASE_URL: pooler.url });
  await pooler.close();
  await database.drop();
  expect(checks).toMatchObject([{ name: 'sessions', ok: false }]);
  expect(checks[0]?.found).toContain('lends its connections by transaction');
});
