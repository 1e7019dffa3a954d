import type { Pool } from 'pg';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createPool } from '../../shared/postgres/connection/pool.ts';
import type { StepLedger } from '../../shared/ports/step-ledger.ts';
import {
  claimOne,
  record,
  someBatches,
  startFedRun,
  waitingOf,
  type ExecutionSubject,
} from '../support/conformance/execution-subject.ts';
import { databaseForFile } from '../support/file-database.ts';
import { lockWaits } from '../support/lock-waits.ts';
import { makeClockSettable, onSettableClock } from '../support/postgres-clock.ts';
import { createPostgresExecutionStores } from '../support/postgres-execution-stores.ts';

const database = databaseForFile();
const nightMs = 3_600_000;

describe('a step scheduled for the end of quiet hours while the quiet hours are deleted', () => {
  let subject: ExecutionSubject;
  let ledger: StepLedger;
  let feedId: string;
  let pool: Pool;
  beforeAll(async () => {
    await makeClockSettable(database.pool);
    pool = database.open(createPool, { connectionString: onSettableClock(database.url) });
  });
  beforeEach(async () => {
    await database.empty();
    subject = createPostgresExecutionStores({ pool, passTime: () => Promise.resolve() });
    ({ feedId } = await startFedRun(subject, someBatches(2, 1)));
    ledger = subject.ledgerOf('a');
    await subject.holds.hold([{ feedId, step: 1, kind: 'quiet-hours', cause: 'quiet hours', endsInMs: nightMs }]);
    // From here on, the worker's row of totals exists.
    await putBack(1);
  });

  async function putBack(batchNo: number): Promise<void> {
    const step = await claimOne(ledger, { feedId, batchNo, step: 1 });
    await record(ledger, { ...waitingOf(step, { delayMs: nightMs }), whileHeld: true });
  }

  const waits = async () => (await subject.rows.agenda(feedId)).map(({ inSeconds }) => inSeconds).toSorted();

  async function untilBlocked(sessions: number): Promise<void> {
    while ((await database.pool.query(`select from ${lockWaits}`)).rowCount !== sessions);
  }

  it('becomes due with all others if it was recorded before the hold was deleted', async () => {
    const step = await claimOne(ledger, { feedId, batchNo: 2, step: 1 });
    const other = await database.pool.connect();
    await other.query('begin');
    await other.query('select from run_totals where feed = $1 for update', [feedId]);
    const flushed = record(ledger, { ...waitingOf(step, { delayMs: nightMs }), whileHeld: true });
    await untilBlocked(1);
    const lifted = subject.holds.lift({ feedId, step: 1 }, 'quiet-hours');
    await untilBlocked(2);
    await other.query('commit');
    other.release();
    await Promise.all([flushed, lifted]);
    expect(await waits()).toEqual([0, 0]);
  });

  it('becomes due shortly after if the hold was deleted first', async () => {
    const step = await claimOne(ledger, { feedId, batchNo: 2, step: 1 });
    const other = await database.pool.connect();
    await other.query('begin');
    await other.query('delete from holds where feed = $1', [feedId]);
    const flushed = record(ledger, { ...waitingOf(step, { delayMs: nightMs }), whileHeld: true });
    await untilBlocked(1);
    await other.query('commit');
    other.release();
    await flushed;
    expect(await waits()).toEqual([1, 3600]);
  });
});
