import type { Pool } from 'pg';
import { beforeAll } from 'vitest';
import { createEndpointGuards, createGuardReader } from '../../shared/postgres/registry/endpoint-guards.ts';
import { createHotPathPool } from '../../shared/postgres/connection/pool.ts';
import { createRateShares } from '../../shared/postgres/registry/rate-shares.ts';
import { describeEndpointGuards } from '../support/conformance/endpoint-guards.conformance.ts';
import { describeRateShares } from '../support/conformance/rate-shares.conformance.ts';
import { makeClockSettable, onSettableClock, setClock } from '../support/postgres-clock.ts';
import { databaseForFile } from '../support/file-database.ts';

/** Keeps the server's time. */
const database = databaseForFile(createHotPathPool);
let pool: Pool;
let nowMs = Date.now();
beforeAll(async () => {
  await makeClockSettable(database.pool);
  await setClock(database.pool, nowMs);
  pool = database.open(createHotPathPool, { connectionString: onSettableClock(database.url) });
});

/**
 * Moves the clock that the database uses. The real clock would not do: waits are compared to a tenth of a second, which
 * a busy machine may need between two statements.
 */
async function passTime(ms: number): Promise<void> {
  nowMs += ms;
  await setClock(database.pool, nowMs);
}

describeEndpointGuards('on Postgres', async () => {
  await database.empty();
  return {
    guardsOf: (owner) => createEndpointGuards({ pool, owner }),
    reader: createGuardReader({ pool }),
    passTime,
  };
});

describeRateShares('on Postgres', async () => {
  await database.empty();
  return { sharesOf: (owner) => createRateShares({ pool, owner }), passTime };
});
