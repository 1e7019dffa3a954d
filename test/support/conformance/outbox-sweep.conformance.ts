import { beforeEach, describe, expect, it } from 'vitest';
import { firstChildBatchNo } from '../../../shared/domain/batch.ts';
import type { StepLedger } from '../../../shared/ports/step-ledger.ts';
import {
  childOf,
  claimOne,
  doneOf,
  failed,
  leaseMs,
  record,
  someBatches,
  startFedRun,
  waitingOf,
  type ExecutionSubject,
  type MakeExecutionSubject,
} from './execution-subject.ts';

export function describeOutboxSweep(name: string, makeSubject: MakeExecutionSubject): void {
  describe(`the sweep ${name}`, () => {
    let subject: ExecutionSubject;
    let ledger: StepLedger;
    beforeEach(async () => {
      subject = await makeSubject();
      ledger = subject.ledgerOf('a');
    });

    it('finds nothing when all is well', async () => {
      const { runId, feedId, steps } = await startFedRun(subject, someBatches(3, 2));
      const { claimed } = await ledger.flush({ results: [], claims: steps, begins: [] });
      await record(ledger, ...claimed.slice(0, 2).map((step) => doneOf(step)));
      await ledger.flush({ results: [], claims: [1, 2].map((batchNo) => ({ feedId, batchNo, step: 2 })), begins: [] });
      expect(await subject.sweep.unclaimed(runId, 10)).toEqual([]);
      expect(await subject.sweep.overdue(runId, 10)).toEqual([]);
    });

    it('finds fed batches that nobody has claimed', async () => {
      const { runId, feedId, steps } = await startFedRun(subject, [['u1', 'u2'], ['u3'], ['u4']]);
      await ledger.flush({ results: [], claims: steps.slice(1, 2), begins: [] });
      expect(await subject.sweep.unclaimed(runId, 10)).toEqual([
        { feedId, batchNo: 1, step: 1, epoch: 0, lost: [], remaining: 2 },
        { feedId, batchNo: 3, step: 1, epoch: 0, lost: [], remaining: 1 },
      ]);
    });

    it('finds done steps with survivors that nobody has claimed in the next step, with the users lost so far', async () => {
      const { runId, feedId, steps } = await startFedRun(subject, [['u1', 'u2', 'u3', 'u4']]);
      const [first] = steps;
      if (!first) throw new Error('one batch was fed');
      const children = [childOf(['u4'], { delayMs: 5000 })];
      await record(ledger, doneOf(await claimOne(ledger, first), { failures: [failed('u2')], children }));
      expect(await subject.sweep.unclaimed(runId, 10)).toEqual([
        { feedId, batchNo: 1, step: 2, epoch: 0, lost: ['u2', 'u4'], remaining: 2 },
      ]);
    });

    it('finds the next step of a child batch, too', async () => {
      const { runId, feedId, steps } = await startFedRun(subject, [['u1', 'u2']]);
      const [first] = steps;
      if (!first) throw new Error('one batch was fed');
      const children = [childOf(['u1', 'u2'])];
      await record(ledger, doneOf(await claimOne(ledger, first), { children }));
      const child = { feedId, batchNo: firstChildBatchNo, step: 1 };
      await record(ledger, doneOf(await claimOne(ledger, child), { failures: [failed('u1')] }));
      expect(await subject.sweep.unclaimed(runId, 10)).toEqual([
        { ...child, step: 2, epoch: 0, lost: ['u1'], remaining: 1 },
      ]);
    });

    it('leaves alone what has no survivors, what expired and what was the last step', async () => {
      const { runId, steps } = await startFedRun(subject, [['u1'], ['u2'], ['u3']]);
      const { claimed } = await ledger.flush({ results: [], claims: steps, begins: [] });
      const [one, two, three] = claimed;
      if (!one || !two || !three) throw new Error('three steps were free');
      await record(ledger, doneOf(one, { failures: [failed('u1')] }), doneOf(two, { rest: 'expired' }), doneOf(three));
      await record(ledger, doneOf(await claimOne(ledger, { feedId: three.feedId, batchNo: 3, step: 2 })));
      expect(await subject.sweep.unclaimed(runId, 10)).toEqual([]);
    });

    it('finds what a dead worker left running, once its lease is over', async () => {
      const { runId, steps } = await startFedRun(subject, [['u1', 'u2']]);
      const [first] = steps;
      if (!first) throw new Error('one batch was fed');
      await claimOne(ledger, first);
      expect(await subject.sweep.overdue(runId, 10)).toEqual([]);
      await subject.passTime(leaseMs + 1);
      expect(await subject.sweep.overdue(runId, 10)).toEqual([{ ...first, epoch: 1, lost: [], remaining: 2 }]);
    });

    it('finds what waits once it is due, children included', async () => {
      const { runId, feedId, steps } = await startFedRun(subject, [['u1', 'u2'], ['u3']]);
      const { claimed } = await ledger.flush({ results: [], claims: steps, begins: [] });
      const [one, two] = claimed;
      if (!one || !two) throw new Error('two steps were free');
      const children = [childOf(['u2'], { delayMs: 5000 })];
      await record(ledger, doneOf(one, { children }), waitingOf(two));
      await ledger.flush({ results: [], claims: [{ feedId, batchNo: 1, step: 2 }], begins: [] });
      expect(await subject.sweep.overdue(runId, 10)).toEqual([]);
      await subject.passTime(5001);
      expect(await subject.sweep.overdue(runId, 10)).toEqual([
        { feedId, batchNo: 2, step: 1, epoch: 1, lost: [], remaining: 1 },
        { feedId, batchNo: firstChildBatchNo, step: 1, epoch: 0, lost: [], remaining: 1 },
      ]);
    });

    it('finds no more than it was asked for', async () => {
      const { runId } = await startFedRun(subject, someBatches(5, 1));
      expect(await subject.sweep.unclaimed(runId, 3)).toHaveLength(3);
    });

    it('looks at one run only, and not at a run that has ended', async () => {
      const { runId } = await startFedRun(subject, someBatches(1, 2));
      const other = await startFedRun(subject, someBatches(2, 2));
      expect(await subject.sweep.unclaimed(runId, 10)).toHaveLength(1);
      await subject.runs.finish(other.runId, 'failed', 'by hand');
      expect(await subject.sweep.unclaimed(other.runId, 10)).toEqual([]);
    });
  });
}
