import pg from 'pg';

/**
 * Opens a pool on a database that a test drops afterwards. `end` resolves before the server has closed the sessions,
 * and the drop then ends them with an error. Without a listener, this error would fail whichever test runs at that
 * moment.
 */
export function openTestPool(config: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool(config);
  pool.on('error', () => undefined);
  return pool;
}
