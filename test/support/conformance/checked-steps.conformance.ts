import { beforeEach, describe, expect, it } from 'vitest';
import { noneBegun } from '../../../shared/domain/step/suspects.ts';
import type { ClaimedStep, LedgerFlush, StepLedger, StepRef } from '../../../shared/ports/step-ledger.ts';
import {
  leaseMs,
  startFedRun,
  waitingOf,
  type ExecutionSubject,
  type MakeExecutionSubject,
} from './execution-subject.ts';

/** Tests the ledger for steps that have a check. */
export function describeCheckedSteps(name: string, makeSubject: MakeExecutionSubject): void {
  describe(`steps with a check ${name}`, () => {
    let subject: ExecutionSubject;
    let a: StepLedger;
    let b: StepLedger;
    let feedId: string;
    let steps: readonly StepRef[];
    beforeEach(async () => {
      subject = await makeSubject();
      [a, b] = [subject.ledgerOf('a'), subject.ledgerOf('b')];
      ({ feedId, steps } = await startFedRun(subject, [['u1', 'u2'], ['u3'], ['u4']]));
    });

    /** Only the step of the first batch has a check. */
    const checked = ({ batchNo }: StepRef) => batchNo === 1;
    const flushed = (ledger: StepLedger, flush: Partial<LedgerFlush>) =>
      ledger.flush({ results: [], claims: [], begins: [], checked, ...flush });
    const claim = async (ledger: StepLedger, claims: readonly StepRef[] = steps) =>
      (await flushed(ledger, { claims })).claimed;
    const rowOf = (batchNo: number) => subject.rows.step({ feedId, batchNo, step: 1 });
    const requested = (claimed: readonly ClaimedStep[]) => claimed.map(({ check }) => check?.tries);

    it('are claimed with a check, unlike steps of other actions', async () => {
      const claimed = await claim(a);
      expect(requested(claimed)).toEqual([0, undefined, undefined]);
      expect(claimed.map(({ lapses }) => lapses)).toEqual([noneBegun, 0, 0]);
    });

    it('count an expired lease as no call until the beginning of a call is recorded', async () => {
      await claim(a);
      await subject.passTime(leaseMs + 1);
      const [first] = await claim(b);
      expect(first).toMatchObject({ open: false, lapses: noneBegun, check: { tries: 0 } });
      if (!first) expect.fail('its lease was over');
      await flushed(b, { begins: [first] });
      expect(await rowOf(1)).toMatchObject({ open: false, begun: true });
      await subject.passTime(leaseMs + 1);
      const [again] = await claim(a);
      expect(again).toMatchObject({ open: true, lapses: 1 });
      expect(again?.check).toBeUndefined();
    });

    it('get no check if a call may have been made before the check was configured', async () => {
      await a.flush({ results: [], claims: steps, begins: [] });
      await subject.passTime(leaseMs + 1);
      expect(requested(await claim(b))).toEqual([undefined, undefined, undefined]);
    });

    it('return how often their check gave no response', async () => {
      const note = { reading: 'unchecked', cause: 'it is down', users: [] } as const;
      for (const tries of [0, 1, 2]) {
        const [first] = await claim(a, steps.slice(0, 1));
        expect(first?.check).toEqual({ tries });
        if (!first) expect.fail('the step was free');
        await flushed(a, { results: [{ ...waitingOf(first, { delayMs: 0, open: false }), note }] });
        await subject.passTime(1);
      }
    });
  });
}
