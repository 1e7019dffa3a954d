import type { Pool } from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll } from 'vitest';
import { createDeadLetterStore } from '../../services/api/trouble/postgres/dead-letter-store.ts';
import { createLetterReplays } from '../../services/trigger/sweep/postgres/letter-replays.ts';
import { createDeadLetters } from '../../shared/postgres/dead-letters.ts';
import { createPool } from '../../shared/postgres/pool.ts';
import { describeDeadLetterDesk } from '../support/conformance/dead-letter-desk.conformance.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres-database.ts';

let database: TestDatabase;
let pool: Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  const logger = pino({ level: 'silent' });
  pool = createPool({ connectionString: database.url, applicationName: 'desk-test', logger });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

describeDeadLetterDesk('on Postgres', async () => {
  await pool.query('truncate dead_letters');
  return {
    deadLetters: createDeadLetters({ pool }),
    desk: createDeadLetterStore({ pool }),
    replays: createLetterReplays({ pool }),
  };
});
