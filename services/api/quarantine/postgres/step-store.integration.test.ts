import { apiOnPostgres } from '../../../../test/support/api-on-postgres.ts';
import { createPostgresExecutionStores } from '../../../../test/support/postgres-execution-stores.ts';
import { v7 as uuidv7 } from 'uuid';
import { beforeEach, describe, expect, it } from 'vitest';
import type { QuarantineFilter } from './step-store.ts';
import { stepLines } from '../../../../shared/domain/step/outcomes.ts';
import { aloneFromLapses } from '../../../../shared/domain/step/suspects.ts';
import type { StepLedger, StepRef } from '../../../../shared/ports/step-ledger.ts';
import { quarantinedAfterLapses } from '../../../../shared/postgres/ledger/ledger-codes.ts';
import {
  claimOne,
  doneOf,
  failed,
  leaseMs,
  record,
  startFedRun,
  totalsOf,
} from '../../../../test/support/conformance/execution-subject.ts';

const on = apiOnPostgres();

const makeSubject = () => ({ ...createPostgresExecutionStores(on), quarantined: on.deps.quarantinedSteps });

describe('quarantined steps', () => {
  let subject: ReturnType<typeof makeSubject>;
  let runId: string;
  let feedId: string;
  let step: StepRef;
  let a: StepLedger;
  let b: StepLedger;

  /**
   * Creates a run of two steps. The first batch has crashed its workers, the last of them b, until it was quarantined.
   * User u1 has not failed before.
   */
  beforeEach(async () => {
    subject = makeSubject();
    [a, b] = [subject.ledgerOf('a'), subject.ledgerOf('b')];
    const chain = ['award-reward', 'send-message'].map((action) => ({ action, params: {} }));
    const fed = await startFedRun(subject, [['u1', 'u2', 'u3'], ['u4']], { chain });
    ({ runId, feedId } = fed);
    step = { feedId, batchNo: 1, step: 1 };
    await lapse(step);
    expect(await subject.endings.endQuarantined([step])).toBe(1);
  });

  async function lapse(ref: StepRef): Promise<void> {
    for (let lapses = 0; lapses <= quarantinedAfterLapses; lapses++) {
      const stored = await subject.rows.step(ref);
      if ((stored?.lapses ?? 0) >= quarantinedAfterLapses) return;
      const ledger = lapses % 2 === 0 ? b : a;
      const { epoch } = await claimOne(ledger, ref);
      if (lapses > 0) await ledger.flush({ results: [], claims: [], begins: [{ ...ref, epoch }] });
      await subject.passTime(leaseMs + 1);
    }
  }

  async function listed() {
    return (await subject.quarantined.list({}, 10, null)).items;
  }

  async function onlyId(): Promise<string> {
    const [row] = await listed();
    if (!row) throw new Error('nothing is quarantined');
    return row.quarantineId;
  }

  it('are listed with all known fields, by run and state', async () => {
    const [row] = await listed();
    expect(row).toMatchObject({
      runId,
      runState: 'running',
      feedId,
      country: 'SG',
      batchNo: 1,
      step: 1,
      actionType: 'award-reward',
      state: 'kept',
      users: 3,
      lapses: quarantinedAfterLapses,
      decidedAt: null,
    });
    const countOf = async (filter: QuarantineFilter) => (await subject.quarantined.list(filter, 10, null)).items.length;
    expect([await countOf({ runId }), await countOf({ runId: uuidv7() })]).toEqual([1, 0]);
    expect([await countOf({ state: 'kept' }), await countOf({ state: 'discarded' })]).toEqual([1, 0]);
  });

  it('are paged, the newest first', async () => {
    const other = { feedId, batchNo: 2, step: 1 };
    await lapse(other);
    await subject.endings.endQuarantined([other]);
    const first = await subject.quarantined.list({}, 1, null);
    expect(first.items.map(({ batchNo }) => batchNo)).toEqual([2]);
    const second = await subject.quarantined.list({}, 1, first.next);
    expect(second.items.map(({ batchNo }) => batchNo)).toEqual([1]);
    expect(second.next).toBeNull();
  });

  it('have their calls, results and a sample of users', async () => {
    const detail = await subject.quarantined.find(await onlyId(), 2);
    expect(detail?.sample).toEqual(['u1', 'u2']);
    // The beginning of the first call was not recorded, only the loss of its worker.
    const calls = detail?.calls.map(({ worker, reading }) => [worker, reading]) ?? [];
    expect(calls[0]).toEqual([null, 'lost']);
    expect(calls.slice(1).every(([worker, reading]) => worker !== null && reading === 'lost')).toBe(true);
    expect(new Set(calls.slice(1).map(([worker]) => worker)).size).toBe(2);
    expect(calls).toHaveLength(quarantinedAfterLapses + 1);
    expect(await subject.quarantined.find(uuidv7(), 2)).toBeUndefined();
  });

  it('are pending after a replay: due at once, with an unused idempotency key, and called alone', async () => {
    const before = await subject.rows.step(step);
    expect(await subject.quarantined.replay(await onlyId())).toBe('replayed');
    expect(await subject.rows.step(step)).toMatchObject({
      state: 'waiting',
      open: true,
      begun: false,
      lapses: aloneFromLapses,
      owner: null,
      epoch: (before?.epoch ?? 0) + 1,
    });
    expect(await subject.rows.agenda(feedId)).toMatchObject([{ batchNo: 1, step: 1, offers: 0 }]);
    const [line] = stepLines(4, await totalsOf(subject, runId), 2);
    expect(line).toMatchObject({ unknown: 0, pending: 4 });
    expect((await subject.reports.failures(runId, {}, 10, null)).items).toEqual([]);
    expect((await subject.reports.failureGroups(runId)).filter(({ users }) => users > 0)).toEqual([]);
    expect((await listed())[0]).toMatchObject({ state: 'replayed' });
  });

  it('end normally after a replay, and their users continue', async () => {
    await subject.quarantined.replay(await onlyId());
    const claimed = await claimOne(a, step);
    expect(claimed).toMatchObject({ open: true, lapses: aloneFromLapses });
    await record(a, doneOf(claimed, { failures: [failed('u2')] }));
    await record(a, doneOf(await claimOne(a, { feedId, batchNo: 2, step: 1 })));
    for (const batchNo of [1, 2]) {
      const second = await claimOne(a, { feedId, batchNo, step: 2 });
      await record(a, { ...doneOf(second), restUsers: batchNo === 1 ? 2 : 1 });
    }
    const ended = await subject.runs.end(runId, (tally, counted) => {
      expect(counted).toEqual([{ feedId, totals: tally.feeds[0]?.totals }]);
      expect(tally.feeds[0]?.totals).toMatchObject([
        { batches: 2, succeeded: 3, failed: 1, unknown: 0 },
        { batches: 2, succeeded: 3 },
      ]);
      return { state: 'completed_with_failures', reason: null };
    });
    expect(ended).not.toBeNull();
    expect(await subject.reconciliation.reconcile({ feedId, chainLength: 2 })).toEqual([]);
  });

  it('keep their spent units reserved after a replay, so that no other step can use these', async () => {
    const chain = [{ action: 'award-points', params: {}, unitsPerUser: 2 }];
    const costly = await startFedRun(subject, [['u1', 'u2']], { chain, budgets: [{ country: 'SG', units: 4 }] });
    const ref = { feedId: costly.feedId, batchNo: 1, step: 1 };
    const unitsPerUser = new Map([[costly.feedId, [2]]]);
    const flush = (changes: object) => a.flush({ results: [], claims: [], begins: [], unitsPerUser, ...changes });
    for (let lapses = 0; lapses <= quarantinedAfterLapses; lapses++) {
      const [claimed] = (await flush({ claims: [ref] })).claimed;
      if (claimed) await flush({ begins: [{ ...ref, epoch: claimed.epoch }] });
      await subject.passTime(leaseMs + 1);
    }
    await subject.endings.endQuarantined([ref]);
    const campaignId = (await subject.reports.snapshot(costly.runId))?.campaignId ?? '';
    const figures = async () => {
      const [sg] = await subject.budgets.list(campaignId);
      return [sg?.used, sg?.reserved];
    };
    expect(await figures()).toEqual([4, 0]);
    expect(await subject.quarantined.replay(await onlyId())).toBe('replayed');
    expect(await figures()).toEqual([0, 4]);
    const [again] = (await flush({ claims: [ref] })).claimed;
    if (!again) throw new Error('the step was not free');
    await flush({ results: [doneOf(again)] });
    expect(await figures()).toEqual([4, 0]);
  });

  it('are quarantined again as new items if they crash their workers again', async () => {
    await subject.quarantined.replay(await onlyId());
    await lapse(step);
    expect(await subject.endings.endQuarantined([step])).toBe(1);
    expect((await listed()).map(({ state }) => state)).toEqual(['kept', 'replayed']);
    expect(stepLines(4, await totalsOf(subject, runId), 2)[0]).toMatchObject({ unknown: 3, pending: 1 });
  });

  it('are replayed once if several requests are concurrent', async () => {
    const id = await onlyId();
    const verdicts = await Promise.all([1, 2, 3].map(() => subject.quarantined.replay(id)));
    expect(verdicts.toSorted()).toEqual(['decided', 'decided', 'replayed']);
    expect(stepLines(4, await totalsOf(subject, runId), 2)[0]).toMatchObject({ unknown: 0, pending: 4 });
  });

  it('stay unchanged if their run has ended', async () => {
    await subject.runs.finish(runId, 'completed_with_failures', null);
    expect(await subject.quarantined.replay(await onlyId())).toBe('run-ended');
    const totals = (await subject.reports.snapshot(runId))?.countries[0]?.totals ?? [];
    expect(stepLines(4, totals, 2)[0]).toMatchObject({ unknown: 3 });
    expect(await subject.rows.step(step)).toMatchObject({ state: 'done' });
  });

  it('leave their users unknown when discarded, and then count as decided', async () => {
    const id = await onlyId();
    expect(await subject.quarantined.discard(id)).toMatchObject({ state: 'discarded' });
    expect(await subject.quarantined.discard(id)).toMatchObject({ state: 'discarded' });
    expect(await subject.quarantined.replay(id)).toBe('decided');
    expect(stepLines(4, await totalsOf(subject, runId), 2)[0]).toMatchObject({ unknown: 3 });
    expect(await subject.quarantined.discard(uuidv7())).toBeUndefined();
    expect(await subject.quarantined.replay(uuidv7())).toBeUndefined();
  });
});
