import { v7 as uuidv7 } from 'uuid';
import { beforeEach, describe, expect, it } from 'vitest';
import { jobIdOf } from '../../../../shared/domain/job/job-ids.ts';
import type { JobToStore } from '../../../../shared/ports/job-intake.ts';
import { createJobIntake } from '../../../../shared/postgres/jobs/job-intake.ts';
import { createHotPathPool } from '../../../../shared/postgres/connection/pool.ts';
import { databaseForFile } from '../../../../test/support/file-database.ts';
import { untilOneWaits } from '../../../../test/support/lock-waits.ts';
import type { JobFilter } from './job-lists.ts';
import { createJobStore } from './job-store.ts';

const database = databaseForFile(createHotPathPool);

const claim = `
  insert into job_claims (partition_id, due_at, id, owner, epoch, lease_until)
  select partition_id, due_at, id, 'a dispatcher', 1, now() + interval '1 minute' from jobs where id = $1`;
const end = `
  with j as (delete from jobs where id = $1 returning *), f as (delete from job_claims where id = $1),
  d as (insert into dead_jobs (id, client, cause, job) select id, client, coalesce($4, ''), to_jsonb(j) from j
    where $2 = 'dead')
  insert into ended_jobs (id, client, ended_at, accepted_at, scheduled_for, outcome, attempt, status, error, method,
    url, headers, body, key, tags)
  select id, client, clock_timestamp(), accepted_at, scheduled_for, $2, attempt, $3::int2, $4, method,
    url, headers, body, key, tags from j`;
const noteAttempt =
  'insert into job_attempts (id, at, attempt, status, error) values ($1, clock_timestamp(), $2, $3, $4)';

const subjectOf = () => ({
  store: createJobStore({ pool: database.pool, slot: 5 }),
  intake: createJobIntake({ pool: database.pool }),
  claim: async (jobId: string) => {
    await database.pool.query(claim, [jobId]);
  },
  end: async (
    jobId: string,
    { outcome, status, error }: { outcome: string; status: number | null; error: string | null },
  ) => {
    await database.pool.query(end, [jobId, outcome, status, error]);
  },
  noteAttempt: async (
    jobId: string,
    { attempt, status, error }: { attempt: number; status: number | null; error: string | null },
  ) => {
    await database.pool.query(noteAttempt, [jobId, attempt, status, error]);
  },
  sideline: async (jobId: string, host: string) => {
    await database.pool.query(`update jobs set due_at = 'infinity', sideline = $2 where id = $1`, [jobId, host]);
  },
  cancelled: async (clientId: string) => {
    const sum = 'select coalesce(sum(cancelled), 0)::int as cancelled from client_totals where client = $1';
    return (await database.pool.query<{ cancelled: number }>(sum, [clientId])).rows[0]?.cancelled ?? 0;
  },
});

const nineOClock = Date.parse('2100-01-01T09:00:00.000Z');
const minuteMs = 60_000;

describe('the store of jobs', () => {
  const clientId = uuidv7();
  let subject: ReturnType<typeof subjectOf>;
  beforeEach(async () => {
    await database.empty();
    subject = subjectOf();
  });

  async function put(changes: Partial<JobToStore> & { minute?: number } = {}): Promise<string> {
    const { minute = 0, ...rest } = changes;
    const owner = rest.clientId ?? clientId;
    const job: JobToStore = {
      jobId: jobIdOf(owner, rest.key ?? null),
      clientId: owner,
      key: null,
      dueAt: new Date(nineOClock + minute * minuteMs),
      delayMs: 0,
      relevancyMs: null,
      method: 'POST',
      url: 'https://shop.test/hook',
      headers: '{"x-a":"b"}',
      body: 'hello',
      tags: null,
      scheduleId: null,
      ...rest,
    };
    await subject.intake.store([job], 1);
    return job.jobId;
  }

  async function listed(filter: JobFilter, limit = 50): Promise<string[]> {
    const ids: string[] = [];
    let cursor: string | null = null;
    do {
      const page = await subject.store.list(filter, limit, cursor);
      expect(page.items.length).toBeLessThanOrEqual(limit);
      ids.push(...page.items.map(({ jobId }) => jobId));
      cursor = page.next;
    } while (cursor !== null);
    return ids;
  }

  it('returns a waiting job with all fields of its call', async () => {
    const jobId = await put({ key: 'order-17', relevancyMs: minuteMs, tags: ['a', 'b'] });
    expect(await subject.store.find(jobId)).toEqual({
      jobId,
      clientId,
      state: 'pending',
      attempt: 1,
      attempts: [],
      method: 'POST',
      url: 'https://shop.test/hook',
      headers: '{"x-a":"b"}',
      body: 'hello',
      key: 'order-17',
      tags: ['a', 'b'],
      scheduleId: null,
      repeats: null,
      terms: null,
      orderingKey: null,
      inOrder: null,
      scheduledFor: new Date(nineOClock),
      dueAt: new Date(nineOClock),
      expiresAt: new Date(nineOClock + minuteMs),
      acceptedAt: expect.any(Date) as Date,
      endedAt: null,
      sideline: null,
      cause: null,
    });
    expect(await subject.store.find(uuidv7())).toBeUndefined();
  });

  it('returns firing, sidelined and ended jobs with all their calls', async () => {
    const jobId = await put();
    await subject.claim(jobId);
    expect(await subject.store.find(jobId)).toMatchObject({ state: 'firing' });
    await subject.noteAttempt(jobId, { attempt: 1, status: 503, error: 'http-503' });
    await subject.end(jobId, { outcome: 'called', status: 200, error: null });
    expect(await subject.store.find(jobId)).toMatchObject({
      state: 'called',
      dueAt: null,
      endedAt: expect.any(Date) as Date,
      headers: '{"x-a":"b"}',
      body: 'hello',
      attempts: [{ status: 503, error: 'http-503' }, { status: 200 }],
    });

    const dead = await put();
    await subject.end(dead, { outcome: 'dead', status: 500, error: 'http-500' });
    expect(await subject.store.find(dead)).toMatchObject({ state: 'dead', cause: 'http-500', body: 'hello' });

    const sidelined = await put();
    await subject.sideline(sidelined, 'shop.test');
    expect(await subject.store.find(sidelined)).toMatchObject({
      state: 'sidelined',
      sideline: 'shop.test',
      dueAt: null,
    });
  });

  it('cancels a job that is not being called only once, and counts it', async () => {
    const jobId = await put({ tags: ['a'] });
    expect(await subject.store.cancel([jobId])).toEqual([{ kind: 'changed' }]);
    expect(await subject.store.find(jobId)).toMatchObject({ state: 'cancelled', tags: ['a'] });
    expect(await subject.store.cancel([jobId])).toEqual([{ kind: 'ended', outcome: 'cancelled' }]);
    expect(await subject.cancelled(clientId)).toBe(1);
  });

  it('does not cancel or move a job that is being called or has ended', async () => {
    const [firing, called, dead] = [await put(), await put(), await put()];
    await subject.claim(firing);
    await subject.end(called, { outcome: 'called', status: 200, error: null });
    await subject.end(dead, { outcome: 'dead', status: 500, error: 'http-500' });
    const answers = [
      { kind: 'firing' },
      { kind: 'ended', outcome: 'called' },
      { kind: 'ended', outcome: 'dead' },
      { kind: 'missing' },
    ];
    const ids = [firing, called, dead, uuidv7()];
    expect(await subject.store.cancel(ids)).toEqual(answers);
    expect(await subject.store.move(ids, { delayMs: 0 })).toEqual(answers);
    expect(await subject.store.find(firing)).toMatchObject({ state: 'firing', dueAt: new Date(nineOClock) });
    expect(await subject.cancelled(clientId)).toBe(0);
  });

  it('moves a pending job together with its expiry time, and makes a sidelined job due again', async () => {
    const [jobId, sidelined] = [await put({ relevancyMs: minuteMs }), await put()];
    await subject.sideline(sidelined, 'shop.test');
    const dueAt = new Date(nineOClock + 5 * minuteMs);
    const changed = [{ kind: 'changed' }, { kind: 'changed' }];
    expect(await subject.store.move([jobId, sidelined], { dueAt })).toEqual(changed);
    const expiresAt = new Date(nineOClock + 6 * minuteMs);
    expect(await subject.store.find(jobId)).toMatchObject({ dueAt, scheduledFor: dueAt, expiresAt });
    expect(await subject.store.find(sidelined)).toMatchObject({ state: 'pending', dueAt, sideline: null });
  });

  it('moves a job whose new time has passed to the present, because no dispatcher would find it in the past', async () => {
    const [jobId, other] = [await put(), await put()];
    await subject.store.move([jobId], { dueAt: new Date(0) });
    await subject.store.move([other], { delayMs: 0 });
    const { dueAt } = (await subject.store.find(jobId)) ?? {};
    expect(dueAt?.getTime()).toBeGreaterThan(Date.parse('2020-01-01T00:00:00Z'));
    expect((await subject.store.find(other))?.dueAt?.getTime()).toBeLessThan(nineOClock);
  });

  it('lists unfinished jobs by due time in pages, each job once', async () => {
    const minutes = [7, 3, 9, 1, 5, 2, 8, 4, 6, 0];
    const ids = new Map<number, string>();
    for (const minute of minutes) ids.set(minute, await put({ minute }));
    const inOrder = [...ids].sort(([a], [b]) => a - b).map(([, id]) => id);
    expect(await listed({}, 3)).toEqual(inOrder);
    expect(await listed({ clientIds: [clientId] }, 100)).toEqual(inOrder);
  });

  it('lists jobs by client, tag and time', async () => {
    const mine = await put({ minute: 1, tags: ['eu', 'gold'] });
    await put({ minute: 2 });
    await put({ minute: 1, clientId: uuidv7(), tags: ['eu'] });
    expect(await listed({ clientIds: [clientId], tag: 'eu' })).toEqual([mine]);
    const at = (minute: number) => new Date(nineOClock + minute * minuteMs);
    expect(await listed({ clientIds: [clientId], dueFrom: at(1), dueUntil: at(2) })).toEqual([mine]);
    expect(await listed({ dueFrom: at(3) })).toEqual([]);
  });

  it('finds the few jobs of a client among many jobs of others, and reads a bounded number of rows for each page', async () => {
    const insert = `
      insert into jobs (partition_id, due_at, id, client, scheduled_for, method, url)
      select $1, timestamptz '2100-01-01 09:00Z' + second * interval '1 second', coalesce($5::uuid, gen_random_uuid()),
        $4::uuid,
        now(), 'POST', 'https://shop.test/hook'
      from generate_series($2::int, $3::int) second`;
    const putAt = (partition: number, [from, until]: [number, number], owner: string, id: string | null = null) =>
      database.pool.query(insert, [partition, from, until, owner, id]);
    await putAt(5, [1, 700], uuidv7());
    const [first, between, behind] = [uuidv7(), uuidv7(), uuidv7()];
    await putAt(6, [0, 0], clientId, first);
    await putAt(6, [400, 400], clientId, between);
    await putAt(5, [701, 701], clientId, behind);
    expect(await listed({ clientIds: [clientId] })).toEqual([first, between, behind]);
    const page = await subject.store.list({ clientIds: [clientId] }, 50, null);
    expect(page.items.map(({ jobId }) => jobId)).toEqual([first]);
  });

  it('lists jobs by state', async () => {
    const [pending, firing, sidelined, called, cancelled] = [
      await put(),
      await put(),
      await put(),
      await put(),
      await put(),
    ];
    await subject.claim(firing);
    await subject.sideline(sidelined, 'shop.test');
    await subject.end(called, { outcome: 'called', status: 200, error: null });
    await subject.store.cancel([cancelled]);
    const states = { pending, firing, sidelined, called, cancelled } as const;
    expect(await listed({ clientIds: [clientId], state: 'pending' })).toEqual([states.pending]);
    expect(await listed({ clientIds: [clientId], state: 'firing' })).toEqual([states.firing]);
    expect(await listed({ clientIds: [clientId], state: 'sidelined' })).toEqual([states.sidelined]);
    expect(await listed({ clientIds: [clientId], state: 'called' })).toEqual([states.called]);
    expect(await listed({ clientIds: [clientId], state: 'cancelled' })).toEqual([states.cancelled]);
    expect(await listed({ clientIds: [clientId], state: 'dead' })).toEqual([]);
  });

  it('lists thousands of jobs without omitting one', async () => {
    const ids = Array.from({ length: 3000 }, () => jobIdOf(clientId, null));
    const job = {
      clientId,
      key: null,
      delayMs: 0,
      relevancyMs: null,
      method: 'POST',
      url: 'https://a.test',
      headers: null,
    };
    const rest = { body: null, tags: null, scheduleId: null };
    const jobs = ids.map((jobId, index) => ({
      ...job,
      ...rest,
      jobId,
      dueAt: new Date(nineOClock + (index % 7) * 10),
    }));
    await subject.intake.store(jobs, 1);
    const all = await listed({}, 1000);
    expect(all).toHaveLength(3000);
    expect(new Set(all)).toEqual(new Set(ids));
  });
});

describe('a cancellation concurrent with a claim', () => {
  it('waits for a claim that is being written, and then does not cancel the job', async () => {
    const { store, intake } = subjectOf();
    const clientId = '01890a5d-ac96-774b-bcce-b302099a8057';
    const jobId = jobIdOf(clientId, null);
    const call = { method: 'POST', url: 'https://a.test', headers: null, body: null, tags: null, scheduleId: null };
    await intake.store([{ ...call, jobId, clientId, key: null, dueAt: null, delayMs: 0, relevancyMs: null }], 1);
    const dispatcher = await database.pool.connect();
    try {
      await dispatcher.query('begin');
      await dispatcher.query('select 1 from jobs where id = $1 for key share', [jobId]);
      await dispatcher.query(claim, [jobId]);
      const answer = store.cancel([jobId]);
      await untilOneWaits(database.pool);
      await dispatcher.query('commit');
      expect(await answer).toEqual([{ kind: 'firing' }]);
    } finally {
      dispatcher.release();
    }
  });
});
