import { describe, expect, it } from 'vitest';
import { stepMessage } from '../../shared/contracts/messages/messages.ts';
import { passTime, passTimeUntil } from '../../test/support/pass-time.ts';
import { createRunningWorker, stopWorker } from '../../test/support/running-worker.ts';
import { answerWithFailures, withoutHandOn } from '../../test/support/worker-fixture.ts';
import { createWorker } from './assemble-worker.ts';

const nothing = { batches: 0, succeeded: 0, failed: 0, expired: 0, cancelled: 0, unknown: 0, suppressed: 0 };

describe('a batch of a worker', () => {
  it('passes through its chain with one call per step', async () => {
    const { clock, endpoint, feed } = await createRunningWorker();
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

  it('is sent with the fed user ids, its numbers and the key of its step', async () => {
    const { clock, endpoint, feed } = await createRunningWorker();
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

  it('continues without its failed users, and these are recorded as failures', async () => {
    const { clock, endpoint, feed, failures } = await createRunningWorker();
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

  it('is counted as recorded by its shard when it is done, not after a 429', async () => {
    const { clock, endpoint, feed, worker } = await createRunningWorker();
    const { answer } = endpoint;
    const tooMany = { kind: 'answered', status: 429, retryAfterMs: null, body: Buffer.from('') } as const;
    endpoint.answer = (seen) => (endpoint.seen.length === 1 ? tooMany : answer(seen));
    const { totals } = await feed([['u1', 'u2', 'u3']]);
    const recorded = () => worker.levels().map(({ shard, recorded: steps }) => [shard.actionType, steps]);
    await passTimeUntil(clock, () => endpoint.seen.length === 1);
    await passTime(clock, 100);
    expect(recorded()).toContainEqual(['award-reward', 0]);
    await passTimeUntil(clock, () => totals()[1]?.succeeded === 3);
    expect(recorded()).toEqual(
      expect.arrayContaining([
        ['award-reward', 1],
        ['send-message', 1],
      ]),
    );
  });

  it('is not published to the next step if no user succeeded', async () => {
    const { clock, endpoint, feed, messages } = await createRunningWorker();
    endpoint.answer = (seen) => answerWithFailures(seen, ['u1']);
    await feed([['u1']]);
    await passTime(clock, 1000);
    expect(messages(2)).toEqual([]);
  });

  it('is published without its list of 21 lost users, which the next worker reads from the database', async () => {
    const { clock, endpoint, feed, messages, someUsers } = await createRunningWorker({}, ({ ledger }) => ({
      ledger: withoutHandOn(ledger),
    }));
    const lost = someUsers(21);
    endpoint.answer = (seen) => answerWithFailures(seen, seen.call.step === 1 ? lost : []);
    await feed([someUsers(30)]);
    await passTime(clock, 1000);
    expect(messages(2)).toMatchObject([{ batchNos: [1], remaining: [9], lost: [null] }]);
    expect(endpoint.seen[1]?.call.users).toEqual(someUsers(9, 22));
  });

  it('is served without its lost users even if its message omits them', async () => {
    const withoutLost = (value: string) => JSON.stringify({ ...stepMessage.parse(JSON.parse(value)), lost: [[]] });
    const { clock, endpoint, feed } = await createRunningWorker({}, ({ publisher, ledger }) => ({
      ledger: withoutHandOn(ledger),
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

describe('the users of a run', () => {
  it('end as expired without a call after its deadline', async () => {
    const { clock, endpoint, feed, worker, workerDeps } = await createRunningWorker();
    await stopWorker(worker);
    const { totals } = await feed([['u1', 'u2']], { deadlineSeconds: 3600 });
    clock.advance(3_700_000);
    await createWorker(workerDeps('b')).start();
    await passTime(clock, 1000);
    expect(endpoint.seen).toEqual([]);
    expect(totals()).toMatchObject([{ batches: 1, expired: 2 }]);
  });

  it('end as cancelled without a call after it is cancelled', async () => {
    const { clock, endpoint, feed, database } = await createRunningWorker();
    const { runId, totals } = await feed([['u1', 'u2']]);
    const row = database.runs.get(runId);
    if (row) row.state = 'cancelling';
    await passTime(clock, 1000);
    expect(endpoint.seen).toEqual([]);
    expect(totals()).toMatchObject([{ cancelled: 2 }]);
  });

  it('do not wait behind a run of 400 batches if they are a single batch', async () => {
    const { clock, endpoint, feed, someUsers } = await createRunningWorker({ type: { concurrency: 1 } }, () => ({
      concurrency: 1,
    }));
    await feed(someUsers(400).map((user) => [user]));
    const small = await feed([['small']]);
    await passTime(clock, 10_000);
    const position = endpoint.seen.findIndex(({ idempotencyKey }) => idempotencyKey.startsWith(small.feedId));
    expect(position).toBeLessThan(30);
  });
});

describe('two workers of one consumer group', () => {
  it('share a run without calling a step twice', async () => {
    const { clock, feed, endpoint, workerDeps, someUsers } = await createRunningWorker();
    const { totals } = await feed(someUsers(200).map((user) => [user]));
    await createWorker(workerDeps('b')).start();
    await passTime(clock, 10_000);
    expect(totals()).toMatchObject([{ succeeded: 200 }, { succeeded: 200 }]);
    expect(new Set(endpoint.seen.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(endpoint.seen.length);
  });
});
