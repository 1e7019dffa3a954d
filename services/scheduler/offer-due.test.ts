import { fc } from '../../test/support/properties.ts';
import { describe, expect, it } from 'vitest';
import type { JobReference } from '../../shared/domain/job/job-key.ts';
import { clientIdOf, jobIdOf } from '../../test/support/conformance/job-subject.ts';
import { createCallbackTables } from '../../test/support/memory/callback-tables.ts';
import { createMemoryDueReferences } from '../../test/support/memory/due-references.ts';
import { memoryJobSubject } from '../../test/support/memory/job-subject.ts';
import { createSettableClock } from '../../test/support/settable-clock.ts';
import { createDeferredClients } from './deferred-clients.ts';
import { createFairOffers } from './fair-offers.ts';
import { createMarks } from './marks.ts';
import { createOfferedLately } from './offered-lately.ts';
import { lookForDeferred, lookForDue, nearMs } from './offer-due.ts';

function setUp(caps: { maxPerClient: number; maxInAll: number }) {
  const tables = createCallbackTables(createSettableClock());
  const subject = memoryJobSubject(tables);
  const marks = createMarks();
  marks.own(Array.from({ length: 64 }, (_, partition) => partition));
  const offers = createFairOffers({ rateOf: () => undefined, ...caps });
  const look = {
    ...{ due: createMemoryDueReferences({ tables }), marks, offers },
    ...{ lately: createOfferedLately(), deferred: createDeferredClients() },
  };
  const add = (count: number, client: number, from: number, dueInMs = -1000) =>
    subject.add(
      Array.from({ length: count }, (_, index) => ({
        jobId: jobIdOf(from + index),
        clientId: clientIdOf(client),
        dueInMs: dueInMs + (index % 50),
      })),
    );
  return { look, offers, add };
}

describe('when more of a client is due than may wait in memory', () => {
  it('no more is held, nobody else is held up, and all of it is offered in the end, once', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 300 }),
        fc.integer({ min: 0, max: 300 }),
        fc.integer({ min: 4, max: 60 }),
        fc.integer({ min: 1, max: 80 }),
        async (large, small, cap, perTake) => {
          const { look, offers, add } = setUp({ maxPerClient: cap, maxInAll: 2 * cap });
          await add(large, 1, 0);
          await add(small, 2, 1000);
          const taken: JobReference[] = [];
          for (let turns = 0; turns < 2000 && taken.length < large + small; turns++) {
            await lookForDue(look, nearMs);
            expect(offers.size).toBeLessThanOrEqual(2 * cap + 64 * 64);
            taken.push(...offers.take(perTake, 0));
            await lookForDeferred(look);
          }
          expect(new Set(taken.map(({ jobId }) => jobId)).size).toBe(large + small);
          expect(taken).toHaveLength(large + small);
        },
      ),
      { numRuns: 25 },
    );
  });

  it('what falls due for another client in its midst is offered as soon as the crowd was skimmed', async () => {
    const { look, offers, add } = setUp({ maxPerClient: 50, maxInAll: 1000 });
    // 200 rows of the crowd in each partition, of which a look reads 16; the other client's come behind them.
    await add(64 * 200, 1, 0, -2000);
    await add(3, 2, 64 * 300, -1000);
    // The first finds so many that the second defers, and the third skims.
    for (let looks = 0; looks < 3; looks++) await lookForDue(look, nearMs);
    const taken = offers.take(1000, 0);
    expect(taken.filter(({ clientId }) => clientId === clientIdOf(2))).toHaveLength(3);
  });

  it('what is accepted meanwhile for another client is offered at once', async () => {
    const { look, offers, add } = setUp({ maxPerClient: 50, maxInAll: 1000 });
    await add(600, 1, 0);
    for (let looks = 0; looks < 5; looks++) await lookForDue(look, nearMs);
    expect(offers.size).toBe(50);
    await add(3, 2, 5000, -100);
    await lookForDue(look, nearMs);
    const taken = offers.take(1000, 0);
    expect(taken.filter(({ clientId }) => clientId === clientIdOf(2))).toHaveLength(3);
  });
});
