import type { Pool } from 'pg';
import { pino } from 'pino';
import { ensureConsoleBuilt } from '../../services/console/built-console.ts';
import { migrate } from '../../shared/postgres/connection/migrate.ts';
import { createPool } from '../../shared/postgres/connection/pool.ts';
import { withDescendants } from '../cpu.ts';
import { startOneApi, type Processes } from '../one-api.ts';
import { createDatabase } from '../own-database.ts';
import { startPostgresAlone } from '../postgres-alone.ts';
import { databaseSettings } from '../warm-database.ts';

/** One API process that serves the console, and the database behind it. */
export interface ConsoleUnderTest {
  readonly url: string;
  /** API key of an operator. */
  readonly apiKey: string;
  readonly pool: Pool;
  readonly databaseUrl: string;
  readonly processes: Processes;
}

const apiKey = 'muster_the-key-of-the-benchmark';

/** Starts a console with a database of its own, calls `run`, and stops both even if `run` fails. */
export async function withConsole<Answer>(run: (muster: ConsoleUnderTest) => Promise<Answer>): Promise<Answer> {
  await ensureConsoleBuilt();
  const postgres = await startPostgresAlone(databaseSettings);
  try {
    const database = await createDatabase(postgres.databaseUrl);
    await migrate(database.url);
    const logger = pino({ level: 'silent' });
    const pool = createPool({ connectionString: database.url, applicationName: 'bench', logger });
    const { api, url } = await startOneApi(database.url, { environment: { MUSTER_BOOTSTRAP_API_KEY: apiKey } });
    try {
      const processes = { api: () => [api.pid], postgres: () => withDescendants(postgres.pid()) };
      return await run({ url, apiKey, pool, databaseUrl: database.url, processes });
    } finally {
      await pool.end();
      await api.end('SIGTERM');
      await database.drop();
    }
  } finally {
    await postgres.stop();
  }
}
