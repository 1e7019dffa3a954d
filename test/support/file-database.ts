import type { Pool } from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll } from 'vitest';
import { createPool, type PoolDeps } from '../../shared/postgres/connection/pool.ts';
import { createTestDatabase, type TestDatabase } from './postgres-database.ts';
import { emptyTables } from './template-database.ts';

export interface FileDatabase {
  readonly url: string;
  /** Pool of the requested kind. */
  readonly pool: Pool;
  /** Opens another pool of any kind, which ends together with the database. */
  open(create: (deps: PoolDeps) => Pool, terms?: Partial<PoolDeps>): Pool;
  /** Resets all rows to those after the migration, in some milliseconds. */
  empty(): Promise<void>;
}

/**
 * Provides a migrated database for the test file that calls this at its top, and a pool on it. Both exist from
 * `beforeAll` to the last test:
 *
 *     const database = databaseForFile();
 *     beforeEach(() => database.empty());
 *     it('…', async () => { const store = createCampaignStore({ pool: database.pool }); … });
 */
export function databaseForFile(create: (deps: PoolDeps) => Pool = createPool): FileDatabase {
  let open: { database: TestDatabase; pools: [Pool, ...Pool[]] } | undefined;
  const opened = () => {
    if (open === undefined) throw new Error('the database of a test file is there from beforeAll on');
    return open;
  };
  const logger = pino({ level: 'silent' });

  beforeAll(async () => {
    const database = await createTestDatabase();
    open = { database, pools: [create({ connectionString: database.url, applicationName: 'a test file', logger })] };
  });
  afterAll(async () => {
    if (open === undefined) return;
    await Promise.all(open.pools.map((pool) => pool.end()));
    await open.database.drop();
  });

  return {
    get url() {
      return opened().database.url;
    },
    get pool() {
      return opened().pools[0];
    },
    open: (createOne, terms) => {
      const { database, pools } = opened();
      const pool = createOne({ connectionString: database.url, applicationName: 'a test file', logger, ...terms });
      pools.push(pool);
      return pool;
    },
    empty: async () => {
      await opened().pools[0].query(emptyTables);
    },
  };
}
