import { describe, expect, it } from 'vitest';
import { startRun } from '../../../test/support/conformance/execution-subject.ts';
import { createMemoryExecutionStores } from '../../../test/support/memory/execution-stores.ts';
import { passTime } from '../../../test/support/pass-time.ts';
import { createRunningWorker } from '../../../test/support/running-worker.ts';
import { answerOf, type SeenCall } from '../../../test/support/worker-fixture.ts';
import type { BatchAnswer } from '../endpoint/batch-endpoint.port.ts';

const oneStep = { chain: [{ action: 'award-reward', params: {} }] };

function refusedWith(status: number, body = '{}'): BatchAnswer {
  return { kind: 'answered', status, retryAfterMs: null, body: Buffer.from(body) };
}

function succeeded({ call }: SeenCall): BatchAnswer {
  return answerOf(call.users.map((id) => ({ id, status: 'succeeded' })));
}

/** Returns the causes of the held steps. */
function causesOf({ holds }: { holds: ReadonlyMap<string, { cause: string }> }): string[] {
  return [...holds.values()].map(({ cause }) => cause);
}

/** Returns an endpoint that refuses each call whose batch contains one of these users. */
function refusing(bad: readonly string[], status = 422): (seen: SeenCall) => BatchAnswer {
  return (seen) => (seen.call.users.some((id) => bad.includes(id)) ? refusedWith(status) : succeeded(seen));
}

describe('a refused user', () => {
  it('is found in a batch of 100 within a second without a sweep, and the others are served', async () => {
    const { clock, endpoint, feed, someUsers, failures } = await createRunningWorker();
    endpoint.answer = refusing(['u037']);
    const { totals } = await feed([someUsers(100)], oneStep);
    await passTime(clock, 1000);
    expect(failures()).toEqual([{ user: 'u037', step: 1, outcome: 'failed', reason: 'http-422' }]);
    expect(totals()).toMatchObject([{ succeeded: 99, failed: 1 }]);
    expect(endpoint.seen.length).toBeLessThan(20);
  });

  it('is found if it is one of the users that the worker tries alone', async () => {
    const { clock, endpoint, feed, someUsers, failures } = await createRunningWorker();
    endpoint.answer = refusing(['u001']);
    const { totals } = await feed([someUsers(100)], oneStep);
    await passTime(clock, 1000);
    expect(failures().map(({ user }) => user)).toEqual(['u001']);
    expect(totals()).toMatchObject([{ succeeded: 99, failed: 1 }]);
  });

  it('fails with the code from the body of the refusal', async () => {
    const { clock, endpoint, feed, failures } = await createRunningWorker();
    endpoint.answer = (seen) =>
      seen.call.users.includes('u2') ? refusedWith(400, '{"code":"blocked"}') : succeeded(seen);
    await feed([['u1', 'u2', 'u3']], oneStep);
    await passTime(clock, 1000);
    expect(failures()).toEqual([{ user: 'u2', step: 1, outcome: 'failed', reason: 'blocked' }]);
  });

  it('fails if it is the only user of its batch', async () => {
    const { clock, endpoint, feed, failures } = await createRunningWorker();
    endpoint.answer = () => refusedWith(422);
    await feed([['u1']], oneStep);
    await passTime(clock, 1000);
    expect(failures()).toMatchObject([{ user: 'u1', outcome: 'failed' }]);
  });
});

describe('a batch that the endpoint refuses with 413', () => {
  it('is halved until its parts are small enough', async () => {
    const { clock, endpoint, feed, someUsers, failures } = await createRunningWorker();
    endpoint.answer = (seen) => (seen.call.users.length > 30 ? refusedWith(413) : succeeded(seen));
    const { totals } = await feed([someUsers(100)], oneStep);
    await passTime(clock, 1000);
    expect(failures()).toEqual([]);
    expect(totals()).toMatchObject([{ succeeded: 100 }]);
    expect(endpoint.seen.map(({ call }) => call.users.length).sort((a, b) => b - a)).toEqual([
      100, 50, 50, 25, 25, 25, 25,
    ]);
  });
});

describe('parameters that the endpoint refuses', () => {
  it('fail no user: the worker tries two users alone and holds the step with its cause', async () => {
    const { clock, endpoint, feed, someUsers, failures, database, stepRows } = await createRunningWorker();
    endpoint.answer = () => refusedWith(422, '{"code":"no-such-reward"}');
    await feed([someUsers(100)], oneStep);
    await passTime(clock, 5000);
    expect(failures()).toEqual([]);
    expect(causesOf(database)).toEqual([
      expect.stringMatching(/^422 .*, no-such-reward \(the endpoint refuses the parameters of this step\)$/),
    ]);
    expect(endpoint.seen.map(({ call }) => call.users.length)).toEqual([100, 1, 1]);
    expect(stepRows(1).filter(({ state }) => state === 'waiting')).toHaveLength(3);
  });

  it('cost a run of 200 batches fewer than 20 calls', async () => {
    const { clock, endpoint, feed, failures } = await createRunningWorker({ concurrency: 100 });
    endpoint.answer = () => refusedWith(400);
    await feed(
      Array.from({ length: 200 }, (_, batch) => [`a${batch}`, `b${batch}`, `c${batch}`]),
      oneStep,
    );
    await passTime(clock, 20_000);
    expect(failures()).toEqual([]);
    expect(endpoint.seen.length).toBeLessThan(20);
  });

  it('are tried with one batch every 30 s, and all users are served when the endpoint accepts them', async () => {
    const { clock, endpoint, feed, failures, database, sweepOverdue } = await createRunningWorker();
    endpoint.answer = () => refusedWith(422);
    const { runId, totals } = await feed(
      Array.from({ length: 20 }, (_, batch) => [`a${batch}`, `b${batch}`]),
      oneStep,
    );
    await passTime(clock, 1000);
    const before = endpoint.seen.length;
    for (let round = 0; round < 10; round++) {
      await sweepOverdue(runId);
      await passTime(clock, 6000);
    }
    // In a minute, there are two trials. Each splits at most one batch into single users.
    expect(endpoint.seen.length - before).toBeLessThanOrEqual(6);
    endpoint.answer = succeeded;
    for (let round = 0; round < 10; round++) {
      await passTime(clock, 6000);
      await sweepOverdue(runId);
    }
    await passTime(clock, 2000);
    expect(database.holds.size).toBe(0);
    expect(failures()).toEqual([]);
    expect(totals()).toMatchObject([{ succeeded: 40, failed: 0 }]);
  });

  it('hold the step even if the endpoint has accepted the first batch, once over 1,000 users are refused', async () => {
    const { clock, endpoint, feed, database, failures } = await createRunningWorker({ concurrency: 50 });
    endpoint.answer = (seen) => (seen.call.users[0]?.startsWith('good') ? succeeded(seen) : refusedWith(422));
    await feed([['good'], ...Array.from({ length: 1100 }, (_, batch) => [`u${batch}`])], oneStep);
    await passTime(clock, 60_000);
    expect(causesOf(database)).toEqual([
      expect.stringMatching(/^422 .*\(the endpoint refused 10\d\d users of this step\)$/),
    ]);
    expect(failures().length).toBeLessThan(1000);
  });

  it('hold the step in each country once the countries of the run together exceed 1,000 refused users', async () => {
    const { clock, endpoint, publish, database, failures } = await createRunningWorker({ concurrency: 50 });
    endpoint.answer = (seen) => (seen.call.users[0]?.endsWith('good') ? succeeded(seen) : refusedWith(422));
    const subject = createMemoryExecutionStores({ database });
    const { owned } = await startRun(subject, { ...oneStep, countries: ['SG', 'ID'] });
    for (const { feedId, token, country } of owned) {
      const users = ['a-good', ...Array.from({ length: 700 }, (_, index) => `u${index}`)];
      const batches = users.map((user, index) => ({ batchNo: index + 1, users: [`${country}-${user}`] }));
      const rest = { invalidUsers: [], cursor: 'z', complete: true, staysStalled: false };
      await subject.feeds.writePages({ feedId, token, batches, ...rest });
      for (const { batchNo } of batches) await publish({ feedId, step: 1, batchNos: [batchNo], remaining: [1] });
    }
    await passTime(clock, 60_000);
    expect(causesOf(database).map((cause) => /refused 10\d\d users/.test(cause))).toEqual([true, true]);
    expect(failures().length).toBeLessThan(1000);
  });
});

describe('a fault of configuration', () => {
  it.each([401, 403, 404, 405, 410, 415, 501, 302])(
    'holds the step of the run and fails no user (status %i)',
    async (status) => {
      const { clock, endpoint, feed, database, failures, stepRows } = await createRunningWorker();
      endpoint.answer = () => refusedWith(status);
      await feed([['u1'], ['u2'], ['u3']], oneStep);
      await passTime(clock, 5000);
      expect(causesOf(database)).toEqual([
        expect.stringMatching(new RegExp(`^${status} [A-Z].*award-reward refuses the call`)),
      ]);
      expect(failures()).toEqual([]);
      expect(stepRows(1)).toMatchObject(
        Array.from({ length: 3 }, () => ({ state: 'waiting', attempts: 0, open: false })),
      );
    },
  );

  it('is tried with one batch every 30 s, not with every waiting batch', async () => {
    const { clock, endpoint, feed, sweepOverdue } = await createRunningWorker();
    endpoint.answer = () => refusedWith(404);
    const { runId } = await feed(
      Array.from({ length: 30 }, (_, batch) => [`u${batch}`]),
      oneStep,
    );
    await passTime(clock, 1000);
    const first = endpoint.seen.length;
    expect(first).toBeLessThanOrEqual(4);
    for (let round = 0; round < 60; round++) {
      await passTime(clock, 1000);
      await sweepOverdue(runId);
    }
    expect(endpoint.seen.length - first).toBeLessThanOrEqual(2);
  });

  it('does not delay another run of the same shard', async () => {
    const { clock, endpoint, feed } = await createRunningWorker();
    endpoint.answer = (seen) => (seen.call.users[0]?.startsWith('wrong') ? refusedWith(404) : succeeded(seen));
    await feed(
      Array.from({ length: 50 }, (_, batch) => [`wrong${batch}`]),
      oneStep,
    );
    const { totals } = await feed(
      Array.from({ length: 50 }, (_, batch) => [`right${batch}`]),
      oneStep,
    );
    await passTime(clock, 2000);
    expect(totals()).toMatchObject([{ succeeded: 50 }]);
  });
});
