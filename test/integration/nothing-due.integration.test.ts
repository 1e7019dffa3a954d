import { describe, expect, it } from 'vitest';
import { createDueJobs } from '../../services/scheduler/postgres/due-jobs.ts';
import { createDueSchedules } from '../../services/scheduler/postgres/due-schedules.ts';
import { createLeases } from '../../shared/postgres/registry/leases.ts';
import { databaseForFile } from '../support/file-database.ts';
import { usualQuotas } from '../../shared/runtime/configuration/quotas.ts';

const database = databaseForFile();

/** Runs a function while a lock blocks every session that locks or writes rows. Sessions that only read need not wait. */
async function whileNoRowIsLocked<Result>(run: () => Promise<Result>): Promise<Result> {
  const other = await database.pool.connect();
  try {
    await other.query('begin');
    await other.query('lock table leases, run_starts, schedules, occurrences in exclusive mode');
    return await run();
  } finally {
    await other.query('rollback');
    other.release();
  }
}

describe('a scheduler with no due work', () => {
  it('queries due runs without locking its lease', async () => {
    await database.empty();
    const { pool } = database;
    const lease = await createLeases({ pool }).acquire('scheduler', 'a', 60_000);
    if (!lease) throw new Error('somebody else has the lease');
    const fired = await whileNoRowIsLocked(() => createDueJobs({ pool }).fire(lease, 10));
    expect(fired).toEqual({ leaseHeld: true, runs: [], orphans: [], nextDueInMs: null });
  });

  it('queries schedules and buffered occurrences without locking rows', async () => {
    await database.empty();
    const node = { region: 'local', owner: 'a' };
    const due = createDueSchedules({ pool: database.pool, quotas: usualQuotas });
    expect(await whileNoRowIsLocked(() => due.recur(node, 10))).toMatchObject({ examined: 0, nextCheckInMs: null });
    expect(await whileNoRowIsLocked(() => due.fireBuffered(node, 10))).toEqual({
      fired: [],
      broken: [],
      isAny: false,
    });
  });
});
