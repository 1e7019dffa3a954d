import { Client } from 'pg';

/** What a database that runs for hours has: memory for what is worked on, and log files to write again. */
export const databaseSettings = { shared_buffers: '1GB', min_wal_size: '2GB' } as const;

const fillings = 10;
const rowsPerFilling = 60_000;

/**
 * Makes a fresh database like one that has run for a while: its buffers have been touched, and its log files are
 * recycled ones. Until then much of its time goes into memory and files that the machine hands out for the first time.
 * Takes about 15 s.
 */
export async function warmDatabase(databaseUrl: string): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('create table filling (filler text storage plain)');
    for (let filling = 0; filling < fillings; filling++) {
      await client.query(
        `insert into filling select repeat(md5(n::text), 50) from generate_series(1, ${rowsPerFilling}) n`,
      );
    }
    await client.query('drop table filling');
    await client.query('checkpoint');
  } finally {
    await client.end();
  }
}
