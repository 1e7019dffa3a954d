import { beforeEach, describe, expect, it } from 'vitest';
import { createHotPathPool } from '../../../../shared/postgres/connection/pool.ts';
import { clientIdOf, jobIdOf, type SeedJob } from '../../../../test/support/conformance/job-subject.ts';
import { databaseForFile } from '../../../../test/support/file-database.ts';
import { callLedgerOn } from '../../../../test/support/postgres-call-ledger.ts';
import { postgresJobSubject } from '../../../../test/support/postgres-job-subject.ts';
import { InvalidCursorError } from '../../frame/page.port.ts';
import { createDeadJobStore, type DeadJobStore } from './dead-job-store.ts';

const database = databaseForFile(createHotPathPool);
const ledgerOf = (owner: string) => callLedgerOn(database.pool, owner);

const [one, two] = [clientIdOf(1), clientIdOf(2)];
const terms = { withExpired: false, perSecond: null };

describe('dead jobs', () => {
  let subject: ReturnType<typeof postgresJobSubject>;
  let store: DeadJobStore;
  beforeEach(async () => {
    await database.empty();
    subject = postgresJobSubject(database.pool);
    for (const [place, client] of [one, two].entries()) {
      await database.pool.query("insert into clients (id, name, definition) values ($1, $2, '{}')", [
        client,
        `c${place}`,
      ]);
    }
    store = createDeadJobStore({ pool: database.pool });
  });

  /** Stores jobs and lets their last call fail, so that they are dead. */
  async function die(cause: string, ...jobs: (Partial<SeedJob> & { number: number })[]): Promise<void> {
    const keys = await subject.add(
      jobs.map(({ number, ...job }) => ({
        jobId: jobIdOf(number),
        clientId: one,
        dueInMs: -1000,
        attempt: 3,
        ...job,
      })),
    );
    const ledger = ledgerOf('a');
    const { claimed } = await ledger.flush({ results: [], claims: keys });
    const note = { status: 500, latencyMs: 5, error: cause, answer: 'sorry' };
    await ledger.flush({
      results: claimed.map((job) => ({ ...job, verdict: { kind: 'dead', cause }, note })),
      claims: [],
    });
    await subject.passTime(10);
  }
  const ids = (page: { items: readonly { jobId: string }[] }) => page.items.map(({ jobId }) => jobId);
  const pending = async () => (await subject.rows()).pending;

  it('are grouped by client and cause, the largest group first', async () => {
    await die('status 500', { number: 1 }, { number: 2 }, { number: 3, clientId: two });
    await die('connection refused', { number: 4 });
    const groups = await store.groups({});
    expect(groups.map(({ clientId, cause, jobs }) => [clientId, cause, jobs])).toEqual([
      [one, 'status 500', 2],
      [one, 'connection refused', 1],
      [two, 'status 500', 1],
    ]);
    expect(await store.groups({ clientIds: [two] })).toMatchObject([{ jobs: 1 }]);
    expect(await store.groups({ cause: 'connection refused' })).toMatchObject([{ clientId: one, jobs: 1 }]);
  });

  it('are listed newest first, in pages, by client and by cause', async () => {
    for (const number of [1, 2, 3]) await die('status 500', { number });
    await die('connection refused', { number: 4, clientId: two });
    const first = await store.list({}, 2, null);
    expect(ids(first)).toEqual([jobIdOf(4), jobIdOf(3)]);
    expect(ids(await store.list({}, 2, first.next))).toEqual([jobIdOf(2), jobIdOf(1)]);
    expect(ids(await store.list({ cause: 'status 500' }, 10, null))).toEqual([3, 2, 1].map(jobIdOf));
    expect(ids(await store.list({ clientIds: [two] }, 10, null))).toEqual([jobIdOf(4)]);
    await expect(store.list({}, 2, 'nonsense')).rejects.toBeInstanceOf(InvalidCursorError);
  });

  it('are returned with all fields', async () => {
    await die('status 500', { number: 1, body: '{"a":1}', url: 'https://one.example/x', expiresInMs: 3_600_000 });
    const job = await store.find(jobIdOf(1));
    expect(job).toMatchObject({ clientId: one, cause: 'status 500', attempt: 3, status: 500, error: 'status 500' });
    expect(job).toMatchObject({
      url: 'https://one.example/x',
      body: '{"a":1}',
      answer: 'sorry',
      expired: false,
      tags: [],
    });
    expect(await store.find(jobIdOf(9))).toBeUndefined();
  });

  it('become pending jobs on replay, keep their earlier attempts, and no longer count as dead', async () => {
    await die('status 500', { number: 1, url: 'https://one.example/x' });
    expect(await store.replay(jobIdOf(1), terms)).toBe('replayed');
    expect(await store.replay(jobIdOf(1), terms)).toBe('missing');
    expect(await pending()).toMatchObject([{ jobId: jobIdOf(1), attempt: 1, sideline: null }]);
    expect(await subject.rows()).toMatchObject({ dead: [], totals: [{ called: 0, dead: 0 }] });
    expect((await store.list({}, 10, null)).items).toEqual([]);
  });

  it('are replayed if they match the filter, while all other jobs stay dead', async () => {
    await die('status 500', { number: 1 }, { number: 2, clientId: two });
    await die('connection refused', { number: 3 });
    expect(await store.replayAll({ cause: 'status 500', clientIds: [one] }, terms)).toEqual({ jobs: 1, expired: 0 });
    expect((await pending()).map(({ jobId }) => jobId)).toEqual([jobIdOf(1)]);
    expect(await store.replayAll({}, terms)).toEqual({ jobs: 2, expired: 0 });
    expect(await store.replayAll({}, terms)).toEqual({ jobs: 0, expired: 0 });
  });

  it('become due one after the other at a requested rate', async () => {
    await die('status 500', ...Array.from({ length: 5 }, (_, index) => ({ number: index + 1 })));
    await store.replayAll({}, { withExpired: false, perSecond: 0.1 });
    const dues = (await pending()).map(({ dueInMs }) => Math.round((dueInMs ?? 0) / 10_000) * 10_000);
    expect(dues.sort((a, b) => a - b).map((due) => Math.max(0, due))).toEqual([0, 10_000, 20_000, 30_000, 40_000]);
  });

  it('stay dead if they have expired, unless withExpired is set; then they do not expire again', async () => {
    await die('status 500', { number: 1, expiresInMs: 2000 }, { number: 2 });
    // Makes the job expire by moving its expiry time, because the clock of the database cannot be moved.
    await expire(jobIdOf(1));
    expect(await store.replay(jobIdOf(1), terms)).toBe('expired');
    expect(await store.replayAll({}, terms)).toEqual({ jobs: 1, expired: 1 });
    expect(await store.find(jobIdOf(1))).toMatchObject({ expired: true });
    expect(await store.replayAll({}, { ...terms, withExpired: true })).toEqual({ jobs: 1, expired: 0 });
    const [key] = await claimable(jobIdOf(1));
    expect(key?.expiresInMs).toBeNull();
  });

  async function expire(jobId: string): Promise<void> {
    while (!((await store.find(jobId))?.expired ?? true)) await subject.passTime(500);
  }

  async function claimable(jobId: string) {
    const keys = (await subject.keys()).filter((key) => key.jobId === jobId);
    return (await ledgerOf('b').flush({ results: [], claims: keys })).claimed;
  }
});
