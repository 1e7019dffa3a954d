import { beforeEach, describe, expect, it } from 'vitest';
import { digestOfLost } from '../../../shared/domain/step/lost-users.ts';
import type { Contradiction, StepClaim, StepLedger, StepRef } from '../../../shared/ports/step-ledger.ts';
import {
  childOf,
  claimOne,
  doneOf,
  failed,
  record,
  startFedRun,
  type ExecutionSubject,
  type MakeExecutionSubject,
} from './execution-subject.ts';

/** Tests messages against rows: a message names the users left in a step, and the rows show whether this is true. */
export function describeStepContradictions(name: string, makeSubject: MakeExecutionSubject): void {
  describe(`the remaining users in a claim ${name}`, () => {
    let a: StepLedger;
    let b: StepLedger;
    let first: StepRef;
    let second: StepRef;
    beforeEach(async () => {
      const subject: ExecutionSubject = await makeSubject();
      a = subject.ledgerOf('a');
      b = subject.ledgerOf('b');
      const { feedId } = await startFedRun(subject, [['u1', 'u2', 'u3']]);
      first = { feedId, batchNo: 1, step: 1 };
      second = { ...first, step: 2 };
    });

    const claiming = async (claim: StepClaim) => await b.flush({ results: [], claims: [claim], begins: [] });
    const isOf = ({ feedId, batchNo, step }: StepRef, truth: Contradiction['truth']) => [
      { feedId, batchNo, step, truth },
    ];

    /** Ends step 1 of a batch: u2 fails and u3 goes to a child batch, so u1 is left. */
    async function loseTwo(): Promise<string | null> {
      const claimed = await claimOne(a, first);
      const lostDigest = digestOfLost(['u2', 'u3']);
      const [child, failure] = [childOf(['u3']), failed('u2')];
      await record(a, doneOf(claimed, { failures: [failure], children: [child], lostDigest }));
      return lostDigest;
    }

    it('are not contradicted if they are correct, and the step is claimed', async () => {
      const lostDigest = await loseTwo();
      expect(await claiming({ ...second, remaining: 1, lostDigest })).toMatchObject({
        claimed: [second],
        busy: [],
        contradicted: [],
      });
    });

    it.each<[string, Partial<StepClaim>]>([
      ['too many users', { remaining: 2 }],
      ['too few users', { remaining: 0 }],
      ['no lost users', { remaining: 1, lostDigest: null }],
      ['other lost users', { remaining: 1, lostDigest: digestOfLost(['u1', 'u3']) }],
      ['a part of the lost users', { lostDigest: digestOfLost(['u2']) }],
    ])('are contradicted by the previous step: %s; and the step is claimed nevertheless', async (_, reported) => {
      const lostDigest = await loseTwo();
      expect(await claiming({ ...second, ...reported })).toMatchObject({
        claimed: [second],
        contradicted: isOf(second, { remaining: 1, lostDigest }),
      });
    });

    it('are contradicted also if the step was already claimed', async () => {
      await loseTwo();
      await claimOne(a, second);
      const late = await claiming({ ...second, remaining: 3, lostDigest: null });
      expect(late).toMatchObject({ claimed: [], contradicted: [{ step: 2, truth: { remaining: 1 } }] });
    });

    it('are compared with the batch in its first step', async () => {
      expect(await claiming({ ...first, remaining: 3, lostDigest: null })).toMatchObject({
        claimed: [first],
        busy: [],
        contradicted: [],
      });
      expect(await claiming({ ...first, remaining: 2, lostDigest: digestOfLost(['u1']) })).toMatchObject({
        contradicted: isOf(first, { remaining: 3, lostDigest: null }),
      });
    });

    it('are not compared if the claim does not name them', async () => {
      await loseTwo();
      expect(await claiming(second)).toMatchObject({ claimed: [second], contradicted: [] });
    });

    it.each(['expired', 'cancelled'] as const)(
      'have no correct value if the previous step ended as %s',
      async (rest) => {
        await record(a, doneOf(await claimOne(a, first), { rest }));
        expect((await claiming(second)).contradicted).toEqual(isOf(second, null));
      },
    );

    it('have no correct value if the previous step is not done or the batch does not exist', async () => {
      expect((await claiming(second)).contradicted).toEqual(isOf(second, null));
      await claimOne(a, first);
      expect((await claiming(second)).contradicted).toEqual(isOf(second, null));
      const nowhere = { ...first, batchNo: 7 };
      expect((await claiming(nowhere)).contradicted).toEqual(isOf(nowhere, null));
    });

    it('are compared as first named if a flush names a step twice', async () => {
      const { contradicted } = await b.flush({
        results: [],
        claims: [
          { ...first, remaining: 2 },
          { ...first, remaining: 3 },
        ],
        begins: [],
      });
      expect(contradicted).toEqual(isOf(first, { remaining: 3, lostDigest: null }));
    });
  });
}
