import { fc } from '../properties.ts';
import { describe, expect, it } from 'vitest';
import { startFedRun, type MakeExecutionSubject } from './execution-subject.ts';
import { ledgerCommands, newModel, type LedgerReal } from './ledger-model.ts';

/** @param numRuns number of walks through the states of one step, with up to 40 commands each */
export function describeLedgerModel(name: string, makeSubject: MakeExecutionSubject, numRuns: number): void {
  describe(`the states of a step ${name}`, () => {
    it('match the model, whatever two workers, their late writes and the clock do', { timeout: 120_000 }, async () => {
      const subject = await makeSubject();
      const property = fc.asyncProperty(ledgerCommands, async (commands) => {
        const { feedId } = await startFedRun(subject, [['u1', 'u2']]);
        const model = { ...newModel };
        const real: LedgerReal = {
          subject,
          ref: { feedId, batchNo: 1, step: 1 },
          ledgers: { a: subject.ledgerOf('a'), b: subject.ledgerOf('b') },
          held: { a: [], b: [] },
        };
        await fc.asyncModelRun(() => ({ model, real }), commands);
        const [line] = await subject.rows.flow(feedId);
        expect(line?.done ?? 0).toBe(model.recordings);
        expect(line?.waiting ?? 0).toBe(model.state === 'waiting' ? 1 : 0);
        // The agenda lists waiting steps, and finished steps until the sweeper removes them.
        if (model.state === 'waiting') expect(await subject.rows.agenda(feedId)).toHaveLength(1);
      });
      await fc.assert(property, { numRuns, seed: 1_122, endOnFailure: true });
    });
  });
}
