import type { Pool } from 'pg';

/**
 * Sessions that wait for a lock, of this database alone: other test files have theirs on the same server, at the same
 * time. A test that ends them passes a time to `pg_terminate_backend`, which then returns when their locks are gone.
 */
export const lockWaits = `(select * from pg_stat_activity
  where datname = current_database() and pid in (select pid from pg_locks where not granted)) waits`;

/** Resolves when a session of this database waits for a lock: asked for, not slept for. */
export const untilOneWaits = (pool: Pool): Promise<void> => untilSessionsWait(pool, 1);

/** Resolves when so many sessions of this database wait for locks. */
export async function untilSessionsWait(pool: Pool, sessions: number): Promise<void> {
  while (((await pool.query(`select from ${lockWaits}`)).rowCount ?? 0) < sessions);
}
