import { describe, expect, it } from 'vitest';
import { jobIdOf } from '../../../test/support/conformance/job-subject.ts';
import { createMemoryDueReferences } from '../../../test/support/memory/due-references.ts';
import { setUpOfferers } from '../../../test/support/offerer-subject.ts';
import { passTime, wakeUpsWithin } from '../../../test/support/pass-time.ts';
import type { DueReferences } from '../ports/due-references.ts';

describe('the poll for due jobs', () => {
  it('happens at once after a notification', async () => {
    const { clock, started, stop, offered, add } = setUpOfferers();
    const offerer = await started('a');
    await passTime(clock, 10_000);
    await add({ jobId: jobIdOf(1) });
    await passTime(clock, 1);
    expect(offered()).toHaveLength(1);
    await stop(offerer);
  });

  it('continues for half a second after a notification, so that jobs in this time need no notification', async () => {
    const { clock, changes, started, stop, offered, addPending } = setUpOfferers();
    const offerer = await started('a');
    await passTime(clock, 10_000);
    changes.announce('jobs');
    for (const [number, afterMs] of [225, 225].entries()) {
      await passTime(clock, afterMs);
      await addPending({ jobId: jobIdOf(number) });
      await passTime(clock, 50);
      expect(offered()).toHaveLength(number + 1);
    }
    await stop(offerer);
  });

  it('finds a job within two seconds if its notification was lost', async () => {
    const { clock, started, stop, offered, addPending } = setUpOfferers();
    const offerer = await started('a');
    await passTime(clock, 10_000);
    await addPending({ jobId: jobIdOf(1) });
    await passTime(clock, 2000);
    expect(offered()).toHaveLength(1);
    await stop(offerer);
  });

  it('pauses until the time of the next job', async () => {
    const { clock, tables, started, stop, offered, addPending: addWaiting } = setUpOfferers();
    const due = createMemoryDueReferences({ tables });
    let scans = 0;
    const counted: DueReferences = {
      ...due,
      scan: (marks, limit, aheadMs) => {
        scans++;
        return due.scan(marks, limit, aheadMs);
      },
    };
    const offerer = await started('a', { due: counted });
    await addWaiting({ jobId: jobIdOf(1), dueInMs: 7000 });
    scans = 0;
    await passTime(clock, 6999);
    expect(scans).toBeLessThanOrEqual(4);
    expect(offered()).toEqual([]);
    await passTime(clock, 1);
    expect(offered()).toHaveLength(1);
    await stop(offerer);
  });

  it('wakes the process at most 45 times in ten idle seconds, together with reading credit and renewing leases', async () => {
    const { clock, started, stop, add } = setUpOfferers();
    const offerer = await started('a');
    await add({ jobId: jobIdOf(1) });
    await passTime(clock, 20_000);
    // Each second: a heartbeat, an assignment and a read of the credit. Every two seconds: a scan and a sweep. Every
    // three seconds: a lease.
    expect(await wakeUpsWithin(clock, 10_000)).toBeLessThanOrEqual(45);
    await stop(offerer);
  });

  it('happens every 50 ms while notifications are not received', async () => {
    const { clock, changes, started, stop, offered, addPending } = setUpOfferers();
    const offerer = await started('a');
    await passTime(clock, 10_000);
    changes.lose();
    for (const jobs of [1, 2, 3]) {
      await addPending({ jobId: jobIdOf(jobs) });
      await passTime(clock, 50);
      expect(offered()).toHaveLength(jobs);
      await passTime(clock, 5000);
    }
    await stop(offerer);
  });
});
