import { describe, expect, it } from 'vitest';
import type { RunState } from '../../../shared/domain/run/run-states.ts';
import { lastCallSentWithinMs } from '../../../shared/domain/run/run-control.ts';
import { passTime } from '../../../test/support/pass-time.ts';
import { createRunningWorker } from '../../../test/support/running-worker.ts';
import { answerOf } from '../../../test/support/worker-fixture.ts';

/** Returns `count` batches of one user each. */
const batchesOf = (count: number) =>
  Array.from({ length: count }, (_, index) => [`u${String(index).padStart(4, '0')}`]);

/** Creates a worker with ten concurrent calls of 300 ms, and lets it run for a while. */
async function busyWorker(batches: number, callMs = 300) {
  const world = await createRunningWorker({ type: { class: 'A' } });
  const { clock, endpoint, database, feed } = world;
  const beganAtMs: number[] = [];
  const { answer } = endpoint;
  endpoint.answer = async (seen) => {
    beganAtMs.push(clock.nowMs());
    await clock.sleep(callMs);
    return answer(seen);
  };
  const fed = await feed(batchesOf(batches), { chain: [{ action: 'award-reward', params: {} }] });
  await passTime(clock, 2000);
  const move = (state: RunState) => {
    for (const run of database.runs.values()) run.state = state;
    return clock.nowMs();
  };
  return { ...world, ...fed, beganAtMs, move };
}

describe('a worker', () => {
  it.each<RunState>(['pausing', 'cancelling'])(
    'begins no call of a run later than 500 ms after the run is %s',
    async (to) => {
      const { clock, beganAtMs, move } = await busyWorker(3000);
      const stoppedAtMs = move(to);
      await passTime(clock, 30_000);
      expect(beganAtMs.length).toBeGreaterThan(20);
      expect(Math.max(...beganAtMs) - stoppedAtMs).toBeLessThanOrEqual(500);
      expect(Math.max(...beganAtMs) - stoppedAtMs).toBeLessThan(lastCallSentWithinMs);
    },
  );

  it('records the calls in flight of a run that is being paused, and releases its other claims with no attempt used up', async () => {
    const { clock, beganAtMs, move, totals, stepRows } = await busyWorker(3000);
    move('pausing');
    await passTime(clock, 30_000);
    expect(totals()[0]?.succeeded).toBe(beganAtMs.length);
    expect(stepRows(1).filter(({ state }) => state === 'running')).toEqual([]);
    expect(stepRows(1).filter(({ state, attempts }) => state === 'waiting' && attempts > 0)).toEqual([]);
  });

  it('releases the claims of a pausing run soon if they wait for a slot behind hanging calls', async () => {
    const { clock, move, stepRows, endpoint } = await busyWorker(20, 25_000);
    const calls = endpoint.seen.length;
    expect(stepRows(1).filter(({ state }) => state === 'running').length).toBeGreaterThan(calls);
    move('pausing');
    await passTime(clock, 1500);
    expect(endpoint.seen).toHaveLength(calls);
    expect(stepRows(1).filter(({ state }) => state === 'running')).toHaveLength(calls);
  });

  it('releases the claims of a run past its deadline soon if they wait for a slot behind hanging calls', async () => {
    const { clock, database, runId, stepRows, endpoint } = await busyWorker(20, 25_000);
    const calls = endpoint.seen.length;
    const held = () => stepRows(1).filter(({ state }) => state === 'running').length;
    expect(held()).toBeGreaterThan(calls);
    const run = database.runs.get(runId);
    if (!run) throw new Error('the run is gone');
    run.deadlineAtMs = clock.nowMs();
    await passTime(clock, 1500);
    expect(endpoint.seen).toHaveLength(calls);
    expect(held()).toBe(calls);
  });

  it('does not repeat a call for users that its answer omits if the run was paused meanwhile', async () => {
    const { clock, endpoint, feed, database } = await createRunningWorker({ type: { class: 'A' } });
    endpoint.answer = async () => {
      await clock.sleep(1000);
      return answerOf([]);
    };
    await feed([['u1', 'u2']]);
    await passTime(clock, 100);
    for (const run of database.runs.values()) run.state = 'pausing';
    await passTime(clock, 10_000);
    expect(endpoint.seen).toHaveLength(1);
  });

  it('serves the steps that it has released after the run is resumed', async () => {
    const { clock, move, totals, runId, sweepOverdue } = await busyWorker(200);
    move('pausing');
    await passTime(clock, 5000);
    move('running');
    for (let poll = 0; poll < 20; poll++) {
      await sweepOverdue(runId);
      await passTime(clock, 1000);
    }
    expect(totals()[0]?.succeeded).toBe(200);
  });

  it('serves other runs of the same shard while one run is paused', async () => {
    const { clock, feed, move, endpoint } = await busyWorker(3000);
    move('pausing');
    await passTime(clock, 1000);
    const calls = endpoint.seen.length;
    const other = await feed([['z1'], ['z2']], { chain: [{ action: 'award-reward', params: {} }] });
    await passTime(clock, 2000);
    expect(other.totals()[0]?.succeeded).toBe(2);
    expect(endpoint.seen.length).toBe(calls + 2);
  });
});
