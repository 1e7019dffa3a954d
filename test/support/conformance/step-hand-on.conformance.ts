import { beforeEach, describe, expect, it } from 'vitest';
import type { ClaimedStep, StepDone, StepLedger, StepRef } from '../../../shared/ports/step-ledger.ts';
import {
  claimOne,
  doneOf,
  failed,
  leaseMs,
  someBatches,
  startFedRun,
  type ExecutionSubject,
  type MakeExecutionSubject,
} from './execution-subject.ts';

/** Tests handing on: a worker that records a step claims the next step in the same flush. */
export function describeStepHandOn(name: string, makeSubject: MakeExecutionSubject): void {
  describe(`handing on ${name}`, () => {
    let subject: ExecutionSubject;
    let a: StepLedger;
    let b: StepLedger;
    let steps: StepRef[];
    beforeEach(async () => {
      subject = await makeSubject();
      a = subject.ledgerOf('a');
      b = subject.ledgerOf('b');
      ({ steps } = await startFedRun(subject, someBatches(3, 3)));
    });

    const hand = (ledger: StepLedger, ...results: StepDone[]) =>
      ledger.flush({ results, claims: [], begins: [], handOn: new Set(results) });
    const nextOf = ({ feedId, batchNo, step }: StepRef): StepRef => ({ feedId, batchNo, step: step + 1 });
    const isFree = async (ref: StepRef) =>
      (await b.flush({ results: [], claims: [ref], begins: [] })).claimed.length === 1;

    async function claimAll(): Promise<[ClaimedStep, ClaimedStep, ClaimedStep]> {
      const { claimed } = await a.flush({ results: [], claims: steps, begins: [] });
      const [first, second, third] = claimed.sort((x, y) => x.batchNo - y.batchNo);
      if (!first || !second || !third) throw new Error('three steps were free');
      return [first, second, third];
    }

    it('gives the next step to the recording worker, in its first epoch', async () => {
      const [first, second] = await claimAll();
      const results = [doneOf(first), doneOf(second)];
      const flushed = await hand(a, ...results);
      expect(flushed.handedOn).toEqual(results);
      expect(flushed.recorded).toEqual(results);
      expect(await isFree(nextOf(first))).toBe(false);
      const recorded = await a.flush({
        results: [doneOf({ ...first, ...nextOf(first), epoch: 1 })],
        claims: [],
        begins: [],
      });
      expect(recorded.recorded).toHaveLength(1);
    });

    it('applies only to the requested results, and other next steps stay free', async () => {
      const [first, second] = await claimAll();
      const [requested, other] = [doneOf(first), doneOf(second)];
      const flushed = await a.flush({
        results: [requested, other],
        claims: [],
        begins: [],
        handOn: new Set([requested]),
      });
      expect(flushed.handedOn).toEqual([requested]);
      expect(await isFree(nextOf(second))).toBe(true);
    });

    it('is refused if no user is left or the rest did not succeed', async () => {
      const [first, second] = await claimAll();
      const everybody = (someBatches(3, 3)[0] ?? []).map((user) => failed(user));
      const flushed = await hand(a, doneOf(first, { failures: everybody }), doneOf(second, { rest: 'cancelled' }));
      expect(flushed.recorded).toHaveLength(2);
      expect(flushed.handedOn).toEqual([]);
    });

    it('is refused for a step that was taken over', async () => {
      const [first] = await claimAll();
      await subject.passTime(leaseMs + 1);
      const taken = await claimOne(b, first);
      expect(await hand(a, doneOf(first))).toMatchObject({ recorded: [], handedOn: [] });
      expect((await hand(b, doneOf(taken))).handedOn).toHaveLength(1);
    });

    it('happens once: a repeat is recorded, and the next step keeps its lease', async () => {
      const [first] = await claimAll();
      const result = doneOf(first);
      await hand(a, result);
      expect(await hand(a, result)).toMatchObject({ recorded: [result], handedOn: [] });
      expect(await isFree(nextOf(first))).toBe(false);
      await subject.passTime(leaseMs + 1);
      expect(await isFree(nextOf(first))).toBe(true);
    });
  });
}
