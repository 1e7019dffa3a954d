import { describe, expect, it } from 'vitest';
import { passTime } from '../../test/support/pass-time.ts';
import { createRunningWorker, stopWorker } from '../../test/support/running-worker.ts';
import { createWorker } from './assemble-worker.ts';

describe('a stopping worker', () => {
  /** Creates a worker with one call at a time. The call ends when the test permits it. */
  async function busyWorker() {
    const world = await createRunningWorker({ type: { concurrency: 1 } }, () => ({ concurrency: 1 }));
    const answer = world.endpoint.answer;
    const finish = Promise.withResolvers<null>();
    world.endpoint.answer = async (seen) => {
      await finish.promise;
      return answer(seen);
    };
    return { ...world, finish: () => finish.resolve(null) };
  }

  it('waits for calls in flight, records them, and publishes the next step of their survivors', async () => {
    const { clock, worker, feed, finish, messages } = await busyWorker();
    const { totals } = await feed([['u1']]);
    await passTime(clock, 100);
    await worker.stopIntake();
    const finished = worker.finishWork();
    finish();
    await passTime(clock, 100);
    await finished;
    expect(totals()).toMatchObject([{ succeeded: 1 }]);
    expect(messages(2)).toHaveLength(1);
  });

  it('releases claimed batches that it has not called, without counting an attempt', async () => {
    const { clock, worker, feed, finish, endpoint, stepRows } = await busyWorker();
    await feed([['u1'], ['u2']]);
    await passTime(clock, 100);
    await worker.stopIntake();
    const finished = worker.finishWork();
    finish();
    await passTime(clock, 100);
    await finished;
    expect(endpoint.seen).toHaveLength(1);
    expect(stepRows(1)).toMatchObject([{ state: 'done' }, { state: 'waiting', attempts: 0 }]);
  });

  it('leaves steps that it has not claimed to the next worker', async () => {
    const { clock, worker, feed, finish, workerDeps, sweepOverdue, someUsers } = await busyWorker();
    const { runId, totals } = await feed(someUsers(500).map((user) => [user]));
    await passTime(clock, 100);
    await worker.stopIntake();
    const finished = worker.finishWork();
    finish();
    await passTime(clock, 100);
    await finished;
    await worker.close();
    await createWorker(workerDeps('b')).start();
    await passTime(clock, 1000);
    await sweepOverdue(runId);
    await passTime(clock, 10_000);
    expect(totals()).toMatchObject([{ succeeded: 500 }, { succeeded: 500 }]);
  });

  it('can be stopped twice, and without having any work', async () => {
    const { worker } = await createRunningWorker();
    await stopWorker(worker);
    await stopWorker(worker);
    expect(worker.ready()).toBe(false);
  });
});
