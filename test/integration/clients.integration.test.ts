import type { Pool } from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll } from 'vitest';
import { createClientStore } from '../../services/api/clients/postgres/client-store.ts';
import { createClientSource } from '../../shared/postgres/clients.ts';
import { joinInstallation } from '../../shared/postgres/installation.ts';
import { createPool } from '../../shared/postgres/pool.ts';
import { describeClients } from '../support/conformance/clients.conformance.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres-database.ts';

let database: TestDatabase;
let pool: Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  const logger = pino({ level: 'silent' });
  pool = createPool({ connectionString: database.url, applicationName: 'clients-test', logger });
  await joinInstallation(pool, { actionTypes: {} }, { actionTypes: {}, partitionsPerShard: 1 });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

describeClients('on Postgres', async () => {
  await pool.query('truncate clients, client_keys');
  return { store: createClientStore({ pool }), source: createClientSource({ pool }) };
});
