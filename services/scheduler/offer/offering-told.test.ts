import { describe, expect, it } from 'vitest';
import { jobIdOf } from '../../../test/support/conformance/job-subject.ts';
import { createMemoryDueReferences } from '../../../test/support/memory/due-references.ts';
import { setUpOfferers } from '../../../test/support/offerer-subject.ts';
import { passTime, wakeUpsWithin } from '../../../test/support/pass-time.ts';
import type { DueReferences } from '../ports/due-references.ts';

describe('when schedulers look for jobs that are due', () => {
  it('looks at once when it is told of a job while nothing was near', async () => {
    const { clock, started, stop, offered, add } = setUpOfferers();
    const offerer = await started('a');
    await passTime(clock, 10_000);
    await add({ jobId: jobIdOf(1) });
    await passTime(clock, 1);
    expect(offered()).toHaveLength(1);
    await stop(offerer);
  });

  it('looks on for half a second after it was told: who tells of one job is silent about the next ones', async () => {
    const { clock, changes, started, stop, offered, addUntold } = setUpOfferers();
    const offerer = await started('a');
    await passTime(clock, 10_000);
    changes.announce('jobs');
    for (const [number, afterMs] of [225, 225].entries()) {
      await passTime(clock, afterMs);
      await addUntold({ jobId: jobIdOf(number) });
      await passTime(clock, 50);
      expect(offered()).toHaveLength(number + 1);
    }
    await stop(offerer);
  });

  it('finds a job within two seconds of which the notice was lost', async () => {
    const { clock, started, stop, offered, addUntold } = setUpOfferers();
    const offerer = await started('a');
    await passTime(clock, 10_000);
    await addUntold({ jobId: jobIdOf(1) });
    await passTime(clock, 2000);
    expect(offered()).toHaveLength(1);
    await stop(offerer);
  });

  it('sleeps while nothing is due, and looks again when the next one is', async () => {
    const { clock, tables, started, stop, offered, addUntold } = setUpOfferers();
    const due = createMemoryDueReferences({ tables });
    let looks = 0;
    const counted: DueReferences = {
      ...due,
      look: (marks, limit, aheadMs) => {
        looks++;
        return due.look(marks, limit, aheadMs);
      },
    };
    const offerer = await started('a', { due: counted });
    await addUntold({ jobId: jobIdOf(1), dueInMs: 7000 });
    looks = 0;
    await passTime(clock, 6999);
    expect(looks).toBeLessThanOrEqual(4);
    expect(offered()).toEqual([]);
    await passTime(clock, 1);
    expect(offered()).toHaveLength(1);
    await stop(offerer);
  });

  it('wakes for nothing but its looks, its credit and its leases while nothing is to be done', async () => {
    const { clock, started, stop, add } = setUpOfferers();
    const offerer = await started('a');
    await add({ jobId: jobIdOf(1) });
    await passTime(clock, 20_000);
    // Per second: one beat, one assignment, one question for credit; every two a look and a sweep, every three a lease.
    expect(await wakeUpsWithin(clock, 10_000)).toBeLessThanOrEqual(45);
    await stop(offerer);
  });

  it('looks every fifty milliseconds while nothing can be told', async () => {
    const { clock, changes, started, stop, offered, addUntold } = setUpOfferers();
    const offerer = await started('a');
    await passTime(clock, 10_000);
    changes.lose();
    for (const jobs of [1, 2, 3]) {
      await addUntold({ jobId: jobIdOf(jobs) });
      await passTime(clock, 50);
      expect(offered()).toHaveLength(jobs);
      await passTime(clock, 5000);
    }
    await stop(offerer);
  });
});
