import { beforeEach, describe, expect, it } from 'vitest';
import {
  childOf,
  claimOne,
  doneOf,
  failed,
  record,
  startFedRun,
  waitingOf,
  type ExecutionSubject,
  type MakeExecutionSubject,
} from './execution-subject.ts';

export function describeUnstartedSteps(name: string, makeSubject: MakeExecutionSubject): void {
  describe(`steps that no worker has begun ${name}`, () => {
    let subject: ExecutionSubject;
    let feedId: string;
    let runId: string;
    beforeEach(async () => {
      subject = await makeSubject();
      ({ feedId, runId } = await startFedRun(subject, [['u1', 'u2'], ['u3'], ['u4'], ['u5']]));
    });

    const ofBatch = (batchNo: number, step = 1) => ({ feedId, batchNo, step });
    const find = (from = 1, limit = 100) => subject.unstarted.find([{ feedId, chainLength: 2, from }], limit);

    it('include fed but unclaimed batches from a batch number, up to the limit', async () => {
      await claimOne(subject.ledgerOf('a'), ofBatch(2));
      const first = { feedId, step: 1, isFirst: true };
      const steps = [
        { ...first, batchNo: 1, remaining: 2 },
        { ...first, batchNo: 3, remaining: 1 },
        { ...first, batchNo: 4, remaining: 1 },
      ];
      expect(await find()).toEqual([{ feedId, steps, next: null }]);
      expect(await find(3)).toEqual([{ feedId, steps: steps.slice(1), next: null }]);
      expect(await find(1, 2)).toEqual([{ feedId, steps: steps.slice(0, 2), next: null }]);
    });

    it('include the next steps of done steps with survivors', async () => {
      const ledger = subject.ledgerOf('a');
      await record(ledger, doneOf(await claimOne(ledger, ofBatch(1)), { failures: [failed('u2')] }));
      await record(ledger, doneOf(await claimOne(ledger, ofBatch(2)), { failures: [failed('u3')] }));
      await record(ledger, doneOf(await claimOne(ledger, ofBatch(3))));
      await record(ledger, doneOf(await claimOne(ledger, ofBatch(3, 2))));
      expect((await find())[0]?.steps).toEqual([
        { ...ofBatch(1, 2), remaining: 1, isFirst: false },
        { ...ofBatch(4), remaining: 1, isFirst: true },
      ]);
    });

    it('exclude steps on the agenda', async () => {
      const ledger = subject.ledgerOf('a');
      await record(ledger, waitingOf(await claimOne(ledger, ofBatch(1))));
      await record(ledger, doneOf(await claimOne(ledger, ofBatch(2)), { children: [childOf(['u3'])] }));
      await subject.sweep.examine({ feedId, chainLength: 2 }, { from: 1, limit: 100, unrecorded: [1] });
      expect((await find())[0]?.steps).toEqual([]);
    });

    it('exclude runs that are not active', async () => {
      await subject.control.change(runId, () => ({ change: { to: 'pausing', events: [] } }));
      expect(await find()).toEqual([]);
    });
  });
}
