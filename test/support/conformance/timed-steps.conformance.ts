import { beforeEach, describe, expect, it } from 'vitest';
import { firstChildBatchNo } from '../../../shared/domain/step/batch.ts';
import type { StepLedger, StepRef, StepResult } from '../../../shared/ports/step-ledger.ts';
import {
  childOf,
  claimOne,
  doneOf,
  someBatches,
  startFedRun,
  waitingOf,
  type ExecutionSubject,
  type MakeExecutionSubject,
} from './execution-subject.ts';

const timedWithinMs = 10_000;

/**
 * Tests timed steps: the worker that records a step which is due soon keeps it in memory, and the agenda offers the
 * step only later.
 */
export function describeTimedSteps(name: string, makeSubject: MakeExecutionSubject): void {
  describe(`steps that a worker times ${name}`, () => {
    let subject: ExecutionSubject;
    let ledger: StepLedger;
    let feedId: string;
    let first: StepRef;
    let second: StepRef;
    beforeEach(async () => {
      subject = await makeSubject();
      ledger = subject.ledgerOf('a');
      const fed = await startFedRun(subject, someBatches(2, 3));
      [first, second] = [fed.steps[0] ?? fail(), fed.steps[1] ?? fail()];
      ({ feedId } = fed);
    });

    const flush = (...results: StepResult[]) => ledger.flush({ results, claims: [], begins: [], timedWithinMs });
    const offered = async () =>
      (await subject.sweep.due([{ feedId, chainLength: 2 }], 100, [])).offers.map(({ batchNo }) => batchNo);
    const childNo = firstChildBatchNo;

    it('are child batches and waiting steps that are due within the time limit', async () => {
      const child = childOf(['u001'], { delayMs: 2000 });
      const done = doneOf(await claimOne(ledger, first), { children: [child] });
      const waiting = waitingOf(await claimOne(ledger, second), { delayMs: 1000, cause: 'HTTP 503' });
      const { timed } = await flush(done, waiting);
      expect(timed.toSorted((a, b) => a.batchNo - b.batchNo)).toEqual([
        { feedId, batchNo: 2, step: 1, result: waiting, dueInMs: 1000, users: null },
        { feedId, batchNo: childNo, step: 1, result: done, dueInMs: 2000, users: 1 },
      ]);
    });

    it('can be claimed when they are due, and are offered by the sweep after the same time again', async () => {
      const child = childOf(['u001'], { delayMs: 2000 });
      await flush(doneOf(await claimOne(ledger, first), { children: [child] }));
      await flush(waitingOf(await claimOne(ledger, second), { delayMs: 2000, cause: 'HTTP 503' }));
      await subject.passTime(2001);
      expect(await offered()).toEqual([]);
      await subject.passTime(timedWithinMs - 1000);
      expect(await offered()).toEqual([]);
      await claimOne(ledger, second);
      await subject.passTime(2000);
      expect(await offered()).toEqual([childNo]);
    });

    it('exclude steps that are due later, were released or are claimed immediately', async () => {
      const later = childOf(['u001'], { delayMs: timedWithinMs + 1 });
      const claimed = childOf(['u002'], { claim: true });
      const done = doneOf(await claimOne(ledger, first), { children: [later, claimed] });
      const released = waitingOf(await claimOne(ledger, second), { delayMs: 1000, cause: null });
      expect((await flush(done, released)).timed).toEqual([]);
      await subject.passTime(1001);
      expect(await offered()).toEqual([2]);
      await subject.passTime(timedWithinMs - 1000);
      expect(await offered()).toEqual([childNo]);
    });

    it('are empty if the worker times no steps', async () => {
      const child = childOf(['u001'], { delayMs: 2000 });
      const done = doneOf(await claimOne(ledger, first), { children: [child] });
      const { timed } = await ledger.flush({ results: [done], claims: [], begins: [] });
      expect(timed).toEqual([]);
      await subject.passTime(2001);
      expect(await offered()).toEqual([childNo]);
    });

    it('exclude steps that were taken over', async () => {
      const claimed = await claimOne(ledger, first);
      const child = childOf(['u001'], { delayMs: 2000 });
      expect((await flush(doneOf({ ...claimed, epoch: 0 }, { children: [child] }))).timed).toEqual([]);
    });
  });
}

function fail(): never {
  throw new Error('two batches were fed');
}
