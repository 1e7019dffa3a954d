import { describe, expect, it } from 'vitest';
import { createWorker } from '../assemble-worker.ts';
import { passTime } from '../../../test/support/pass-time.ts';
import { createRunningWorker } from '../../../test/support/running-worker.ts';

const users = 3;
const callMs = 20;
const flushMs = 25;

/** A worker at full speed, whose calls and flushes hang for ever once it is killed. */
async function busyWorker(concurrency: number) {
  let isDead = false;
  const called = new Set<number>();
  const world = await createRunningWorker({ type: { class: 'D' }, concurrency }, ({ ledger }) => ({
    ledger: { ...ledger, flush: (flush) => (isDead ? new Promise(() => undefined) : ledger.flush(flush)) },
  }));
  const { clock, endpoint, feed, stepRows } = world;
  const { answer } = endpoint;
  let inFlight = 0;
  endpoint.answer = async (seen) => {
    called.add(seen.call.batch);
    inFlight++;
    await clock.sleep(callMs);
    inFlight--;
    return isDead ? new Promise(() => undefined) : answer(seen);
  };
  const batches = Array.from({ length: 900 }, (_, batch) =>
    Array.from({ length: users }, (_user, user) => `u${batch}-${user}`),
  );
  const fed = await feed(batches, { chain: [{ action: 'award-reward', params: {} }] });
  while ((fed.totals()[0]?.batches ?? 0) < 400) await passTime(clock, 7);
  return {
    ...world,
    ...fed,
    /** Claims that were never called, and the calls under way at that moment. */
    kill: () => {
      const running = stepRows(1).filter(({ state }) => state === 'running');
      isDead = true;
      endpoint.answer = answer;
      return { uncalled: running.filter(({ batchNo }) => !called.has(batchNo)).length, inFlight };
    },
  };
}

/** What so many slots call from one flush to the next. */
const worthOfFlush = (concurrency: number) => Math.ceil((concurrency * flushMs) / callMs);

describe.each([10, 50])('claims of a worker with %i slots', (concurrency) => {
  it('are no more ahead of its calls than those of one flush, at any moment', async () => {
    const { clock, stepRows, endpoint, totals } = await busyWorker(concurrency);
    for (let look = 0; look < 20 && (totals()[0]?.batches ?? 0) < 800; look++) {
      await passTime(clock, 3);
      const seen = new Set(endpoint.seen.map(({ call }) => call.batch));
      const uncalled = stepRows(1).filter(({ state, batchNo }) => state === 'running' && !seen.has(batchNo));
      // With one flush's worth of spare: slots that came free a moment ago are not filled yet.
      expect(uncalled.length).toBeLessThanOrEqual(2 * worthOfFlush(concurrency));
    }
  });

  it('leave few users unknown in class D when it is killed at full speed', async () => {
    const { clock, workerDeps, kill, runId, sweepOverdue, totals, stepRows } = await busyWorker(concurrency);
    const { uncalled, inFlight } = kill();
    await createWorker(workerDeps('b')).start();
    for (let round = 0; round < 30; round++) {
      await passTime(clock, 5000);
      await sweepOverdue(runId);
    }
    expect(stepRows(1).filter(({ state }) => state === 'running')).toEqual([]);
    const unknownBatches = (totals()[0]?.unknown ?? 0) / users;
    expect(uncalled).toBeGreaterThan(0);
    expect(unknownBatches).toBeGreaterThan(0);
    expect(unknownBatches).toBeLessThanOrEqual(inFlight + 2 * worthOfFlush(concurrency));
  });
});
