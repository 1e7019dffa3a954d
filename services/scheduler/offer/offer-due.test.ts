import { fc } from '../../../test/support/properties.ts';
import { describe, expect, it } from 'vitest';
import type { JobReference } from '../../../shared/domain/job/job-key.ts';
import { clientIdOf, jobIdOf } from '../../../test/support/conformance/job-subject.ts';
import { createCallbackTables } from '../../../test/support/memory/callback-tables.ts';
import { createMemoryDueReferences } from '../../../test/support/memory/due-references.ts';
import { memoryJobSubject } from '../../../test/support/memory/job-subject.ts';
import { createSettableClock } from '../../../test/support/settable-clock.ts';
import { createClientCredit } from './client-credit.ts';
import { createClientsBehind } from './clients-behind.ts';
import { createMarks } from './marks.ts';
import type { DueReferences } from '../ports/due-references.ts';
import { createRecentOffers } from './recent-offers.ts';
import { lookBehind } from './look-behind.ts';
import { lookForDue } from './offer-due.ts';
import { createSweptJobs } from './swept-jobs.ts';

const nearMs = 50;

function setUp() {
  const tables = createCallbackTables(createSettableClock());
  const subject = memoryJobSubject(tables);
  const marks = createMarks();
  marks.own(Array.from({ length: 64 }, (_, partition) => partition));
  const credit = createClientCredit({ rateOf: () => undefined, share: () => 1 });
  const outbox: JobReference[] = [];
  const look = {
    ...{ due: createMemoryDueReferences({ tables }), marks, outbox, credit },
    ...{ lately: createRecentOffers(), behind: createClientsBehind(), swept: createSweptJobs() },
  };
  let nowMs = 0;
  /** What was offered before is not under way any more. */
  const give = (toAnyClient: number) => {
    for (let reads = 0; reads < 2; reads++) {
      credit.refresh([{ owner: 'd', toAnyClient, toClients: new Map() }], (nowMs += 1000));
    }
  };
  /** @param apart 64: all in one partition */
  const add = (count: number, client: number, from: number, dueInMs = -1000, apart = 1) =>
    subject.add(
      Array.from({ length: count }, (_, index) => ({
        jobId: jobIdOf(from + index * apart),
        clientId: clientIdOf(client),
        dueInMs: dueInMs + (index % 50),
      })),
    );
  return { look, outbox, give, add };
}

describe('when more of a client is due than may be offered', () => {
  it('no more is offered, nobody else is held up, and all of it is offered in the end, once', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 300 }),
        fc.integer({ min: 0, max: 300 }),
        fc.integer({ min: 1, max: 60 }),
        async (large, small, creditOfTurn) => {
          const { look, outbox, give, add } = setUp();
          await add(large, 1, 0);
          await add(small, 2, 1000);
          const offered: JobReference[] = [];
          for (let turns = 0; turns < 2000 && offered.length < large + small; turns++) {
            give(creditOfTurn);
            await lookForDue(look, nearMs, 0);
            await lookBehind(look, 0);
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

  it('its oldest jobs are offered first, over all partitions', async () => {
    const { look, outbox, give, add } = setUp();
    give(0);
    await add(500, 1, 0);
    for (let looks = 0; looks < 3; looks++) await lookForDue(look, nearMs, 0);
    expect(outbox).toEqual([]);
    give(40);
    await lookBehind(look, 0);
    // Fifty due times, ten jobs of each.
    expect(new Set(outbox.map(({ dueUs }) => dueUs)).size).toBeLessThanOrEqual(8);
    expect(outbox).toHaveLength(40);
  });

  it('what falls due for another client in its midst is offered as soon as the crowd was skimmed', async () => {
    const { look, outbox, give, add } = setUp();
    give(50);
    // 200 rows of the crowd in each partition, of which a look reads 16; the other client's come behind them.
    await add(64 * 200, 1, 0, -2000);
    await add(3, 2, 64 * 300, -1000);
    // The first finds so many that the client is behind, and the second skims.
    for (let looks = 0; looks < 3; looks++) await lookForDue(look, nearMs, 0);
    expect(outbox.filter(({ clientId }) => clientId === clientIdOf(2))).toHaveLength(3);
  });

  it('what is accepted meanwhile for another client is offered at once', async () => {
    const { look, outbox, give, add } = setUp();
    give(50);
    await add(600, 1, 0);
    for (let looks = 0; looks < 5; looks++) await lookForDue(look, nearMs, 0);
    expect(outbox).toHaveLength(50);
    await add(3, 2, 5000, -100);
    await lookForDue(look, nearMs, 0);
    expect(outbox.filter(({ clientId }) => clientId === clientIdOf(2))).toHaveLength(3);
  });

  it('it is read on at once while it has credit left, and not before it has some again', async () => {
    const { look, outbox, give, add } = setUp();
    give(0);
    // All of one partition, of which one look offers 64.
    await add(200, 1, 0, -1000, 64);
    for (let looks = 0; looks < 20; looks++) await lookForDue(look, nearMs, 0);
    give(1000);
    const isMore: boolean[] = [];
    while (isMore.at(-1) ?? true) isMore.push(await lookBehind(look, 0));
    expect(isMore).toEqual([true, true, true, false]);
    expect(outbox).toHaveLength(200);
    await add(200, 1, 200 * 64, -500, 64);
    give(0);
    for (let looks = 0; looks < 20; looks++) await lookForDue(look, nearMs, 0);
    give(30);
    expect(await lookBehind(look, 0)).toBe(false);
    expect(outbox).toHaveLength(230);
  });

  it('what is passed over while it is read for is offered all the same', async () => {
    const { look, outbox, give, add } = setUp();
    give(10);
    await add(640, 1, 0);
    for (let looks = 0; looks < 3; looks++) await lookForDue(look, nearMs, 0);
    const lookOfAndOn: DueReferences['lookOf'] = async (ranges, rows) => {
      const read = await look.due.lookOf(ranges, rows);
      // Everybody's look goes on, and finds the client behind in all partitions.
      await add(64, 1, 6400, -60);
      await lookForDue(look, nearMs, 0);
      return read;
    };
    give(10_000);
    await lookBehind({ ...look, due: { ...look.due, lookOf: lookOfAndOn } }, 0);
    for (let turns = 0; turns < 3; turns++) await lookBehind(look, 0);
    expect(new Set(outbox.map(({ jobId }) => jobId)).size).toBe(704);
  });

  it('what a look that is under way passes over is offered too, though its client has caught up meanwhile', async () => {
    const { look, outbox, give, add } = setUp();
    give(10);
    await add(640, 1, 0);
    for (let looks = 0; looks < 3; looks++) await lookForDue(look, nearMs, 0);
    // Two in each partition: a look sees the last row that it read, whosever it is.
    await add(128, 1, 6400, -60);
    const isRead = Promise.withResolvers<undefined>();
    const skimSlowly: DueReferences['skim'] = async (marks, rows) => {
      const read = await look.due.skim(marks, rows);
      await isRead.promise;
      return read;
    };
    give(10_000);
    const underWay = lookForDue({ ...look, due: { ...look.due, skim: skimSlowly } }, nearMs, 0);
    for (let turns = 0; turns < 5; turns++) await lookBehind(look, 0);
    isRead.resolve(undefined);
    await underWay;
    for (let turns = 0; turns < 3; turns++) {
      await lookForDue(look, nearMs, 0);
      await lookBehind(look, 0);
    }
    expect(new Set(outbox.map(({ jobId }) => jobId)).size).toBe(768);
    expect(outbox).toHaveLength(768);
    expect(look.behind.size).toBe(0);
  });

  it('it is through though everybody’s look moves on during each read: from then on that sees to it', async () => {
    const { look, outbox, give, add } = setUp();
    give(10);
    await add(640, 1, 0);
    for (let looks = 0; looks < 3; looks++) await lookForDue(look, nearMs, 0);
    give(10_000);
    let reads = 0;
    const lookOfAndOn: DueReferences['lookOf'] = async (ranges, rows) => {
      const read = await look.due.lookOf(ranges, rows);
      reads++;
      await add(128, 1, reads * 6400, reads * 100 - 500);
      await lookForDue(look, nearMs, 0);
      return read;
    };
    for (let turns = 0; turns < 4; turns++) {
      await lookBehind({ ...look, due: { ...look.due, lookOf: lookOfAndOn } }, 0);
    }
    expect([reads, look.behind.size]).toEqual([2, 0]);
    for (let turns = 0; turns < 3; turns++) await lookForDue(look, nearMs, 0);
    expect(new Set(outbox.map(({ jobId }) => jobId)).size).toBe(640 + 2 * 128);
    expect(outbox).toHaveLength(640 + 2 * 128);
  });

  it('a mark that goes back while it is read for stays where it went', async () => {
    const { look, outbox, give, add } = setUp();
    give(5);
    await add(640, 1, 0);
    for (let looks = 0; looks < 3; looks++) await lookForDue(look, nearMs, 0);
    const [lost] = outbox;
    if (!lost) throw new Error('nothing was offered');
    const lookOfWhileSwept: DueReferences['lookOf'] = async (ranges, rows) => {
      const read = await look.due.lookOf(ranges, rows);
      look.behind.add(lost);
      return read;
    };
    give(10_000);
    await lookBehind({ ...look, due: { ...look.due, lookOf: lookOfWhileSwept } }, 0);
    await lookBehind(look, 0);
    expect(outbox.filter(({ jobId }) => jobId === lost.jobId)).toHaveLength(2);
  });
});
