import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';
import { startStatementMeter, type StatementCost } from '../growth/statements.ts';

/** Counters of Postgres over a window of time. */
export interface Counted {
  seconds: number;
  commits: number;
  /** Bytes written to the write-ahead log. */
  logBytes: number;
  statements: readonly StatementCost[];
}

/** Delay until statistics are complete: Postgres publishes finished transactions about once a second. */
const statisticsDelayMs = 1500;

/** Waits for `windowMs` and counts what happens meanwhile. The meter's own queries are left out of the statements. */
export async function countWindow(databaseUrl: string, windowMs: number): Promise<Counted> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  const meter = await startStatementMeter(databaseUrl);
  const read = async () => {
    const { rows } = await client.query<{ commits: number; logBytes: number }>(`
      select xact_commit::float8 as commits,
        pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as "logBytes"
      from pg_stat_database where datname = current_database()`);
    return rows[0] ?? { commits: 0, logBytes: 0 };
  };
  try {
    await wait(statisticsDelayMs);
    const before = await read();
    await meter.reset();
    const startedAt = performance.now();
    await wait(windowMs);
    const statements = await meter.read();
    const seconds = (performance.now() - startedAt) / 1000;
    const after = await read();
    return {
      seconds,
      commits: after.commits - before.commits,
      logBytes: after.logBytes - before.logBytes,
      statements,
    };
  } finally {
    await meter.close();
    await client.end();
  }
}

export function callsIn({ statements }: Counted): number {
  return statements.reduce((sum, { calls }) => sum + calls, 0);
}
