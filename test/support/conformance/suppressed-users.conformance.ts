import { beforeEach, describe, expect, it } from 'vitest';
import { allActionTypes } from '../../../shared/domain/step/suppressions.ts';
import type { ClaimedStep, LedgerFlush, StepLedger, StepRef } from '../../../shared/ports/step-ledger.ts';
import {
  doneOf,
  leaseMs,
  startFedRun,
  waitingOf,
  type ExecutionSubject,
  type MakeExecutionSubject,
} from './execution-subject.ts';

/** Tests suppression lists in the answers of claims. */
export function describeSuppressedUsers(name: string, makeSubject: MakeExecutionSubject): void {
  describe(`suppression lists ${name}`, () => {
    let subject: ExecutionSubject;
    let a: StepLedger;
    let b: StepLedger;
    let feedId: string;
    let steps: readonly StepRef[];
    beforeEach(async () => {
      subject = await makeSubject();
      [a, b] = [subject.ledgerOf('a'), subject.ledgerOf('b')];
      ({ feedId, steps } = await startFedRun(subject, [['u1', 'u2', 'é "x"'], ['u3'], ['u4']]));
    });

    /** The action of step 1 is `award-reward`, that of step 2 `send-message`. */
    const actionTypeOf = ({ step }: StepRef) => (step === 1 ? 'award-reward' : 'send-message');
    const flushed = (ledger: StepLedger, flush: Partial<LedgerFlush>) =>
      ledger.flush({ results: [], claims: [], begins: [], actionTypeOf, ...flush });
    const claim = async (ledger: StepLedger, ...claims: StepRef[]) => (await flushed(ledger, { claims })).claimed;
    const usersIn = (claimed: readonly ClaimedStep[]) =>
      claimed.map(({ suppressed }) => suppressed?.map(({ user }) => user).toSorted());
    const rowOf = (batchNo: number) => subject.rows.step({ feedId, batchNo, step: 1 });

    it('return the users of a batch that are on the list of its action type or of all types, with the note', async () => {
      await subject.suppress('award-reward', ['é "x"'], 'asked to');
      await subject.suppress('send-message', ['u1', 'u4'], null);
      await subject.suppress(allActionTypes, ['u3'], null);
      const claimed = await claim(a, ...steps);
      expect(usersIn(claimed)).toEqual([['é "x"'], ['u3'], undefined]);
      expect(claimed[0]?.suppressed).toEqual([{ user: 'é "x"', list: 'award-reward', note: 'asked to' }]);
    });

    it('return a user on two lists once, with the list of the action type', async () => {
      await subject.suppress(allActionTypes, ['u3'], 'of all');
      await subject.suppress('award-reward', ['u3'], 'of one');
      const [claimed] = await claim(a, ...steps.slice(1, 2));
      expect(claimed?.suppressed).toEqual([{ user: 'u3', list: 'award-reward', note: 'of one' }]);
    });

    it('are applied from the first claim after their first user was added', async () => {
      expect(usersIn(await claim(a, ...steps.slice(0, 1)))).toEqual([undefined]);
      await subject.suppress('send-message', ['u9'], null);
      expect(usersIn(await claim(a, ...steps.slice(1, 2)))).toEqual([undefined]);
      await subject.suppress('award-reward', ['u4'], null);
      expect(usersIn(await claim(a, ...steps.slice(2)))).toEqual([['u4']]);
    });

    it('close the key: a lost worker that received suppressed users leaves no doubt about a call', async () => {
      await subject.suppress('award-reward', ['u2', 'u3'], null);
      await claim(a, ...steps);
      await subject.passTime(leaseMs + 1);
      const again = await claim(b, ...steps);
      expect(again.map(({ open, lapses }) => [open, lapses])).toEqual([
        [false, 1],
        [false, 1],
        [true, 1],
      ]);
      expect(usersIn(again)).toEqual([['u2'], ['u3'], undefined]);
      expect(await rowOf(1)).toMatchObject({ open: false, begun: false });
    });

    it('are not applied if a call may already have been made', async () => {
      await claim(a, ...steps);
      await subject.passTime(leaseMs + 1);
      await subject.suppress('award-reward', ['u2'], null);
      const again = await claim(b, ...steps);
      expect(again.map(({ open }) => open)).toEqual([true, true, true]);
      expect(usersIn(again)).toEqual([undefined, undefined, undefined]);
    });

    it('are applied again when a released step is claimed', async () => {
      const [first] = await claim(a, ...steps.slice(0, 1));
      if (!first) expect.fail('the step was free');
      await flushed(a, { results: [waitingOf(first, { delayMs: 0, open: false })] });
      await subject.suppress('award-reward', ['u2'], null);
      await subject.passTime(1);
      expect(usersIn(await claim(b, ...steps.slice(0, 1)))).toEqual([['u2']]);
    });

    it('prevent their steps from being handed on, however recently a user was added', async () => {
      const claimed = await claim(a, ...steps);
      const handedOn = async (...of: ClaimedStep[]) => {
        const results = of.map((each) => doneOf(each));
        return (await flushed(a, { results, handOn: new Set(results) })).handedOn.length;
      };
      expect(await handedOn(...claimed.slice(0, 1))).toBe(1);
      await subject.suppress('send-message', ['u9'], null);
      expect(await handedOn(...claimed.slice(1, 2))).toBe(0);
      expect(await handedOn(...claimed.slice(2))).toBe(0);
      const next = steps.slice(1).map((step) => ({ ...step, step: 2 }));
      expect(await claim(b, ...next)).toHaveLength(2);
    });
  });
}
