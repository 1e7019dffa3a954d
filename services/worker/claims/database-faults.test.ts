import { describe, expect, it } from 'vitest';
import { quarantinedAfterLapses } from '../../../shared/postgres/ledger/ledger-codes.ts';
import { failingOnce } from '../../../test/support/trigger-fixture.ts';
import { passTime } from '../../../test/support/pass-time.ts';
import { createRunningWorker } from '../../../test/support/running-worker.ts';
import { answerWithFailures, withoutHandOn } from '../../../test/support/worker-fixture.ts';

describe('a worker whose database fails', () => {
  it('keeps the results of its calls and records them later without another call', async () => {
    let down = false;
    const { clock, endpoint, feed } = await createRunningWorker({}, ({ ledger }) => ({
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

  it('makes no call while it cannot read whether the run is paused', async () => {
    const { clock, endpoint, feed, sweepOverdue } = await createRunningWorker({}, ({ contexts }) => ({
      contexts: failingOnce(contexts, 'admissions'),
    }));
    const { runId } = await feed([['u1']]);
    await passTime(clock, 100);
    expect(endpoint.seen).toEqual([]);
    await sweepOverdue(runId);
    await passTime(clock, 1000);
    expect(endpoint.seen).toHaveLength(2);
  });

  it('releases the steps whose lost users it cannot read', async () => {
    const { clock, endpoint, feed, sweepOverdue, someUsers, stepRows } = await createRunningWorker(
      {},
      ({ ledger }) => ({
        ledger: failingOnce(withoutHandOn(ledger), 'lostUsers'),
      }),
    );
    endpoint.answer = (seen) => answerWithFailures(seen, seen.call.step === 1 ? someUsers(21) : []);
    const { runId } = await feed([someUsers(30)]);
    await passTime(clock, 1000);
    expect(stepRows(2)).toMatchObject([{ state: 'waiting', attempts: 0 }]);
    await sweepOverdue(runId);
    await passTime(clock, 1000);
    expect(endpoint.seen.at(-1)?.call.users).toEqual(someUsers(9, 22));
  });
});

describe('a row that cannot be parsed', () => {
  it('keeps its lease until it is quarantined, and other batches are served', async () => {
    const { clock, endpoint, feed, publish, database } = await createRunningWorker({}, ({ ledger }) => ({
      ledger: {
        ...ledger,
        flush: async (flush) => {
          const flushed = await ledger.flush(flush);
          const spoilt = (batchNo: number, users: string) => (batchNo === 1 ? `${users}\\` : users);
          const claimed = flushed.claimed.map((claim) => ({ ...claim, users: spoilt(claim.batchNo, claim.users) }));
          return { ...flushed, claimed };
        },
      },
    }));
    const { feedId, totals } = await feed([['u1'], ['u2']], {
      chain: [{ action: 'award-reward', params: {} }],
      deadlineSeconds: 86_400,
    });
    // The worker parses the text of the users only to remove a lost user.
    const offer = () => publish({ feedId, step: 1, batchNos: [1], remaining: [1], lost: [['u9']] });
    for (let round = 0; round < 8; round++) {
      await passTime(clock, 40_000);
      await offer();
    }
    await passTime(clock, 1000);
    expect(endpoint.seen.filter(({ call }) => call.users.includes('u1'))).toEqual([]);
    expect(database.steps.get(`${feedId}/1/1`)).toMatchObject({
      state: 'running',
      lapses: quarantinedAfterLapses,
    });
    expect(totals()).toMatchObject([{ succeeded: 1 }]);
  });
});

describe('a result that cannot be written', () => {
  it('passes no user on to the next step', async () => {
    const { clock, endpoint, feed, messages } = await createRunningWorker({}, ({ ledger }) => ({
      ledger: {
        ...ledger,
        flush: (flush) => (flush.results.length > 0 ? Promise.reject(new Error('gone')) : ledger.flush(flush)),
      },
    }));
    await feed([['u1']]);
    await passTime(clock, 5000);
    expect(endpoint.seen).toHaveLength(1);
    expect(messages(2)).toEqual([]);
  });
});

describe('a claim with a slow answer of the database', () => {
  it("is released without a call if its lease may end before the call's answer", async () => {
    const { clock, endpoint, feed, stepRows } = await createRunningWorker({}, (deps) => ({
      ledger: {
        ...deps.ledger,
        flush: async (flush) => {
          const flushed = await deps.ledger.flush(flush);
          if (flush.claims.length > 0) await deps.clock.sleep(deps.leaseMs - 5000);
          return flushed;
        },
      },
    }));
    await feed([['u1']]);
    await passTime(clock, 60_000);
    expect(endpoint.seen).toEqual([]);
    expect(stepRows(1)).toMatchObject([{ state: 'waiting', open: false }]);
  });
});
