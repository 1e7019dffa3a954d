import pg from 'pg';

/** Runs statements on their own connection, one after another. Returns the rows of the last one. */
export async function queryDatabase(url: string, ...statements: string[]): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    let rows: unknown[] = [];
    for (const statement of statements) ({ rows } = await client.query<Record<string, unknown>>(statement));
    return rows;
  } finally {
    await client.end();
  }
}
