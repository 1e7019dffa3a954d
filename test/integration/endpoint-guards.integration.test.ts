import type { Pool } from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll } from 'vitest';
import { createEndpointGuards, createGuardReader } from '../../shared/postgres/endpoint-guards.ts';
import { createHotPathPool } from '../../shared/postgres/pool.ts';
import { createRateShares } from '../../shared/postgres/rate-shares.ts';
import { describeEndpointGuards } from '../support/conformance/endpoint-guards.conformance.ts';
import { describeRateShares } from '../support/conformance/rate-shares.conformance.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres-database.ts';

let database: TestDatabase;
let pool: Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  const logger = pino({ level: 'silent' });
  pool = createHotPathPool({ connectionString: database.url, applicationName: 'guards-test', logger });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

/** The database's clock cannot be moved: everything that waits for a time is moved towards it instead. */
async function passTime(ms: number): Promise<void> {
  await pool.query(
    `update endpoint_guards set opened_at = opened_at - $1 * interval '1 ms', retry_at = retry_at - $1 * interval '1 ms',
       probe_until = probe_until - $1 * interval '1 ms', slow_start_at = slow_start_at - $1 * interval '1 ms'`,
    [ms],
  );
  await pool.query(`update endpoint_watchers set seen_at = seen_at - $1 * interval '1 ms'`, [ms]);
  await pool.query(`update rate_shares set until = until - $1 * interval '1 ms'`, [ms]);
}

describeEndpointGuards('on Postgres', async () => {
  await pool.query('truncate endpoint_guards, endpoint_watchers');
  return {
    guardsOf: (owner) => createEndpointGuards({ pool, owner }),
    reader: createGuardReader({ pool }),
    passTime,
  };
});

describeRateShares('on Postgres', async () => {
  await pool.query('truncate rate_shares');
  return { sharesOf: (owner) => createRateShares({ pool, owner }), passTime };
});
