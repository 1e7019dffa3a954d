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
    const hold = (step = 1, because = cause) => subject.holds.hold([{ feedId, step, kind: 'fault', cause: because }]);
    const mayTry = (step = 1) => subject.holds.mayTry({ feedId, step }, tryHeldEveryMs);

    it('count the batches with the same cause and keep the first time', async () => {
      await subject.holds.hold([
        { feedId, step: 1, kind: 'fault', cause },
        { feedId, step: 2, kind: 'fault', cause },
        { feedId, step: 1, kind: 'fault', cause },
      ]);
      await subject.passTime(10_000);
      await hold(1, 'award-reward answers 401');
      await subject.holds.hold([]);
      expect(await subject.rows.holds(feedId)).toEqual([
        { step: 1, kind: 'fault', cause: 'award-reward answers 401', batches: 3, sinceSeconds: 10 },
        { step: 2, kind: 'fault', cause, batches: 1, sinceSeconds: 10 },
      ]);
    });

    it('allow one worker to try after a pause, and then one at each interval', async () => {
      await hold();
      expect(await mayTry()).toBe(false);
      await subject.passTime(tryHeldEveryMs);
      const requested = await Promise.all([mayTry(), mayTry(), mayTry()]);
      expect(requested.filter(Boolean)).toHaveLength(1);
      await subject.passTime(tryHeldEveryMs - 5000);
      expect(await mayTry()).toBe(false);
      await subject.passTime(5000);
      expect(await mayTry()).toBe(true);
    });

    it('keep the time of the next try when another batch meets the cause', async () => {
      await hold();
      await subject.passTime(tryHeldEveryMs);
      await hold();
      expect(await mayTry()).toBe(true);
    });

    describe('holds for quiet hours', () => {
      const cause = 'quiet hours';
      const holdFor = (endsInMs: number) =>
        subject.holds.hold([{ feedId, step: 1, kind: 'quiet-hours', cause, endsInMs }]);
      const load = async () => (await subject.feeds.loads([feedId])).map(({ held, quietSteps }) => [held, quietSteps]);
      const displayed = async () =>
        ((await subject.contexts.admissions([feedId]))[0]?.holds ?? []).map(({ kind, tryDue }) => [kind, tryDue]);

      it('end at the newest end time, are no fault of the feed, and allow no try', async () => {
        await holdFor(3_600_000);
        expect(await load()).toEqual([[false, [1]]]);
        await holdFor(60_000);
        await subject.passTime(59_000);
        expect(await load()).toEqual([[false, [1]]]);
        await subject.passTime(1001);
        expect(await load()).toEqual([[false, []]]);
        expect(await mayTry()).toBe(false);
      });

      it('begin again if the previous ones have ended, even if no batch has lifted them', async () => {
        await holdFor(60_000);
        await subject.passTime(60_001);
        await holdFor(60_000);
        await subject.passTime(10_000);
        expect(await subject.rows.holds(feedId)).toMatchObject([{ batches: 1, sinceSeconds: 10 }]);
        await holdFor(60_000);
        expect(await subject.rows.holds(feedId)).toMatchObject([{ batches: 2, sinceSeconds: 10 }]);
      });

      it('begin and end independently of a fault, which does not change', async () => {
        await hold();
        const fault = { step: 1, kind: 'fault', cause: 'award-reward answers 404', batches: 1 };
        await holdFor(60_000);
        expect(await load()).toEqual([[true, [1]]]);
        expect(await displayed()).toEqual([
          ['fault', false],
          ['quiet-hours', false],
        ]);
        await subject.passTime(tryHeldEveryMs);
        expect(await displayed()).toContainEqual(['fault', true]);
        expect(await mayTry()).toBe(true);
        await subject.holds.lift({ feedId, step: 1 }, 'quiet-hours');
        expect(await subject.rows.holds(feedId)).toEqual([{ ...fault, sinceSeconds: 30 }]);
        expect(await load()).toEqual([[true, []]]);
        await holdFor(60_000);
        await subject.holds.lift({ feedId, step: 1 }, 'fault');
        expect(await subject.rows.holds(feedId)).toMatchObject([{ kind: 'quiet-hours' }]);
      });

      it('are reported after the fault, which a person must fix first', async () => {
        const { runId } = (await subject.contexts.load([feedId]))[0] ?? {};
        await holdFor(60_000);
        await subject.passTime(5000);
        await hold();
        const waits = (await subject.reports.snapshot(runId ?? ''))?.waits;
        expect(waits).toMatchObject([
          { cause: 'award-reward answers 404', held: true, blockedBy: null },
          { cause, held: false, blockedBy: 'quiet-hours' },
        ]);
        expect(await subject.runs.waitingSteps([runId ?? ''])).toMatchObject([{ cause: 'award-reward answers 404' }]);
      });

      it('do not hide a waiting cause of the same text after they have ended', async () => {
        const { runId = '' } = (await subject.contexts.load([feedId]))[0] ?? {};
        const ledger = subject.ledgerOf('a');
        await holdFor(60_000);
        await subject.passTime(60_001);
        const step = await claimOne(ledger, { feedId, batchNo: 1, step: 1 });
        await record(ledger, waitingOf(step, { delayMs: 5000, cause }));
        const waits = (await subject.reports.snapshot(runId))?.waits ?? [];
        expect(waits.filter((wait) => wait.cause === cause)).toMatchObject([{ held: false, blockedBy: null }]);
      });
    });

    it('report that a step without a hold needs no try', async () => {
      expect(await mayTry()).toBe(false);
    });

    it('make only the waiting batches of the step due when they are lifted', async () => {
      const ledger = subject.ledgerOf('a');
      const { feedId: other } = await startFedRun(subject, someBatches(1, 2));
      for (const ref of [
        { feedId, batchNo: 1, step: 1 },
        { feedId, batchNo: 2, step: 1 },
        { feedId: other, batchNo: 1, step: 1 },
      ])
        await record(ledger, waitingOf(await claimOne(ledger, ref), { delayMs: 60_000 }));
      await hold();
      await subject.holds.lift({ feedId, step: 2 }, 'fault');
      expect((await subject.rows.agenda(feedId)).map(({ inSeconds }) => inSeconds)).toEqual([60, 60]);
      await subject.holds.lift({ feedId, step: 1 }, 'fault');
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

    it('delay a released batch to their end, and only briefly after they are lifted', async () => {
      const ledger = subject.ledgerOf('a');
      const putBack = async (batchNo: number) => {
        const step = await claimOne(ledger, { feedId, batchNo, step: 1 });
        await record(ledger, { ...waitingOf(step, { delayMs: 3_600_000 }), whileHeld: true });
      };
      const waits = async () => (await subject.rows.agenda(feedId)).map(({ inSeconds }) => inSeconds);
      await subject.holds.hold([{ feedId, step: 1, kind: 'quiet-hours', cause: 'quiet hours', endsInMs: 3_600_000 }]);
      await putBack(1);
      expect(await waits()).toEqual([3600]);
      await subject.holds.lift({ feedId, step: 1 }, 'quiet-hours');
      await putBack(2);
      expect((await waits()).toSorted()).toEqual([0, 1]);
    });

    it('delay a batch only briefly after they have ended, even if no batch has lifted them', async () => {
      const ledger = subject.ledgerOf('a');
      await subject.holds.hold([{ feedId, step: 1, kind: 'quiet-hours', cause: 'quiet hours', endsInMs: 60_000 }]);
      await subject.passTime(60_001);
      const step = await claimOne(ledger, { feedId, batchNo: 1, step: 1 });
      await record(ledger, { ...waitingOf(step, { delayMs: 3_600_000 }), whileHeld: true });
      expect((await subject.rows.agenda(feedId)).map(({ inSeconds }) => inSeconds)).toEqual([1]);
    });

    it('do not affect a step in a call when they are lifted', async () => {
      const ledger = subject.ledgerOf('a');
      const step = await claimOne(ledger, { feedId, batchNo: 1, step: 1 });
      await record(ledger, waitingOf(step, { delayMs: 0 }));
      await claimOne(ledger, step);
      await hold();
      await subject.holds.lift({ feedId, step: 1 }, 'fault');
      expect(await subject.rows.step(step)).toMatchObject({ state: 'running', epoch: 2 });
    });
  });
}
