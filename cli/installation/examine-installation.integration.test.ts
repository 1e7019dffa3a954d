import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { expect, inject, test } from 'vitest';
import { migrate } from '../../shared/postgres/migrate.ts';
import { createEmptyTestDatabase } from '../../test/support/postgres-database.ts';
import { examineInstallation } from './examine-installation.ts';

test('a doctor misses the schema and the topics, and is content when the schema is there', async () => {
  const database = await createEmptyTestDatabase();
  const environment = {
    DATABASE_URL: database.url,
    KAFKA_BROKERS: inject('kafkaBrokers'),
    MUSTER_TOPIC_PREFIX: `doctor-${randomBytes(4).toString('hex')}`,
    MUSTER_CONFIG: join(import.meta.dirname, '../../deploy/examples/engine.json'),
  };
  const statesOf = async () =>
    Object.fromEntries((await examineInstallation(environment)).map(({ name, ok, fix }) => [name, ok ? 'ok' : fix]));

  expect(await statesOf()).toEqual({
    MUSTER_CONFIG: 'ok',
    secrets: 'ok',
    schema: 'muster migrate',
    topics: 'muster topics',
  });
  await migrate(database.url);
  expect(await statesOf()).toMatchObject({ schema: 'ok', installation: 'ok' });
  await database.drop();
});
