import type { Pool } from 'pg';

/**
 * Sessions of this database that wait for a lock. Other test files use the same server at the same time. A test that
 * ends such a session passes a time to `pg_terminate_backend`, which then returns when the locks are released.
 */
export const lockWaits = `(select * from pg_stat_activity
  where datname = current_database() and pid in (select pid from pg_locks where not granted)) waits`;

/** Resolves when a session of this database waits for a lock. It polls instead of sleeping a fixed time. */
export const untilOneWaits = (pool: Pool): Promise<void> => untilSessionsWait(pool, 1);

/** Resolves when this many sessions of this database wait for locks. */
export async function untilSessionsWait(pool: Pool, sessions: number): Promise<void> {
  while (((await pool.query(`select from ${lockWaits}`)).rowCount ?? 0) < sessions);
}
