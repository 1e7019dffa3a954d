import { describe, expect, it } from 'vitest';
import { allActionTypes } from '../../../shared/domain/step/suppressions.ts';
import type { CapRow } from '../../../test/support/memory/cap-tables.ts';
import { suppress } from '../../../test/support/memory/suppressions.ts';
import { passTime } from '../../../test/support/pass-time.ts';
import { createRunningWorker } from '../../../test/support/running-worker.ts';
import { answerWithFailures } from '../../../test/support/worker-fixture.ts';
import type { BatchAnswer } from '../endpoint/batch-endpoint.port.ts';

const lost: BatchAnswer = { kind: 'ambiguous', cause: 'the connection was reset' };

describe('a user on a suppression list', () => {
  it('ends as suppressed, with the cause, in the step of the listed action type, and is skipped in later steps', async () => {
    const { clock, database, endpoint, feed, failures } = await createRunningWorker();
    suppress(database, 'send-message', 'u2', 'asked to by phone');
    const { totals } = await feed([['u1', 'u2', 'u3']]);
    await passTime(clock, 1000);
    expect(endpoint.seen.map(({ call }) => [call.step, call.users])).toEqual([
      [1, ['u1', 'u2', 'u3']],
      [2, ['u1', 'u3']],
    ]);
    expect(totals()).toMatchObject([
      { succeeded: 3, suppressed: 0 },
      { succeeded: 2, suppressed: 1, failed: 0 },
    ]);
    const reason = 'muster.suppression-list';
    expect(failures()).toEqual([{ user: 'u2', step: 2, outcome: 'suppressed', reason }]);
    const [{ detail, attempts } = {}] = database.failures;
    expect([detail, attempts]).toEqual(['on the suppression list of send-message: asked to by phone', 0]);
  });

  it('is called in no step, and counted only in the first step, if the list covers all action types', async () => {
    const { clock, database, endpoint, feed, failures } = await createRunningWorker();
    suppress(database, allActionTypes, 'u2', null);
    const { totals } = await feed([['u1', 'u2']]);
    await passTime(clock, 1000);
    expect(endpoint.seen.flatMap(({ call }) => call.users)).toEqual(['u1', 'u1']);
    expect(failures()).toMatchObject([{ user: 'u2', step: 1, outcome: 'suppressed' }]);
    expect(totals()).toMatchObject([
      { succeeded: 1, suppressed: 1 },
      { succeeded: 1, suppressed: 0 },
    ]);
  });

  it('causes no call if all users of the batch are on the list', async () => {
    const { clock, database, endpoint, feed } = await createRunningWorker();
    for (const user of ['u1', 'u2']) suppress(database, 'award-reward', user, null);
    const { totals } = await feed([['u1', 'u2']]);
    await passTime(clock, 1000);
    expect(endpoint.seen).toEqual([]);
    expect(totals()).toMatchObject([{ suppressed: 2, batches: 1 }]);
  });

  it('is not called again if the user was listed while a retry was waiting', async () => {
    const { clock, database, endpoint, feed, sweepOverdue, failures } = await createRunningWorker();
    const answer = endpoint.answer;
    endpoint.answer = (seen) =>
      endpoint.seen.length === 1 ? answerWithFailures(seen, ['u1', 'u2'], { retryable: true }) : answer(seen);
    const { runId } = await feed([['u1', 'u2', 'u3']]);
    await passTime(clock, 50);
    suppress(database, 'award-reward', 'u2', null);
    await passTime(clock, 60_000);
    await sweepOverdue(runId);
    await passTime(clock, 1000);
    const [first, ...later] = endpoint.seen.filter(({ call }) => call.step === 1).map(({ call }) => call.users);
    expect(first).toEqual(['u1', 'u2', 'u3']);
    expect(later).toEqual([['u1']]);
    expect(failures()).toMatchObject([{ user: 'u2', outcome: 'suppressed' }]);
  });

  it('causes a new key for the other users if the user is listed after a call that was certainly not applied', async () => {
    const { clock, database, endpoint, feed, sweepOverdue } = await createRunningWorker();
    const answer = endpoint.answer;
    const later: BatchAnswer = { kind: 'answered', status: 429, retryAfterMs: 3000, body: Buffer.from('') };
    endpoint.answer = (seen) => (endpoint.seen.length === 1 ? later : answer(seen));
    const { runId } = await feed([['u1', 'u2']]);
    await passTime(clock, 50);
    suppress(database, 'award-reward', 'u2', null);
    await passTime(clock, 60_000);
    await sweepOverdue(runId);
    await passTime(clock, 1000);
    const [first, second] = endpoint.seen.filter(({ call }) => call.step === 1);
    expect([first?.call.users, second?.call.users]).toEqual([['u1', 'u2'], ['u1']]);
    expect(second?.idempotencyKey).not.toBe(first?.idempotencyKey);
  });

  it('is not called in the next step if the user was listed during the step before it', async () => {
    const { clock, database, endpoint, feed } = await createRunningWorker();
    const answer = endpoint.answer;
    suppress(database, 'send-message', 'u9', null);
    endpoint.answer = (seen) => {
      if (seen.call.step === 1) suppress(database, 'send-message', 'u2', null);
      return answer(seen);
    };
    await feed([['u1', 'u2']]);
    await passTime(clock, 1000);
    expect(endpoint.seen.map(({ call }) => call.users)).toEqual([['u1', 'u2'], ['u1']]);
  });

  it('is not counted as suppressed if the user failed in an earlier step', async () => {
    const { clock, database, endpoint, feed, failures } = await createRunningWorker();
    const answer = endpoint.answer;
    suppress(database, 'send-message', 'u2', null);
    endpoint.answer = (seen) => (seen.call.step === 1 ? answerWithFailures(seen, ['u2']) : answer(seen));
    const { totals } = await feed([['u1', 'u2']]);
    await passTime(clock, 1000);
    expect(failures()).toMatchObject([{ user: 'u2', step: 1, outcome: 'failed' }]);
    expect(totals()).toMatchObject([{ failed: 1 }, { succeeded: 1, suppressed: 0 }]);
  });

  it('ends as suppressed if the worker that claimed the batch was killed', async () => {
    const { clock, database, endpoint, feed, sweepOverdue, workerDeps, failures } = await createRunningWorker();
    suppress(database, 'award-reward', 'u2', null);
    const { runId, steps } = await feed([['u1', 'u2']]);
    const flush = { results: [], claims: steps, begins: [], actionTypeOf: () => 'award-reward' };
    await workerDeps('gone').ledger.flush(flush);
    await passTime(clock, 40_000);
    await sweepOverdue(runId);
    await passTime(clock, 1000);
    expect(endpoint.seen.flatMap(({ call }) => call.users)).not.toContain('u2');
    expect(failures()).toMatchObject([{ user: 'u2', step: 1, outcome: 'suppressed' }]);
  });

  it('is called again with the same key and bytes if a call was lost before the user was listed', async () => {
    const { clock, database, endpoint, feed, sweepOverdue, failures } = await createRunningWorker();
    const answer = endpoint.answer;
    endpoint.answer = (seen) => (endpoint.seen.length === 1 ? lost : answer(seen));
    const { runId } = await feed([['u1', 'u2']]);
    await passTime(clock, 50);
    suppress(database, 'award-reward', 'u2', null);
    await passTime(clock, 60_000);
    await sweepOverdue(runId);
    await passTime(clock, 1000);
    const [first, second] = endpoint.seen.filter(({ call }) => call.step === 1);
    expect(second).toMatchObject({ idempotencyKey: first?.idempotencyKey, body: first?.body });
    expect(failures()).toEqual([]);
  });
});

describe('a user that has reached a cap', () => {
  const cap: CapRow = {
    name: 'one-reward',
    actionTypes: ['award-reward'],
    effects: 1,
    days: 7,
    counting: 'rolling',
    countsFrom: new Date(0),
  };
  const reason = 'muster.cap';

  it('ends as suppressed, with the cap and its limit, and is skipped in later steps', async () => {
    const { clock, database, endpoint, feed, failures } = await createRunningWorker();
    database.caps = [cap];
    await feed([['u2', 'u4']]);
    await passTime(clock, 1000);
    endpoint.seen.splice(0);
    const { totals } = await feed([['u1', 'u2', 'u3']]);
    await passTime(clock, 1000);
    expect(endpoint.seen.map(({ call }) => [call.step, call.users])).toEqual([
      [1, ['u1', 'u3']],
      [2, ['u1', 'u3']],
    ]);
    expect(totals()).toMatchObject([
      { succeeded: 2, suppressed: 1 },
      { succeeded: 2, suppressed: 0 },
    ]);
    expect(failures()).toEqual([{ user: 'u2', step: 1, outcome: 'suppressed', reason }]);
    expect(database.failures.map(({ detail }) => detail)).toEqual(['one-reward: 1 of at most 1 within 7 days']);
  });

  it('causes no call if all users of the batch have reached one', async () => {
    const { clock, database, endpoint, feed } = await createRunningWorker();
    database.caps = [{ ...cap, days: 1 }];
    await feed([['u1', 'u2']]);
    await passTime(clock, 1000);
    endpoint.seen.splice(0);
    await feed([['u1', 'u2']]);
    await passTime(clock, 1000);
    expect(endpoint.seen).toEqual([]);
    expect(database.failures.map(({ detail }) => detail)).toEqual(
      ['u1', 'u2'].map(() => 'one-reward: 1 of at most 1 within 1 day'),
    );
  });

  it('ends because of a suppression list if the user is on one, too', async () => {
    const { clock, database, endpoint, feed, failures } = await createRunningWorker();
    database.caps = [cap];
    await feed([['u1', 'u2']]);
    await passTime(clock, 1000);
    suppress(database, 'award-reward', 'u2', null);
    suppress(database, 'award-reward', 'u3', null);
    await feed([['u1', 'u2', 'u3', 'u4']]);
    await passTime(clock, 1000);
    expect(endpoint.seen.filter(({ call }) => call.step === 1).map(({ call }) => call.users)).toEqual([
      ['u1', 'u2'],
      ['u4'],
    ]);
    expect(failures().toSorted((a, b) => (a.user < b.user ? -1 : 1))).toMatchObject([
      { user: 'u1', reason },
      { user: 'u2', reason: 'muster.suppression-list' },
      { user: 'u3', reason: 'muster.suppression-list' },
    ]);
  });

  it('is not counted as suppressed if the user failed in an earlier step', async () => {
    const { clock, database, endpoint, feed, failures } = await createRunningWorker();
    database.caps = [{ ...cap, actionTypes: ['send-message'] }];
    await feed([['u1', 'u2']]);
    await passTime(clock, 1000);
    const answer = endpoint.answer;
    endpoint.answer = (seen) => (seen.call.step === 1 ? answerWithFailures(seen, ['u2']) : answer(seen));
    await feed([['u1', 'u2', 'u3']]);
    await passTime(clock, 1000);
    expect(failures()).toMatchObject([
      { user: 'u2', step: 1, outcome: 'failed' },
      { user: 'u1', step: 2, reason },
    ]);
  });
});
