import { Pool } from 'pg';
import { z } from 'zod';

const rowsPerInsert = 250;

/** Outcome rows, one per batch, written in groups: the least that a service built on a queue has to store. */
export interface OutcomeRows {
  /** Deletes all rows. */
  clear(): Promise<void>;
  add(batch: number, succeeded: number): void;
  /** Resolves when every row is written, with the sums over the stored rows. */
  finish(): Promise<{ batches: number; succeeded: number }>;
  close(): Promise<void>;
}

const sums = z.object({ batches: z.coerce.number(), succeeded: z.coerce.number() });

export async function openOutcomeRows(databaseUrl: string): Promise<OutcomeRows> {
  const pool = new Pool({ connectionString: databaseUrl, max: 2 });
  await pool.query('create table if not exists outcomes (batch int primary key, succeeded int not null)');
  const done: { batch: number; succeeded: number }[] = [];
  let writing = Promise.resolve();

  function flush(): void {
    const rows = done.splice(0);
    writing = writing.then(async () => {
      await pool.query({
        name: 'outcomes',
        text: 'insert into outcomes select * from unnest($1::int[], $2::int[])',
        values: [rows.map(({ batch }) => batch), rows.map(({ succeeded }) => succeeded)],
      });
    });
    // `finish` reports this failure. Until then, a rejection without a listener would end the process.
    writing.catch(() => undefined);
  }

  return {
    clear: async () => {
      await pool.query('truncate outcomes');
    },
    add: (batch, succeeded) => {
      done.push({ batch, succeeded });
      if (done.length >= rowsPerInsert) flush();
    },
    finish: async () => {
      flush();
      await writing;
      const { rows } = await pool.query('select count(*) batches, coalesce(sum(succeeded), 0) succeeded from outcomes');
      return sums.parse(rows[0]);
    },
    close: () => pool.end(),
  };
}
