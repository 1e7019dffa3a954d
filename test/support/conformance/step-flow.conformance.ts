import { beforeEach, describe, expect, it } from 'vitest';
import { firstChildBatchNo } from '../../../shared/domain/step/batch.ts';
import type { StepFlow } from '../../../shared/domain/step/outcomes.ts';
import type { StepLedger, StepRef } from '../../../shared/ports/step-ledger.ts';
import {
  childOf,
  claimOne,
  doneOf,
  failed,
  leaseMs,
  record,
  someBatches,
  startFedRun,
  startRun,
  waitingOf,
  type ExecutionSubject,
  type MakeExecutionSubject,
} from './execution-subject.ts';

const still = { done: 0, survived: 0, created: 0, waiting: 0, refused: 0 };

/**
 * Tests the effects of records outside of the step: the flow of batches, the agenda, and the reasons of failed users
 * and of waiting batches.
 */
export function describeStepFlow(name: string, makeSubject: MakeExecutionSubject): void {
  // In a block of its own: a hook of the whole file would empty the tables of other suites.
  describe(`the step flow ${name}`, () => {
    let subject: ExecutionSubject;
    let a: StepLedger;
    let b: StepLedger;
    let feedId: string;
    let steps: StepRef[];
    beforeEach(async () => {
      subject = await makeSubject();
      a = subject.ledgerOf('a');
      b = subject.ledgerOf('b');
      ({ feedId, steps } = await startFedRun(subject, someBatches(4, 3)));
    });

    const stepOf = (batchNo: number, step = 1): StepRef => ({ feedId, batchNo, step });
    const flow = () => subject.rows.flow(feedId);
    const line = (step: number, counts: Partial<StepFlow>) => ({ step, ...still, ...counts });

    describe(`the flow of batches ${name}`, () => {
      it('counts recorded batches and surviving batches', async () => {
        const { claimed } = await a.flush({ results: [], claims: steps, begins: [] });
        const [one, two, three, four] = claimed.sort((x, y) => x.batchNo - y.batchNo);
        if (!one || !two || !three || !four) throw new Error('four steps were free');
        const nobodyLeft = someBatches(4, 3)[1]?.map((user) => failed(user)) ?? [];
        await record(
          a,
          doneOf(one),
          doneOf(two, { failures: nobodyLeft, refused: 2 }),
          doneOf(three, { rest: 'expired' }),
        );
        await record(b, doneOf(four, { rest: 'cancelled' }));
        expect(await flow()).toEqual([line(1, { done: 4, survived: 1, refused: 2 })]);
        await record(b, doneOf(await claimOne(b, stepOf(1, 2))));
        expect(await flow()).toEqual([
          line(1, { done: 4, survived: 1, refused: 2 }),
          line(2, { done: 1, survived: 1 }),
        ]);
      });

      it('counts waiting batches until they are claimed', async () => {
        const { claimed } = await a.flush({ results: [], claims: steps, begins: [] });
        await record(a, ...claimed.map((step) => waitingOf(step)));
        expect(await flow()).toEqual([line(1, { waiting: 4 })]);
        await subject.passTime(5001);
        await b.flush({ results: [], claims: steps.slice(0, 3), begins: [] });
        expect(await flow()).toEqual([line(1, { waiting: 1 })]);
      });

      it('does not reduce the waiting count when a step is taken over', async () => {
        await record(a, waitingOf(await claimOne(a, stepOf(1)), { delayMs: 0 }));
        await claimOne(b, stepOf(1));
        await subject.passTime(leaseMs + 1);
        await claimOne(a, stepOf(1));
        await subject.passTime(leaseMs + 1);
        await claimOne(b, stepOf(1));
        expect(await flow()).toEqual([line(1, { waiting: 0 })]);
      });

      it('counts child batches as created, and as waiting unless they are claimed', async () => {
        const children = [childOf(['u001']), childOf(['u002'], { claim: true })];
        const done = doneOf(await claimOne(a, stepOf(1)), { children });
        const [created] = (await a.flush({ results: [done], claims: [], begins: [] })).children;
        expect(await flow()).toEqual([line(1, { done: 1, survived: 1, created: 2, waiting: 1 })]);
        const [claimed] = created?.claims ?? [];
        if (!claimed) throw new Error('one child was to be claimed');
        await record(a, doneOf(claimed), doneOf(await claimOne(b, stepOf(firstChildBatchNo))));
        expect(await flow()).toEqual([line(1, { done: 3, survived: 3, created: 2, waiting: 0 })]);
      });

      it('ignores fenced and repeated results', async () => {
        const stale = await claimOne(a, stepOf(1));
        await subject.passTime(leaseMs + 1);
        const done = doneOf(await claimOne(b, stepOf(1)));
        await record(a, doneOf(stale, { children: [childOf(['u001'])] }));
        await record(a, waitingOf(stale, { cause: 'HTTP 500' }));
        await record(b, done);
        await record(b, done);
        expect(await flow()).toEqual([line(1, { done: 1, survived: 1 })]);
        expect(await subject.rows.causes(feedId)).toEqual([]);
      });
    });

    describe(`the agenda ${name}`, () => {
      it('contains released steps at their due time', async () => {
        await record(a, waitingOf(await claimOne(a, stepOf(1)), { delayMs: 20_000 }));
        await record(a, waitingOf(await claimOne(a, stepOf(3)), { delayMs: 0 }));
        expect(await subject.rows.agenda(feedId)).toEqual([
          { batchNo: 1, step: 1, inSeconds: 20, offers: 0 },
          { batchNo: 3, step: 1, inSeconds: 0, offers: 0 },
        ]);
      });

      it('moves an entry when its step is released again', async () => {
        await record(a, waitingOf(await claimOne(a, stepOf(1)), { delayMs: 0 }));
        await record(a, waitingOf(await claimOne(a, stepOf(1)), { delayMs: 60_000 }));
        expect(await subject.rows.agenda(feedId)).toEqual([{ batchNo: 1, step: 1, inSeconds: 60, offers: 0 }]);
      });

      it('contains child batches from their creation', async () => {
        const children = [childOf(['u001'], { delayMs: 9000 }), childOf(['u002'], { claim: true, delayMs: 9000 })];
        await record(a, doneOf(await claimOne(a, stepOf(1)), { children }));
        expect(await subject.rows.agenda(feedId)).toEqual([
          { batchNo: firstChildBatchNo, step: 1, inSeconds: 9, offers: 0 },
          { batchNo: firstChildBatchNo + 1, step: 1, inSeconds: leaseMs / 1000, offers: 0 },
        ]);
      });

      it('contains no steps that were recorded without waiting', async () => {
        await record(a, doneOf(await claimOne(a, stepOf(1)), { failures: [failed('u001')] }));
        await claimOne(a, stepOf(2));
        expect(await subject.rows.agenda(feedId)).toEqual([]);
      });
    });

    describe(`failures by reason ${name}`, () => {
      it('are counted at recording, by step and outcome, with the first five users', async () => {
        const { claimed } = await a.flush({ results: [], claims: steps, begins: [] });
        const failures = (users: string[]) => users.map((user) => failed(user));
        const batches = someBatches(4, 3);
        const results = claimed.map((step) => doneOf(step, { failures: failures(batches[step.batchNo - 1] ?? []) }));
        const ofBatch = (batchNo: number) => results.filter((result) => result.batchNo === batchNo);
        await record(a, ...ofBatch(2), ...ofBatch(1));
        await record(a, ...ofBatch(3));
        await record(
          a,
          ...ofBatch(4).map((result) => ({ ...result, failures: [failed('u010', { outcome: 'unknown' })] })),
        );
        const reason = 'out-of-stock';
        expect(await subject.rows.failureTotals(feedId)).toEqual([
          { step: 1, outcome: 'failed', reason, users: 9, sample: ['u001', 'u002', 'u003', 'u004', 'u005'] },
          { step: 1, outcome: 'unknown', reason, users: 1, sample: ['u010'] },
        ]);
      });

      it('are counted once despite repeated and fenced results', async () => {
        const stale = await claimOne(a, stepOf(1));
        await subject.passTime(leaseMs + 1);
        const done = doneOf(await claimOne(b, stepOf(1)), { failures: [failed('u002')] });
        await record(a, doneOf(stale, { failures: [failed('u001')] }));
        await record(b, done);
        await record(b, done);
        expect(await subject.rows.failureTotals(feedId)).toMatchObject([{ users: 1, sample: ['u002'] }]);
      });

      it('include users with invalid ids', async () => {
        const { owned } = await startUnfed();
        await subject.feeds.writePages({
          ...owned,
          batches: [],
          invalidUsers: [
            { user: 'a\\u0000', rule: 'control-character' },
            { user: '', rule: 'empty' },
          ],
          cursor: null,
          staysStalled: false,
          complete: true,
        });
        expect(await subject.rows.failureTotals(owned.feedId)).toMatchObject([
          { step: 1, outcome: 'failed', users: 2 },
        ]);
      });
    });

    async function startUnfed() {
      const [owned] = (await startRun(subject)).owned;
      if (!owned) throw new Error('the run has no feed');
      return { owned: { feedId: owned.feedId, token: owned.token } };
    }

    describe(`causes of waiting ${name}`, () => {
      it('are counted since they began, by step and cause', async () => {
        const { claimed } = await a.flush({ results: [], claims: steps, begins: [] });
        const [one, two, three, four] = claimed;
        if (!one || !two || !three || !four) throw new Error('four steps were free');
        await record(a, waitingOf(one, { cause: 'HTTP 500' }), waitingOf(two, { cause: 'HTTP 500' }), waitingOf(three));
        await subject.passTime(leaseMs - 1000);
        await record(b, waitingOf(four, { cause: 'HTTP 500' }));
        await subject.passTime(60_000);
        await record(a, waitingOf(await claimOne(a, stepOf(3)), { cause: 'HTTP 429' }));
        expect(await subject.rows.causes(feedId)).toEqual([
          { step: 1, cause: 'HTTP 429', batches: 1, sinceSeconds: 0 },
          { step: 1, cause: 'HTTP 500', batches: 3, sinceSeconds: 89 },
        ]);
      });

      it('begin again if they return after a gap', async () => {
        await record(a, waitingOf(await claimOne(a, stepOf(1)), { cause: 'HTTP 500' }));
        await subject.passTime(121_000);
        await record(a, waitingOf(await claimOne(a, stepOf(2)), { cause: 'HTTP 500' }));
        expect(await subject.rows.causes(feedId)).toEqual([
          { step: 1, cause: 'HTTP 500', batches: 1, sinceSeconds: 0 },
        ]);
      });
    });
  });
}
