import { describe, expect, it } from 'vitest';
import { noneBegun } from '../../../shared/domain/step/suspects.ts';
import { createBusyWorker } from '../../../test/support/busy-worker.ts';
import { createMemoryStepEndings } from '../../../test/support/memory/step-endings.ts';
import { passTime } from '../../../test/support/pass-time.ts';

const leaseMs = 60_000;

/** Creates a busy worker, and a function that ends its run. */
async function busyWorker(concurrency: number, recordedBefore: number) {
  const busy = await createBusyWorker({ concurrency, recordedBefore });
  const { clock, database, feedId } = busy;
  const endings = createMemoryStepEndings({ database });
  return {
    ...busy,
    /** Ends the run as the trigger does when the leases have expired. */
    end: async (outcome: 'cancelled' | 'expired') => {
      for (const run of database.runs.values()) {
        if (outcome === 'cancelled') run.state = 'cancelling';
        else run.deadlineAtMs = clock.nowMs();
      }
      clock.advance(leaseMs);
      await endings.endOpen({ feedId, chainLength: 1 }, outcome, { from: 1, limit: 1000 });
    },
  };
}

type Busy = Awaited<ReturnType<typeof busyWorker>>;

/** Returns the batches that were called although their users are recorded as not called. There must be none. */
function calledButDenied({ called, stepRows }: Busy): number[] {
  const denied = stepRows(1).filter(({ rest, restUsers }) => rest !== null && rest !== 'succeeded' && restUsers !== 0);
  return denied.map(({ batchNo }) => batchNo).filter((batchNo) => called.has(batchNo));
}

const cases = [8, 12, 40].flatMap((slots) =>
  (['cancelled', 'expired'] as const).flatMap((outcome) =>
    (['killed', 'frozen'] as const).map((how) => ({ slots, outcome, how })),
  ),
);

describe('a run that ends while its worker is gone', () => {
  it.each(cases)(
    'marks only the users of calls in flight and of one flush of claims as unknown: $slots slots, $how, $outcome',
    async ({ slots, outcome, how }) => {
      for (const recordedBefore of [200, 300, 400]) {
        const busy = await busyWorker(slots, recordedBefore);
        const { held, inFlight, answered, uncalled, worthOfFlush } = busy.break();
        const beganBefore = busy.called.size;
        await busy.end(outcome);
        const unknown = busy.totals()[0]?.unknown ?? 0;
        expect(unknown).toBe(inFlight + answered + uncalled);
        expect(unknown).toBe(held.length);
        // Each answer has freed a slot, for which a step was claimed. A tenth is added as tolerance, because a call
        // that ends during a flush counts twice.
        expect(unknown).toBeLessThanOrEqual(slots + 1 + Math.ceil(1.1 * worthOfFlush));
        expect(calledButDenied(busy)).toEqual([]);
        if (how === 'killed') continue;
        busy.thaw();
        await passTime(busy.clock, 5000);
        expect(busy.called.size).toBe(beganBefore);
        expect(busy.totals()[0]?.unknown).toBe(unknown);
      }
    },
  );

  it('would record called users as not called if their claims counted as not begun (control)', async () => {
    const busy = await busyWorker(12, 300);
    const { held } = busy.break();
    for (const row of held) row.lapses = noneBegun;
    await busy.end('cancelled');
    expect(busy.totals()[0]?.unknown).toBe(0);
    expect(calledButDenied(busy).length).toBeGreaterThan(0);
  });
});
