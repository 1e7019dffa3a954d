import { beforeEach, describe, expect, it } from 'vitest';
import { tryHeldEveryMs } from '../../../shared/domain/step/holds.ts';
import {
  claimOne,
  record,
  someBatches,
  startFedRun,
  waitingOf,
  type ExecutionSubject,
  type MakeExecutionSubject,
} from './execution-subject.ts';

export function describeStepHolds(name: string, makeSubject: MakeExecutionSubject): void {
  describe(`holds ${name}`, () => {
    let subject: ExecutionSubject;
    let feedId: string;
    beforeEach(async () => {
      subject = await makeSubject();
      ({ feedId } = await startFedRun(subject, someBatches(3, 2)));
    });

    const cause = 'award-reward answers 404';
    const hold = (step = 1, because = cause) => subject.holds.hold([{ feedId, step, cause: because }]);
    const mayTry = (step = 1) => subject.holds.mayTry({ feedId, step }, tryHeldEveryMs);

    it('count the batches that met the cause, and keep since when', async () => {
      await subject.holds.hold([
        { feedId, step: 1, cause },
        { feedId, step: 2, cause },
        { feedId, step: 1, cause },
      ]);
      await subject.passTime(10_000);
      await hold(1, 'award-reward answers 401');
      await subject.holds.hold([]);
      expect(await subject.rows.holds(feedId)).toEqual([
        { step: 1, cause: 'award-reward answers 401', batches: 3, sinceSeconds: 10 },
        { step: 2, cause, batches: 1, sinceSeconds: 10 },
      ]);
    });

    it('let one asker try, not at once, and then one every time', async () => {
      await hold();
      expect(await mayTry()).toBe(false);
      await subject.passTime(tryHeldEveryMs);
      const asked = await Promise.all([mayTry(), mayTry(), mayTry()]);
      expect(asked.filter(Boolean)).toHaveLength(1);
      await subject.passTime(tryHeldEveryMs - 5000);
      expect(await mayTry()).toBe(false);
      await subject.passTime(5000);
      expect(await mayTry()).toBe(true);
    });

    it('do not put off the next try when another batch meets the cause', async () => {
      await hold();
      await subject.passTime(tryHeldEveryMs);
      await hold();
      expect(await mayTry()).toBe(true);
    });

    it('that end by themselves are tried when they do, by what was said last, and are no fault of their feed', async () => {
      const holdFor = (endsInMs: number) => subject.holds.hold([{ feedId, step: 1, cause: 'quiet hours', endsInMs }]);
      const faultOf = async () =>
        (await subject.feeds.loads([feedId])).map(({ held, quietSteps }) => [held, quietSteps]);
      await holdFor(3_600_000);
      expect(await faultOf()).toEqual([[false, [1]]]);
      await subject.passTime(tryHeldEveryMs);
      expect(await mayTry()).toBe(false);
      await holdFor(60_000);
      await subject.passTime(59_000);
      expect(await mayTry()).toBe(false);
      await subject.passTime(1000);
      expect(await mayTry()).toBe(true);
      await hold();
      expect(await faultOf()).toEqual([[true, []]]);
    });

    it('know of steps that are not held that nobody has to try', async () => {
      expect(await mayTry()).toBe(false);
    });

    it('make due what waits in the step when they are lifted, and nothing else', async () => {
      const ledger = subject.ledgerOf('a');
      const { feedId: other } = await startFedRun(subject, someBatches(1, 2));
      for (const ref of [
        { feedId, batchNo: 1, step: 1 },
        { feedId, batchNo: 2, step: 1 },
        { feedId: other, batchNo: 1, step: 1 },
      ])
        await record(ledger, waitingOf(await claimOne(ledger, ref), { delayMs: 60_000 }));
      await hold();
      await subject.holds.lift({ feedId, step: 2 });
      expect((await subject.rows.agenda(feedId)).map(({ inSeconds }) => inSeconds)).toEqual([60, 60]);
      await subject.holds.lift({ feedId, step: 1 });
      expect(await subject.rows.holds(feedId)).toEqual([]);
      expect((await subject.rows.agenda(feedId)).map(({ inSeconds }) => inSeconds)).toEqual([0, 0]);
      expect((await subject.rows.agenda(other)).map(({ inSeconds }) => inSeconds)).toEqual([60]);
      const claims = [1, 2].map((batchNo) => ({ feedId, batchNo, step: 1 }));
      const { claimed } = await ledger.flush({
        results: [],
        claims: [...claims, { feedId: other, batchNo: 1, step: 1 }],
        begins: [],
      });
      expect(claimed.map((step) => step.feedId)).toEqual([feedId, feedId]);
    });

    it('put off what is put back for them, and a moment alone what comes after they were lifted', async () => {
      const ledger = subject.ledgerOf('a');
      const putBack = async (batchNo: number) => {
        const step = await claimOne(ledger, { feedId, batchNo, step: 1 });
        await record(ledger, { ...waitingOf(step, { delayMs: 3_600_000 }), whileHeld: true });
      };
      const waits = async () => (await subject.rows.agenda(feedId)).map(({ inSeconds }) => inSeconds);
      await subject.holds.hold([{ feedId, step: 1, cause: 'quiet hours', endsInMs: 3_600_000 }]);
      await putBack(1);
      expect(await waits()).toEqual([3600]);
      await subject.holds.lift({ feedId, step: 1 });
      await putBack(2);
      expect((await waits()).toSorted()).toEqual([0, 1]);
    });

    it('leave what is being called to its worker when they are lifted', async () => {
      const ledger = subject.ledgerOf('a');
      const step = await claimOne(ledger, { feedId, batchNo: 1, step: 1 });
      await record(ledger, waitingOf(step, { delayMs: 0 }));
      await claimOne(ledger, step);
      await hold();
      await subject.holds.lift({ feedId, step: 1 });
      expect(await subject.rows.step(step)).toMatchObject({ state: 'running', epoch: 2 });
    });
  });
}
