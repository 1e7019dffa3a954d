import { passTime } from './pass-time.ts';
import { createRunningWorker } from './running-worker.ts';

/** Duration of each call. */
export const callMs = 20;

export interface BusyWorkerOptions {
  concurrency: number;
  usersPerBatch?: number;
  /** Number of batches that are recorded before the worker is returned. */
  recordedBefore?: number;
}

/**
 * Creates a worker of class D at full speed. When the test breaks the worker, its flushes and calls hang. They continue
 * if the test ends the freeze; otherwise the worker counts as killed.
 */
export async function createBusyWorker({ concurrency, usersPerBatch = 1, recordedBefore = 400 }: BusyWorkerOptions) {
  const thawed = Promise.withResolvers<null>();
  let isBroken = false;
  let inFlight = 0;
  const called = new Set<number>();
  /** Number of calls that ended since the last flush, and the highest number of any flush. */
  const ended = { sinceFlush: 0, most: 0 };
  const countFlush = () => {
    ended.most = Math.max(ended.most, ended.sinceFlush);
    ended.sinceFlush = 0;
  };
  const world = await createRunningWorker({ type: { class: 'D' }, concurrency }, ({ ledger }) => ({
    ledger: {
      ...ledger,
      flush: async (flush) => {
        if (isBroken) await thawed.promise;
        const flushed = await ledger.flush(flush);
        countFlush();
        return flushed;
      },
    },
  }));
  const { clock, endpoint, feed, stepRows } = world;
  const { answer } = endpoint;
  endpoint.answer = async (seen) => {
    const isOfBroken = !isBroken;
    called.add(seen.call.batch);
    inFlight++;
    await clock.sleep(callMs);
    inFlight--;
    ended.sinceFlush++;
    if (isBroken && isOfBroken) await thawed.promise;
    return answer(seen);
  };
  const batches = Array.from({ length: 900 }, (_, batch) =>
    Array.from({ length: usersPerBatch }, (_user, user) => `u${batch}-${user}`),
  );
  const fed = await feed(batches, { chain: [{ action: 'award-reward', params: {} }] });
  while ((fed.totals()[0]?.batches ?? 0) < recordedBefore) await passTime(clock, 7);
  return {
    ...world,
    ...fed,
    called,
    thaw: () => {
      thawed.resolve(null);
    },
    break: () => {
      isBroken = true;
      countFlush();
      const held = stepRows(1).filter(({ state }) => state === 'running');
      const calledOfHeld = held.filter(({ batchNo }) => called.has(batchNo)).length;
      return {
        held,
        inFlight,
        answered: calledOfHeld - inFlight,
        uncalled: held.length - calledOfHeld,
        worthOfFlush: ended.most,
      };
    },
  };
}
