import { describe, expect, it } from 'vitest';
import type { StepCheck } from '../../../shared/domain/step/checks.ts';
import { suppress } from '../../../test/support/memory/suppressions.ts';
import { passTime } from '../../../test/support/pass-time.ts';
import { createRunningWorker } from '../../../test/support/running-worker.ts';
import { answerWithFailures, type SeenCall, type WorkerFixtureOptions } from '../../../test/support/worker-fixture.ts';
import type { BatchAnswer } from '../endpoint/batch-endpoint.port.ts';

const lost: BatchAnswer = { kind: 'ambiguous', cause: 'the connection was reset' };
const down: BatchAnswer = { kind: 'not-applied', cause: 'connection refused' };

/** Returns a run of two steps. The step with the number `step` has the check `caps`. */
function checkedAt(step: number, onUnavailable: StepCheck['onUnavailable'] = 'wait') {
  const check = { type: 'caps', onUnavailable };
  const chain = ['award-reward', 'send-message'].map((action, index) => {
    return { action, params: {}, ...(index + 1 === step && { check }) };
  });
  return { chain };
}

/** Creates a worker whose check refuses these users. A test may replace the answer of the check. */
async function setUp(refused: readonly string[] = [], options: WorkerFixtureOptions = {}) {
  const world = await createRunningWorker(options);
  const { clock, database, endpoint, sweepOverdue } = world;
  const served = endpoint.answer;
  const script = {
    check: (seen: SeenCall): BatchAnswer | Promise<BatchAnswer> =>
      answerWithFailures(seen, refused, { code: 'cap-reached', message: '3 this week' }),
    call: served,
  };
  endpoint.answer = (seen) => (seen.actionType === 'caps' ? script.check(seen) : script.call(seen));
  const usersOf = (isCheck: boolean) =>
    endpoint.seen.filter(({ actionType }) => (actionType === 'caps') === isCheck).map(({ call }) => call.users);
  return {
    ...world,
    script,
    requested: () => usersOf(true),
    called: () => usersOf(false),
    details: () => database.failures.map(({ user, outcome, reason, detail }) => ({ user, outcome, reason, detail })),
    /** Offers due steps every ten seconds, as the trigger does. */
    passSweeping: async (runId: string, seconds: number) => {
      for (let passed = 0; passed < seconds; passed += 10) {
        await passTime(clock, 10_000);
        await sweepOverdue(runId);
      }
      await passTime(clock, 1000);
    },
  };
}

describe('a step with a check', () => {
  it('suppresses the users that the check refuses, with its code and message, and calls the others', async () => {
    const { clock, feed, requested, called, details } = await setUp(['u2']);
    const { totals } = await feed([['u1', 'u2', 'u3']], checkedAt(1));
    await passTime(clock, 1000);
    expect(requested()).toEqual([['u1', 'u2', 'u3']]);
    expect(called()).toEqual([
      ['u1', 'u3'],
      ['u1', 'u3'],
    ]);
    const detail = 'refused by the check caps: 3 this week';
    expect(details()).toEqual([{ user: 'u2', outcome: 'suppressed', reason: 'cap-reached', detail }]);
    expect(totals()).toMatchObject([
      { succeeded: 2, suppressed: 1, failed: 0, batches: 1 },
      { succeeded: 2, suppressed: 0 },
    ]);
  });

  it('calls the batch unchanged if the check refuses no user', async () => {
    const { clock, feed, called, stepRows } = await setUp();
    await feed([['u1', 'u2']], checkedAt(1));
    await passTime(clock, 1000);
    expect(called()).toHaveLength(2);
    expect(stepRows(1)).toMatchObject([{ batchNo: 1, state: 'done' }]);
  });

  it('checks only the survivors of the step before, after these went through Kafka', async () => {
    const { clock, endpoint, feed, requested, called, script } = await setUp(['u3']);
    script.call = (seen) => answerWithFailures(seen, seen.call.step === 1 ? ['u1'] : []);
    await feed([['u1', 'u2', 'u3']], checkedAt(2));
    await passTime(clock, 1000);
    expect(requested()).toEqual([['u2', 'u3']]);
    expect(called()).toEqual([['u1', 'u2', 'u3'], ['u2']]);
    expect(endpoint.seen.map(({ actionType }) => actionType)).toEqual(['award-reward', 'caps', 'send-message']);
  });

  it("sends action, country, batch and users in the check request, with a key that differs from the call's", async () => {
    const { clock, endpoint, feed } = await setUp();
    await feed([['u1']], checkedAt(1));
    await passTime(clock, 1000);
    const [question, call] = endpoint.seen;
    const body: unknown = JSON.parse(question?.body.toString('utf8') ?? '');
    const action = { type: 'award-reward', params: {} };
    expect(body).toMatchObject({ step: 1, country: 'SG', batch: 1, check: { type: 'caps' }, action, users: ['u1'] });
    expect(question?.idempotencyKey).not.toBe(call?.idempotencyKey);
  });

  it('checks users again before a retry, and does not call the users that this check refuses', async () => {
    const { clock, feed, sweepOverdue, requested, called, script } = await setUp();
    script.call = (seen) => answerWithFailures(seen, ['u2', 'u3'], { retryable: true });
    const { runId } = await feed([['u1', 'u2', 'u3']], checkedAt(1));
    await passTime(clock, 50);
    script.check = (seen) => answerWithFailures(seen, ['u2'], { code: 'cap-reached' });
    script.call = (seen) => answerWithFailures(seen, []);
    await passTime(clock, 60_000);
    await sweepOverdue(runId);
    await passTime(clock, 1000);
    expect(requested()).toEqual([
      ['u1', 'u2', 'u3'],
      ['u2', 'u3'],
    ]);
    expect(called().filter((users) => users.includes('u2'))).toHaveLength(1);
  });

  it('repeats a lost call with the same key and bytes, without another check', async () => {
    const { clock, endpoint, feed, sweepOverdue, requested, script } = await setUp();
    script.call = () => lost;
    const { runId } = await feed([['u1', 'u2']], checkedAt(1));
    await passTime(clock, 50);
    script.check = (seen) => answerWithFailures(seen, ['u2']);
    script.call = (seen) => answerWithFailures(seen, []);
    await passTime(clock, 60_000);
    await sweepOverdue(runId);
    await passTime(clock, 1000);
    expect(requested()).toHaveLength(1);
    const [first, second] = endpoint.seen.filter(({ call, actionType }) => call.step === 1 && actionType !== 'caps');
    expect(second).toMatchObject({ idempotencyKey: first?.idempotencyKey, body: first?.body });
  });

  it('is checked again by the next worker if its worker is lost during the check, without a call that counts as lost', async () => {
    const { feed, passSweeping, workerDeps, requested, called, stepRows } = await setUp(['u2']);
    const { runId, steps } = await feed([['u1', 'u2']], checkedAt(1));
    await workerDeps('gone').ledger.flush({ results: [], claims: steps, begins: [], checked: () => true });
    await passSweeping(runId, 40);
    expect(requested()).toEqual([['u1', 'u2']]);
    expect(called().flat()).not.toContain('u2');
    expect(stepRows(1).every(({ open }) => !open)).toBe(true);
  });

  it('records the begin of its call, and is not checked again if the worker is lost after that', async () => {
    const { clock, feed, passSweeping, workerDeps, requested, called, script, stepRows } = await setUp();
    const begun: boolean[] = [];
    script.call = (seen) => {
      begun.push(...stepRows(1).flatMap(({ state, begun: isBegun }) => (state === 'running' ? [isBegun] : [])));
      return answerWithFailures(seen, []);
    };
    await feed([['u1', 'u2']], checkedAt(1));
    await passTime(clock, 1000);
    expect(begun).toEqual([true]);
    const { ledger } = workerDeps('gone');
    script.check = (seen) => answerWithFailures(seen, ['u4']);
    const { runId, steps } = await feed([['u3', 'u4']], checkedAt(1));
    const { claimed } = await ledger.flush({ results: [], claims: steps, begins: [], checked: () => true });
    await ledger.flush({ results: [], claims: [], begins: claimed });
    await passSweeping(runId, 40);
    expect(requested()).toEqual([['u1', 'u2']]);
    expect(called().at(-1)).toEqual(['u3', 'u4']);
  });

  it('checks only the users who are not on a suppression list', async () => {
    const { clock, database, feed, requested, called } = await setUp(['u3']);
    suppress(database, 'award-reward', 'u2', null);
    await feed([['u1', 'u2', 'u3']], checkedAt(1));
    await passTime(clock, 1000);
    expect(requested()).toEqual([['u1', 'u3']]);
    expect(called().flat()).toEqual(['u1', 'u1']);
  });
});

describe('a check that is unavailable', () => {
  it('is requested again without limit, and no user is called before it answers', async () => {
    const { clock, database, feed, passSweeping, requested, called, script, stepRows } = await setUp(['u2']);
    const refusing = script.check;
    script.check = () => down;
    const { runId } = await feed([['u1', 'u2']], checkedAt(1));
    await passTime(clock, 100);
    expect(stepRows(1)).toMatchObject([{ state: 'waiting', open: false, attempts: 0 }]);
    expect([...database.stepCauses.values()].map(({ cause }) => cause)).toEqual([
      'the check caps gave no answer: connection refused',
    ]);
    // With `onUnavailable: wait`, the number of attempts has no limit.
    await passSweeping(runId, 600);
    expect(requested().length).toBeGreaterThan(4);
    expect(called()).toEqual([]);
    script.check = refusing;
    await passSweeping(runId, 600);
    expect(called()).toEqual([['u1'], ['u1']]);
  });

  it.each([
    { onUnavailable: 'fail' as const, calls: [], failed: ['u1', 'u2'] },
    {
      onUnavailable: 'call' as const,
      calls: [
        ['u1', 'u2'],
        ['u1', 'u2'],
      ],
      failed: [],
    },
  ])(
    'applies onUnavailable=$onUnavailable to its users at the last attempt',
    async ({ onUnavailable, calls, failed }) => {
      const { feed, passSweeping, requested, called, details, script } = await setUp();
      script.check = () => lost;
      const { runId } = await feed([['u1', 'u2']], checkedAt(1, onUnavailable));
      await passSweeping(runId, 600);
      expect(requested()).toHaveLength(3);
      expect(called()).toEqual(calls);
      const reason = 'muster.check-unavailable';
      const detail = 'the check caps gave no answer: the connection was reset';
      expect(details()).toEqual(failed.map((user) => ({ user, outcome: 'failed', reason, detail })));
    },
  );

  it('suppresses the users that a partial answer refuses, and applies onUnavailable to the others', async () => {
    const { feed, passSweeping, called, details, script } = await setUp();
    script.check = ({ call }) => {
      const results = call.users.includes('u1') ? [{ id: 'u1', status: 'failed', code: 'cap-reached' }] : [];
      return { kind: 'answered', status: 200, retryAfterMs: null, body: Buffer.from(JSON.stringify({ results })) };
    };
    const { runId } = await feed([['u1', 'u2']], checkedAt(1, 'call'));
    await passSweeping(runId, 600);
    expect(called()).toEqual([['u2'], ['u2']]);
    expect(details()).toMatchObject([{ user: 'u1', outcome: 'suppressed', reason: 'cap-reached' }]);
  });

  it('does not delay steps of the same shard without a check while 400 batches wait for it', async () => {
    const { clock, feed, script, stepRows } = await setUp([], { check: { concurrency: 2 } });
    script.check = () => new Promise<BatchAnswer>(() => undefined);
    const batches = (name: string, count: number) => Array.from({ length: count }, (_, index) => [`${name}${index}`]);
    await feed(batches('slow', 400), checkedAt(1));
    await passTime(clock, 500);
    const other = await feed(batches('quick', 100));
    await passTime(clock, 2000);
    expect(other.totals()).toMatchObject([{ succeeded: 100 }, { succeeded: 100 }]);
    await passTime(clock, 10_000);
    // At most as many steps are claimed as there may be check requests in flight.
    expect(stepRows(1).filter(({ state }) => state === 'running').length).toBeLessThan(10);
  });

  it('is requested seldom while it is down', async () => {
    const { clock, feed, passSweeping, requested, script, stepRows } = await setUp([], { check: { maxAttempts: 100 } });
    script.check = () => down;
    const { runId } = await feed(
      Array.from({ length: 100 }, (_, index) => [`u${index}`]),
      checkedAt(1),
    );
    await passSweeping(runId, 120);
    expect(requested().length).toBeLessThan(60);
    await passTime(clock, 5000);
    // While the check is down, no worker claims steps that wait for it.
    expect(stepRows(1).filter(({ state }) => state === 'running').length).toBeLessThan(5);
  });
});
