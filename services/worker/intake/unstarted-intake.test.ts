import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { topicNames } from '../../../shared/domain/endpoint/shard.ts';
import { createSettableClock } from '../../../test/support/settable-clock.ts';
import { passTime, passTimeUntil } from '../../../test/support/pass-time.ts';
import {
  answerOf,
  createWorkerFixture,
  nothingUnstarted,
  type SeenCall,
} from '../../../test/support/worker-fixture.ts';
import { createWorker } from '../assemble-worker.ts';
import { createUnstartedIntake } from './unstarted-intake.ts';
import type { UnstartedSteps } from './unstarted-steps.port.ts';

/**
 * Duration in milliseconds of a batch's call. The durations are 200 ms on average, and all different: calls that end
 * together would hide parts of a round.
 */
const callMs = (batch: number) => 100 + ((batch * 137) % 201);
const oneStep = { chain: [{ action: 'award-reward', params: {} }] };

interface Crew {
  /** Number of concurrent calls of each worker. */
  slots: readonly number[];
  unstarted?: UnstartedSteps;
  /** Duration in milliseconds of a query for steps without a claim. */
  lookMs?: number;
}

/** Starts workers with these numbers of slots. Each gets one partition, and all call a slow endpoint. */
async function startWorkers({ slots, unstarted, lookMs = 0 }: Crew) {
  const fixture = createWorkerFixture({ partitions: slots.length, type: { concurrency: Math.max(...slots) } });
  const { clock, endpoint } = fixture;
  const callsOf = new Map<string, SeenCall[]>();
  const frozen = new Set<string>();
  for (const [index, concurrency] of slots.entries()) {
    const name = `worker-${index}`;
    callsOf.set(name, []);
    const deps = fixture.workerDeps(name);
    const call = async (request: Parameters<typeof endpoint.call>[0]) => {
      const answer = await endpoint.call(request);
      const seen = endpoint.seen.at(-1);
      if (seen) callsOf.get(name)?.push(seen);
      await clock.sleep(callMs(seen?.call.batch ?? 0));
      if (frozen.has(name)) await new Promise(() => undefined);
      return answer;
    };
    const find: UnstartedSteps['find'] = async (windows, most) => {
      await clock.sleep(lookMs);
      return deps.unstarted.find(windows, most);
    };
    const changes = unstarted ? { unstarted } : lookMs > 0 ? { unstarted: { find } } : {};
    const worker = createWorker({ ...deps, ...changes, concurrency, endpoint: { ...endpoint, call } });
    await worker.start();
  }
  endpoint.answer = ({ call }) => answerOf(call.users.map((id) => ({ id, status: 'succeeded' })));
  return { ...fixture, callsOf, frozen };
}

/**
 * Returns the time until all batches are recorded. Each batch has one user, and the references are spread evenly over
 * the partitions.
 */
async function endOf(crew: Crew, batches: number): Promise<{ tookMs: number; calls: number[] }> {
  const { clock, feed, stepRows, callsOf } = await startWorkers(crew);
  const startedMs = clock.nowMs();
  await feed(
    Array.from({ length: batches }, (_, index) => [`u${String(index).padStart(6, '0')}`]),
    oneStep,
  );
  const done = () => stepRows(1).filter(({ state }) => state === 'done').length;
  await passTimeUntil(clock, () => done() === batches);
  return { tookMs: clock.nowMs() - startedMs, calls: [...callsOf.values()].map((calls) => calls.length) };
}

describe("a worker with a tenth of another worker's slots", () => {
  it.each([100, 800])('does not delay a campaign of %i batches', async (batches) => {
    const alone = await endOf({ slots: [40] }, batches);
    const beside = await endOf({ slots: [40, 4] }, batches);
    expect(beside.tookMs).toBeLessThanOrEqual(1.05 * alone.tookMs);
    expect(beside.calls.reduce((sum, calls) => sum + calls, 0)).toBe(batches);
  });

  it('would delay the end of a campaign if each worker served only its own partitions (control)', async () => {
    const alone = await endOf({ slots: [40] }, 800);
    const beside = await endOf({ slots: [40, 4], unstarted: nothingUnstarted }, 800);
    expect(beside.tookMs).toBeGreaterThan(3 * alone.tookMs);
  });
});

describe('a free worker whose queries for steps without a claim take 200 ms', () => {
  it('delays a campaign by at most a fifth', async () => {
    const alone = await endOf({ slots: [40] }, 800);
    const beside = await endOf({ slots: [40, 4], lookMs: 200 }, 800);
    expect(beside.tookMs).toBeLessThanOrEqual(1.2 * alone.tookMs);
  });
});

describe('a worker whose calls never end', () => {
  it('delays only the steps that it has claimed, not other steps of its partition', async () => {
    const { clock, feed, stepRows, callsOf, frozen } = await startWorkers({ slots: [10, 10] });
    frozen.add('worker-1');
    await feed(
      Array.from({ length: 300 }, (_, index) => [`u${String(index).padStart(6, '0')}`]),
      oneStep,
    );
    await passTime(clock, 15_000);
    const left = stepRows(1).filter(({ state }) => state !== 'done');
    expect(left.map(({ owner }) => owner)).toEqual(left.map(() => 'worker-1'));
    expect(left.length).toBeLessThan(20);
    expect(callsOf.get('worker-0')).toHaveLength(300 - left.length);
  });
});

describe('the query for steps without a claim', () => {
  it('is made seldom while it finds nothing, and is no longer made some time after the last step of a feed', async () => {
    const polls: number[] = [];
    const { clock, feed } = await startWorkers({
      slots: [4],
      unstarted: {
        find: (windows) => {
          polls.push(clock.nowMs());
          return Promise.resolve(windows.map(({ feedId }) => ({ feedId, steps: [], next: null })));
        },
      },
    });
    await feed(
      Array.from({ length: 40 }, (_, index) => [`u${index}`]),
      oneStep,
    );
    await passTime(clock, 12_000);
    expect(polls.length).toBeLessThan(12);
    await passTime(clock, 60_000);
    const before = polls.length;
    await passTime(clock, 60_000);
    expect(polls).toHaveLength(before);
  });

  it('is not made while the worker has queued steps for its free slots', async () => {
    let polls = 0;
    const find = () => Promise.resolve([]).finally(() => polls++);
    const { clock, feed, frozen } = await startWorkers({ slots: [4], unstarted: { find } });
    frozen.add('worker-0');
    await feed(
      Array.from({ length: 100 }, (_, index) => [`u${String(index).padStart(6, '0')}`]),
      oneStep,
    );
    await passTime(clock, 10_000);
    expect(polls).toBe(0);
  });
});

describe('the intake of steps without a claim', () => {
  const context = {
    feedId: 'f',
    runId: 'r',
    campaignId: 'c',
    country: 'SG',
    ...oneStep,
    unitsPerUser: null,
    stepModes: null,
  };
  /** The worker serves every shard and knows the feed. */
  const servesAll = {
    directory: { contextOf: () => context },
    shards: { has: () => true },
    topics: topicNames('muster'),
    onFound: () => undefined,
    logger: pino({ level: 'silent' }),
  };
  const unstartedStep = (batchNo: number) => ({ feedId: 'f', batchNo, step: 1, remaining: 1, isFirst: true });

  it('takes only steps that are older than 200 ms while references arrive, and all steps after the last reference', async () => {
    const clock = createSettableClock(0);
    const taken: number[] = [];
    let fedLast = 1;
    const intake = createUnstartedIntake({
      // Batch 1 stays without a claim. Each query also finds another batch that was just fed.
      unstarted: {
        find: () => Promise.resolve([{ feedId: 'f', steps: [unstartedStep(1), unstartedStep(++fedLast)], next: null }]),
      },
      queue: { topics: () => [], add: (steps) => taken.push(...steps.map(({ batchNo }) => batchNo)) },
      slots: { room: () => 10, roomOf: () => 10 },
      ...servesAll,
      clock,
    });
    intake.start();
    for (let ms = 0; ms < 1500; ms += 30) {
      intake.onSteps([{ feedId: 'f', batchNo: 99, step: 1 }]);
      await passTime(clock, 30);
    }
    expect(fedLast).toBeGreaterThan(3);
    expect(new Set(taken)).toEqual(new Set([1]));
    await passTime(clock, 1000);
    expect(taken).toContain(fedLast);
    await intake.stop();
  });

  /**
   * Returns the time of the first query. The shard has free slots from `freeFromMs` on, and references arrive every 30
   * ms until `lastReferenceMs`.
   */
  async function firstPollAtMs({ freeFromMs = 0, lastReferenceMs = 2000 }): Promise<number | undefined> {
    const clock = createSettableClock(0);
    const polls: number[] = [];
    const intake = createUnstartedIntake({
      unstarted: {
        find: () => {
          polls.push(clock.monotonicMs());
          return Promise.resolve([{ feedId: 'f', steps: [], next: null }]);
        },
      },
      queue: { topics: () => [], add: () => undefined },
      slots: { room: () => (clock.monotonicMs() >= freeFromMs ? 10 : 0), roomOf: () => 10 },
      ...servesAll,
      clock,
    });
    const beganMs = clock.monotonicMs();
    intake.start();
    for (let ms = 0; ms < 2000 && polls.length === 0; ms += 10) {
      if (ms <= lastReferenceMs && ms % 30 === 0) intake.onSteps([{ feedId: 'f', batchNo: 99, step: 1 }]);
      await passTime(clock, 10);
    }
    await intake.stop();
    return polls[0] === undefined ? undefined : polls[0] - beganMs;
  }

  it('makes no query before its shard has had free slots for 200 ms', async () => {
    const atOnce = await firstPollAtMs({});
    expect(atOnce).toBeGreaterThanOrEqual(200);
    expect(atOnce).toBeLessThanOrEqual(260);
    const later = await firstPollAtMs({ freeFromMs: 1000 });
    expect(later).toBeGreaterThanOrEqual(1150);
    expect(later).toBeLessThanOrEqual(1260);
  });

  it('makes a query 100 ms after the last reference, but never while its shard has no free slots', async () => {
    const quiet = await firstPollAtMs({ lastReferenceMs: 0 });
    expect(quiet).toBeGreaterThanOrEqual(100);
    expect(quiet).toBeLessThanOrEqual(160);
    expect(await firstPollAtMs({ lastReferenceMs: 0, freeFromMs: 1e9 })).toBeUndefined();
  });
});
