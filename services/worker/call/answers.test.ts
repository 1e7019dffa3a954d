import { describe, expect, it } from 'vitest';
import { quarantinedAfterLapses } from '../../../shared/postgres/ledger/ledger-codes.ts';
import { passTime } from '../../../test/support/pass-time.ts';
import { reopenStep } from '../../../test/support/memory/reopen-step.ts';
import { createMemoryStepEndings } from '../../../test/support/memory/step-endings.ts';
import { createRunningWorker } from '../../../test/support/running-worker.ts';
import { answerOf, answerWithFailures } from '../../../test/support/worker-fixture.ts';
import type { BatchAnswer } from '../endpoint/batch-endpoint.port.ts';

describe('a claim whose lease lapsed', () => {
  it('does not count as an attempt: the users are called although maxAttempts is 1', async () => {
    const { clock, endpoint, feed, sweepOverdue, workerDeps } = await createRunningWorker({ type: { maxAttempts: 1 } });
    const { runId, steps, totals } = await feed([['u1', 'u2']]);
    await workerDeps('gone').ledger.flush({ results: [], claims: steps, begins: [] });
    await passTime(clock, 40_000);
    await sweepOverdue(runId);
    await passTime(clock, 1000);
    expect(endpoint.seen.filter(({ call }) => call.step === 1)).toHaveLength(1);
    expect(totals()).toMatchObject([{ succeeded: 2 }, { succeeded: 2 }]);
  });

  it('is marked as begun before the next worker makes the call', async () => {
    const { clock, endpoint, feed, sweepOverdue, stepRows, workerDeps } = await createRunningWorker();
    const { runId, steps } = await feed([['u1']]);
    await workerDeps('gone').ledger.flush({ results: [], claims: steps, begins: [] });
    await passTime(clock, 40_000);
    let begunAtCall: boolean | undefined;
    const answer = endpoint.answer;
    endpoint.answer = (seen) => {
      begunAtCall ??= stepRows(1)[0]?.begun;
      return answer(seen);
    };
    await sweepOverdue(runId);
    await passTime(clock, 1000);
    expect(begunAtCall).toBe(true);
  });

  it('leads to quarantine if the worker fails again and again, and other batches are still served', async () => {
    const { clock, endpoint, feed, sweepOverdue, stepRows, database } = await createRunningWorker();
    const { runId, feedId, totals } = await feed([['u1'], ['u2']], { deadlineSeconds: 86_400 });
    endpoint.answer = ({ call }) => {
      if (call.users.includes('u1')) throw new Error('a bug');
      return answerOf(call.users.map((id) => ({ id, status: 'succeeded' })));
    };
    for (let round = 0; round < 10; round++) {
      await passTime(clock, 40_000);
      await sweepOverdue(runId);
    }
    const calls = endpoint.seen.filter(({ call }) => call.users.includes('u1'));
    expect(calls).toHaveLength(quarantinedAfterLapses + 1);
    const lapses = quarantinedAfterLapses;
    expect(database.steps.get(`${feedId}/1/1`)).toMatchObject({ state: 'running', lapses, open: true });
    expect(stepRows(1).filter(({ state }) => state === 'done')).toHaveLength(1);
    expect(totals()[1]).toMatchObject({ succeeded: 1 });
  });
});

describe('a quarantined step that was reopened', () => {
  it.each<'A' | 'B'>(['A', 'B'])(
    'is called with its first key and body (class %s), and its users continue with the next step',
    async (of) => {
      const { clock, endpoint, feed, sweepOverdue, database, failures } = await createRunningWorker({
        type: { class: of },
      });
      const answer = endpoint.answer;
      const { runId, feedId, totals } = await feed([['u1', 'u2']], { deadlineSeconds: 86_400 });
      endpoint.answer = () => {
        throw new Error('a bug');
      };
      for (let round = 0; round < 10; round++) {
        await passTime(clock, 40_000);
        await sweepOverdue(runId);
      }
      const broken = endpoint.seen.length;
      await createMemoryStepEndings({ database }).endQuarantined([{ feedId, batchNo: 1, step: 1 }]);
      expect(failures()).toMatchObject([{ outcome: 'unknown' }, { outcome: 'unknown' }]);

      endpoint.answer = answer;
      const [kept] = database.quarantined;
      if (!kept) expect.fail('nothing is quarantined');
      reopenStep(database, kept);
      await sweepOverdue(runId);
      await passTime(clock, 2000);

      const [first, again] = [endpoint.seen[0], endpoint.seen[broken]];
      expect(again).toMatchObject({ idempotencyKey: first?.idempotencyKey, body: first?.body });
      expect(again?.attempt).toBeGreaterThan(endpoint.seen[broken - 1]?.attempt ?? 0);
      expect(failures()).toEqual([]);
      expect(totals()).toMatchObject([{ succeeded: 2, unknown: 0 }, { succeeded: 2 }]);
    },
  );
});

describe('an answer of 202', () => {
  const accepted = (body: string): BatchAnswer => ({
    kind: 'answered',
    status: 202,
    retryAfterMs: null,
    body: Buffer.from(body),
  });
  const status = { statusUrl: 'http://endpoint/status', appliesLateSeconds: 10 };

  it.each<'A' | 'B' | 'C' | 'D'>(['A', 'B', 'C', 'D'])(
    'means success for all users that the body does not list as failed (class %s)',
    async (of) => {
      const type = of === 'C' ? { class: of, ...status } : { class: of };
      const { clock, endpoint, feed, failures } = await createRunningWorker({ type });
      endpoint.answer = () => accepted('{"succeeded":1,"failed":[{"id":"u2","code":"no-device"}]}');
      const { totals } = await feed([['u1', 'u2']]);
      await passTime(clock, 1000);
      expect(totals()[0]).toMatchObject({ succeeded: 1, failed: 1, unknown: 0 });
      expect(failures()[0]).toMatchObject({ user: 'u2', step: 1, outcome: 'failed', reason: 'no-device' });
    },
  );

  it.each([
    ['A', 'waiting'],
    ['B', 'waiting'],
    ['C', 'waiting'],
    ['D', 'done'],
  ] as const)('is ambiguous if the body is empty: a step of class %s is then %s', async (of, state) => {
    const type = of === 'C' ? { class: of, ...status } : { class: of };
    const { clock, endpoint, feed, stepRows, failures } = await createRunningWorker({ type });
    endpoint.answer = () => accepted('');
    await feed([['u1']]);
    await passTime(clock, 100);
    expect(stepRows(1)[0]).toMatchObject({ state });
    expect(failures().map(({ outcome }) => outcome)).toEqual(of === 'D' ? ['unknown'] : []);
  });
});

describe('a call that was not applied', () => {
  it.each<[string, BatchAnswer]>([
    ['refused connection', { kind: 'not-applied', cause: 'connection refused' }],
    ['429', { kind: 'answered', status: 429, retryAfterMs: 2000, body: Buffer.from('') }],
    ['503 with Retry-After', { kind: 'answered', status: 503, retryAfterMs: 2000, body: Buffer.from('') }],
  ])('is repeated until it is applied, and uses up no attempt (%s)', async (_name, refusal) => {
    const { clock, endpoint, feed, sweepOverdue, stepRows, failures } = await createRunningWorker();
    const answer = endpoint.answer;
    endpoint.answer = (seen) => (endpoint.seen.length <= 5 ? refusal : answer(seen));
    const { runId } = await feed([['u1']]);
    for (let round = 0; round < 6; round++) {
      await passTime(clock, 60_000);
      await sweepOverdue(runId);
    }
    await passTime(clock, 100);
    const attempts = endpoint.seen.slice(0, 6).map(({ attempt }) => attempt);
    expect(attempts).toEqual([...new Set(attempts)].sort((a, b) => a - b));
    expect(stepRows(1)).toMatchObject([{ state: 'done', attempts: 0 }]);
    expect(failures()).toEqual([]);
  });

  it('waits at least as long as Retry-After, with jitter per batch', async () => {
    const randoms = [0, 0.5, 0.999];
    const { clock, endpoint, feed, stepRows } = await createRunningWorker({}, () => ({
      random: () => randoms[endpoint.seen.length % randoms.length] ?? 0,
    }));
    const calledAtMs = new Map<number, number>();
    endpoint.answer = ({ call }) => {
      calledAtMs.set(call.batch, clock.nowMs());
      return { kind: 'answered', status: 429, retryAfterMs: 7_200_000, body: Buffer.from('') };
    };
    await feed([['u1'], ['u2'], ['u3']], { deadlineSeconds: 86_400 });
    // After each such answer, the worker calls no other batch of the shard for ten seconds.
    await passTime(clock, 25_000);
    const waits = stepRows(1).map(
      ({ batchNo, nextAttemptAtMs }) => (nextAttemptAtMs ?? 0) - (calledAtMs.get(batchNo) ?? 0),
    );
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(7_200_000);
    expect(Math.max(...waits)).toBeLessThan(7_930_000);
    expect(new Set(waits.map((ms) => Math.round(ms / 60_000))).size).toBeGreaterThan(1);
  });

  it('is not scheduled later than the deadline of the run', async () => {
    const { clock, endpoint, feed, stepRows } = await createRunningWorker();
    endpoint.answer = () => ({ kind: 'answered', status: 429, retryAfterMs: 86_400_000, body: Buffer.from('') });
    await feed([['u1']], { deadlineSeconds: 3600 });
    const startedMs = clock.nowMs();
    await passTime(clock, 1000);
    expect((stepRows(1)[0]?.nextAttemptAtMs ?? 0) - startedMs).toBeLessThanOrEqual(3_600_000);
  });

  it('ends as expired, not as unknown, if the deadline passes before the next call', async () => {
    const { clock, endpoint, feed, sweepOverdue } = await createRunningWorker();
    endpoint.answer = () => ({ kind: 'answered', status: 429, retryAfterMs: null, body: Buffer.from('') });
    const { runId, totals } = await feed([['u1']], { deadlineSeconds: 3600 });
    await passTime(clock, 3_700_000);
    await sweepOverdue(runId);
    await passTime(clock, 100);
    expect(totals()).toMatchObject([{ expired: 1, unknown: 0 }]);
  });
});

describe('users of a batch', () => {
  it('are retried in a child batch with a key of its own if their failure is retryable', async () => {
    const { clock, endpoint, feed, sweepOverdue } = await createRunningWorker();
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

  it('end as failed with their last code after the last attempt', async () => {
    const { clock, endpoint, feed, sweepOverdue, failures } = await createRunningWorker();
    endpoint.answer = (seen) => answerWithFailures(seen, ['u2'], { retryable: true, code: `n${endpoint.seen.length}` });
    const { runId } = await feed([['u2']]);
    for (let round = 0; round < 5; round++) {
      await passTime(clock, 60_000);
      await sweepOverdue(runId);
    }
    expect(failures()).toEqual([{ user: 'u2', step: 1, outcome: 'failed', reason: 'n3' }]);
  });

  it('are requested again at once, with the same key, if they are missing from an answer', async () => {
    const { clock, endpoint, feed, failures } = await createRunningWorker();
    const answer = endpoint.answer;
    endpoint.answer = (seen) =>
      endpoint.seen.length === 1 ? answerOf([{ id: 'u1', status: 'succeeded' }]) : answer(seen);
    const { totals } = await feed([['u1', 'u2']]);
    await passTime(clock, 1000);
    expect(endpoint.seen.slice(0, 2).map(({ idempotencyKey }) => idempotencyKey.slice(-4))).toEqual(['-1-1', '-1-1']);
    expect(failures()).toEqual([]);
    expect(totals()).toMatchObject([{ succeeded: 2 }, { succeeded: 2 }]);
  });

  it('end as unknown if both answers omit them (class B, deduplication by call)', async () => {
    const { clock, endpoint, feed, failures } = await createRunningWorker();
    endpoint.answer = () => answerOf([{ id: 'u1', status: 'succeeded' }]);
    await feed([['u1', 'u2']]);
    await passTime(clock, 1000);
    expect(failures()).toEqual([{ user: 'u2', step: 1, outcome: 'unknown', reason: 'muster.no-result' }]);
  });

  it('continue in a child batch if both answers omit them (class A, deduplication by user)', async () => {
    const { clock, endpoint, feed, failures, stepRows } = await createRunningWorker({ type: { class: 'A' } });
    endpoint.answer = () => answerOf([{ id: 'u1', status: 'succeeded' }]);
    await feed([['u1', 'u2']]);
    await passTime(clock, 100);
    expect(failures()).toEqual([]);
    expect(stepRows(1)).toMatchObject([
      { batchNo: 1, state: 'done' },
      { batchNo: 2 ** 30, state: 'waiting' },
    ]);
  });

  it('end as succeeded if a repeated call succeeds after the first answer reported them as failed', async () => {
    const { clock, endpoint, feed, failures } = await createRunningWorker({ type: { class: 'A', maxAttempts: 1 } });
    endpoint.answer = ({ call }) =>
      endpoint.seen.length === 1
        ? answerOf([
            { id: 'u1', status: 'succeeded' },
            { id: 'u2', status: 'failed', code: 'busy', retryable: true },
          ])
        : answerOf(call.users.map((id) => ({ id, status: 'succeeded' })));
    const { totals } = await feed([['u1', 'u2', 'u3']]);
    await passTime(clock, 1000);
    expect(failures()).toEqual([]);
    expect(totals()).toMatchObject([{ succeeded: 3 }, { succeeded: 3 }]);
  });

  it('stay open if the repeated call is lost and no final result is known (class A)', async () => {
    const { clock, endpoint, feed, stepRows } = await createRunningWorker({ type: { class: 'A', maxAttempts: 1 } });
    endpoint.answer = () =>
      endpoint.seen.length === 1
        ? answerOf([
            { id: 'u1', status: 'succeeded' },
            { id: 'u2', status: 'failed', code: 'busy', retryable: true },
          ])
        : { kind: 'ambiguous', cause: 'reset' };
    await feed([['u1', 'u2', 'u3']]);
    await passTime(clock, 100);
    expect(stepRows(1).filter(({ state }) => state === 'waiting')).toMatchObject([{ open: true }, { open: true }]);
  });

  it('are requested again with the same key and without a child batch as long as answers leave them out (class A)', async () => {
    const { clock, endpoint, feed, sweepOverdue, database } = await createRunningWorker({ type: { class: 'A' } });
    endpoint.answer = () => answerOf([]);
    const { runId } = await feed([['u1', 'u2']], { deadlineSeconds: 3600 });
    for (let round = 0; round < 10; round++) {
      await passTime(clock, 60_000);
      await sweepOverdue(runId);
    }
    expect(database.batches.size).toBe(1);
    await passTime(clock, 3_700_000);
    await sweepOverdue(runId);
    await passTime(clock, 100);
    expect(database.failures.map(({ outcome }) => outcome)).toEqual(['unknown', 'unknown']);
  });
});
