import { describe, expect, it } from 'vitest';
import { passTime } from '../../../test/support/pass-time.ts';
import { createRunningWorker } from '../../../test/support/running-worker.ts';
import { answerOf, answerWithFailures, type WorkerFixtureOptions } from '../../../test/support/worker-fixture.ts';
import type { BatchAnswer } from '../endpoint/batch-endpoint.port.ts';

const lost: BatchAnswer = { kind: 'ambiguous', cause: 'the connection was reset' };
const readable = {
  class: 'C',
  statusUrl: 'http://endpoint/status',
  appliesLateSeconds: 60,
  timeoutMs: 10_000,
} as const;
const dumb: WorkerFixtureOptions['type'] = { class: 'D', statusUrl: undefined, appliesLateSeconds: undefined };
const oneStep = { chain: [{ action: 'award-reward', params: {} }], deadlineSeconds: 3600 };

function statuses(...entries: [id: string, status: string, more?: object][]): BatchAnswer {
  return answerOf(entries.map(([id, status, more]) => ({ id, status, ...more })));
}

/** Creates a worker and a run with one step and one batch. The answer to the first call of the batch is lost. */
async function afterALostCall(users: readonly string[], type: WorkerFixtureOptions['type'] = {}) {
  const world = await createRunningWorker({ type: { ...readable, ...type } });
  const { clock, endpoint, feed, sweepOverdue } = world;
  const answer = endpoint.answer;
  endpoint.answer = (seen) => (endpoint.seen.length === 1 ? lost : answer(seen));
  const fed = await feed([users], oneStep);
  await passTime(clock, 100);
  const pass = async (ms: number) => {
    await passTime(clock, ms);
    await sweepOverdue(fed.runId);
    await passTime(clock, 200);
  };
  return { ...world, ...fed, pass };
}

describe('a lost call of class C', () => {
  it('is looked up at the status URL only after the time in which the endpoint may still apply it', async () => {
    const { endpoint, pass, stepRows } = await afterALostCall(['u1', 'u2']);
    expect(stepRows(1)).toMatchObject([{ state: 'waiting', open: true, cause: 'the connection was reset' }]);
    await pass(59_000);
    expect(endpoint.requested).toEqual([]);
    await pass(2000);
    expect(endpoint.requested).toMatchObject([{ step: 1, users: ['u1', 'u2'] }]);
  });

  it('is recorded with the outcomes of the status answer, and not repeated', async () => {
    const { endpoint, pass, totals, failures } = await afterALostCall(['u1', 'u2', 'u3']);
    endpoint.status = () =>
      statuses(['u1', 'succeeded'], ['u2', 'failed', { code: 'out-of-stock' }], ['u3', 'succeeded']);
    await pass(61_000);
    expect(endpoint.seen).toHaveLength(1);
    expect(totals()).toMatchObject([{ batches: 1, succeeded: 2, failed: 1, unknown: 0 }]);
    expect(failures()).toEqual([{ user: 'u2', step: 1, outcome: 'failed', reason: 'out-of-stock' }]);
  });

  it('is repeated with the same key and body if the status answer finds none of its users', async () => {
    const { endpoint, pass, totals } = await afterALostCall(['u1', 'u2']);
    endpoint.status = ({ users }) => statuses(...users.map((id): [string, string] => [id, 'not-found']));
    await pass(61_000);
    const [first, second] = endpoint.seen;
    expect(second).toMatchObject({ idempotencyKey: first?.idempotencyKey, body: first?.body });
    expect(second?.attempt).toBeGreaterThan(first?.attempt ?? 0);
    expect(endpoint.requested).toHaveLength(1);
    expect(totals()).toMatchObject([{ succeeded: 2 }]);
  });

  it('is repeated at once under a new key, only for the users that the status answer did not find', async () => {
    const { endpoint, pass, totals } = await afterALostCall(['u1', 'u2', 'u3']);
    endpoint.status = () => statuses(['u1', 'not-found'], ['u2', 'succeeded'], ['u3', 'not-found']);
    await pass(61_000);
    const [first, second] = endpoint.seen;
    expect(second?.call.users).toEqual(['u1', 'u3']);
    expect(second?.idempotencyKey).not.toBe(first?.idempotencyKey);
    expect(totals()).toMatchObject([{ batches: 1, succeeded: 3 }]);
  });

  it('is looked up at growing intervals while the status answer reports that it is in progress', async () => {
    const { endpoint, pass, totals } = await afterALostCall(['u1', 'u2']);
    endpoint.status = ({ users }) => statuses(...users.map((id): [string, string] => [id, 'in-progress']));
    for (let minute = 0; minute < 30; minute++) await pass(60_000);
    const requestedOften = endpoint.requested.length;
    expect(requestedOften).toBeGreaterThan(5);
    expect(requestedOften).toBeLessThan(20);
    endpoint.status = ({ users }) => statuses(...users.map((id): [string, string] => [id, 'succeeded']));
    await pass(300_000);
    expect(endpoint.seen).toHaveLength(1);
    expect(totals()).toMatchObject([{ succeeded: 2 }]);
  });

  it('is settled for each user separately: users that are in progress or missing in the answer do not delay the others', async () => {
    const { endpoint, pass, totals, stepRows } = await afterALostCall(['u1', 'u2', 'u3']);
    endpoint.status = () => statuses(['u1', 'succeeded'], ['u2', 'in-progress']);
    await pass(61_000);
    expect(totals()).toMatchObject([{ succeeded: 1 }]);
    expect(stepRows(1).find(({ state }) => state === 'waiting')).toMatchObject({ open: true, batchNo: 2 ** 30 });
    endpoint.status = ({ users }) => statuses(...users.map((id): [string, string] => [id, 'succeeded']));
    await pass(300_000);
    expect(endpoint.requested.map(({ users }) => users)).toEqual([
      ['u1', 'u2', 'u3'],
      ['u2', 'u3'],
    ]);
    expect(totals()).toMatchObject([{ succeeded: 3 }]);
  });

  it('lets users with a retryable failure be called again up to maxAttempts', async () => {
    const { endpoint, pass, totals, failures } = await afterALostCall(['u1', 'u2'], { maxAttempts: 2 });
    endpoint.status = () => statuses(['u1', 'succeeded'], ['u2', 'failed', { code: 'busy', retryable: true }]);
    endpoint.answer = (seen) => answerWithFailures(seen, ['u2'], { code: 'busy', retryable: true });
    await pass(61_000);
    await pass(10_000);
    expect(endpoint.seen.map(({ call }) => call.users)).toEqual([['u1', 'u2'], ['u2']]);
    expect(failures()).toEqual([{ user: 'u2', step: 1, outcome: 'failed', reason: 'busy' }]);
    expect(totals()).toMatchObject([{ succeeded: 1, failed: 1 }]);
  });

  it('keeps waiting, with its cause, while the status URL returns errors', async () => {
    const { endpoint, pass, stepRows, totals } = await afterALostCall(['u1']);
    endpoint.status = () => ({ kind: 'answered', status: 502, retryAfterMs: null, body: Buffer.from('') });
    await pass(61_000);
    expect(stepRows(1)).toMatchObject([{ state: 'waiting', open: true, cause: 'status: 502 Bad Gateway' }]);
    endpoint.status = ({ users }) => statuses(...users.map((id): [string, string] => [id, 'succeeded']));
    await pass(300_000);
    expect(totals()).toMatchObject([{ succeeded: 1 }]);
  });

  it('ends as unknown, not as expired, if the status is still "in progress" at the deadline', async () => {
    const { endpoint, pass, failures } = await afterALostCall(['u1']);
    endpoint.status = ({ users }) => statuses(...users.map((id): [string, string] => [id, 'in-progress']));
    for (let minute = 0; minute < 62; minute++) await pass(60_000);
    expect(endpoint.seen).toHaveLength(1);
    expect(failures()).toEqual([{ user: 'u1', step: 1, outcome: 'unknown', reason: 'muster.ambiguous-answer' }]);
  });

  it('is not repeated if the run is cancelled during the status request', async () => {
    const { clock, database, runId, endpoint, pass, totals } = await afterALostCall(['u1']);
    endpoint.status = async ({ users }) => {
      const run = database.runs.get(runId);
      if (run) run.state = 'cancelling';
      await clock.sleep(1000);
      return statuses(...users.map((id): [string, string] => [id, 'not-found']));
    };
    await pass(61_000);
    await pass(2000);
    expect(endpoint.seen).toHaveLength(1);
    expect(totals()).toMatchObject([{ cancelled: 1, unknown: 0 }]);
  });

  it("is looked up after its worker was killed, but only when the worker's lease and the time to apply the call have ended", async () => {
    const world = await createRunningWorker({ type: readable });
    const { clock, endpoint, feed, sweepOverdue, workerDeps, stepRows } = world;
    const { runId, steps } = await feed([['u1']], oneStep);
    await workerDeps('gone').ledger.flush({ results: [], claims: steps, begins: [] });
    await passTime(clock, 40_000);
    await sweepOverdue(runId);
    await passTime(clock, 1000);
    expect(endpoint.requested).toEqual([]);
    expect(stepRows(1)).toMatchObject([{ state: 'waiting', open: true, lapses: 1 }]);
    await passTime(clock, 60_000);
    await sweepOverdue(runId);
    await passTime(clock, 1000);
    expect(endpoint.requested).toHaveLength(1);
    expect(endpoint.seen).toEqual([]);
  });

  it('keeps its waiting time if its step is released because the run was paused', async () => {
    const world = await createRunningWorker({ type: readable });
    const { clock, database, endpoint, feed, sweepOverdue, workerDeps, stepRows } = world;
    const { runId, steps } = await feed([['u1']], oneStep);
    await workerDeps('gone').ledger.flush({ results: [], claims: steps, begins: [] });
    const run = database.runs.get(runId);
    if (run) run.state = 'paused';
    await passTime(clock, 40_000);
    await sweepOverdue(runId);
    await passTime(clock, 1000);
    expect((stepRows(1)[0]?.nextAttemptAtMs ?? 0) - clock.nowMs()).toBeGreaterThan(55_000);
    expect(endpoint.requested).toEqual([]);
  });
});

describe('a status request', () => {
  it('does not wait for other status requests of the same shard', async () => {
    const { clock, endpoint, feed, sweepOverdue } = await createRunningWorker({ type: readable });
    const answer = endpoint.answer;
    endpoint.answer = (seen) => (endpoint.seen.length % 4 === 0 ? lost : answer(seen));
    const batches = Array.from({ length: 120 }, (_, index) => [`u${index}`]);
    const { runId, totals } = await feed(batches, oneStep);
    await passTime(clock, 1000);
    expect([endpoint.seen.length, endpoint.requested.length]).toEqual([120, 0]);
    await passTime(clock, 70_000);
    await sweepOverdue(runId);
    await passTime(clock, 1000);
    expect([endpoint.seen.length, endpoint.requested.length]).toEqual([120, 30]);
    expect(totals()).toMatchObject([{ succeeded: 120 }]);
  });

  it('does not mark the call as begun; only the call that follows it is marked', async () => {
    const begins: number[] = [];
    const world = await createRunningWorker({ type: readable }, ({ ledger }) => ({
      ledger: {
        ...ledger,
        flush: (flush) => {
          begins.push(...flush.begins.map(({ batchNo }) => batchNo));
          return ledger.flush(flush);
        },
      },
    }));
    const { clock, endpoint, feed, sweepOverdue, workerDeps } = world;
    const { runId, steps, totals } = await feed([['u1']], oneStep);
    await workerDeps('gone').ledger.flush({ results: [], claims: steps, begins: [] });
    const pass = async (ms: number) => {
      await passTime(clock, ms);
      await sweepOverdue(runId);
      await passTime(clock, 1000);
    };
    await pass(40_000);
    endpoint.status = ({ users }) => statuses(...users.map((id): [string, string] => [id, 'in-progress']));
    await pass(60_000);
    expect([endpoint.requested.length, begins]).toEqual([1, []]);
    endpoint.status = ({ users }) => statuses(...users.map((id): [string, string] => [id, 'not-found']));
    await pass(300_000);
    expect([endpoint.requested.length, begins]).toEqual([2, [1]]);
    expect(totals()).toMatchObject([{ succeeded: 1 }]);
  });
});

describe('users that are missing from an answer of class C', () => {
  it('are not called again, but looked up at the status URL', async () => {
    const { clock, endpoint, feed, sweepOverdue } = await createRunningWorker({ type: readable });
    endpoint.answer = () => answerOf([{ id: 'u1', status: 'succeeded' }]);
    const { runId, totals } = await feed([['u1', 'u2']], oneStep);
    await passTime(clock, 59_000);
    await sweepOverdue(runId);
    await passTime(clock, 200);
    expect([endpoint.seen.length, endpoint.requested.length]).toEqual([1, 0]);
    await passTime(clock, 2000);
    await sweepOverdue(runId);
    await passTime(clock, 200);
    expect(endpoint.requested.map(({ users }) => users)).toEqual([['u2']]);
    expect(totals()).toMatchObject([{ succeeded: 2 }]);
  });
});

describe('a lost call of class D', () => {
  it('ends as unknown at once and is never repeated', async () => {
    const { endpoint, pass, failures, totals } = await afterALostCall(['u1', 'u2'], dumb);
    await pass(600_000);
    expect(endpoint.seen).toHaveLength(1);
    expect(failures().map(({ outcome }) => outcome)).toEqual(['unknown', 'unknown']);
    expect(totals()).toMatchObject([{ unknown: 2 }]);
  });

  it('ends as unknown if its worker was killed', async () => {
    const { clock, endpoint, feed, sweepOverdue, workerDeps, failures } = await createRunningWorker({
      type: { class: 'D' },
    });
    const { runId, steps } = await feed([['u1']], oneStep);
    await workerDeps('gone').ledger.flush({ results: [], claims: steps, begins: [] });
    await passTime(clock, 40_000);
    await sweepOverdue(runId);
    await passTime(clock, 1000);
    expect(endpoint.seen).toEqual([]);
    expect(failures()).toEqual([{ user: 'u1', step: 1, outcome: 'unknown', reason: 'muster.ambiguous-answer' }]);
  });
});

describe('a call of class D', () => {
  it('is repeated after a 429, which states that nothing was applied', async () => {
    const { clock, endpoint, feed, sweepOverdue } = await createRunningWorker({ type: { class: 'D' } });
    const answer = endpoint.answer;
    endpoint.answer = (seen) =>
      endpoint.seen.length === 1
        ? { kind: 'answered', status: 429, retryAfterMs: 1000, body: Buffer.from('') }
        : answer(seen);
    const { runId, totals } = await feed([['u1']], oneStep);
    await passTime(clock, 10_000);
    await sweepOverdue(runId);
    await passTime(clock, 200);
    expect(endpoint.seen).toHaveLength(2);
    expect(totals()).toMatchObject([{ succeeded: 1 }]);
  });

  it('is not repeated for users that are missing in its answer: these users end as unknown', async () => {
    const { clock, endpoint, feed, failures } = await createRunningWorker({ type: { class: 'D' } });
    endpoint.answer = () => answerOf([{ id: 'u1', status: 'succeeded' }]);
    await feed([['u1', 'u2']], oneStep);
    await passTime(clock, 5000);
    expect(endpoint.seen).toHaveLength(1);
    expect(failures()).toEqual([{ user: 'u2', step: 1, outcome: 'unknown', reason: 'muster.no-result' }]);
  });

  it('is repeated for users whose failure is retryable, because nothing was applied for them', async () => {
    const { clock, endpoint, feed, sweepOverdue } = await createRunningWorker({ type: { class: 'D' } });
    const answer = endpoint.answer;
    endpoint.answer = (seen) =>
      endpoint.seen.length === 1 ? answerWithFailures(seen, ['u2'], { retryable: true }) : answer(seen);
    const { runId, totals } = await feed([['u1', 'u2']], oneStep);
    await passTime(clock, 10_000);
    await sweepOverdue(runId);
    await passTime(clock, 200);
    expect(endpoint.seen.map(({ call }) => call.users)).toEqual([['u1', 'u2'], ['u2']]);
    expect(totals()).toMatchObject([{ succeeded: 2 }]);
  });
});

describe('an endpoint that has forgotten an idempotency key', () => {
  it.each<'A' | 'B'>(['A', 'B'])(
    'is not called again under this key for users that are missing in its answer (class %s)',
    async (of) => {
      const { clock, database, endpoint, feed, failures, sweepOverdue } = await createRunningWorker({
        type: { class: of, keyLifeSeconds: 3600 },
      });
      endpoint.answer = () =>
        endpoint.seen.length === 1
          ? { kind: 'answered', status: 429, retryAfterMs: 4_000_000, body: Buffer.from('') }
          : answerOf([{ id: 'u1', status: 'succeeded' }]);
      const { runId } = await feed([['u1', 'u2']], { ...oneStep, deadlineSeconds: 86_400 });
      await passTime(clock, 4_500_000);
      await sweepOverdue(runId);
      await passTime(clock, 5000);
      expect(endpoint.seen).toHaveLength(2);
      expect(failures()).toEqual([{ user: 'u2', step: 1, outcome: 'unknown', reason: 'muster.no-result' }]);
      expect(database.batches.size).toBe(1);
    },
  );
});
