import { describe, expect, it } from 'vitest';
import { passTime } from '../../../test/support/pass-time.ts';
import { createRunningWorker } from '../../../test/support/running-worker.ts';
import { answerOf, answerWithFailures, withoutTimedSteps } from '../../../test/support/worker-fixture.ts';
import type { BatchAnswer } from '../endpoint/batch-endpoint.port.ts';
import type { WorkerDeps } from '../worker-deps.ts';

const serverError: BatchAnswer = { kind: 'answered', status: 500, retryAfterMs: null, body: Buffer.from('') };

/**
 * Returns a ledger with which the worker does not time retries itself. Released steps are offered again only when the
 * test sweeps.
 */
const untilSwept = ({ ledger }: WorkerDeps) => ({ ledger: withoutTimedSteps(ledger) });

describe('an ambiguous call', () => {
  it('is repeated after a backoff, with the same key and the same bytes', async () => {
    const { clock, endpoint, feed, sweepOverdue, stepRows } = await createRunningWorker();
    const answer = endpoint.answer;
    endpoint.answer = () => serverError;
    const { runId } = await feed([['u1']]);
    await passTime(clock, 100);
    expect(stepRows(1)).toMatchObject([
      { state: 'waiting', attempts: 0, open: true, cause: '500 Internal Server Error' },
    ]);
    endpoint.answer = answer;
    await passTime(clock, 1000);
    await sweepOverdue(runId);
    await passTime(clock, 100);
    const [first, second] = endpoint.seen;
    expect(second).toMatchObject({ idempotencyKey: first?.idempotencyKey, body: first?.body });
    expect(second?.attempt).toBeGreaterThan(first?.attempt ?? 0);
    expect(stepRows(1)).toMatchObject([{ state: 'done' }]);
  });

  it.each<'A' | 'B'>(['A', 'B'])('loses no user in an outage of one hour in class %s', async (of) => {
    const { clock, endpoint, feed, sweepOverdue, failures } = await createRunningWorker({ type: { class: of } });
    const answer = endpoint.answer;
    endpoint.answer = () => serverError;
    const { runId, totals } = await feed([['u1', 'u2']], { deadlineSeconds: 7200 });
    for (let minute = 0; minute < 60; minute++) {
      await passTime(clock, 60_000);
      await sweepOverdue(runId);
    }
    expect(endpoint.seen.length).toBeGreaterThan(8);
    // Backoff of up to five minutes and the breaker keep the number of calls low.
    expect(endpoint.seen.length).toBeLessThan(40);
    endpoint.answer = answer;
    for (let minute = 0; minute < 12; minute++) {
      await passTime(clock, 60_000);
      await sweepOverdue(runId);
    }
    expect(failures()).toEqual([]);
    expect(totals()).toMatchObject([{ succeeded: 2 }, { succeeded: 2 }]);
  });

  it('ends as unknown, not as expired, if the deadline passes before it is repeated', async () => {
    const { clock, endpoint, feed, sweepOverdue, failures } = await createRunningWorker({}, untilSwept);
    endpoint.answer = () => serverError;
    const { runId } = await feed([['u1']], { deadlineSeconds: 3600 });
    await passTime(clock, 100);
    await passTime(clock, 3_700_000);
    await sweepOverdue(runId);
    await passTime(clock, 100);
    expect(endpoint.seen).toHaveLength(1);
    expect(failures()).toEqual([{ user: 'u1', step: 1, outcome: 'unknown', reason: 'muster.ambiguous-answer' }]);
  });

  it('is not repeated after the time for which the endpoint remembers the key, and ends as unknown', async () => {
    const type = { keyLifeSeconds: 3600 };
    const { clock, endpoint, feed, sweepOverdue, failures } = await createRunningWorker({ type }, untilSwept);
    endpoint.answer = () => serverError;
    const { runId } = await feed([['u1']], { deadlineSeconds: 86_400 });
    await passTime(clock, 3_700_000);
    await sweepOverdue(runId);
    await passTime(clock, 100);
    expect(endpoint.seen).toHaveLength(1);
    expect(failures()).toEqual([{ user: 'u1', step: 1, outcome: 'unknown', reason: 'muster.ambiguous-answer' }]);
  });
});

describe('an open key (under which an earlier call may have been applied)', () => {
  const refusal: BatchAnswer = { kind: 'answered', status: 422, retryAfterMs: null, body: Buffer.from('{}') };

  it('is kept when a call is refused in class B, so that no user is served twice', async () => {
    const { clock, endpoint, feed, sweepOverdue, failures } = await createRunningWorker();
    const served = new Map<string, string[]>();
    endpoint.answer = ({ idempotencyKey, call }) => {
      const known = served.get(idempotencyKey);
      if (endpoint.seen.length === 2) return refusal;
      served.set(idempotencyKey, call.users);
      return known || endpoint.seen.length > 1
        ? answerOf(call.users.map((id) => ({ id, status: 'succeeded' })))
        : { kind: 'ambiguous', cause: 'reset' };
    };
    const { runId } = await feed([['u1', 'u2', 'u3', 'u4']], { chain: [{ action: 'award-reward', params: {} }] });
    for (let round = 0; round < 6; round++) {
      await passTime(clock, 10_000);
      await sweepOverdue(runId);
    }
    expect(new Set(endpoint.seen.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
    expect([...served.values()].flat()).toEqual(['u1', 'u2', 'u3', 'u4']);
    expect(failures()).toEqual([]);
  });

  it('makes a user unknown, not failed, if the user alone is refused after a lost call (class A)', async () => {
    const { clock, endpoint, feed, sweepOverdue, failures } = await createRunningWorker({ type: { class: 'A' } });
    endpoint.answer = () => (endpoint.seen.length === 1 ? { kind: 'ambiguous', cause: 'reset' } : refusal);
    const { runId } = await feed([['u1']], { deadlineSeconds: 3600 });
    for (let round = 0; round < 70; round++) {
      await passTime(clock, 60_000);
      await sweepOverdue(runId);
    }
    expect(failures()).toEqual([{ user: 'u1', step: 1, outcome: 'unknown', reason: 'muster.ambiguous-answer' }]);
  });

  it.each([
    ['open after a lost call, so they end as unknown', true, 'unknown'],
    ['not open without a lost call, so they expire', false, 'expired'],
  ])('makes retryable users of class A %s', async (_name, isLost, outcome) => {
    const { clock, endpoint, feed, sweepOverdue, stepRows } = await createRunningWorker({
      type: { class: 'A', retry: { firstDelayMs: 300_000, maxDelayMs: 300_000 } },
    });
    endpoint.answer = (seen) =>
      isLost && endpoint.seen.length === 1
        ? { kind: 'ambiguous', cause: 'reset' }
        : answerWithFailures(seen, ['u2'], { retryable: true });
    const chain = [{ action: 'award-reward', params: {} }];
    const { runId, totals } = await feed([['u1', 'u2']], { chain, deadlineSeconds: 900 });
    for (let round = 0; round < 4 && stepRows(1).length < 2; round++) {
      await passTime(clock, 150_000);
      await sweepOverdue(runId);
      await passTime(clock, 200);
    }
    expect(stepRows(1)).toMatchObject([{ state: 'done' }, { state: 'waiting', open: isLost }]);
    await passTime(clock, 900_000);
    await sweepOverdue(runId);
    await passTime(clock, 200);
    expect(totals()).toMatchObject([{ succeeded: 1, [outcome]: 1 }]);
  });

  it.each([
    ['unknown after a lost call', true, 'unknown'],
    ['failed without a lost call', false, 'failed'],
  ])('makes users of class A whose attempts are used up end as %s', async (_name, isLost, outcome) => {
    const { clock, endpoint, feed, sweepOverdue, failures } = await createRunningWorker({
      type: { class: 'A', maxAttempts: 3 },
    });
    endpoint.answer = (seen) => {
      if (isLost && endpoint.seen.length === 1) return { kind: 'ambiguous', cause: 'reset' };
      return answerWithFailures(seen, ['u2', 'u3'], { code: 'busy', retryable: true });
    };
    const chain = [{ action: 'award-reward', params: {} }];
    const { runId, totals } = await feed([['u1', 'u2', 'u3']], { chain, deadlineSeconds: 86_400 });
    for (let round = 0; round < 10; round++) {
      await passTime(clock, 60_000);
      await sweepOverdue(runId);
      await passTime(clock, 200);
    }
    expect(endpoint.seen).toHaveLength(isLost ? 4 : 3);
    expect(failures()).toEqual(['u2', 'u3'].map((user) => ({ user, step: 1, outcome, reason: 'busy' })));
    expect(totals()).toMatchObject([{ succeeded: 1, [outcome]: 2 }]);
  });

  it('makes a user end as failed if the repeated call returns a final failure', async () => {
    const { clock, endpoint, feed, sweepOverdue, failures } = await createRunningWorker({ type: { class: 'A' } });
    endpoint.answer = (seen) =>
      endpoint.seen.length === 1 ? { kind: 'ambiguous', cause: 'reset' } : answerWithFailures(seen, ['u2'], {});
    const { runId } = await feed([['u1', 'u2']], { chain: [{ action: 'award-reward', params: {} }] });
    await passTime(clock, 60_000);
    await sweepOverdue(runId);
    await passTime(clock, 200);
    expect(failures()).toMatchObject([{ user: 'u2', outcome: 'failed' }]);
  });

  it.each([
    ['a lost call', true, 'unknown'],
    ['no lost call', false, 'expired'],
  ])('is passed on to the parts of a batch that is refused after %s (class A)', async (_name, isLost, outcome) => {
    const { clock, endpoint, feed, sweepOverdue, stepRows } = await createRunningWorker({ type: { class: 'A' } });
    const busy: BatchAnswer = { kind: 'answered', status: 429, retryAfterMs: 300_000, body: Buffer.from('') };
    endpoint.answer = ({ call }) => {
      if (isLost && endpoint.seen.length === 1) return { kind: 'ambiguous', cause: 'reset' };
      return call.users.length > 1 ? refusal : busy;
    };
    const chain = [{ action: 'award-reward', params: {} }];
    const { runId, totals } = await feed([['u1', 'u2']], { chain, deadlineSeconds: 200 });
    for (let round = 0; round < 10 && stepRows(1).length < 3; round++) {
      await passTime(clock, 10_000);
      await sweepOverdue(runId);
    }
    await passTime(clock, 200);
    expect(stepRows(1)).toMatchObject([
      { state: 'done' },
      { state: 'waiting', open: isLost },
      { state: 'waiting', open: isLost },
    ]);
    await passTime(clock, 200_000);
    await sweepOverdue(runId);
    await passTime(clock, 200);
    expect(totals()).toMatchObject([{ [outcome]: 2 }]);
  });

  it('prevents the trial of single users if the repeated call is refused (class A)', async () => {
    const { clock, endpoint, feed, sweepOverdue } = await createRunningWorker({ type: { class: 'A' } });
    endpoint.answer = () => (endpoint.seen.length === 1 ? { kind: 'ambiguous', cause: 'reset' } : refusal);
    const { runId } = await feed([['u1', 'u2', 'u3', 'u4']], { chain: [{ action: 'award-reward', params: {} }] });
    for (let round = 0; round < 10 && endpoint.seen.length < 4; round++) {
      await passTime(clock, 10_000);
      await sweepOverdue(runId);
    }
    expect(endpoint.seen.slice(0, 4).map(({ call }) => call.users.length)).toEqual([4, 4, 2, 2]);
  });

  it('stays open after a lapsed lease, because the call may have been made', async () => {
    const { clock, endpoint, feed, sweepOverdue, stepRows, workerDeps } = await createRunningWorker();
    const { runId, steps } = await feed([['u1']]);
    // Another worker claims the steps first, and is killed.
    await workerDeps('gone').ledger.flush({ results: [], claims: steps, begins: [] });
    await passTime(clock, 40_000);
    endpoint.answer = () => refusal;
    await sweepOverdue(runId);
    await passTime(clock, 200);
    expect(stepRows(1)).toMatchObject([{ state: 'waiting', open: true, lapses: 1 }]);
  });
});
