import { apiOnPostgres } from '../../../../test/support/api-on-postgres.ts';
import { createPostgresExecutionStores } from '../../../../test/support/postgres-execution-stores.ts';
import { beforeEach, describe, expect, it } from 'vitest';
import { v7 as uuidv7 } from 'uuid';
import type { SettledUser } from '../../../../shared/ports/settlements.ts';
import { isSettled, stepLines } from '../../../../shared/domain/step/outcomes.ts';
import { claimOne, doneOf, record, startFedRun } from '../../../../test/support/conformance/execution-subject.ts';

const lost = { outcome: 'unknown', reason: 'muster.ambiguous-answer', detail: 'reset' } as const;

const on = apiOnPostgres();

const makeSubject = () => {
  const { settlementRequests, ...stores } = createPostgresExecutionStores(on);
  return { ...stores, requests: settlementRequests };
};

describe('the settlement of unknown outcomes', () => {
  let subject: ReturnType<typeof makeSubject>;
  let runId: string;
  let feedId: string;

  /**
   * Creates a run of two steps with one batch of four users that has completed step 1. The outcomes of u2 and u3 are
   * unknown; the others continued.
   */
  beforeEach(async () => {
    subject = makeSubject();
    const chain = ['award-reward', 'send-message'].map((action) => ({ action, params: {} }));
    const fed = await startFedRun(subject, [['u1', 'u2', 'u3', 'u4']], { chain });
    ({ runId, feedId } = fed);
    const ledger = subject.ledgerOf('a');
    const failures = ['u2', 'u3'].map((user) => ({ user, ...lost }));
    await record(ledger, doneOf(await claimOne(ledger, { feedId, batchNo: 1, step: 1 }), { failures }));
    const second = await claimOne(ledger, { feedId, batchNo: 1, step: 2 });
    await record(ledger, { ...doneOf(second), restUsers: 2 });
  });

  const end = () => subject.runs.finish(runId, 'completed_with_failures', 'the outcome of 2 users is unknown');

  async function begin(method: 'hand' | 'status' = 'hand', step: number | null = null): Promise<string> {
    const settlementId = uuidv7();
    const apiKey = { keyId: uuidv7(), name: 'ops' };
    await subject.requests.begin({ settlementId, runId, method, apiKey, step, country: null });
    return settlementId;
  }

  function as(user: string, outcome: SettledUser['outcome'], changes: Partial<SettledUser> = {}): SettledUser {
    return { user, step: 1, country: null, outcome, reason: 'told', detail: null, ...changes };
  }

  async function lines() {
    const snapshot = await subject.reports.snapshot(runId);
    const [country] = snapshot?.countries ?? [];
    return stepLines(country?.fedUsers ?? 0, country?.totals ?? [], 2);
  }

  it('changes the outcomes of users, counts and reasons, and the totals of the run balance', async () => {
    await end();
    const settlementId = await begin();
    const verdicts = await subject.settlements.settle({ settlementId, runId }, [
      as('u3', 'failed'),
      as('u2', 'succeeded'),
    ]);
    expect(verdicts).toEqual(['settled', 'settled']);
    const [first, second] = await lines();
    expect(first).toMatchObject({ succeeded: 3, failed: 1, unknown: 0, pending: 0 });
    // Users who were settled as succeeded did not enter the later steps.
    expect(second).toMatchObject({ succeeded: 2, skipped: 2, pending: 0 });
    expect([first, second].every((line) => line && isSettled(line))).toBe(true);
    const groups = await subject.reports.failureGroups(runId);
    expect(groups.map(({ outcome, reason, users, sample }) => [outcome, reason, users, sample])).toEqual([
      ['failed', 'told', 1, ['u3']],
    ]);
    const { items } = await subject.reports.failures(runId, {}, 10, null);
    expect(items.map(({ user, outcome, reason }) => [user, outcome, reason])).toEqual([['u3', 'failed', 'told']]);
    expect((await subject.requests.get(runId, settlementId))?.counts).toMatchObject({ succeeded: 1, failed: 1 });
  });

  it('is shown as success in the history of the user, with nothing left to settle or retry', async () => {
    await end();
    const settlementId = await begin();
    await subject.settlements.settle({ settlementId, runId }, [as('u2', 'succeeded'), as('u3', 'failed')]);
    const history = await subject.histories.find(runId, 'u2');
    expect(history?.place?.batches[0]?.steps[0]?.failure).toMatchObject({ outcome: 'succeeded', reason: 'told' });
    expect(await subject.reconciliation.reconcile({ feedId, chainLength: 2 })).toEqual([]);
    const all = { steps: null, countries: null, reasons: null };
    expect(await subject.retries.groups(runId, all)).toMatchObject([{ step: 1, reason: 'told', users: 1 }]);
  });

  it('leaves the remaining unknown users in the list of failures', async () => {
    await end();
    const settlementId = await begin();
    await subject.settlements.settle({ settlementId, runId }, [as('u3', 'failed')]);
    const { items } = await subject.reports.failures(runId, { outcome: 'unknown' }, 10, null);
    expect(items.map(({ user }) => user)).toEqual(['u2']);
  });

  it('settles each user once: a repeat changes nothing, and another outcome is refused', async () => {
    await end();
    const settlementId = await begin();
    const settle = (...users: SettledUser[]) => subject.settlements.settle({ settlementId, runId }, users);
    expect(await settle(as('u2', 'succeeded'), as('u2', 'succeeded'), as('u2', 'failed'))).toEqual([
      'settled',
      'already',
      'otherwise',
    ]);
    const before = await lines();
    expect(await settle(as('u2', 'succeeded'), as('u2', 'failed'))).toEqual(['already', 'otherwise']);
    expect(await lines()).toEqual(before);
  });

  it('settles users once if several requests are concurrent', async () => {
    await end();
    const ids = [await begin(), await begin()];
    const users = [as('u2', 'succeeded'), as('u3', 'succeeded')];
    const verdicts = await Promise.all(
      ids.map((settlementId) => subject.settlements.settle({ settlementId, runId }, users)),
    );
    expect(verdicts.flat().filter((verdict) => verdict === 'settled')).toHaveLength(2);
    expect((await lines())[0]).toMatchObject({ succeeded: 4, unknown: 0 });
  });

  it('refuses users who succeeded, and users of another step, country or run', async () => {
    await end();
    const settlementId = await begin();
    const verdicts = await subject.settlements.settle({ settlementId, runId }, [
      as('u1', 'failed'),
      as('u2', 'failed', { step: 2 }),
      as('u2', 'failed', { country: 'VN' }),
      as('nobody', 'failed'),
    ]);
    expect(verdicts).toEqual(['not-unknown', 'not-unknown', 'not-unknown', 'not-unknown']);
    const other = await subject.settlements.settle({ settlementId, runId: uuidv7() }, [as('u2', 'failed')]);
    expect(other).toEqual(['not-unknown']);
  });

  it('does not begin, and settles no user, while the run is active', async () => {
    const settlementId = uuidv7();
    const wanted = { settlementId, runId, method: 'hand', apiKey: null, step: null, country: null } as const;
    expect(await subject.requests.begin(wanted)).toBeUndefined();
    expect(await subject.settlements.settle({ settlementId, runId }, [as('u2', 'failed')])).toEqual(['not-unknown']);
  });

  it('begins once with the same id, and records caller, method and result', async () => {
    await end();
    const settlementId = await begin();
    await subject.requests.end(settlementId, {
      state: 'done',
      cause: null,
      rejects: [{ line: 3, userId: 'x', rule: 'not-unknown' }],
    });
    const again = await subject.requests.begin({
      settlementId,
      runId,
      method: 'hand',
      apiKey: null,
      step: null,
      country: null,
    });
    expect(again).toMatchObject({ method: 'hand', apiKey: { name: 'ops' }, state: 'done', rejects: [{ line: 3 }] });
    expect(again?.endedAt).toBeInstanceOf(Date);
    expect(await subject.requests.list(runId, 10)).toEqual([again]);
    expect(await subject.requests.get(uuidv7(), settlementId)).toBeUndefined();
  });

  describe('a settlement by the status endpoint', () => {
    it('is processed by one process in pages, and then ended', async () => {
      await end();
      const settlementId = await begin('status');
      const claimed = await subject.settlements.claimByStatus('a', 60_000);
      expect(claimed).toMatchObject({ settlementId, runId, chain: ['award-reward', 'send-message'], tries: 0 });
      expect(await subject.settlements.claimByStatus('b', 60_000)).toBeNull();
      if (!claimed) return;
      const [first] = await subject.settlements.unknownUsers(claimed, 1);
      expect(first).toEqual({ feedId, country: 'SG', step: 1, user: 'u2' });
      if (!first) return;
      expect(await subject.settlements.moveOn(settlementId, 'b', first)).toBe(false);
      expect(await subject.settlements.moveOn(settlementId, 'a', first)).toBe(true);
      expect((await subject.settlements.unknownUsers(claimed, 10)).map(({ user }) => user)).toEqual(['u3']);
      await subject.settlements.endByStatus(settlementId, 'a', { state: 'done', cause: null });
      expect(await subject.requests.get(runId, settlementId)).toMatchObject({ state: 'done' });
      expect(await subject.settlements.claimByStatus('b', 60_000)).toBeNull();
    });

    it('is due later after a postponement, and counts attempts with their cause', async () => {
      await end();
      const settlementId = await begin('status');
      await subject.settlements.claimByStatus('a', 60_000);
      await subject.settlements.putOff(settlementId, 'a', 60_000, 'status: 502');
      expect(await subject.settlements.claimByStatus('a', 60_000)).toBeNull();
      expect(await subject.requests.get(runId, settlementId)).toMatchObject({
        state: 'running',
        cause: 'status: 502',
      });
    });

    it('requests outcomes only for the given step', async () => {
      await end();
      await begin('status', 2);
      const claimed = await subject.settlements.claimByStatus('a', 60_000);
      expect(claimed && (await subject.settlements.unknownUsers(claimed, 10))).toEqual([]);
    });
  });
});
