import { Client } from 'pg';

/** Settings of a database that has run for hours: memory for its working set, and log files to reuse. */
export const databaseSettings = { shared_buffers: '1GB', min_wal_size: '2GB' } as const;

const fillRounds = 10;
const rowsPerRound = 60_000;

/**
 * Prepares a new database so that it behaves like one that has run for a while: its buffers have been used, and its log
 * files are recycled. A new database spends much time on memory and files that the operating system provides for the
 * first time. Takes about 15 s.
 */
export async function warmDatabase(databaseUrl: string): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('create table filling (filler text storage plain)');
    for (let filling = 0; filling < fillRounds; filling++) {
      await client.query(
        `insert into filling select repeat(md5(n::text), 50) from generate_series(1, ${rowsPerRound}) n`,
      );
    }
    await client.query('drop table filling');
    await client.query('checkpoint');
  } finally {
    await client.end();
  }
}
