import { beforeEach, describe, expect, it } from 'vitest';
import { firstChildBatchNo } from '../../../shared/domain/step/batch.ts';
import { quarantinedAfterLapses } from '../../../shared/postgres/ledger/ledger-codes.ts';
import type { ClaimedStep, StepLedger, StepRef } from '../../../shared/ports/step-ledger.ts';
import {
  childOf,
  claimOne,
  doneOf,
  failed,
  leaseMs,
  record,
  startFedRun,
  waitingOf,
  type ExecutionSubject,
  type MakeExecutionSubject,
} from './execution-subject.ts';

/** Tests claims, and their effects in the row: lapses, open keys, attempts. */
export function describeStepClaims(name: string, makeSubject: MakeExecutionSubject): void {
  // In a block of its own: a hook of the whole file would empty the tables of other suites.
  describe(`claims ${name}`, () => {
    let subject: ExecutionSubject;
    let a: StepLedger;
    let b: StepLedger;
    let first: StepRef;
    let second: StepRef;
    beforeEach(async () => {
      subject = await makeSubject();
      a = subject.ledgerOf('a');
      b = subject.ledgerOf('b');
      const { feedId } = await startFedRun(subject, [['u1', 'u2', 'u3']]);
      first = { feedId, batchNo: 1, step: 1 };
      second = { ...first, step: 2 };
    });

    async function free(ref: StepRef, ledger = b): Promise<ClaimedStep | undefined> {
      return (await ledger.flush({ results: [], claims: [ref], begins: [] })).claimed[0];
    }

    /** Claims a step whose last lease has expired. */
    async function takeOver(ref: StepRef, ledger = b): Promise<ClaimedStep | undefined> {
      await subject.passTime(leaseMs + 1);
      return free(ref, ledger);
    }

    const begin = async (ledger: StepLedger, step: ClaimedStep) =>
      (await ledger.flush({ results: [], claims: [], begins: [step] })).begun;

    describe(`the previous step of a batch ${name}`, () => {
      it('has to be done before the next step can be claimed', async () => {
        expect(await free(second)).toBeUndefined();
        const claimed = await claimOne(a, first);
        expect(await free(second)).toBeUndefined();
        await record(a, waitingOf(claimed));
        expect(await free(second)).toBeUndefined();
        await subject.passTime(5001);
        await record(b, doneOf(await claimOne(b, first)));
        expect(await free(second)).toMatchObject({ epoch: 1, attempts: 0 });
      });

      it('has to have survivors before the next step can be claimed', async () => {
        const failures = ['u1', 'u2', 'u3'].map((user) => failed(user));
        await record(a, doneOf(await claimOne(a, first), { failures }));
        expect(await free(second)).toBeUndefined();
      });

      it.each(['expired', 'cancelled'] as const)(
        'prevents the claim of the next step if it ended as %s',
        async (rest) => {
          await record(a, doneOf(await claimOne(a, first), { rest }));
          expect(await free(second)).toBeUndefined();
        },
      );

      it('is not required for a child batch in the step in which it was created', async () => {
        await record(a, doneOf(await claimOne(a, first)));
        await record(a, doneOf(await claimOne(a, second), { children: [childOf(['u2'])] }));
        const child = { ...second, batchNo: firstChildBatchNo };
        expect(await free({ ...child, step: 1 })).toBeUndefined();
        expect(await free({ ...child, step: 3 })).toBeUndefined();
        expect(await free(child)).toMatchObject({ size: 1 });
      });
    });

    describe(`attempts and open keys ${name}`, () => {
      it('follow the response: a response counts as an attempt and closes the key, a lost one leaves it open', async () => {
        await record(a, waitingOf(await claimOne(a, first), { delayMs: 0, answered: false, open: true }));
        const second = await claimOne(b, first);
        expect(second).toMatchObject({ epoch: 2, attempts: 0, open: true, waited: true, lapses: 0 });
        await record(b, waitingOf(second, { delayMs: 0, answered: true, open: false }));
        expect(await free(first, a)).toMatchObject({ epoch: 3, attempts: 1, open: false, lapses: 0 });
      });

      it('are copied to child batches and to failures', async () => {
        const child = childOf(['u2'], { attempts: 4, open: true });
        await record(a, doneOf(await claimOne(a, first), { failures: [failed('u1')], attempts: 4, children: [child] }));
        expect(await free({ ...first, batchNo: firstChildBatchNo })).toMatchObject({
          attempts: 4,
          open: true,
          lapses: 0,
        });
        expect(await subject.rows.failureAttempts(first.feedId)).toEqual([{ user: 'u1', attempts: 4 }]);
      });
    });

    describe(`an expired lease ${name}`, () => {
      it('counts as no attempt and leaves the key open, because its call may have begun', async () => {
        await claimOne(a, first);
        expect(await takeOver(first)).toMatchObject({ epoch: 2, attempts: 0, open: true, waited: false, lapses: 1 });
      });

      it('counts again only if the next call is known to have begun', async () => {
        await claimOne(a, first);
        await takeOver(first);
        expect(await takeOver(first)).toMatchObject({ epoch: 3, lapses: 1, open: true });
        const third = await takeOver(first);
        if (!third) throw new Error('the step was free');
        expect(await begin(b, third)).toEqual([third]);
        expect(await takeOver(first)).toMatchObject({ epoch: 5, lapses: 2 });
      });

      it('reopens a closed key only if a call had begun', async () => {
        await claimOne(a, first);
        const taken = await takeOver(first);
        if (!taken) throw new Error('the step was free');
        await record(b, waitingOf(taken, { delayMs: 0, open: false }));
        await claimOne(a, first);
        const uncalled = await takeOver(first);
        expect(uncalled).toMatchObject({ lapses: 1, open: false });
        if (!uncalled) throw new Error('the step was free');
        await begin(b, uncalled);
        expect(await takeOver(first)).toMatchObject({ lapses: 2, open: true });
      });

      it('is no longer marked as begun after the step is released', async () => {
        await claimOne(a, first);
        const taken = await takeOver(first);
        if (!taken) throw new Error('the step was free');
        await begin(b, taken);
        await record(b, waitingOf(taken, { delayMs: 0 }));
        await claimOne(a, first);
        expect(await takeOver(first)).toMatchObject({ lapses: 1, open: false, waited: false });
      });

      it('quarantines the step after the first, uncertain one and three more', async () => {
        await claimOne(a, first);
        for (let lapses = 1; lapses <= quarantinedAfterLapses; lapses++) {
          const taken = await takeOver(first);
          expect(taken).toMatchObject({ lapses });
          if (taken) await begin(b, taken);
        }
        expect(await takeOver(first)).toBeUndefined();
        expect(await subject.rows.step(first)).toMatchObject({ state: 'running', lapses: quarantinedAfterLapses });
      });
    });

    describe(`beginning a call ${name}`, () => {
      it('is refused to a worker that lost the step', async () => {
        const stale = await claimOne(a, first);
        await takeOver(first);
        expect(await begin(a, stale)).toEqual([]);
        expect(await subject.rows.step(first)).toMatchObject({ begun: false, owner: 'b' });
      });

      it('is refused after the step is recorded', async () => {
        const step = await claimOne(a, first);
        await record(a, doneOf(step));
        expect(await begin(a, step)).toEqual([]);
      });

      it('works together with results and claims in one flush', async () => {
        const { feedId, steps } = await startFedRun(subject, [['v1'], ['v2'], ['v3']]);
        const [one, two, three] = steps;
        if (!one || !two || !three) throw new Error('three batches were fed');
        const [done, begins] = [doneOf(await claimOne(a, one)), await claimOne(a, two)];
        const flushed = await a.flush({ results: [done], claims: [three], begins: [begins] });
        expect(flushed).toMatchObject({ recorded: [done], claimed: [{ feedId, batchNo: 3 }], begun: [begins] });
      });
    });

    describe(`child batches that are claimed at creation ${name}`, () => {
      it('are returned with the result, owned by the recording worker, with their users', async () => {
        const children = [
          childOf(['u1'], { claim: true, attempts: 2 }),
          childOf(['u2'], { delayMs: 5000 }),
          childOf(['u3'], { claim: true, open: true }),
        ];
        const done = doneOf(await claimOne(a, first), { children });
        const flushed = await a.flush({ results: [done], claims: [], begins: [] });
        const created = { feedId: first.feedId, step: 1, epoch: 1, waited: false, lapses: 0, size: 1 };
        expect(flushed.children).toEqual([
          {
            result: done,
            claims: [
              { ...created, batchNo: firstChildBatchNo, attempts: 2, open: false, users: '"u1"' },
              { ...created, batchNo: firstChildBatchNo + 2, attempts: 1, open: true, users: '"u3"' },
            ],
          },
        ]);
        expect(await subject.rows.step({ ...first, batchNo: firstChildBatchNo })).toMatchObject({
          state: 'running',
          owner: 'a',
        });
        expect(await free({ ...first, batchNo: firstChildBatchNo })).toBeUndefined();
      });

      it('are recorded like other batches, and found by their leases if their worker dies', async () => {
        const children = [childOf(['u1', 'u2'], { claim: true }), childOf(['u3'], { claim: true })];
        const done = doneOf(await claimOne(a, first), { children });
        const [created] = (await a.flush({ results: [done], claims: [], begins: [] })).children;
        const [one, two] = created?.claims ?? [];
        if (!one || !two) throw new Error('two children were to be claimed');
        expect(await record(a, doneOf(one))).toHaveLength(1);
        const agenda = await subject.rows.agenda(first.feedId);
        expect(agenda.map(({ batchNo, inSeconds }) => [batchNo, inSeconds])).toEqual([
          [one.batchNo, leaseMs / 1000],
          [two.batchNo, leaseMs / 1000],
        ]);
        expect(await takeOver(two)).toMatchObject({ epoch: 2, lapses: 1, open: true, users: '"u3"' });
      });

      it('are not returned by a repeat after a lost response, but found by their leases', async () => {
        const done = doneOf(await claimOne(a, first), { children: [childOf(['u1'], { claim: true })] });
        await a.flush({ results: [done], claims: [], begins: [] });
        const repeated = await a.flush({ results: [done], claims: [], begins: [] });
        expect(repeated).toMatchObject({ recorded: [done], children: [] });
        expect(await subject.rows.agenda(first.feedId)).toHaveLength(1);
      });

      it('are not created under a stale epoch', async () => {
        const stale = await claimOne(a, first);
        await takeOver(first);
        const done = doneOf(stale, { children: [childOf(['u1'], { claim: true })] });
        expect(await a.flush({ results: [done], claims: [], begins: [] })).toMatchObject({
          recorded: [],
          children: [],
        });
        expect(await subject.rows.agenda(first.feedId)).toEqual([]);
      });
    });
  });
}
