import { beforeEach, describe, expect, it } from 'vitest';
import { createJobChanges } from '../../services/api/jobs/postgres/job-changes.ts';
import { createDeadJobStore } from '../../services/api/jobs/postgres/dead-job-store.ts';
import { scanKey } from '../../services/api/jobs/postgres/job-statements.ts';
import { createJobStore } from '../../services/api/jobs/postgres/job-store.ts';
import { createListedJobs } from '../../services/api/jobs/postgres/listed-jobs.ts';
import type { CallWork, ClaimedJob, JobVerdict } from '../../services/dispatcher/ports/call-ledger.ts';
import { jobIdOf, jobPartitionOf } from '../../shared/domain/job/job-ids.ts';
import type { JobToStore } from '../../shared/ports/job-intake.ts';
import { createHotPathPool } from '../../shared/postgres/connection/pool.ts';
import { createJobIntake } from '../../shared/postgres/jobs/job-intake.ts';
import { createKeyAdvancer } from '../../shared/postgres/jobs/key-wakes.ts';
import { clientIdOf } from '../support/conformance/job-subject.ts';
import { describeKeyAdvancer } from '../support/conformance/key-advancer.conformance.ts';
import { databaseForFile } from '../support/file-database.ts';
import { callLedgerOn } from '../support/postgres-call-ledger.ts';
import { postgresJobSubject } from '../support/postgres-job-subject.ts';

const database = databaseForFile(createHotPathPool);
const clientId = clientIdOf(1);
const key = 'merchant-1';
const called = { status: 200, latencyMs: 1, error: null, answer: null };

const advancer = () => createKeyAdvancer({ pool: database.pool, slot: 1 });
const advance = () => advancer().advance([{ clientId, key }]);

describeKeyAdvancer('on Postgres', async () => {
  await database.empty();
  const { pool } = database;
  return { ...postgresJobSubject(pool), keysOf: advancer, ledgerOf: (owner) => callLedgerOn(pool, owner) };
});

const jobOf = (isInOrder = true): JobToStore => ({
  jobId: jobIdOf(clientId, null),
  clientId,
  key: null,
  dueAt: null,
  delayMs: 0,
  relevancyMs: null,
  method: 'POST',
  url: 'https://shop.test/',
  headers: null,
  body: null,
  tags: null,
  scheduleId: null,
  ordering: { key, isInOrder },
});

/** Accepts jobs, of which the first is due at once. */
async function accept(jobs: readonly JobToStore[]): Promise<string[]> {
  await createJobIntake({ pool: database.pool }).store(jobs, 1);
  return jobs.map(({ jobId }) => jobId);
}

const flush = (owner: string, work: CallWork) => callLedgerOn(database.pool, owner).flush(work);

/** Claims all due jobs that a look finds. */
async function claimDue(owner = 'a', butHeld = false): Promise<ClaimedJob[]> {
  const { rows } = await database.pool.query<{ jobId: string; us: number }>(
    `select id as "jobId", extract(epoch from due_at)::float8 * 1000000 as us from jobs j where due_at <= now()
       and not exists (select from job_claims f where f.id = j.id and f.lease_until > now() and $1)`,
    [butHeld],
  );
  const claims = rows.map(({ jobId, us }) => ({ jobId, dueUs: Math.round(us), partition: jobPartitionOf(jobId) }));
  return (await flush(owner, { results: [], claims })).claimed;
}

const end = (job: ClaimedJob, verdict: JobVerdict = { kind: 'called' }, owner = 'a') =>
  flush(owner, { results: [{ ...job, verdict, note: called }], claims: [] });

const lose = () => database.pool.query(`update ordering_key_wakes set at = at - interval '2 seconds'`);
const wakes = async () => (await database.pool.query<{ key: string }>('table ordering_key_wakes')).rows;
const activeIds = async () =>
  (await database.pool.query<{ id: string }>(`select id from jobs where due_at < 'infinity'`)).rows.map(({ id }) => id);

describe('jobs with the same ordering key', () => {
  beforeEach(() => database.empty());

  it('are called in the order of their requests, whatever their ids', async () => {
    const ids = await accept(Array.from({ length: 20 }, () => jobOf()));
    const order: string[] = [];
    for (let turn = 0; turn < 20; turn++) {
      const [job, ...others] = await claimDue();
      expect(others).toEqual([]);
      if (!job) break;
      order.push(job.jobId);
      await end(job);
      await advance();
    }
    expect(order).toEqual(ids);
    expect(await wakes()).toEqual([]);
  });

  it('are the only jobs with wake-up rows: a job without an ordering key leaves none', async () => {
    const { ordering: _, ...plain } = jobOf();
    await accept([plain]);
    const [job] = await claimDue();
    if (job) await end(job);
    expect(await wakes()).toEqual([]);
  });

  it('cost equally much with thousands waiting and with one, even if all are ready at once', async () => {
    const blocksOfTurn = async () => {
      const [job] = await claimDue();
      if (job) await end(job);
      const text = 'explain (analyze, buffers, format json) select advance_key($1, $2)';
      const { rows } = await database.pool.query<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(text, [
        ...[clientId, key],
      ]);
      const plan = rows[0]?.['QUERY PLAN'][0].Plan ?? {};
      return (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0);
    };
    const dueAt = new Date();
    await accept([jobOf(), jobOf()]);
    const few = await blocksOfTurn();
    await accept(Array.from({ length: 5000 }, () => ({ ...jobOf(), dueAt })));
    expect(await blocksOfTurn()).toBeLessThan(few + 100);
  });

  it('skip a job locked by another transaction, and advance once the lock is released', async () => {
    const [soon = ''] = await accept([{ ...jobOf(), delayMs: 60_000 }]);
    const canceller = await database.pool.connect();
    try {
      await canceller.query('begin');
      await canceller.query('select from jobs where id = $1 for update', [soon]);
      const [now] = await accept([jobOf()]);
      expect(await activeIds()).toEqual([soon]);
      await canceller.query('rollback');
      await lose();
      expect(await advancer().sweep()).toBe(1);
      expect(await activeIds()).toEqual([now]);
    } finally {
      canceller.release();
    }
  });

  it('are never called concurrently or out of order, with many dispatchers, retries, deaths and lost advances', async () => {
    const ids = await accept(Array.from({ length: 30 }, () => jobOf()));
    const begun: string[] = [];
    let [inCall, ended, turns] = [0, 0, 0];
    const dispatcher = async (owner: string) => {
      while (ended < ids.length) {
        const turn = turns++;
        // Sometimes the process that should advance the key does not, so the sweep has to.
        if (turn % 3 === 0) await advance();
        else {
          await lose();
          await advancer().sweep();
        }
        for (const job of await claimDue(owner, true)) {
          expect(++inCall).toBe(1);
          begun.push(job.jobId);
          await database.pool.query('select 1');
          inCall--;
          if (turn % 5 === 1) {
            // The dispatcher is killed: it writes nothing, and its lease ends.
            const text = `update job_claims set lease_until = now() - interval '1 second' where id = $1`;
            await database.pool.query(text, [job.jobId]);
          } else if (turn % 5 === 2) await end(job, { kind: 'retry', delayMs: 5 }, owner);
          else {
            await end(job, { kind: 'called' }, owner);
            ended++;
          }
        }
      }
    };
    await Promise.all(['a', 'b', 'c', 'd'].map(dispatcher));
    expect([...new Set(begun)]).toEqual(ids);
    expect(begun).toEqual(begun.toSorted((a, b) => ids.indexOf(a) - ids.indexOf(b)));
  });
});

describe('a job that waits for its turn', () => {
  let ids: string[] = [];
  const [first, second, third] = [() => ids[0] ?? '', () => ids[1] ?? '', () => ids[2] ?? ''];
  const store = () => createJobStore({ pool: database.pool, slot: 5 });
  const listed = () => createListedJobs({ pool: database.pool, slot: 5 });
  beforeEach(async () => {
    await database.empty();
    ids = await accept([jobOf(), jobOf(), jobOf()]);
  });

  const stateOf = async (jobId: string) => (await store().find(jobId))?.state;
  const turnEnds = async (verdict?: JobVerdict) => {
    const [job] = await claimDue();
    if (job) await end(job, verdict);
    await advance();
    return job?.jobId;
  };

  it('has the state waiting and is listed page by page in turn order', async () => {
    expect(await Promise.all(ids.map(stateOf))).toEqual(['pending', 'waiting', 'waiting']);
    const filter = { clientIds: [clientId], state: 'waiting' as const };
    const page = await store().list(filter, 1, null);
    expect(page.items.map(({ jobId, orderingKey, inOrder }) => [jobId, orderingKey, inOrder])).toEqual([
      [second(), key, true],
    ]);
    expect(page.items[0]?.dueAt).toBeInstanceOf(Date);
    const next = await store().list(filter, 1, page.next);
    expect([next.items[0]?.jobId, next.next]).toEqual([third(), null]);
    expect((await store().list({ clientIds: [clientId] }, 10, null)).items.map(({ jobId }) => jobId)).toEqual([
      first(),
    ]);
  });

  it('is listed under its key behind the current job, also while turns end', async () => {
    // The job is not due, because the turns that end in this test belong to the other key.
    await accept([{ ...jobOf(), delayMs: 3_600_000, ordering: { key: 'merchant-2', isInOrder: true } }]);
    const ofKey = { clientIds: [clientId], orderingKey: key };
    const page = await store().list(ofKey, 1, null);
    expect(page.items.map(({ jobId, state }) => [jobId, state])).toEqual([[first(), 'pending']]);
    await turnEnds();
    const rest = await store().list(ofKey, 10, page.next);
    expect(rest.items.map(({ jobId, state }) => [jobId, state])).toEqual([
      [second(), 'pending'],
      [third(), 'waiting'],
    ]);
    const waiting = await store().list({ ...ofKey, state: 'waiting' }, 10, null);
    expect(waiting.items.map(({ jobId }) => jobId)).toEqual([third()]);
    const called = await store().list({ ...ofKey, state: 'called' }, 10, null);
    expect(called.items.map(({ jobId }) => jobId)).toEqual([first()]);
    expect((await store().list({ ...ofKey, orderingKey: 'merchant-3' }, 10, null)).items).toEqual([]);
  });

  it('is listed under its key at the cost of one page, whatever else waits', async () => {
    const others = Array.from({ length: 3000 }, (_, n) => ({
      ...jobOf(),
      ordering: { key: `m-${n % 9}`, isInOrder: true },
    }));
    await accept(others);
    await database.pool.query('analyze jobs');
    const place = { key, readyUs: '0', acceptedUs: '0', nth: -1, id: '00000000-0000-0000-0000-000000000000' };
    const { text, values } = scanKey.with({ ...place, client: clientId, rows: 51 });
    const explained = await database.pool.query<{ 'QUERY PLAN': string }>({
      text: `explain ${text}`,
      values: values ?? [],
    });
    const plan = explained.rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toContain('jobs_waiting_of_key');
    expect(plan).not.toContain('Seq Scan on jobs');
  });

  it('can be cancelled, and is released if the job before it is cancelled', async () => {
    expect(await store().cancel([second()])).toEqual([{ kind: 'changed' }]);
    expect(await listed().cancel(clientId, [first()])).toEqual(new Map([[first(), { kind: 'changed' }]]));
    expect(await turnEnds()).toBe(third());
  });

  it('can be moved behind or before others, and is due in its turn', async () => {
    await store().move([second()], { delayMs: 3_600_000 });
    expect(await stateOf(second())).toBe('waiting');
    await turnEnds();
    expect(await turnEnds()).toBe(third());
    expect(await stateOf(second())).toBe('pending');
    await store().move([second()], { delayMs: 0 });
    expect(await turnEnds()).toBe(second());
  });

  it('is changed once by a change with a filter', async () => {
    const changes = createJobChanges({ pool: database.pool, slot: 6 });
    const dueAt = new Date(Date.now() + 3_600_000);
    const filter = { state: 'waiting' as const };
    const change = await changes.create({
      changeId: jobIdOf(clientId, null),
      clientId,
      verb: 'reschedule',
      filter,
      dueAt,
    });
    await changes.apply(change, [second(), third()], null);
    expect(await changes.get(change.changeId)).toMatchObject({ state: 'done', seen: 2, changed: 2, tooLate: 0 });
    await turnEnds();
    const found = await store().find(second());
    expect([found?.state, found?.dueAt?.getTime()]).toEqual(['pending', dueAt.getTime()]);
  });

  it('proceeds while the job before it is dead, and a replayed job goes behind it under the same key', async () => {
    await database.pool.query(`insert into clients (id, name, definition) values ($1, 'orders', '{}')`, [clientId]);
    expect(await turnEnds({ kind: 'dead', cause: 'answered 500' })).toBe(first());
    await createDeadJobStore({ pool: database.pool }).replay(first(), { withExpired: false });
    expect(await stateOf(first())).toBe('waiting');
    expect([await turnEnds(), await turnEnds(), await turnEnds()]).toEqual([second(), third(), first()]);
  });

  it('is resent behind the others, in the order of the list', async () => {
    for (let turn = 0; turn < 3; turn++) await turnEnds();
    const newIds = new Map(ids.map((jobId) => [jobId, jobIdOf(clientId, null)]));
    const newIdOf = (jobId: string) => newIds.get(jobId) ?? '';
    const order = [third(), first(), second()];
    await listed().resend(clientId, order, { newIdOf, due: { delayMs: 0 } });
    expect([await turnEnds(), await turnEnds(), await turnEnds()]).toEqual(order.map(newIdOf));
  });
});
