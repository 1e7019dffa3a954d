import type { Pool, PoolClient } from 'pg';

/** Runs `work` in one transaction. Whatever it throws undoes all of it and is thrown on. */
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
    // Closing the connection ends the transaction too. A ROLLBACK could hang for ever on a lost one (brianc/node-postgres#1454).
    client.release(error instanceof Error ? error : true);
    throw error;
  }
}
