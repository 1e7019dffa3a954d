import { describe, expect, it } from 'vitest';
import { clientIdOf, jobIdOf } from '../../../test/support/conformance/job-subject.ts';
import { createMemoryDueReferences } from '../../../test/support/memory/due-references.ts';
import { setUpOfferers } from '../../../test/support/offerer-subject.ts';
import { passTime } from '../../../test/support/pass-time.ts';
import type { DueReferences } from '../ports/due-references.ts';

describe('the search for jobs to offer again', () => {
  it('finds a job that was committed behind the mark (read position), but no job that was offered before', async () => {
    const { clock, started, stop, offered, add } = setUpOfferers();
    const offerer = await started('a');
    // Job ids whose last bytes differ by a multiple of 64 are in the same partition.
    await add({ jobId: jobIdOf(1) });
    await passTime(clock, 100);
    await add({ jobId: jobIdOf(65), dueInMs: -400 });
    await passTime(clock, 300);
    expect(offered().map(({ jobId }) => jobId)).toEqual([jobIdOf(1), jobIdOf(65)]);
    await stop(offerer);
  });

  it('looks for late commits only as long as one can occur', async () => {
    const { clock, tables, started, stop, offered, add } = setUpOfferers();
    const due = createMemoryDueReferences({ tables });
    let scans = 0;
    const counted: DueReferences = {
      ...due,
      scanLate: (marks, horizon) => {
        scans++;
        return due.scanLate(marks, horizon);
      },
    };
    const offerer = await started('a', { due: counted });
    expect(scans).toBe(0);
    await add({ jobId: jobIdOf(1) });
    await passTime(clock, 9000);
    await add({ jobId: jobIdOf(65), dueInMs: -9500 });
    await passTime(clock, 300);
    expect(offered().map(({ jobId }) => jobId)).toEqual([jobIdOf(1), jobIdOf(65)]);
    await passTime(clock, 3000);
    scans = 0;
    await passTime(clock, 60_000);
    expect(scans).toBe(0);
    await add({ jobId: jobIdOf(2) });
    await passTime(clock, 1000);
    expect(scans).toBeGreaterThanOrEqual(3);
    await stop(offerer);
  });

  it('leaves late commits to the sweep if late scans are not made', async () => {
    const { clock, tables, started, stop, offered, add } = setUpOfferers();
    const due = {
      ...createMemoryDueReferences({ tables }),
      scanLate: () => Promise.resolve({ late: [], horizon: '1', nowUs: 0 }),
    };
    const offerer = await started('a', { due });
    await add({ jobId: jobIdOf(1) });
    await passTime(clock, 100);
    await add({ jobId: jobIdOf(65), dueInMs: -400 });
    await passTime(clock, 8000);
    expect(offered().map(({ jobId }) => jobId)).toEqual([jobIdOf(1)]);
    await stop(offerer);
  });

  it('finds a job within two seconds although Postgres froze for nine seconds between its statement and its commit', async () => {
    const { clock, tables, taking, started, stop, offered, add } = setUpOfferers();
    const due = createMemoryDueReferences({ tables });
    let thawed = Promise.resolve();
    const when = async <Answer>(ask: () => Promise<Answer>) => (await thawed, await ask());
    const offerer = await started('a', {
      due: {
        scan: (...args) => when(() => due.scan(...args)),
        peek: (...args) => when(() => due.peek(...args)),
        scanLate: (...args) => when(() => due.scanLate(...args)),
        readOfClients: (...args) => when(() => due.readOfClients(...args)),
        sweep: (...args) => when(() => due.sweep(...args)),
        sweepLapsed: (...args) => when(() => due.sweepLapsed(...args)),
      },
      dispatchers: { credit: () => when(() => Promise.resolve([...taking.values()])) },
    });
    await add({ jobId: jobIdOf(1) });
    await passTime(clock, 500);
    const { promise, resolve } = Promise.withResolvers<undefined>();
    thawed = promise.then(() => undefined);
    await passTime(clock, 9000);
    resolve(undefined);
    await add({ jobId: jobIdOf(129) });
    await passTime(clock, 100);
    await add({ jobId: jobIdOf(65), dueInMs: -9000 });
    await passTime(clock, 2000);
    expect(offered().map(({ jobId }) => jobId)).toContain(jobIdOf(65));
    await stop(offerer);
  });

  it('does not run more often while every answer of Postgres is slow', async () => {
    const { clock, taking, started, stop, offered, add } = setUpOfferers();
    let [reads, tookMs] = [0, 0];
    const credit = async () => {
      reads++;
      await clock.sleep(tookMs);
      return [...taking.values()];
    };
    const offerer = await started('a', { dispatchers: { credit } });
    tookMs = 1200;
    await add({ jobId: jobIdOf(1) });
    reads = 0;
    await passTime(clock, 8000);
    expect(reads).toBeGreaterThanOrEqual(3);
    expect(offered()).toHaveLength(1);
    tookMs = 0;
    await passTime(clock, 2500);
    expect(offered()).toHaveLength(2);
    await stop(offerer);
  });

  it('finds a job that no dispatcher calls after 10 s, then after 20 s, then after 40 s', async () => {
    const { clock, started, stop, offered, add } = setUpOfferers();
    const offerer = await started('a');
    await add({ jobId: jobIdOf(1) });
    const counts: number[] = [];
    for (let seconds = 0; seconds < 80; seconds++) {
      await passTime(clock, 1000);
      counts.push(offered().length);
    }
    const risesAt = counts.flatMap((count, index) => (count > (counts[index - 1] ?? 0) ? [index] : []));
    expect(risesAt).toHaveLength(4);
    expect(risesAt[1]).toBeGreaterThanOrEqual(10);
    expect(risesAt[1]).toBeLessThanOrEqual(14);
    expect((risesAt[2] ?? 0) - (risesAt[1] ?? 0)).toBeGreaterThanOrEqual(20);
    expect((risesAt[3] ?? 0) - (risesAt[2] ?? 0)).toBeGreaterThanOrEqual(40);
    await stop(offerer);
  });

  it('finds a claimed job only after the lease of its claim has ended', async () => {
    const { clock, tables, started, stop, offered, add } = setUpOfferers();
    const offerer = await started('a');
    await add({ jobId: jobIdOf(1) });
    await passTime(clock, 100);
    const leaseUntilMs = clock.nowMs() + 30_000;
    tables.fires.set(jobIdOf(1), { jobId: jobIdOf(1), owner: 'd', epoch: 1, leaseUntilMs });
    await passTime(clock, 29_000);
    expect(offered()).toHaveLength(1);
    await passTime(clock, 5000);
    expect(offered()).toHaveLength(2);
    await stop(offerer);
  });

  it('finds a late commit within one sweep although a client has a backlog', async () => {
    const { clock, takes, started, stop, offered, many, add } = setUpOfferers();
    takes('d', 100, [[clientIdOf(1), 0]]);
    const offerer = await started('a');
    await many(640);
    await passTime(clock, 1000);
    // The second job is in the same partition, and moves the mark forward.
    await add({ jobId: jobIdOf(64 * 1000), clientId: clientIdOf(2) });
    await passTime(clock, 6000);
    await add({ jobId: jobIdOf(64 * 1001), clientId: clientIdOf(2), dueInMs: -6500 });
    await passTime(clock, 7000);
    expect(offered().map(({ jobId }) => jobId)).toContain(jobIdOf(64 * 1001));
    await stop(offerer);
  });

  it('finds the jobs of a dispatcher that disappeared at once', async () => {
    const { clock, taking, takes, started, stop, offered, many } = setUpOfferers();
    takes('e', 10_000);
    const offerer = await started('a');
    await many(100);
    await passTime(clock, 3000);
    expect(offered()).toHaveLength(100);
    taking.delete('e');
    await passTime(clock, 1100);
    expect(offered()).toHaveLength(200);
    await stop(offerer);
  });

  it('finds jobs of a client with a backlog that Kafka lost within a minute', async () => {
    const { clock, takes, started, stop, offered, add } = setUpOfferers();
    takes('d', 5);
    const offerer = await started('a');
    await add(...Array.from({ length: 20 }, (_, index) => ({ jobId: jobIdOf(64 * index) })));
    await passTime(clock, 50);
    const lost = new Set(offered().map(({ jobId }) => jobId));
    expect(lost.size).toBe(5);
    takes('d', 0);
    await passTime(clock, 61_000);
    takes('d', 5);
    await passTime(clock, 200);
    const times = (id: string) => offered().filter(({ jobId }) => jobId === id).length;
    expect([...lost].map(times)).toEqual([2, 2, 2, 2, 2]);
    await stop(offerer);
  });

  it('sweeps every two seconds, and less often if sweeps are slow', async () => {
    const { clock, tables, started, stop, many } = setUpOfferers();
    const due = createMemoryDueReferences({ tables });
    let [sweeps, tookMs] = [0, 0];
    const slow: DueReferences = {
      ...due,
      sweep: async (...requested) => {
        sweeps++;
        await clock.sleep(tookMs);
        return await due.sweep(...requested);
      },
    };
    const offerer = await started('a', { due: slow });
    await many(640);
    await passTime(clock, 12_000);
    sweeps = 0;
    await passTime(clock, 22_000);
    expect(sweeps).toBe(11);
    tookMs = 1000;
    await passTime(clock, 2000);
    sweeps = 0;
    await passTime(clock, 22_000);
    expect(sweeps).toBe(2);
    tookMs = 0;
    await passTime(clock, 1000);
    await stop(offerer);
  });

  it('does not slow down the poll for due jobs, which takes place 40 times a second while there is a backlog', async () => {
    const { clock, tables, takes, started, stop, offered, many } = setUpOfferers();
    takes('d', 5);
    const due = createMemoryDueReferences({ tables });
    let peeks = 0;
    const counted: DueReferences = {
      ...due,
      peek: async (...request) => {
        peeks++;
        return await due.peek(...request);
      },
    };
    const offerer = await started('a', { due: counted });
    await many(2000);
    await passTime(clock, 1000);
    peeks = 0;
    await passTime(clock, 1000);
    expect(peeks).toBe(40);
    await many(1, clientIdOf(2), 20_000);
    await passTime(clock, 25);
    expect(offered().filter(({ clientId }) => clientId === clientIdOf(2))).toHaveLength(1);
    await stop(offerer);
  });

  it('reads late commits four times a second, for at most a twentieth of the time', async () => {
    const { clock, tables, takes, started, stop, many } = setUpOfferers();
    takes('d', 5);
    const due = createMemoryDueReferences({ tables });
    let [scans, tookMs] = [0, 0];
    const slow: DueReferences = {
      ...due,
      scanLate: async (marks, horizon) => {
        scans++;
        await clock.sleep(tookMs);
        return await due.scanLate(marks, horizon);
      },
    };
    const offerer = await started('a', { due: slow });
    await many(2000);
    await passTime(clock, 1000);
    scans = 0;
    await passTime(clock, 2000);
    expect(scans).toBe(8);
    tookMs = 50;
    await passTime(clock, 1000);
    scans = 0;
    await passTime(clock, 10_000);
    expect(scans).toBe(10);
    tookMs = 0;
    await passTime(clock, 1000);
    await stop(offerer);
  });
});
