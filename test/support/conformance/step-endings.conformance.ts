import { beforeEach, describe, expect, it } from 'vitest';
import { quarantinedAfterLapses } from '../../../shared/postgres/ledger/ledger-codes.ts';
import { usersOf } from '../../../shared/domain/step/users-text.ts';
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
  totalsOf,
  waitingOf,
  type ExecutionSubject,
  type MakeExecutionSubject,
} from './execution-subject.ts';

const whole = { from: 1, limit: 1000 };

export function describeStepEndings(name: string, makeSubject: MakeExecutionSubject): void {
  describe(`ending steps without a worker ${name}`, () => {
    let subject: ExecutionSubject;
    let ledger: StepLedger;
    beforeEach(async () => {
      subject = await makeSubject();
      ledger = subject.ledgerOf('a');
    });

    const end = (feedId: string, outcome: 'expired' | 'cancelled' = 'expired') =>
      subject.endings.endOpen({ feedId, chainLength: 2 }, outcome, whole);
    const failuresOf = async (runId: string) =>
      (await subject.reports.failures(runId, {}, 100, null)).items.map(({ user, step, outcome, reason }) => {
        return { user, step, outcome, reason };
      });

    it('ends unclaimed batches in any step, with their remaining users', async () => {
      const { runId, feedId, steps } = await startFedRun(subject, [['u1', 'u2', 'u3'], ['u4']]);
      const [first] = steps;
      if (!first) throw new Error('a batch was fed');
      await record(ledger, doneOf(await claimOne(ledger, first), { failures: [failed('u2')] }));
      expect(await end(feedId)).toEqual({ ended: 2, passed: 0, next: null });
      expect(await totalsOf(subject, runId)).toMatchObject([
        { step: 1, batches: 2, succeeded: 2, failed: 1, expired: 1 },
        { step: 2, batches: 1, succeeded: 0, expired: 2 },
      ]);
      expect(await end(feedId)).toEqual({ ended: 0, passed: 0, next: null });
    });

    it('ends waiting steps, and a later claim of them gets nothing', async () => {
      const { runId, feedId, steps } = await startFedRun(subject, [['u1', 'u2']]);
      const [first] = steps;
      if (!first) throw new Error('a batch was fed');
      const claimed = await claimOne(ledger, first);
      await record(ledger, waitingOf(claimed, { delayMs: 0 }));
      expect(await end(feedId, 'cancelled')).toMatchObject({ ended: 1 });
      expect(await totalsOf(subject, runId)).toMatchObject([{ cancelled: 2, expired: 0, unknown: 0 }]);
      expect((await ledger.flush({ results: [], claims: [first], begins: [] })).claimed).toEqual([]);
      expect(await record(ledger, doneOf(claimed))).toEqual([]);
      expect(await subject.rows.agenda(feedId)).toEqual([]);
      expect(await subject.rows.flow(feedId)).toMatchObject([{ done: 1, survived: 0, waiting: 0 }]);
    });

    it('ends users of a possible call as unknown', async () => {
      const { runId, feedId, steps } = await startFedRun(subject, [['u1', 'u2'], ['u3']]);
      const { claimed } = await ledger.flush({ results: [], claims: steps, begins: [] });
      const [one] = claimed;
      if (!one) throw new Error('the steps were free');
      await record(ledger, waitingOf(one, { delayMs: 0, open: true }));
      await subject.passTime(leaseMs + 1);
      expect(await end(feedId)).toMatchObject({ ended: 2 });
      const why = { step: 1, outcome: 'unknown', reason: 'muster.ambiguous-answer' };
      expect(await failuresOf(runId)).toEqual(['u1', 'u2', 'u3'].map((user) => ({ user, ...why })));
      expect(await totalsOf(subject, runId)).toMatchObject([{ batches: 2, expired: 0, unknown: 3 }]);
      expect(await subject.rows.failureTotals(feedId)).toEqual([
        { step: 1, outcome: 'unknown', reason: 'muster.ambiguous-answer', users: 3, sample: ['u1', 'u2', 'u3'] },
      ]);
    });

    it('counts no users that failed or went to a child batch, and ends the child batch too', async () => {
      const { runId, feedId, steps } = await startFedRun(subject, [['u1', 'u2', 'u3', 'u4']]);
      const [first] = steps;
      if (!first) throw new Error('a batch was fed');
      const children = [childOf(['u3'], { delayMs: 60_000 })];
      await record(ledger, doneOf(await claimOne(ledger, first), { failures: [failed('u2')], children }));
      const second: StepRef = { ...first, step: 2 };
      await record(ledger, waitingOf(await claimOne(ledger, second), { open: true }));
      expect(await end(feedId)).toMatchObject({ ended: 2 });
      expect((await failuresOf(runId)).filter(({ step }) => step === 2).map(({ user }) => user)).toEqual(['u1', 'u4']);
      expect(await totalsOf(subject, runId)).toMatchObject([
        { step: 1, batches: 1, succeeded: 2, failed: 1, expired: 1 },
        { step: 2, unknown: 2, expired: 0 },
      ]);
    });

    it('leaves a claimed step until its lease has expired', async () => {
      const { feedId, steps } = await startFedRun(subject, [['u1']]);
      const [first] = steps;
      if (!first) throw new Error('a batch was fed');
      const claimed = await claimOne(ledger, first);
      expect(await end(feedId)).toMatchObject({ ended: 0 });
      expect(await record(ledger, doneOf(claimed))).toHaveLength(1);
    });

    it('processes a large feed in windows', async () => {
      const { runId, feedId } = await startFedRun(subject, someBatches(5, 1));
      const feed = { feedId, chainLength: 2 };
      expect(await subject.endings.endOpen(feed, 'expired', { from: 1, limit: 3 })).toEqual({
        ended: 3,
        passed: 0,
        next: 4,
      });
      expect(await subject.endings.endOpen(feed, 'expired', { from: 4, limit: 3 })).toEqual({
        ended: 2,
        passed: 0,
        next: null,
      });
      expect(await totalsOf(subject, runId)).toMatchObject([{ batches: 5, expired: 5 }]);
    });

    it('finds a waiting child behind more agenda entries than one statement reads', async () => {
      const { runId, feedId, steps } = await startFedRun(subject, someBatches(6, 1));
      // Four batches are done, but still on the agenda until the sweep removes them. Two others are claimed again.
      for (const ref of steps) await record(ledger, waitingOf(await claimOne(ledger, ref), { delayMs: 0 }));
      const { claimed } = await ledger.flush({ results: [], claims: steps, begins: [] });
      const done = claimed
        .slice(0, 3)
        .map((step) => doneOf(step, { failures: usersOf(step.users).map((user) => failed(user)) }));
      const [parent] = claimed.slice(3);
      if (!parent) throw new Error('the steps were free');
      const children = [childOf(usersOf(parent.users), { delayMs: 60_000 })];
      await record(ledger, ...done, doneOf(parent, { children }));
      expect(await subject.rows.agenda(feedId)).toHaveLength(7);

      const feed = { feedId, chainLength: 2 };
      const window = { from: 7, limit: 2 };
      expect(await subject.endings.endOpen(feed, 'cancelled', window)).toEqual({ ended: 0, passed: 2, next: null });
      expect(await subject.endings.endOpen(feed, 'cancelled', window)).toEqual({ ended: 0, passed: 2, next: null });
      expect(await subject.endings.endOpen(feed, 'cancelled', window)).toEqual({ ended: 1, passed: 0, next: null });
      expect(await totalsOf(subject, runId)).toMatchObject([{ failed: 3, cancelled: 1 }]);
      expect((await subject.rows.agenda(feedId)).map(({ batchNo }) => batchNo)).toEqual([5, 6]);
    });

    it('lets a run end with totals that agree with its rows', async () => {
      const { runId, feedId, steps } = await startFedRun(subject, someBatches(4, 2));
      const { claimed } = await ledger.flush({ results: [], claims: steps.slice(0, 2), begins: [] });
      const [one, two] = claimed;
      if (!one || !two) throw new Error('the steps were free');
      await record(ledger, doneOf(one), waitingOf(two, { open: true }));
      await end(feedId);
      const seen = await subject.runs.end(runId, (tally, counted) => {
        expect(counted).toEqual([{ feedId, totals: tally.feeds[0]?.totals }]);
        return { state: 'expired', reason: 'in a test' };
      });
      expect(seen).toEqual({ state: 'expired', reason: 'in a test' });
    });

    it('ends a quarantined step as unknown with that reason, and no other step', async () => {
      const { runId, feedId, steps } = await startFedRun(subject, [['u1', 'u2'], ['u3']]);
      const [first, second] = steps;
      if (!first || !second) throw new Error('batches were fed');
      for (let lapses = 0; lapses <= quarantinedAfterLapses; lapses++) {
        const { epoch } = await claimOne(ledger, first);
        await ledger.flush({ results: [], claims: [], begins: [{ ...first, epoch }] });
        await subject.passTime(leaseMs + 1);
      }
      await claimOne(ledger, second);
      await subject.passTime(leaseMs + 1);
      expect(await subject.endings.endQuarantined([first, second])).toBe(1);
      const why = { step: 1, outcome: 'unknown', reason: 'muster.quarantined' };
      expect(await failuresOf(runId)).toEqual(['u1', 'u2'].map((user) => ({ user, ...why })));
      expect(await subject.rows.flow(feedId)).toMatchObject([{ done: 1 }]);
    });
  });
}
