import pg, { type Pool, type PoolClient } from 'pg';

/** Runs `work` in one transaction. An error rolls it back and is rethrown. */
export async function inTransaction<Result>(
  pool: Pool,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const result = await work(client);
    await client.query('commit');
    client.release();
    return result;
  } catch (error) {
    // Closing the connection ends the transaction too. A ROLLBACK could hang for ever on a lost one
    // (brianc/node-postgres#1454).
    client.release(error instanceof Error ? error : true);
    throw error;
  }
}

/** Postgres breaks a deadlock by failing one transaction; its second try no longer meets the other. */
const deadlockTries = 5;

/** @param work one transaction, which can be repeated from its beginning */
export async function retryingDeadlocks<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      const isDeadlock = error instanceof pg.DatabaseError && error.code === '40P01';
      if (!isDeadlock || tries === deadlockTries) throw error;
    }
  }
}
