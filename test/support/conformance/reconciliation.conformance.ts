import { beforeEach, describe, expect, it } from 'vitest';
import type { StepLedger } from '../../../shared/ports/step-ledger.ts';
import type { Damage } from './execution-rows.ts';
import {
  childOf,
  claimOne,
  doneOf,
  failed,
  record,
  someBatches,
  startFedRun,
  talliesOf,
  waitingOf,
  type ExecutionSubject,
  type MakeExecutionSubject,
} from './execution-subject.ts';

/** Tests sums and agenda against the rows that they are computed from. */
export function describeReconciliation(name: string, makeSubject: MakeExecutionSubject): void {
  // In a block of its own: a hook of the whole file would empty the tables of other suites.
  describe(`the reconciliation ${name}`, () => {
    let subject: ExecutionSubject;
    let ledger: StepLedger;
    let runId: string;
    let feedId: string;
    /**
     * Creates four batches: one is done, one has failures and a child, one waits, and one was never claimed. The first
     * continues with step 2.
     */
    beforeEach(async () => {
      subject = await makeSubject();
      ledger = subject.ledgerOf('a');
      ({ runId, feedId } = await startFedRun(subject, someBatches(4, 3)));
      const claim = (batchNo: number) => claimOne(ledger, { feedId, batchNo, step: 1 });
      await record(ledger, doneOf(await claim(1)));
      await record(ledger, doneOf(await claim(2), { failures: [failed('u004')], children: [childOf(['u005'])] }));
      await record(ledger, waitingOf(await claim(3)));
    });

    const reconcile = () => subject.reconciliation.reconcile({ feedId, chainLength: 2 });
    const read = async () => ({
      flow: await subject.rows.flow(feedId),
      failures: (await subject.rows.failureTotals(feedId)).map(({ reason, users }) => [reason, users]),
      shown: (await subject.reports.snapshot(runId))?.countries.map(({ totals }) => totals),
      fed: (await talliesOf(subject))[0]?.feeds.map(({ fedUsers, totals }) => ({ fedUsers, totals })),
    });

    it('finds nothing to repair in correct rows', async () => {
      expect(await reconcile()).toEqual([]);
      expect((await subject.control.events(runId, 100, null)).items.map(({ kind }) => kind)).not.toContain('repaired');
    });

    it.each<[Damage, object]>([
      ['totals-drifted', { kind: 'totals', step: 1, what: 'succeeded -7, waiting -2' }],
      ['settled-drifted', { kind: 'totals', step: 1, what: 'settled_succeeded -3, settled_failed -4' }],
      ['totals-lost', { kind: 'totals', step: 1 }],
      ['failure-totals-lost', { kind: 'failure-totals', step: 1, what: 'out-of-stock +1' }],
      ['fed-users-drifted', { kind: 'fed-users', step: null, what: '-5' }],
    ])('repairs %s', async (damage, repair) => {
      const before = await read();
      await subject.rows.damage(feedId, damage);
      expect(await read()).not.toEqual(before);
      expect(await reconcile()).toMatchObject([repair]);
      expect(await read()).toEqual(before);
      expect(await reconcile()).toEqual([]);
    });

    it('adds open steps to the agenda that no process would find', async () => {
      await subject.rows.damage(feedId, 'agenda-lost');
      expect(await subject.rows.agenda(feedId)).toEqual([]);
      expect(await reconcile()).toEqual([
        { kind: 'agenda', step: 1, what: '3' },
        { kind: 'agenda', step: 2, what: '2' },
      ]);
      const agenda = await subject.rows.agenda(feedId);
      expect(agenda.slice(0, 4).map(({ batchNo, step }) => [batchNo, step])).toEqual([
        [1, 2],
        [2, 2],
        [3, 1],
        [4, 1],
      ]);
      expect(agenda[2]?.inSeconds).toBe(5);
      expect(await reconcile()).toEqual([]);
    });

    it('records its repairs in the history of the run', async () => {
      await subject.rows.damage(feedId, 'fed-users-drifted');
      await reconcile();
      const { items } = await subject.control.events(runId, 100, null);
      expect(items.find(({ kind }) => kind === 'repaired')?.detail).toEqual({
        country: 'SG',
        repairs: [{ kind: 'fed-users', step: null, what: '-5' }],
      });
    });
  });
}
