import { Client } from 'pg';

/** Jobs of the database with few jobs, which is compared with a database with many: as in a small installation. */
export const fewStored = 10_000;

/**
 * Settings without checkpoints during the measurement: after a checkpoint, the first change of each page writes the
 * whole page to the log.
 */
export const storedSettings = { checkpoint_timeout: '1h', max_wal_size: '16GB' } as const;

const rowsPerStatement = 500_000;
const owner = '11111111-0000-7000-8000-0000000000aa';

/**
 * Fills a database with jobs that become due in one to four months. They belong to a client that nothing else uses. SQL
 * inserts them, because accepting jobs is not measured here. Takes some 40 µs per job.
 */
export async function storeFutureJobs(databaseUrl: string, jobs: number): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(
      `insert into clients (id, name, definition) values ($1, 'stored', '{"maxStoredJobs":1000000000}')`,
      [owner],
    );
    for (let stored = 0; stored < jobs; stored += rowsPerStatement) {
      const rows = Math.min(rowsPerStatement, jobs - stored);
      await client.query(insertFuture, [rows, owner]);
      console.error(`${stored + rows} of ${jobs} jobs stored`);
    }
    // Adjusts the client's total, because the check of the ledger counts only a part of so many jobs.
    await client.query('insert into client_totals (client, slot, accepted) values ($1, 0, $2)', [owner, jobs]);
    await client.query('vacuum analyze jobs');
    await client.query('checkpoint');
  } finally {
    await client.end();
  }
}

/** Inserts jobs. $1: number of jobs, $2: client. */
const insertFuture = `
  insert into jobs (partition_id, due_at, id, client, scheduled_for, key, method, url, headers, body)
  select get_byte(uuid_send(k.id), 15) % 64, k.due, k.id, $2::uuid, k.due, k.id::text, 'POST',
    'http://127.0.0.1:1/hooks/orders',
    '{"content-type":"application/json"}', '{"order":"' || k.id || '","what":"reminder","filler":"' || repeat('x',
      80) || '"}'
  from (
    select gen_random_uuid() as id, now() + interval '30 days' + random() * interval '90 days' as due
    from generate_series(1, $1::int8)
  ) k`;
