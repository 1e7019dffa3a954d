import { beforeEach, describe, expect, it } from 'vitest';
import type { EarlierOutcome } from '../../../shared/domain/run/earlier-outcomes.ts';
import type { StoredAudiences } from '../../../shared/ports/stored-audiences.ts';
import {
  childOf,
  claimOne,
  doneOf,
  failed,
  record,
  someBatches,
  someUsers,
  startFedRun,
  type ExecutionSubject,
} from './execution-subject.ts';

export type EarlierSubject = ExecutionSubject & { stored: StoredAudiences };

const steps = 2;

export function describeEarlierUsers(name: string, makeSubject: () => Promise<EarlierSubject>): void {
  describe(`users of an earlier run ${name}`, () => {
    let subject: EarlierSubject;
    beforeEach(async () => {
      subject = await makeSubject();
    });

    async function usersOf(feedId: string, outcomes?: EarlierOutcome[], step?: number, from = 1): Promise<string[]> {
      const users: string[] = [];
      for (let batchNo = from; ;) {
        const page = await subject.stored.earlierPage({ feedId, steps, outcomes, step }, batchNo);
        if (!page) throw new Error('they are not kept any more');
        users.push(...page.users);
        if (page.isLast) return users;
        batchNo = page.nextBatchNo;
      }
    }

    it('are all users that the run was fed, in feeding order', async () => {
      const { feedId, runId } = await startFedRun(subject, someBatches(25, 10));
      expect(await usersOf(feedId)).toEqual(someUsers(250));
      const run = await subject.stored.run(runId, 'SG');
      expect(run).toMatchObject({ state: 'running', steps, feedIds: [feedId], keepsUsers: true, keepsFailures: true });
      expect(await subject.stored.run(runId, 'ID')).toMatchObject({ feedIds: [] });
      expect(await subject.stored.countEarlier(runId, 'SG', { steps })).toBe(250);
    });

    it('are found after any user id through the batches', async () => {
      const { feedId } = await startFedRun(subject, someBatches(25, 10));
      const behind = async (user: string) => await subject.stored.firstBatchAfter(feedId, user);
      expect(await behind('a')).toBe(1);
      for (const [n, batchNo] of [
        [1, 1],
        [9, 1],
        [10, 2],
        [101, 11],
        [249, 25],
      ] as const) {
        expect(await behind(`u${String(n).padStart(3, '0')}`)).toBe(batchNo);
      }
      expect(await behind('u250')).toBe(26);
      expect(await behind('u100\u0000')).toBe(11);
      expect(await usersOf(feedId, undefined, undefined, 26)).toEqual([]);
    });

    it('can be selected by outcome, including users of split batches', async () => {
      const { feedId, runId } = await startFedRun(subject, [someUsers(6), someUsers(3, 7)]);
      const ledger = subject.ledgerOf('a');
      const first = await claimOne(ledger, { feedId, batchNo: 1, step: 1 });
      const children = [childOf(['u005', 'u006'], { claim: true })];
      const { children: created } = await ledger.flush({
        results: [doneOf(first, { failures: [failed('u001'), failed('u002', { outcome: 'unknown' })], children })],
        claims: [],
        begins: [],
      });
      const child = created[0]?.claims[0];
      if (!child) throw new Error('no child was created');
      await record(ledger, doneOf(child, { failures: [failed('u006')] }));
      await record(
        ledger,
        doneOf(await claimOne(ledger, { feedId, batchNo: 1, step: 2 }), { failures: [failed('u003')], restUsers: 1 }),
      );
      await record(
        ledger,
        doneOf(await claimOne(ledger, { feedId, batchNo: child.batchNo, step: 2 }), { restUsers: 1 }),
      );
      await record(ledger, doneOf(await claimOne(ledger, { feedId, batchNo: 2, step: 1 }), { rest: 'expired' }));

      expect(await usersOf(feedId, ['succeeded'])).toEqual(['u004', 'u005']);
      expect(await usersOf(feedId, ['failed'])).toEqual(['u001', 'u003', 'u006']);
      expect(await usersOf(feedId, ['unknown', 'expired'])).toEqual(['u002', 'u007', 'u008', 'u009']);
      expect(await usersOf(feedId, ['succeeded'], 1)).toEqual(['u003', 'u004', 'u005']);
      expect(await usersOf(feedId, ['skipped'], 2)).toEqual(['u001', 'u002', 'u006', 'u007', 'u008', 'u009']);
      const counted = (outcomes: EarlierOutcome[], step?: number) =>
        subject.stored.countEarlier(runId, 'SG', { steps, outcomes, step });
      expect(await counted(['succeeded'])).toBe(2);
      expect(await counted(['failed', 'unknown'])).toBe(4);
      expect(await counted(['skipped'], 2)).toBe(6);
    });

    it('are absent if the feed was deleted', async () => {
      const { runId } = await startFedRun(subject, [['u1']]);
      expect(await subject.stored.earlierPage({ feedId: runId, steps }, 1)).toBeUndefined();
      expect(await subject.stored.run('01890a5d-ac96-774b-bcce-b302099a8057', 'SG')).toBeUndefined();
    });
  });
}
