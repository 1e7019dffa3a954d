import { describe, expect, it } from 'vitest';
import { stepMessage } from '../../shared/contracts/messages.ts';
import { failingOnce } from '../../test/support/trigger-fixture.ts';
import { passTime, settled } from '../../test/support/pass-time.ts';
import {
  answerOf,
  answerWithFailures,
  createWorkerFixture,
  type WorkerFixtureOptions,
} from '../../test/support/worker-fixture.ts';
import type { BatchAnswer } from './ports/batch-endpoint.ts';
import { createWorker, type Worker, type WorkerDeps } from './worker.ts';

async function setUp(
  options: WorkerFixtureOptions = {},
  change: (deps: WorkerDeps) => Partial<WorkerDeps> = () => ({}),
) {
  const world = createWorkerFixture(options);
  const deps = world.workerDeps('a');
  const worker = createWorker({ ...deps, ...change(deps) });
  await worker.start();
  return { ...world, worker };
}

async function stop(worker: Worker): Promise<void> {
  await worker.stopIntake();
  await worker.finishWork();
  await worker.close();
}

const serverError: BatchAnswer = { kind: 'answered', status: 500, retryAfterMs: null, body: Buffer.from('') };
const nothing = { batches: 0, succeeded: 0, failed: 0, expired: 0, cancelled: 0, unknown: 0 };

describe('a batch', () => {
  it('runs through its chain, one call per step', async () => {
    const { clock, endpoint, feed } = await setUp();
    const { totals } = await feed([['u1', 'u2', 'u3']]);
    await passTime(clock, 1000);
    expect(endpoint.seen.map(({ actionType, call }) => [actionType, call.users])).toEqual([
      ['award-reward', ['u1', 'u2', 'u3']],
      ['send-message', ['u1', 'u2', 'u3']],
    ]);
    expect(totals()).toEqual([
      { ...nothing, step: 1, batches: 1, succeeded: 3 },
      { ...nothing, step: 2, batches: 1, succeeded: 3 },
    ]);
  });

  it('is sent as it was fed, with its names, its numbers and the key of its step', async () => {
    const { clock, endpoint, feed } = await setUp();
    const { feedId: id } = await feed([['back\\slash', 'say "hi"', '🛵']]);
    await passTime(clock, 1000);
    const [first] = endpoint.seen;
    expect(first?.body.toString()).toMatch(/^{"campaign":"cmp_[0-9a-z]{26}","run":"run_[0-9a-z]{26}","step":1,/);
    expect(first).toMatchObject({
      idempotencyKey: `${id}-1-1`,
      attempt: 1,
      call: {
        step: 1,
        country: 'SG',
        batch: 1,
        action: { type: 'award-reward', params: { rewardId: 'ride-5', units: 2 } },
        users: ['back\\slash', 'say "hi"', '🛵'],
      },
    });
  });

  it('goes on without the users that failed, who stand in the failures', async () => {
    const { clock, endpoint, feed, failures } = await setUp();
    endpoint.answer = (seen) => answerWithFailures(seen, seen.call.step === 1 ? ['u2'] : []);
    const { totals } = await feed([['u1', 'u2', 'u3']]);
    await passTime(clock, 1000);
    expect(endpoint.seen[1]?.call.users).toEqual(['u1', 'u3']);
    expect(failures()).toEqual([{ user: 'u2', step: 1, outcome: 'failed', reason: 'out-of-stock' }]);
    expect(totals()).toMatchObject([
      { succeeded: 2, failed: 1 },
      { succeeded: 2, failed: 0 },
    ]);
  });

  it('does not go on when nobody is left', async () => {
    const { clock, endpoint, feed, messages } = await setUp();
    endpoint.answer = (seen) => answerWithFailures(seen, ['u1']);
    await feed([['u1']]);
    await passTime(clock, 1000);
    expect(messages(2)).toEqual([]);
  });

  it('goes on with a reference that leaves out whom it lost when they are many, and they are read', async () => {
    const { clock, endpoint, feed, messages, someUsers } = await setUp();
    const lost = someUsers(21);
    endpoint.answer = (seen) => answerWithFailures(seen, seen.call.step === 1 ? lost : []);
    await feed([someUsers(30)]);
    await passTime(clock, 1000);
    expect(messages(2)).toMatchObject([{ batchNos: [1], remaining: [9], lost: [null] }]);
    expect(endpoint.seen[1]?.call.users).toEqual(someUsers(9, 22));
  });

  it('is served without those it lost also when its reference does not add up', async () => {
    const withoutLost = (value: string) => JSON.stringify({ ...stepMessage.parse(JSON.parse(value)), lost: [[]] });
    const { clock, endpoint, feed } = await setUp({}, ({ publisher }) => ({
      publisher: {
        publish: (records) =>
          publisher.publish(records.map((record) => ({ ...record, value: withoutLost(record.value) }))),
      },
    }));
    endpoint.answer = (seen) => answerWithFailures(seen, seen.call.step === 1 ? ['u2'] : []);
    await feed([['u1', 'u2', 'u3']]);
    await passTime(clock, 1000);
    expect(endpoint.seen[1]?.call.users).toEqual(['u1', 'u3']);
  });
});

describe('a record', () => {
  it('that comes twice is served once', async () => {
    const { clock, endpoint, feed, publish } = await setUp();
    const { feedId: id } = await feed([['u1'], ['u2']]);
    await publish({ feedId: id, step: 1, batchNos: [1, 2], remaining: [1, 1] });
    await passTime(clock, 1000);
    await publish({ feedId: id, step: 1, batchNos: [2, 1], remaining: [1, 1] });
    await passTime(clock, 1000);
    expect(endpoint.seen.filter(({ call }) => call.step === 1)).toHaveLength(2);
  });

  it('that nobody can read is dead-lettered with its bytes, and what follows is served', async () => {
    const { clock, endpoint, feed, publisher, topicOf, database } = await setUp();
    await publisher.publish(['garbage', '{}'].map((value) => ({ topic: topicOf(1), value })));
    await feed([['u1']]);
    await passTime(clock, 1000);
    expect([...database.deadLetters.values()].map(({ value }) => value?.toString())).toEqual(['garbage', '{}']);
    expect(endpoint.seen).toHaveLength(2);
  });

  it('whose step belongs to another shard, or to none, is dead-lettered', async () => {
    const { clock, endpoint, feed, publish, publisher, topicOf, database } = await setUp();
    const { feedId: id } = await feed([['u1'], ['u2']], { chain: [{ action: 'award-reward', params: {} }] });
    await publisher.publish([
      { topic: topicOf(2), value: JSON.stringify({ feedId: id, step: 1, batchNos: [1, 2], remaining: [1, 1] }) },
    ]);
    await publish({ feedId: id, step: 2, batchNos: [1], remaining: [1] });
    await passTime(clock, 1000);
    expect([...database.deadLetters.values()].map(({ reason }) => reason)).toEqual([
      'its step belongs to another shard',
      'its feed has no such step',
    ]);
    expect(endpoint.seen.every(({ call }) => call.step === 1)).toBe(true);
  });

  it('comes again to the next worker when the next steps could not be published', async () => {
    const { clock, endpoint, feed, worker, workerDeps, messages } = await setUp({}, () => ({
      publisher: { publish: () => Promise.reject(new Error('no broker')) },
    }));
    const { totals } = await feed([['u1']]);
    await passTime(clock, 5000);
    expect(messages(2)).toEqual([]);
    await stop(worker);
    const delivered: number[] = [];
    await workerDeps('b').consumer.start({
      deliver: (_lane, records) => void delivered.push(...records.map(({ offset }) => offset)),
      revoke: () => undefined,
    });
    await settled();
    expect(delivered).toEqual([0]);
    expect(endpoint.seen).toHaveLength(1);
    expect(totals()).toMatchObject([{ step: 1, succeeded: 1 }]);
  });

  it('is handled once its next steps are published, however often that took', async () => {
    const { clock, bus, feed, endpoint, messages } = await setUp();
    bus.failNextPublish('before');
    await feed([['u1']]).catch(() => undefined);
    const { totals } = await feed([['u2']]);
    bus.failNextPublish('before');
    await passTime(clock, 5000);
    expect(messages(2)).toHaveLength(1);
    expect(endpoint.seen).toHaveLength(2);
    expect(totals()).toMatchObject([{ succeeded: 1 }, { succeeded: 1 }]);
  });
});

describe('an ambiguous call', () => {
  it('is made again with the same key and the same bytes, after a while', async () => {
    const { clock, endpoint, feed, sweepOverdue, stepRows } = await setUp();
    const answer = endpoint.answer;
    endpoint.answer = () => serverError;
    const { runId } = await feed([['u1']]);
    await passTime(clock, 100);
    expect(stepRows(1)).toMatchObject([{ state: 'waiting', attempts: 1, open: true, cause: 'HTTP 500' }]);
    endpoint.answer = answer;
    await passTime(clock, 1000);
    await sweepOverdue(runId);
    await passTime(clock, 100);
    const [first, second] = endpoint.seen;
    expect(second).toMatchObject({ idempotencyKey: first?.idempotencyKey, body: first?.body, attempt: 2 });
    expect(stepRows(1)).toMatchObject([{ state: 'done', epoch: 2 }]);
  });

  it('ends as unknown when its attempts are used up, and goes no further', async () => {
    const { clock, endpoint, feed, sweepOverdue, failures, messages } = await setUp();
    endpoint.answer = () => ({ kind: 'ambiguous', cause: 'reset' });
    const { runId, totals } = await feed([['u1', 'u2']]);
    for (let round = 0; round < 6; round++) {
      await passTime(clock, 60_000);
      await sweepOverdue(runId);
    }
    expect(endpoint.seen).toHaveLength(3);
    expect(failures()).toEqual(
      ['u1', 'u2'].map((user) => ({ user, step: 1, outcome: 'unknown', reason: 'muster.attempts-used-up' })),
    );
    expect(totals()).toMatchObject([{ unknown: 2, succeeded: 0 }]);
    expect(messages(2)).toEqual([]);
  });

  it('ends as unknown when the deadline passes meanwhile: nobody can say that nothing happened', async () => {
    const { clock, endpoint, feed, sweepOverdue, failures } = await setUp();
    endpoint.answer = () => serverError;
    const { runId } = await feed([['u1']], { deadlineSeconds: 3600 });
    await passTime(clock, 100);
    await passTime(clock, 3_700_000);
    await sweepOverdue(runId);
    await passTime(clock, 100);
    expect(endpoint.seen).toHaveLength(1);
    expect(failures()).toEqual([{ user: 'u1', step: 1, outcome: 'unknown', reason: 'muster.ambiguous-answer' }]);
  });
});

describe('a call that was not applied', () => {
  it.each<[string, BatchAnswer]>([
    ['refused connection', { kind: 'not-applied', cause: 'ECONNREFUSED' }],
    ['HTTP 429', { kind: 'answered', status: 429, retryAfterMs: 2000, body: Buffer.from('') }],
    ['HTTP 401', { kind: 'answered', status: 401, retryAfterMs: null, body: Buffer.from('') }],
  ])('(%s) is made again as often as it takes, and uses up no attempt', async (_name, refusal) => {
    const { clock, endpoint, feed, sweepOverdue, stepRows, failures } = await setUp();
    const answer = endpoint.answer;
    endpoint.answer = (seen) => (endpoint.seen.length <= 5 ? refusal : answer(seen));
    const { runId } = await feed([['u1']]);
    for (let round = 0; round < 6; round++) {
      await passTime(clock, 60_000);
      await sweepOverdue(runId);
    }
    await passTime(clock, 100);
    expect(endpoint.seen.slice(0, 6).map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(stepRows(1)).toMatchObject([{ state: 'done', attempts: 0 }]);
    expect(failures()).toEqual([]);
  });
});

describe('users of a batch', () => {
  it('that may be retried go on as a batch of their own, with a key of its own', async () => {
    const { clock, endpoint, feed, sweepOverdue } = await setUp();
    const answer = endpoint.answer;
    endpoint.answer = (seen) =>
      endpoint.seen.length === 1 ? answerWithFailures(seen, ['u2'], { retryable: true }) : answer(seen);
    const { runId, totals } = await feed([['u1', 'u2', 'u3']]);
    await passTime(clock, 60_000);
    await sweepOverdue(runId);
    await passTime(clock, 1000);
    const calls = endpoint.seen.map(({ call, attempt }) => [call.step, call.batch, attempt, call.users.join(' ')]);
    expect(calls).toEqual([
      [1, 1, 1, 'u1 u2 u3'],
      [2, 1, 1, 'u1 u3'],
      [1, 2 ** 30, 1, 'u2'],
      [2, 2 ** 30, 1, 'u2'],
    ]);
    expect(totals()).toMatchObject([
      { batches: 1, succeeded: 3, failed: 0 },
      { batches: 1, succeeded: 3, failed: 0 },
    ]);
  });

  it('that were retried often enough end as failed, with their last code', async () => {
    const { clock, endpoint, feed, sweepOverdue, failures } = await setUp();
    endpoint.answer = (seen) => answerWithFailures(seen, ['u2'], { retryable: true, code: `n${endpoint.seen.length}` });
    const { runId } = await feed([['u2']]);
    for (let round = 0; round < 5; round++) {
      await passTime(clock, 60_000);
      await sweepOverdue(runId);
    }
    expect(failures()).toEqual([{ user: 'u2', step: 1, outcome: 'failed', reason: 'n3' }]);
  });

  it('that an answer leaves out are asked for once more at once', async () => {
    const { clock, endpoint, feed, failures } = await setUp();
    const answer = endpoint.answer;
    endpoint.answer = (seen) =>
      endpoint.seen.length === 1 ? answerOf([{ id: 'u1', status: 'succeeded' }]) : answer(seen);
    const { totals } = await feed([['u1', 'u2']]);
    await passTime(clock, 1000);
    expect(endpoint.seen.slice(0, 2).map(({ idempotencyKey }) => idempotencyKey.slice(-4))).toEqual(['-1-1', '-1-1']);
    expect(failures()).toEqual([]);
    expect(totals()).toMatchObject([{ succeeded: 2 }, { succeeded: 2 }]);
  });

  it('that stay missing end as unknown where only the call is known again (class B)', async () => {
    const { clock, endpoint, feed, failures } = await setUp();
    endpoint.answer = () => answerOf([{ id: 'u1', status: 'succeeded' }]);
    await feed([['u1', 'u2']]);
    await passTime(clock, 1000);
    expect(failures()).toEqual([{ user: 'u2', step: 1, outcome: 'unknown', reason: 'muster.no-result' }]);
  });

  it('that stay missing go on as a batch of their own where each user is known again (class A)', async () => {
    const { clock, endpoint, feed, failures, stepRows } = await setUp({ type: { class: 'A' } });
    endpoint.answer = () => answerOf([{ id: 'u1', status: 'succeeded' }]);
    await feed([['u1', 'u2']]);
    await passTime(clock, 100);
    expect(failures()).toEqual([]);
    expect(stepRows(1)).toMatchObject([
      { batchNo: 1, state: 'done' },
      { batchNo: 2 ** 30, state: 'waiting' },
    ]);
  });

  it('that are refused are searched for by halves, and the others served', async () => {
    const { clock, endpoint, feed, sweepOverdue, failures } = await setUp();
    const answer = endpoint.answer;
    endpoint.answer = (seen) =>
      seen.call.users.includes('u3')
        ? { kind: 'answered', status: 422, retryAfterMs: null, body: Buffer.from('{}') }
        : answer(seen);
    const { runId, totals } = await feed([['u1', 'u2', 'u3', 'u4', 'u5']]);
    for (let round = 0; round < 6; round++) {
      await passTime(clock, 1000);
      await sweepOverdue(runId);
    }
    await passTime(clock, 1000);
    expect(failures()).toEqual([{ user: 'u3', step: 1, outcome: 'failed', reason: 'http-422' }]);
    expect(totals()).toMatchObject([{ succeeded: 4, failed: 1 }, { succeeded: 4 }]);
  });
});

describe('a run', () => {
  it('whose deadline has passed is not called for any more', async () => {
    const { clock, endpoint, feed, worker, workerDeps } = await setUp();
    await stop(worker);
    const { totals } = await feed([['u1', 'u2']], { deadlineSeconds: 3600 });
    clock.advance(3_700_000);
    await createWorker(workerDeps('b')).start();
    await passTime(clock, 1000);
    expect(endpoint.seen).toEqual([]);
    expect(totals()).toMatchObject([{ batches: 1, expired: 2 }]);
  });

  it('that is cancelled is not called for any more', async () => {
    const { clock, endpoint, feed, database } = await setUp();
    const { runId, totals } = await feed([['u1', 'u2']]);
    const row = database.runs.get(runId);
    if (row) row.state = 'cancelling';
    await passTime(clock, 1000);
    expect(endpoint.seen).toEqual([]);
    expect(totals()).toMatchObject([{ cancelled: 2 }]);
  });

  it('of a small campaign does not wait behind a large one', async () => {
    const { clock, endpoint, feed, someUsers } = await setUp({ type: { concurrency: 1 } }, () => ({ concurrency: 1 }));
    await feed(someUsers(400).map((user) => [user]));
    const small = await feed([['small']]);
    await passTime(clock, 10_000);
    const position = endpoint.seen.findIndex(({ idempotencyKey }) => idempotencyKey.startsWith(small.feedId));
    expect(position).toBeLessThan(30);
  });
});

describe('when the database does not answer', () => {
  it('keeps what was called, and records it later, without another call', async () => {
    let down = false;
    const { clock, endpoint, feed } = await setUp({}, ({ ledger }) => ({
      ledger: { ...ledger, flush: (flush) => (down ? Promise.reject(new Error('down')) : ledger.flush(flush)) },
    }));
    const answer = endpoint.answer;
    endpoint.answer = (seen) => {
      down = true;
      return answer(seen);
    };
    const { totals } = await feed([['u1']]);
    await passTime(clock, 5000);
    expect(totals()).toEqual([]);
    down = false;
    endpoint.answer = answer;
    await passTime(clock, 5000);
    expect(totals()).toMatchObject([{ succeeded: 1 }, { succeeded: 1 }]);
    expect(endpoint.seen).toHaveLength(2);
  });

  it('makes no call of which it does not know that it may', async () => {
    const { clock, endpoint, feed, sweepOverdue } = await setUp({}, ({ contexts }) => ({
      contexts: failingOnce(contexts, 'admissions'),
    }));
    const { runId } = await feed([['u1']]);
    await passTime(clock, 100);
    expect(endpoint.seen).toEqual([]);
    await sweepOverdue(runId);
    await passTime(clock, 1000);
    expect(endpoint.seen).toHaveLength(2);
  });

  it('gives back the steps whose lost users cannot be read', async () => {
    const { clock, endpoint, feed, sweepOverdue, someUsers, stepRows } = await setUp({}, ({ ledger }) => ({
      ledger: failingOnce(ledger, 'lostUsers'),
    }));
    endpoint.answer = (seen) => answerWithFailures(seen, seen.call.step === 1 ? someUsers(21) : []);
    const { runId } = await feed([someUsers(30)]);
    await passTime(clock, 1000);
    expect(stepRows(2)).toMatchObject([{ state: 'waiting', attempts: 0 }]);
    await sweepOverdue(runId);
    await passTime(clock, 1000);
    expect(endpoint.seen.at(-1)?.call.users).toEqual(someUsers(9, 22));
  });
});

describe('stopping', () => {
  /** One call at a time, and it does not end before it is told to. */
  async function busyWorker() {
    const world = await setUp({ type: { concurrency: 1 } }, () => ({ concurrency: 1 }));
    const answer = world.endpoint.answer;
    const finish = Promise.withResolvers<null>();
    world.endpoint.answer = async (seen) => {
      await finish.promise;
      return answer(seen);
    };
    return { ...world, finish: () => finish.resolve(null) };
  }

  it('lets the calls in flight end, records them, and sends their survivors on', async () => {
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

  it('gives back what was claimed and not called, with no attempt used up', async () => {
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

  it('leaves what was not claimed to the next worker', async () => {
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

  it('is safe twice, and with nothing to do', async () => {
    const { worker } = await setUp();
    await stop(worker);
    await stop(worker);
    expect(worker.ready()).toBe(false);
  });
});

describe('two workers of a group', () => {
  it('share a run, and never call twice', async () => {
    const { clock, feed, endpoint, workerDeps, someUsers } = await setUp();
    const { totals } = await feed(someUsers(200).map((user) => [user]));
    await createWorker(workerDeps('b')).start();
    await passTime(clock, 10_000);
    expect(totals()).toMatchObject([{ succeeded: 200 }, { succeeded: 200 }]);
    expect(new Set(endpoint.seen.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(endpoint.seen.length);
  });
});
