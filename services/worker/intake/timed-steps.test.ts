import { describe, expect, it } from 'vitest';
import type { TimedStep } from '../../../shared/ports/step-ledger.ts';
import { waitingOf } from '../../../test/support/conformance/execution-subject.ts';
import { passTime } from '../../../test/support/pass-time.ts';
import { createRunningWorker, stopWorker } from '../../../test/support/running-worker.ts';
import {
  answerOf,
  answerWithFailures,
  withoutTimedSteps,
  type SeenCall,
} from '../../../test/support/worker-fixture.ts';
import { createSettableClock } from '../../../test/support/settable-clock.ts';
import { createStepState } from '../step/step-state.ts';
import { topics, worksOf } from '../slots/test-works.ts';
import { createStepQueue } from './step-queue.ts';
import { createTimedSteps, type TimedStepsDeps } from './timed-steps.ts';

const oneStep = { chain: [{ action: 'award-reward', params: {} }] };
const type = { retry: { firstDelayMs: 1000, maxDelayMs: 300_000 } };

/** Creates an answer in which the first user of each batch fails retryably, once. */
function retryOnce() {
  const tried = new Set<string>();
  return (seen: SeenCall) => {
    const [first] = seen.call.users;
    if (first === undefined || tried.has(first)) return answerWithFailures(seen, []);
    tried.add(first);
    return answerWithFailures(seen, [first], { retryable: true });
  };
}

const batchesOf = (name: string, count: number, users = 2) =>
  Array.from({ length: count }, (_, batch) =>
    Array.from({ length: users }, (__, user) => `${name}${String(batch * users + user).padStart(6, '0')}`),
  );

describe('a step whose worker waits until it is due', () => {
  const feedId = 'f1';
  const shard = { actionType: 'award-reward', country: 'SG' };
  const topic = topics.shard(shard);
  const standing = createStepState(feedId, 1, { succeeded: 0, refused: 0, refusedSince: 0 });

  /** Makes a worker wait until one step is due. The test then examines the queue. */
  function timeOne(change: Partial<TimedStepsDeps> = {}) {
    const clock = createSettableClock();
    const queue = createStepQueue();
    const around = { queue, directory: { standingOf: () => standing }, stops: { isStopped: () => false }, clock };
    const timed = createTimedSteps({ ...around, shards: new Map([[topic, shard]]), leaseMs: 30_000, ...change });
    const [work] = worksOf(feedId, 1);
    if (!work) throw new Error('there is one');
    const result = waitingOf(work.claim, { delayMs: 1000 });
    const step: TimedStep = { feedId, batchNo: 1, step: 1, result, dueInMs: 1000, users: 3 };
    const add = () => timed.add([step], new Map([[result, work]]));
    const queuedWhenDue = () => {
      clock.advance(2000);
      timed.queueDue();
      return queue.sizeOf(topic);
    };
    add();
    return { timed, add, queuedWhenDue };
  }

  it('is queued once, when it is due', () => {
    const { timed, queuedWhenDue } = timeOne();
    timed.queueDue();
    expect(timed.nextInMs()).toBeGreaterThanOrEqual(1000);
    expect(queuedWhenDue()).toBe(1);
    expect(queuedWhenDue()).toBe(1);
    expect(timed.nextInMs()).toBe(Infinity);
  });

  it('is not queued if its run is stopped, its step is held, or its shard is no longer served', () => {
    const held = { ...standing, fault: { current: { cause: 'answers 404', tryDue: false }, changedAtMs: 0 } };
    expect(timeOne({ stops: { isStopped: (id) => id === feedId } }).queuedWhenDue()).toBe(0);
    expect(timeOne({ directory: { standingOf: () => held } }).queuedWhenDue()).toBe(0);
    expect(timeOne({ shards: new Map() }).queuedWhenDue()).toBe(0);
  });

  it("is left to the sweep of due steps if the worker stops, including the steps of the worker's last flushes", () => {
    const { timed, add, queuedWhenDue } = timeOne();
    timed.stop();
    expect(timed.withinMs()).toBeUndefined();
    expect(queuedWhenDue()).toBe(0);
    add();
    expect(queuedWhenDue()).toBe(0);
    expect(timed.nextInMs()).toBe(Infinity);
  });
});

describe('a retry that is due soon', () => {
  it('is called by the worker that recorded it when it is due, without a message', async () => {
    const { clock, endpoint, feed, messages, stepRows } = await createRunningWorker({ type });
    endpoint.answer = retryOnce();
    const { totals } = await feed([['u1', 'u2']], oneStep);
    // The delay is random, from 0.1 to 1 times the first delay. In this test, the random number gives the middle.
    await passTime(clock, 500);
    expect(endpoint.seen).toHaveLength(1);
    await passTime(clock, 200);
    expect(endpoint.seen.map(({ call }) => call.users)).toEqual([['u1', 'u2'], ['u1']]);
    expect(messages(1)).toHaveLength(1);
    expect(stepRows(1)).toMatchObject([{ state: 'done' }, { state: 'done', epoch: 1 }]);
    expect(totals()).toMatchObject([{ succeeded: 2 }]);
  });

  it('is called only when the sweep of due steps offers it, if its worker does not wait for it', async () => {
    const world = await createRunningWorker({ type }, ({ ledger }) => ({ ledger: withoutTimedSteps(ledger) }));
    const { clock, endpoint, feed, sweepOverdue } = world;
    endpoint.answer = retryOnce();
    const { runId, totals } = await feed([['u1', 'u2']], oneStep);
    await passTime(clock, 60_000);
    expect(endpoint.seen).toHaveLength(1);
    await sweepOverdue(runId);
    await passTime(clock, 1000);
    expect(totals()).toMatchObject([{ succeeded: 2 }]);
  });

  it('keeps its users if the step was scheduled again after a call that was not applied', async () => {
    const { clock, endpoint, feed, messages } = await createRunningWorker({ type });
    let calls = 0;
    endpoint.answer = (seen) => {
      if (seen.call.step === 1) return answerWithFailures(seen, ['u1']);
      return calls++ > 0 ? answerWithFailures(seen, []) : { kind: 'not-applied', cause: 'connection refused' };
    };
    const { totals } = await feed([['u1', 'u2', 'u3']]);
    await passTime(clock, 2000);
    expect(endpoint.seen.map(({ call }) => call.users)).toEqual([
      ['u1', 'u2', 'u3'],
      ['u2', 'u3'],
      ['u2', 'u3'],
    ]);
    expect(messages(2)).toEqual([]);
    expect(totals()).toMatchObject([{ failed: 1 }, { succeeded: 2 }]);
  });

  it('is left to the sweep of due steps if it is due too late, or if its worker stops', async () => {
    const late = { retry: { firstDelayMs: 60_000, maxDelayMs: 60_000 } };
    const { clock, worker, endpoint, feed } = await createRunningWorker({ type: late });
    endpoint.answer = retryOnce();
    await feed([['u1', 'u2']], oneStep);
    await passTime(clock, 120_000);
    expect(endpoint.seen).toHaveLength(1);

    const other = await createRunningWorker({ type });
    other.endpoint.answer = retryOnce();
    const { runId, totals } = await other.feed([['u1', 'u2']], oneStep);
    await passTime(other.clock, 100);
    await stopWorker(other.worker);
    await passTime(other.clock, 9000);
    expect(other.endpoint.seen).toHaveLength(1);
    await passTime(other.clock, 3000);
    await other.sweepOverdue(runId);
    expect(other.messages(1)).toHaveLength(2);
    expect(totals()).toMatchObject([{ succeeded: 1 }]);
    await stopWorker(worker);
  });

  it('is not called while its run is paused', async () => {
    const { clock, database, endpoint, feed, stepRows } = await createRunningWorker({ type });
    endpoint.answer = retryOnce();
    const { runId } = await feed([['u1', 'u2']], oneStep);
    await passTime(clock, 100);
    const run = database.runs.get(runId);
    if (run) run.state = 'paused';
    await passTime(clock, 60_000);
    expect(endpoint.seen).toHaveLength(1);
    expect(stepRows(1)).toMatchObject([{ state: 'done' }, { state: 'waiting', attempts: 1 }]);
  });

  it('takes no slot of another campaign: 20 batches end as soon with 1,000 retries as without them', async () => {
    async function endOfSmall(retries: boolean): Promise<number> {
      const world = await createRunningWorker({ type: { ...type, concurrency: 4 } });
      const { clock, endpoint, feed } = world;
      const retry = retryOnce();
      endpoint.answer = async (seen) => {
        await clock.sleep(50);
        const isOfCrowd = retries && seen.call.users[0]?.startsWith('crowd');
        return isOfCrowd ? retry(seen) : answerOf(seen.call.users.map((id) => ({ id, status: 'succeeded' })));
      };
      await feed(batchesOf('crowd', 1000), oneStep);
      await passTime(clock, 3000);
      const startedMs = clock.nowMs();
      const small = await feed(batchesOf('small', 20), oneStep);
      while (small.totals()[0]?.succeeded !== 40) await passTime(clock, 50);
      return clock.nowMs() - startedMs;
    }
    expect(await endOfSmall(true)).toBeLessThanOrEqual((await endOfSmall(false)) * 1.2);
  });

  it('keeps the worker busy: with a retry of every batch, it makes 80 % of its usual calls per second', async () => {
    async function callsPerSecond(isRetried: boolean): Promise<number> {
      const { clock, endpoint, feed } = await createRunningWorker({ type, concurrency: 20 });
      const retry = retryOnce();
      endpoint.answer = async (seen) => {
        await clock.sleep(25);
        return isRetried ? retry(seen) : answerWithFailures(seen, []);
      };
      const startedMs = clock.nowMs();
      const { totals } = await feed(batchesOf('u', 2000), oneStep);
      while (totals()[0]?.succeeded !== 4000 && clock.nowMs() < startedMs + 60_000) await passTime(clock, 25);
      expect(totals()).toMatchObject([{ succeeded: 4000 }]);
      return (endpoint.seen.length * 1000) / (clock.nowMs() - startedMs);
    }
    const without = await callsPerSecond(false);
    expect(await callsPerSecond(true)).toBeGreaterThanOrEqual(0.8 * without);
  });
});
