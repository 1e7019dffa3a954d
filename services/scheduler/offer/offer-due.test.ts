import { fc } from '../../../test/support/properties.ts';
import { describe, expect, it } from 'vitest';
import type { JobReference } from '../../../shared/domain/job/job-key.ts';
import { clientIdOf, jobIdOf } from '../../../test/support/conformance/job-subject.ts';
import { createCallbackTables } from '../../../test/support/memory/callback-tables.ts';
import { createMemoryDueReferences } from '../../../test/support/memory/due-references.ts';
import { memoryJobSubject } from '../../../test/support/memory/job-subject.ts';
import { createSettableClock } from '../../../test/support/settable-clock.ts';
import { createClientCredit } from './client-credit.ts';
import { createBackloggedClients } from './backlogged-clients.ts';
import { createMarks } from './marks.ts';
import type { DueReferences } from '../ports/due-references.ts';
import { createRecentOffers } from './recent-offers.ts';
import { offerBacklogged } from './offer-backlogged.ts';
import { scanDue } from './offer-due.ts';
import { createPeekSize } from './peek-size.ts';
import { createSweptJobs } from './swept-jobs.ts';

const nearMs = 50;

function setUp() {
  const tables = createCallbackTables(createSettableClock());
  const subject = memoryJobSubject(tables);
  const marks = createMarks();
  marks.own(Array.from({ length: 64 }, (_, partition) => partition));
  const credit = createClientCredit({ rateOf: () => undefined, share: () => 1 });
  const outbox: JobReference[] = [];
  const scan = {
    due: createMemoryDueReferences({ tables }),
    marks,
    outbox,
    credit,
    lately: createRecentOffers(),
    peekSize: createPeekSize(),
    backlogged: createBackloggedClients(),
    swept: createSweptJobs(),
  };
  let nowMs = 0;
  /**
   * Sets the credit of every client. The dispatchers' reports then include all earlier offers, so these no longer
   * reduce the credit.
   */
  const give = (toAnyClient: number) => {
    for (let reads = 0; reads < 2; reads++) {
      credit.refresh([{ owner: 'd', toAnyClient, toClients: new Map() }], (nowMs += 1000));
    }
  };
  /** @param apart difference between consecutive job ids; with 64, all jobs are in one partition */
  const add = (count: number, client: number, from: number, dueInMs = -1000, apart = 1) =>
    subject.add(
      Array.from({ length: count }, (_, index) => ({
        jobId: jobIdOf(from + index * apart),
        clientId: clientIdOf(client),
        dueInMs: dueInMs + (index % 50),
      })),
    );
  return { tables, scan, outbox, give, add };
}

describe('a client with more due jobs than may be offered', () => {
  it('is offered at most its credit, does not delay another client, and is offered each job once', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 300 }),
        fc.integer({ min: 0, max: 300 }),
        fc.integer({ min: 1, max: 60 }),
        async (large, small, creditOfTurn) => {
          const { scan, outbox, give, add } = setUp();
          await add(large, 1, 0);
          await add(small, 2, 1000);
          const offered: JobReference[] = [];
          for (let turns = 0; turns < 2000 && offered.length < large + small; turns++) {
            give(creditOfTurn);
            await scanDue(scan, nearMs, 0);
            await offerBacklogged(scan, 0);
            const turn = outbox.splice(0);
            for (const client of [1, 2]) {
              const own = turn.filter(({ clientId }) => clientId === clientIdOf(client));
              expect(own.length).toBeLessThanOrEqual(creditOfTurn);
            }
            offered.push(...turn);
          }
          expect(new Set(offered.map(({ jobId }) => jobId)).size).toBe(large + small);
          expect(offered).toHaveLength(large + small);
        },
      ),
      { numRuns: 25 },
    );
  });

  it('is offered its oldest jobs first, compared over all partitions', async () => {
    const { scan, outbox, give, add } = setUp();
    give(0);
    await add(500, 1, 0);
    for (let scans = 0; scans < 3; scans++) await scanDue(scan, nearMs, 0);
    expect(outbox).toEqual([]);
    give(40);
    await offerBacklogged(scan, 0);
    // The jobs have fifty due times, with ten jobs each.
    expect(new Set(outbox.map(({ dueUs }) => dueUs)).size).toBeLessThanOrEqual(8);
    expect(outbox).toHaveLength(40);
  });

  it('delays a job of another client that lies among its own jobs by at most five polls', async () => {
    const { scan, outbox, give, add } = setUp();
    give(50);
    // Each partition has 200 rows of the first client, and a scan reads 16 of them. The other client's rows come after
    // them.
    await add(64 * 200, 1, 0, -2000);
    await add(3, 2, 64 * 300, -1000);
    // The first scan finds that the client has a backlog. The next scans read 20, 40, 80 and 145 rows of each
    // partition.
    for (let scans = 0; scans < 5; scans++) await scanDue(scan, nearMs, 0);
    expect(outbox.filter(({ clientId }) => clientId === clientIdOf(2))).toHaveLength(3);
  });

  it('does not delay a job of another client that is accepted while the backlog waits', async () => {
    const { scan, outbox, give, add } = setUp();
    give(50);
    await add(600, 1, 0);
    for (let scans = 0; scans < 5; scans++) await scanDue(scan, nearMs, 0);
    expect(outbox).toHaveLength(50);
    await add(3, 2, 5000, -100);
    await scanDue(scan, nearMs, 0);
    expect(outbox.filter(({ clientId }) => clientId === clientIdOf(2))).toHaveLength(3);
  });

  it('is read again at once while it has credit, otherwise as soon as it has credit again', async () => {
    const { scan, outbox, give, add } = setUp();
    give(0);
    // All jobs are in one partition, of which one scan offers 64 jobs.
    await add(200, 1, 0, -1000, 64);
    for (let scans = 0; scans < 20; scans++) await scanDue(scan, nearMs, 0);
    give(1000);
    const isMore: boolean[] = [];
    while (isMore.at(-1) ?? true) isMore.push(await offerBacklogged(scan, 0));
    expect(isMore).toEqual([true, true, true, false]);
    expect(outbox).toHaveLength(200);
    await add(200, 1, 200 * 64, -500, 64);
    give(0);
    for (let scans = 0; scans < 20; scans++) await scanDue(scan, nearMs, 0);
    give(30);
    expect(await offerBacklogged(scan, 0)).toBe(false);
    expect(outbox).toHaveLength(230);
  });

  it("is also offered jobs that another scan skips while the client's backlog is being read", async () => {
    const { scan, outbox, give, add } = setUp();
    give(10);
    await add(640, 1, 0);
    for (let scans = 0; scans < 3; scans++) await scanDue(scan, nearMs, 0);
    const scanOfAndOn: DueReferences['readOfClients'] = async (ranges, rows) => {
      const read = await scan.due.readOfClients(ranges, rows);
      // The poll for all clients moves on, and finds that the client has a backlog in all partitions.
      await add(64, 1, 6400, -60);
      await scanDue(scan, nearMs, 0);
      return read;
    };
    give(10_000);
    await offerBacklogged({ ...scan, due: { ...scan.due, readOfClients: scanOfAndOn } }, 0);
    for (let turns = 0; turns < 3; turns++) await offerBacklogged(scan, 0);
    expect(new Set(outbox.map(({ jobId }) => jobId)).size).toBe(704);
  });

  it("is also offered the jobs that a poll in progress skips while the client's backlog ends", async () => {
    const { scan, outbox, give, add } = setUp();
    give(10);
    await add(640, 1, 0);
    for (let scans = 0; scans < 3; scans++) await scanDue(scan, nearMs, 0);
    // Each partition gets two more jobs. A scan also reports the last row that it has read, even of a skipped client.
    await add(128, 1, 6400, -60);
    const isRead = Promise.withResolvers<undefined>();
    const peekSlowly: DueReferences['peek'] = async (...requested) => {
      const read = await scan.due.peek(...requested);
      await isRead.promise;
      return read;
    };
    give(10_000);
    const underWay = scanDue({ ...scan, due: { ...scan.due, peek: peekSlowly } }, nearMs, 0);
    for (let turns = 0; turns < 5; turns++) await offerBacklogged(scan, 0);
    isRead.resolve(undefined);
    await underWay;
    for (let turns = 0; turns < 3; turns++) {
      await scanDue(scan, nearMs, 0);
      await offerBacklogged(scan, 0);
    }
    expect(new Set(outbox.map(({ jobId }) => jobId)).size).toBe(768);
    expect(outbox).toHaveLength(768);
    expect(scan.backlogged.size).toBe(0);
  });

  it('has no backlog in the end although the poll for all clients skips further jobs during each of its reads', async () => {
    const { scan, outbox, give, add } = setUp();
    give(10);
    await add(640, 1, 0);
    for (let scans = 0; scans < 3; scans++) await scanDue(scan, nearMs, 0);
    give(10_000);
    let reads = 0;
    const scanOfAndOn: DueReferences['readOfClients'] = async (ranges, rows) => {
      const read = await scan.due.readOfClients(ranges, rows);
      reads++;
      await add(128, 1, reads * 6400, reads * 100 - 500);
      await scanDue(scan, nearMs, 0);
      return read;
    };
    for (let turns = 0; turns < 4; turns++) {
      await offerBacklogged({ ...scan, due: { ...scan.due, readOfClients: scanOfAndOn } }, 0);
    }
    expect([reads, scan.backlogged.size]).toEqual([2, 0]);
    for (let turns = 0; turns < 3; turns++) await scanDue(scan, nearMs, 0);
    expect(new Set(outbox.map(({ jobId }) => jobId)).size).toBe(640 + 2 * 128);
    expect(outbox).toHaveLength(640 + 2 * 128);
  });

  it('is offered a lost job again that the sweep adds while its backlog is being read', async () => {
    const { scan, outbox, give, add } = setUp();
    give(5);
    await add(640, 1, 0);
    for (let scans = 0; scans < 3; scans++) await scanDue(scan, nearMs, 0);
    const [lost] = outbox;
    if (!lost) throw new Error('nothing was offered');
    const scanWhileSwept: DueReferences['readOfClients'] = async (ranges, rows) => {
      const read = await scan.due.readOfClients(ranges, rows);
      scan.backlogged.add([lost]);
      return read;
    };
    give(10_000);
    await offerBacklogged({ ...scan, due: { ...scan.due, readOfClients: scanWhileSwept } }, 0);
    await offerBacklogged(scan, 0);
    expect(outbox.filter(({ jobId }) => jobId === lost.jobId)).toHaveLength(2);
  });

  it('has consecutive waiting jobs recorded as one span, and begins a new span after jobs of other clients', async () => {
    const { scan, give, add } = setUp();
    give(0);
    await add(1, 1, 0, -3000, 64);
    await scanDue(scan, nearMs, 0);
    await add(100, 2, 64, -2000, 64);
    await add(1, 1, 64 * 200, -1900, 64);
    await add(50, 2, 64 * 300, -1800, 64);
    while ((await scanDue(scan, nearMs, 0)).found > 0);
    const spans = scan.backlogged
      .next(9, { left: () => 1, untilRateAllowsMs: () => 0 }, 0)
      .map(({ waiting }) => [...waiting.values()].flat());
    expect(spans.map((each) => each.map(({ rows }) => rows))).toEqual([
      [1, 1],
      [100, 50],
    ]);
  });

  it('has recorded as waiting only the jobs that were not offered', async () => {
    const { scan, outbox, give, add } = setUp();
    give(4);
    await add(10, 1, 0, -1000, 64);
    await scanDue(scan, nearMs, 0);
    expect(outbox).toHaveLength(4);
    give(100);
    await offerBacklogged(scan, 0);
    expect(outbox).toHaveLength(10);
    expect(new Set(outbox).size).toBe(10);
  });

  it('is offered as many jobs of a partition in a turn after the sweep listed them as before', async () => {
    const { scan, outbox, give, add } = setUp();
    give(1000);
    await add(40, 1, 0, -1000, 64);
    for (let scans = 0; scans < 3; scans++) await scanDue(scan, nearMs, 0);
    const jobs = outbox.splice(0);
    // The sweep found the jobs lost one by one, and then added all of them as one span.
    for (const job of jobs) scan.backlogged.add([job]);
    const [first, last] = [jobs[0], jobs.at(-1)];
    if (!first || !last) throw new Error('nothing was offered');
    scan.backlogged.list({ partition: first.partition, clientId: first.clientId, first, last, rows: jobs.length });
    give(1000);
    await offerBacklogged(scan, 0);
    expect(outbox).toHaveLength(40);
  });

  it('is offered later jobs while the jobs that the sweep listed are being called', async () => {
    const { tables, scan, outbox, give, add } = setUp();
    give(1000);
    const called = await add(80, 1, 0, -2000, 64);
    await add(1, 2, 64 * 100, -1500, 64);
    for (let scans = 0; scans < 20; scans++) await scanDue(scan, nearMs, 0);
    const leaseUntilMs = tables.clock.nowMs() + 30_000;
    for (const { jobId } of called) tables.fires.set(jobId, { jobId, owner: 'd', epoch: 1, leaseUntilMs });
    outbox.splice(0);
    give(0);
    await add(80, 1, 64 * 200, -1000, 64);
    for (let scans = 0; scans < 20; scans++) await scanDue(scan, nearMs, 0);
    const [first, last] = [called[0], called.at(-1)];
    if (!first || !last) throw new Error('nothing was added');
    scan.backlogged.list({ partition: first.partition, clientId: clientIdOf(1), first, last, rows: called.length });
    give(1000);
    await offerBacklogged(scan, 0);
    expect(outbox).toHaveLength(63);
  });
});
