import { describe, expect, it } from 'vitest';
import { createWorker } from '../assemble-worker.ts';
import { passTime } from '../../../test/support/pass-time.ts';
import { callMs, createBusyWorker } from '../../../test/support/busy-worker.ts';

const usersPerBatch = 3;
const flushMs = 25;

/** Returns the number of calls that all slots make from one flush to the next. */
const worthOfFlush = (concurrency: number) => Math.ceil((concurrency * flushMs) / callMs);

describe.each([10, 50])('claims of a worker with %i slots', (concurrency) => {
  it("never exceed its calls by more than one flush's worth", async () => {
    const { clock, stepRows, endpoint, totals } = await createBusyWorker({ concurrency, usersPerBatch });
    for (let poll = 0; poll < 20 && (totals()[0]?.batches ?? 0) < 800; poll++) {
      await passTime(clock, 3);
      const seen = new Set(endpoint.seen.map(({ call }) => call.batch));
      const uncalled = stepRows(1).filter(({ state, batchNo }) => state === 'running' && !seen.has(batchNo));
      // A second flush's worth is tolerated, because slots that have just become free are not filled yet.
      expect(uncalled.length).toBeLessThanOrEqual(2 * worthOfFlush(concurrency));
    }
  });

  it('leave few users of class D unknown if the worker is killed at full speed', async () => {
    const busy = await createBusyWorker({ concurrency, usersPerBatch });
    const { clock, runId, sweepOverdue, totals, stepRows } = busy;
    const { uncalled, inFlight } = busy.break();
    await createWorker(busy.workerDeps('b')).start();
    for (let round = 0; round < 30; round++) {
      await passTime(clock, 5000);
      await sweepOverdue(runId);
    }
    expect(stepRows(1).filter(({ state }) => state === 'running')).toEqual([]);
    const unknownBatches = (totals()[0]?.unknown ?? 0) / usersPerBatch;
    expect(uncalled).toBeGreaterThan(0);
    expect(unknownBatches).toBeGreaterThan(0);
    expect(unknownBatches).toBeLessThanOrEqual(inFlight + 2 * worthOfFlush(concurrency));
  });
});
