import { setImmediate as turn } from 'node:timers/promises';
import { pino } from 'pino';
import { beforeEach, describe, expect, it } from 'vitest';
import { createMemoryDatabase, type MemoryDatabase } from '../../../../test/support/memory/memory-database.ts';
import { createMemoryJobIntake } from '../../../../test/support/memory/job-intake.ts';
import { passTime } from '../../../../test/support/pass-time.ts';
import { createSettableClock, type SettableClock } from '../../../../test/support/settable-clock.ts';
import { jobIdOf } from '../../../../shared/domain/job/job-ids.ts';
import type { JobIntake, JobToStore } from '../../../../shared/ports/job-intake.ts';
import { createJobAcceptor, type JobAcceptor } from './job-acceptor.ts';

const clientId = '01890a5d-ac96-774b-bcce-b302099a8057';

const jobOf = (key: string | null = null, changes: Partial<JobToStore> = {}): JobToStore => ({
  jobId: jobIdOf(clientId, key),
  clientId,
  key,
  dueAt: null,
  delayMs: 60_000,
  relevancyMs: null,
  method: 'POST',
  url: 'https://shop.test/hook',
  headers: null,
  body: 'hello',
  tags: null,
  scheduleId: null,
  ...changes,
});

const lost = (): Promise<never> => Promise.reject(new Error('Connection terminated unexpectedly'));

class CanceledStatement extends Error {
  readonly code = '57014';
}

class FullDisk extends Error {
  readonly code = '53100';
}

describe('the acceptance of jobs', () => {
  let clock: SettableClock;
  let database: MemoryDatabase;
  let inner: JobIntake;
  /** Behaviour of the store in its next calls, one function for each call. */
  let script: ((store: () => Promise<ReadonlyMap<string, number>>) => Promise<ReadonlyMap<string, number>>)[];
  let calls: { jobs: number; isAgain: boolean }[];
  let acceptor: JobAcceptor;
  beforeEach(() => {
    clock = createSettableClock();
    database = createMemoryDatabase(clock);
    inner = createMemoryJobIntake({ database });
    script = [];
    calls = [];
    const intake: JobIntake = {
      ...inner,
      store: (jobs, slot, isAgain = false) => {
        calls.push({ jobs: jobs.length, isAgain });
        const store = () => inner.store(jobs, slot, isAgain);
        return (script.shift() ?? ((real) => real()))(store);
      },
    };
    acceptor = createJobAcceptor({ intake, owner: 'a test', clock, logger: pino({ level: 'silent' }) });
  });

  it('stores concurrent jobs with one statement and answers when the statement has ended', async () => {
    const answers = await Promise.all([
      acceptor.accept(jobOf('a')),
      acceptor.accept(jobOf()),
      acceptor.accept(jobOf()),
    ]);
    expect(calls).toEqual([{ jobs: 3, isAgain: false }]);
    expect(answers.map(({ kind }) => kind)).toEqual(['accepted', 'accepted', 'accepted']);
    expect(answers[0]).toMatchObject({ jobId: jobIdOf(clientId, 'a'), dueAtMs: clock.nowMs() + 60_000 });
  });

  it('answers a repeat with the existing job, also for concurrent requests', async () => {
    const [first, second] = await Promise.all([acceptor.accept(jobOf('a')), acceptor.accept(jobOf('a'))]);
    const third = await acceptor.accept(jobOf('a', { delayMs: 5 }));
    expect([first.kind, second.kind, third.kind]).toEqual(['accepted', 'duplicate', 'duplicate']);
    expect(second).toEqual({ ...first, kind: 'duplicate' });
    expect(third).toEqual(second);
    expect(database.scheduled.totals.get(clientId)?.accepted).toBe(1);
  });

  it.each([
    ['another body', { body: 'other' }],
    ['another method', { method: 'PUT' }],
    ['another address', { url: 'https://shop.test/other' }],
    ['other headers', { headers: '{"x-a":"b"}' }],
  ])(
    'refuses a key that is used again for %s, whether the first job is already stored or arrives concurrently',
    async (_what, changes) => {
      const both = await Promise.all([acceptor.accept(jobOf('a')), acceptor.accept(jobOf('a', changes))]);
      expect(both.map(({ kind }) => kind)).toEqual(['accepted', 'reused']);
      expect(await acceptor.accept(jobOf('a', changes))).toEqual({ kind: 'reused', jobId: jobIdOf(clientId, 'a') });
    },
  );

  it('stores the same jobs again if the result of a commit is unknown, and stores no job twice', async () => {
    script = [(store) => store().then(() => lost())];
    const answer = acceptor.accept(jobOf());
    await passTime(clock, 1000);
    expect(await answer).toMatchObject({ kind: 'accepted', dueAtMs: expect.any(Number) as number });
    expect(calls).toEqual([
      { jobs: 1, isAgain: false },
      { jobs: 1, isAgain: true },
    ]);
    expect(database.scheduled.jobs.size).toBe(1);
    expect(database.scheduled.totals.get(clientId)?.accepted).toBe(1);
  });

  it('stores jobs when a lost connection is restored', async () => {
    script = [() => lost(), () => lost()];
    const answer = acceptor.accept(jobOf('a'));
    await passTime(clock, 1000);
    expect(await answer).toMatchObject({ kind: 'accepted' });
  });

  it('fails after ten seconds without a database', async () => {
    script = Array.from({ length: 100 }, () => () => lost());
    const refused = expect(acceptor.accept(jobOf('a'))).rejects.toThrow('Connection terminated');
    await passTime(clock, 11_000);
    await refused;
  });

  it('asks the caller to retry if the database took too long, because nothing was stored', async () => {
    script = [() => Promise.reject(new CanceledStatement('canceling statement'))];
    await expect(acceptor.accept(jobOf('a'))).rejects.toMatchObject({ status: 503, code: 'database-busy' });
  });

  it('fails at once if the disk of the database is full, unless an earlier attempt may have stored the job', async () => {
    script = [() => Promise.reject(new FullDisk('could not extend file'))];
    await expect(acceptor.accept(jobOf('a'))).rejects.toThrow('could not extend file');
    script = [() => lost(), () => Promise.reject(new FullDisk('could not extend file'))];
    const unknown = expect(acceptor.accept(jobOf('b'))).rejects.toThrow('Connection terminated');
    await passTime(clock, 1000);
    await unknown;
    expect(calls).toHaveLength(3);
  });

  it('answers each job of a large request in the order of the request, even if several commits are needed', async () => {
    const jobs = Array.from({ length: 1203 }, (_, index) => jobOf(`key-${index % 1201}`));
    const answers = await acceptor.acceptAll(jobs);
    expect(calls.map((call) => call.jobs)).toEqual([500, 500, 203]);
    expect(answers.map((answer) => 'jobId' in answer && answer.jobId)).toEqual(jobs.map(({ jobId }) => jobId));
    expect(answers.filter(({ kind }) => kind === 'duplicate')).toHaveLength(2);
  });

  it('reports the jobs of a failed commit as unknown, and the other jobs with their results', async () => {
    script = [(store) => store(), () => Promise.reject(new Error('scripted failure'))];
    const answers = await acceptor.acceptAll(Array.from({ length: 700 }, () => jobOf()));
    expect(answers.slice(0, 500).every(({ kind }) => kind === 'accepted')).toBe(true);
    expect(answers.slice(500).every(({ kind }) => kind === 'unknown')).toBe(true);
  });

  it('refuses jobs that would exceed the memory limit, and accepts jobs again when others have been stored', async () => {
    let end: (due: ReadonlyMap<string, number>) => void = () => undefined;
    script = [() => new Promise((resolve) => (end = resolve))];
    const bodies = jobOf(null, { body: 'x'.repeat(60_000) });
    const first = acceptor.accept(bodies);
    await turn();
    const waiting = Array.from({ length: 1117 }, () => acceptor.accept({ ...bodies, jobId: jobIdOf(clientId, null) }));
    await expect(acceptor.accept(bodies)).rejects.toMatchObject({ status: 429, headers: { 'retry-after': '1' } });
    end(new Map([[bodies.jobId, 1]]));
    await Promise.all([first, ...waiting]);
    expect(await acceptor.accept({ ...bodies, jobId: jobIdOf(clientId, null) })).toMatchObject({ kind: 'accepted' });
  });
});
