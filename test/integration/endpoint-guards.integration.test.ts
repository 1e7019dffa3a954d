import type { Pool } from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll } from 'vitest';
import { createEndpointGuards, createGuardReader } from '../../shared/postgres/endpoint-guards.ts';
import { createHotPathPool } from '../../shared/postgres/pool.ts';
import { createRateShares } from '../../shared/postgres/rate-shares.ts';
import { describeEndpointGuards } from '../support/conformance/endpoint-guards.conformance.ts';
import { describeRateShares } from '../support/conformance/rate-shares.conformance.ts';
import { makeClockSettable, onSettableClock, setClock } from '../support/postgres-clock.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres-database.ts';

let database: TestDatabase;
let plain: Pool;
let pool: Pool;
let nowMs = Date.now();
beforeAll(async () => {
  database = await createTestDatabase();
  const logger = pino({ level: 'silent' });
  plain = createHotPathPool({ connectionString: database.url, applicationName: 'guards-test', logger });
  await makeClockSettable(plain);
  await setClock(plain, nowMs);
  const connectionString = onSettableClock(database.url);
  pool = createHotPathPool({ connectionString, applicationName: 'guards-test', logger });
});
afterAll(async () => {
  await Promise.all([pool.end(), plain.end()]);
  await database.drop();
});

/** Waits are compared to a tenth of a second: on a clock that goes on, a busy machine takes that long between two statements. */
async function passTime(ms: number): Promise<void> {
  nowMs += ms;
  await setClock(plain, nowMs);
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
