import type { Pool } from 'pg';

/**
 * Sessions that wait for a lock, of this database alone: other test files have theirs on the same server, at the same
 * time.
 */
export const lockWaits = `(select * from pg_stat_activity
  where datname = current_database() and pid in (select pid from pg_locks where not granted)) waits`;

/** Resolves when a session of this database waits for a lock: asked for, not slept for. */
export async function untilOneWaits(pool: Pool): Promise<void> {
  while ((await pool.query(`select from ${lockWaits}`)).rowCount === 0);
}
