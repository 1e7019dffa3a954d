import { beforeEach, describe, expect, it } from 'vitest';
import { createClientFigures } from '../../services/api/clients/postgres/client-figures.ts';
import { createClientLedgers } from '../../services/api/clients/postgres/client-ledgers.ts';
import { createJobStore } from '../../services/api/jobs/postgres/job-store.ts';
import { createLedgerCheck } from '../../services/scheduler/postgres/ledger-check.ts';
import { createHostCircuits } from '../../services/dispatcher/postgres/host-circuits.ts';
import { endpointIdOf, jobIdOf, jobPartitionOf } from '../../shared/domain/job/job-ids.ts';
import { createJobIntake } from '../../shared/postgres/jobs/job-intake.ts';
import { createHotPathPool } from '../../shared/postgres/connection/pool.ts';
import { databaseForFile } from '../support/file-database.ts';

const database = databaseForFile(createHotPathPool);
const subjectOf = () => ({
  intake: createJobIntake({ pool: database.pool }),
  store: createJobStore({ pool: database.pool, slot: 5 }),
  ledgers: createClientLedgers({ pool: database.pool }),
  check: createLedgerCheck({ pool: database.pool }),
  figures: createClientFigures({ pool: database.pool }),
  sideline: async (jobId: string, host: string) => {
    await database.pool.query(`update jobs set due_at = 'infinity', sideline = $2 where id = $1`, [jobId, host]);
  },
  /** Deletes the job without a record of its end, which is a fault. */
  lose: async (jobId: string) => {
    await database.pool.query('delete from jobs where id = $1', [jobId]);
  },
});

const clientId = '01890a5d-ac96-774b-bcce-b302099a8057';
const all = Array.from({ length: 64 }, (_, partition) => partition);
const call = { method: 'POST', url: 'https://a.test', headers: null, body: null, tags: null, scheduleId: null };
const due = { dueAt: null, delayMs: 90_000, relevancyMs: null };

describe('the ledger of a client and its check', () => {
  let subject: ReturnType<typeof subjectOf>;
  let ids: string[];
  beforeEach(async () => {
    await database.empty();
    subject = subjectOf();
    ids = Array.from({ length: 10 }, () => jobIdOf(clientId, null));
    const [first = '', second = ''] = ids;
    const jobs = ids.map((jobId) => ({ ...call, ...due, jobId, clientId, key: null }));
    await subject.intake.store(jobs, 1);
    await subject.store.cancel([first]);
    await subject.sideline(second, 'a.test');
  });

  it('add up whatever the outcome of the jobs', async () => {
    const counts = {
      accepted: 10,
      called: 0,
      expired: 0,
      cancelled: 1,
      dead: 0,
      sidelined: 1,
      pending: 8,
      waiting: 0,
      reporting: 0,
    };
    expect(await subject.ledgers.ledgerOf(clientId)).toEqual({ ...counts, check: null });
    expect((await subject.figures.counts([clientId])).get(clientId)).toEqual({ accepted: 10, stored: 9 });
  });

  it('compare stored jobs with the totals, and the ledger shows the last check', async () => {
    expect(await subject.check.expectedInAll()).toBe(9);
    const lines = { blocked: 0, blockedKeys: 0, oldestBlockedMs: 0 };
    const figures = { due: 0, oldestDueMs: 0, sidelined: 1, ...lines, dead: 0, hosts: 0 };
    expect(await subject.check.check(all)).toEqual([{ clientId, expected: 9, counted: 9, ...figures }]);
    const { check } = await subject.ledgers.ledgerOf(clientId);
    expect(check).toMatchObject({ partitions: 64, expected: 9, counted: 9 });
  });

  it('report a missing job', async () => {
    await subject.lose(ids[2] ?? '');
    expect(await subject.check.check(all)).toMatchObject([{ clientId, expected: 9, counted: 8 }]);
  });

  it('report due jobs, the oldest due time and the number of hosts with open circuits, endpoints included', async () => {
    const endpoint = endpointIdOf(clientId, 'billing');
    const { pool } = database;
    await pool.query(`insert into clients (id, name, definition) values ($1, 'orders', '{}')`, [clientId]);
    await pool.query(
      `insert into client_endpoints (id, client, name, url, definition) values ($1, $2, 'billing', 'https://a.test', '{}')`,
      [endpoint, clientId],
    );
    const circuits = createHostCircuits({ pool, owner: 'a dispatcher', slot: 1 });
    for (const endpointId of [clientId, endpoint])
      await circuits.open({ clientId: endpointId, host: 'a.test' }, 'it hangs', 0);
    await pool.query(`update jobs set due_at = now() - interval '1 minute' where id = any($1)`, [ids.slice(2, 5)]);
    const [checked] = await subject.check.check(all);
    expect(checked).toMatchObject({ due: 3, hosts: 2, sidelined: 1 });
    expect(checked?.oldestDueMs).toBeGreaterThanOrEqual(60_000);
    expect((await subject.ledgers.ledgerOf(clientId)).check).toMatchObject({ due: 3, hosts: 2 });
  });

  it('report jobs that wait behind their ordering key, the number of keys and the longest wait', async () => {
    const keyed = (key: string) => ({
      ...call,
      ...due,
      jobId: jobIdOf(clientId, null),
      clientId,
      key: null,
      ...ordered(key),
    });
    const ordered = (key: string) => ({ delayMs: 0, ordering: { key, isInOrder: false } });
    const later = { ...keyed('a'), delayMs: 90_000 };
    await subject.intake.store([...['a', 'a', 'a', 'b', 'b', 'c'].map(keyed), later], 1);
    await database.pool.query(
      `update jobs set ready_at = ready_at - interval '1 minute' where ordering_key = 'b' and due_at = 'infinity'`,
    );
    const [checked] = await subject.check.check(all);
    // Each key has one active job, and one job of key a is not due yet.
    expect(checked).toMatchObject({ blocked: 3, blockedKeys: 2 });
    expect(checked?.oldestBlockedMs).toBeGreaterThanOrEqual(60_000);
    expect((await subject.ledgers.ledgerOf(clientId)).check).toMatchObject({ blocked: 3, blockedKeys: 2 });
  });

  it('count only the given partitions in a partial check', async () => {
    const part = all.slice(0, 20);
    const counted = ids.slice(1).filter((jobId) => part.includes(jobPartitionOf(jobId))).length;
    expect(await subject.check.check(part)).toMatchObject([{ clientId, expected: 9, counted }]);
    expect((await subject.ledgers.ledgerOf(clientId)).check).toMatchObject({ partitions: 20, counted });
  });

  it('come with a forecast of the pending jobs by minute, without sidelined jobs', async () => {
    const { minutes, partitions } = await subject.figures.forecast(clientId, 1);
    expect(partitions).toBe(64);
    expect(minutes.reduce((sum, { calls }) => sum + calls, 0)).toBe(8);
  });
});
