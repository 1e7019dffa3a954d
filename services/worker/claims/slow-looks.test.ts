import { describe, expect, it } from 'vitest';
import { lastCallSentWithinMs } from '../../../shared/domain/run/run-control.ts';
import { passTime } from '../../../test/support/pass-time.ts';
import { createRunningWorker } from '../../../test/support/running-worker.ts';

const oneStep = { chain: [{ action: 'award-reward', params: {} }] };

/**
 * Creates a worker for which reading the states of runs takes `lookMs` and returns the states at the begin of the read.
 * While `isDown` returns true, a read fails at once. Calls take 50 ms.
 */
async function workerWithLooksOf(lookMs: number, isDown = () => false) {
  let polls = 0;
  const world = await createRunningWorker({}, ({ contexts, clock }) => ({
    contexts: {
      ...contexts,
      admissions: async (feedIds) => {
        polls++;
        if (isDown()) throw new Error('too many connections');
        const seen = await contexts.admissions(feedIds);
        await clock.sleep(lookMs);
        return seen;
      },
    },
  }));
  const { clock, endpoint, feed } = world;
  const { answer } = endpoint;
  const beganAtMs: number[] = [];
  endpoint.answer = async (seen) => {
    beganAtMs.push(clock.nowMs());
    await clock.sleep(50);
    return answer(seen);
  };
  const fed = await feed(
    Array.from({ length: 900 }, (_, batch) => [`u${batch}`]),
    oneStep,
  );
  return { ...world, ...fed, beganAtMs, polls: () => polls };
}

describe.each([
  { lookMs: 500, servedInAMinute: 900 },
  { lookMs: 1000, servedInAMinute: 900 },
  { lookMs: 1800, servedInAMinute: 100 },
])('reads of run states that take $lookMs ms', ({ lookMs, servedInAMinute }) => {
  it('slow down calls but do not stop them', async () => {
    const { clock, totals } = await workerWithLooksOf(lookMs);
    await passTime(clock, 60_000);
    expect(totals()[0]?.succeeded).toBeGreaterThanOrEqual(servedInAMinute);
  });

  it('let no call begin later than documented after a pause', async () => {
    const { clock, database, beganAtMs } = await workerWithLooksOf(lookMs);
    await passTime(clock, 2 * lookMs + 300);
    expect(beganAtMs.length).toBeGreaterThan(0);
    for (const run of database.runs.values()) run.state = 'pausing';
    const pausedAtMs = clock.nowMs();
    await passTime(clock, 30_000);
    expect(beganAtMs.length).toBeLessThan(900);
    expect(Math.max(...beganAtMs) - pausedAtMs).toBeLessThan(lastCallSentWithinMs);
  });
});

describe('reads of run states', () => {
  it('delay 900 calls by at most six seconds if each read takes half a second', async () => {
    const { clock, totals } = await workerWithLooksOf(500);
    await passTime(clock, 6000);
    expect(totals()).toMatchObject([{ succeeded: 900 }]);
  });

  it('are made twice a second, however many calls are made', async () => {
    const { clock, polls } = await workerWithLooksOf(5);
    await passTime(clock, 3000);
    expect(polls()).toBeLessThanOrEqual(7);
  });

  it('are made twice a second while they fail at once, and calls continue as long as the last answer is valid', async () => {
    let isDown = false;
    const { clock, totals, polls } = await workerWithLooksOf(5, () => isDown);
    await passTime(clock, 1000);
    isDown = true;
    const [pollsBefore, servedBefore] = [polls(), totals()[0]?.succeeded ?? 0];
    await passTime(clock, 1300);
    expect(polls() - pollsBefore).toBeLessThanOrEqual(3);
    expect(totals()[0]?.succeeded).toBeGreaterThan(servedBefore + 100);
  });

  it('let no call begin if they take longer than the time within which a pause must take effect', async () => {
    const { clock, beganAtMs } = await workerWithLooksOf(lastCallSentWithinMs);
    await passTime(clock, 30_000);
    expect(beganAtMs).toEqual([]);
  });
});
