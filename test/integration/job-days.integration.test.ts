import type { Pool } from 'pg';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createJobHistory } from '../../services/scheduler/postgres/job-history.ts';
import { createPool } from '../../shared/postgres/connection/pool.ts';
import { createRoles } from '../support/database-roles.ts';
import { databaseForFile } from '../support/file-database.ts';
import { lockWaits } from '../support/lock-waits.ts';

const database = databaseForFile();
/** A pool with the role of the scheduler, which owns no table. */
let engine: Pool;
const tables = ['ended_jobs', 'job_attempts'];

beforeAll(async () => {
  const roles = await createRoles(database.url);
  engine = database.open(createPool, { connectionString: roles.urlFor('engine', database.url) });
});

const keep = () => createJobHistory({ pool: engine }).keep({ historyDays: 7, deadDays: 30 });

async function isThere(table: string, daysFromNow: number): Promise<boolean> {
  const { rows } = await database.pool.query<{ found: string | null }>(
    `select to_regclass($1 || to_char((now() + $2::int * interval '1 day') at time zone 'UTC', '_YYYYMMDD')) as found`,
    [table, daysFromNow],
  );
  return typeof rows[0]?.found === 'string';
}

async function removeDay(daysFromNow: number): Promise<void> {
  const { rows } = await database.pool.query<{ day: string }>(
    `select to_char((now() + $1::int * interval '1 day') at time zone 'UTC', '_YYYYMMDD') as day`,
    [daysFromNow],
  );
  for (const table of tables) await database.pool.query(`drop table if exists ${table}${rows[0]?.day}`);
}

describe('daily partitions of jobs', () => {
  beforeEach(async () => {
    await keep();
  });

  it('are created for today and the next seven days', async () => {
    for (let day = 0; day <= 7; day++) await removeDay(day);
    expect(await keep()).toMatchObject({ daysMade: 16, heldUp: 0 });
    for (const table of tables) {
      for (let day = 0; day <= 7; day++) expect(await isThere(table, day), `${table} ${day}`).toBe(true);
    }
  });

  it('are created except for a day that a reader has locked, and writers do not queue behind the reader', async () => {
    await removeDay(2);
    await database.pool.query(
      `select make_job_days(d, d + interval '1 second') from (select now() - interval '10 days' as d) k`,
    );
    const [reader, writer] = [await database.pool.connect(), await database.pool.connect()];
    try {
      await writer.query(`set lock_timeout = '1s'`);
      await reader.query('begin');
      // A dump holds these locks until its end.
      await reader.query('lock table ended_jobs, job_attempts in access share mode');
      let isKeeping = true;
      const write = async () => {
        while (isKeeping) {
          await writer.query(`insert into job_attempts (id, at, attempt) values (gen_random_uuid(), now(), 1)`);
          await writer.query(`insert into ended_jobs (id, client, ended_at, accepted_at, scheduled_for, outcome,
            attempt, method, url)
            values (gen_random_uuid(), gen_random_uuid(), now(), now(), now(), 'called', 1, 'POST', 'x')`);
        }
      };
      const keeping = keep().finally(() => (isKeeping = false));
      // A writer that waits behind the reader for more than a second gets an error.
      const [kept] = await Promise.all([keeping, write()]);
      expect(kept).toMatchObject({ daysMade: 0, daysDropped: 0, heldUp: 2 });
      expect((await reader.query(`select from ${lockWaits}`)).rowCount).toBe(0);
      await reader.query('rollback');
    } finally {
      await writer.query('reset lock_timeout');
      writer.release();
      reader.release();
    }
    expect(await keep()).toMatchObject({ daysMade: 2, daysDropped: 2, heldUp: 0 });
    for (const table of tables) {
      expect(await isThere(table, 2)).toBe(true);
      expect(await isThere(table, -10)).toBe(false);
    }
  });
});

describe('the function that drops a daily partition', () => {
  it.each(['runs', 'ended_jobs_other', 'ended_jobs_99990101', 'batches_20200106'])('refuses %s', async (name) => {
    await expect(engine.query('select drop_job_day($1)', [name])).rejects.toMatchObject({ code: '42501' });
  });
});
