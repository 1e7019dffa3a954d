import { beforeEach, describe, expect, it } from 'vitest';
import { firstChildBatchNo } from '../../../shared/domain/step/batch.ts';
import { usersOf } from '../../../shared/domain/step/users-text.ts';
import type { ClaimedStep, StepLedger, StepRef } from '../../../shared/ports/step-ledger.ts';
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

const fresh = { epoch: 1, attempts: 0, open: false, waited: false, lapses: 0 };
const nothing = { batches: 0, succeeded: 0, failed: 0, expired: 0, cancelled: 0, unknown: 0, suppressed: 0 };

export function describeStepLedger(name: string, makeSubject: MakeExecutionSubject): void {
  let subject: ExecutionSubject;
  let a: StepLedger;
  let b: StepLedger;
  // Called in each block: a hook of the whole file would empty the tables of other suites.
  const subjectForEach = () =>
    beforeEach(async () => {
      subject = await makeSubject();
      a = subject.ledgerOf('a');
      b = subject.ledgerOf('b');
    });

  /** Creates a running run with one batch of three users. */
  async function fedBatch(): Promise<{ runId: string; feedId: string; first: StepRef }> {
    const { runId, feedId } = await startFedRun(subject, [['u1', 'u2', 'u3']]);
    return { runId, feedId, first: { feedId, batchNo: 1, step: 1 } };
  }

  async function free(ref: StepRef, ledger = b): Promise<ClaimedStep | undefined> {
    return (await ledger.flush({ results: [], claims: [ref], begins: [] })).claimed[0];
  }

  describe(`claiming steps ${name}`, () => {
    subjectForEach();

    it('gives a step to one worker, with users, first epoch and no attempts', async () => {
      const { first } = await fedBatch();
      expect(await free(first, a)).toEqual({ ...first, ...fresh, users: '"u1","u2","u3"', size: 3 });
      expect(await free(first, b)).toBeUndefined();
    });

    it('gives each step to one of two concurrent workers', async () => {
      const { steps } = await startFedRun(subject, someBatches(20, 2));
      const flushes = await Promise.all([
        a.flush({ results: [], claims: steps, begins: [] }),
        b.flush({ results: [], claims: steps.toReversed(), begins: [] }),
      ]);
      const claimed = flushes.flatMap((flush) => flush.claimed.map((step) => step.batchNo));
      expect(claimed.sort((x, y) => x - y)).toEqual(steps.map((step) => step.batchNo));
    });

    it('gives a step once if one flush claims it twice', async () => {
      const { first } = await fedBatch();
      const { claimed } = await a.flush({ results: [], claims: [first, first], begins: [] });
      expect(claimed).toHaveLength(1);
    });

    it('takes over a step only after its lease has expired, with a higher epoch', async () => {
      const { first } = await fedBatch();
      await claimOne(a, first);
      await subject.passTime(leaseMs - 5000);
      expect(await free(first)).toBeUndefined();
      await subject.passTime(5001);
      expect(await free(first)).toMatchObject({ epoch: 2, attempts: 0 });
    });

    it('never gives a done step again', async () => {
      const { first } = await fedBatch();
      await record(a, doneOf(await claimOne(a, first)));
      await subject.passTime(10 * leaseMs);
      expect(await free(first)).toBeUndefined();
    });

    it('ignores references to batches and feeds that do not exist', async () => {
      const { first } = await fedBatch();
      const unexpected = [
        { ...first, batchNo: 77 },
        { ...first, feedId: '0190a000-0000-7000-8000-000000000000' },
      ];
      const { claimed } = await a.flush({ results: [], claims: [...unexpected, first], begins: [] });
      expect(claimed.map((step) => step.batchNo)).toEqual([1]);
    });

    it('returns user ids byte for byte, whatever they contain', async () => {
      const odd = ['"', '%s %', "'; drop table batches", '\\', '\\n', 'a b', '{x,NULL}', 'é', '🦄', ',', '","'];
      const { feedId } = await startFedRun(subject, [odd]);
      const { users } = await claimOne(a, { feedId, batchNo: 1, step: 1 });
      expect(usersOf(users)).toEqual(odd);
    });
  });

  describe(`recording steps ${name}`, () => {
    subjectForEach();

    it('happens together with claims in one flush', async () => {
      const { runId, steps } = await startFedRun(subject, someBatches(2, 3));
      const [one, two] = steps;
      if (!one || !two) throw new Error('two batches were fed');
      const done = doneOf(await claimOne(a, one));
      const flushed = await a.flush({ results: [done], claims: [two], begins: [] });
      expect(flushed.recorded).toEqual([done]);
      expect(flushed.claimed.map(({ batchNo, step }) => [batchNo, step])).toEqual([[2, 1]]);
      expect(await totalsOf(subject, runId)).toEqual([{ ...nothing, step: 1, batches: 1, succeeded: 3 }]);
    });

    it('has no effect under a stale epoch', async () => {
      const { runId, first } = await fedBatch();
      const stale = await claimOne(a, first);
      await subject.passTime(leaseMs + 1);
      const current = await claimOne(b, first);
      const zombie = doneOf(stale, {
        failures: [failed('u1')],
        children: [childOf(['u2'])],
      });
      expect(await record(a, zombie, waitingOf(stale))).toEqual([]);
      expect(await totalsOf(subject, runId)).toEqual([]);
      expect(await subject.rows.agenda(first.feedId)).toEqual([]);
      expect(await b.lostUsers([{ ...first, step: 2 }])).toEqual([[]]);
      expect(await record(b, doneOf(current))).toHaveLength(1);
    });

    it('ignores a claim of a step that the same flush records', async () => {
      const { first } = await fedBatch();
      const step = await claimOne(a, first);
      const { recorded, claimed } = await a.flush({
        results: [waitingOf(step, { delayMs: 0 })],
        claims: [first],
        begins: [],
      });
      expect([recorded.length, claimed.length]).toEqual([1, 0]);
    });

    it('reports a repeat after a lost response as recorded, and counts it once', async () => {
      const { runId, first } = await fedBatch();
      const done = doneOf(await claimOne(a, first), { failures: [failed('u2')] });
      await record(a, done);
      expect(await record(a, done)).toEqual([done]);
      expect(await totalsOf(subject, runId)).toEqual([{ ...nothing, step: 1, batches: 1, succeeded: 2, failed: 1 }]);
    });

    it('counts failed, suppressed, unknown, expired and cancelled users separately', async () => {
      const { runId, steps } = await startFedRun(subject, someBatches(3, 4));
      const { claimed } = await a.flush({ results: [], claims: steps, begins: [] });
      const [one, two, three] = claimed;
      if (!one || !two || !three) throw new Error('three steps were free');
      const [first = '', second = '', third = ''] = usersOf(one.users);
      const unknown = failed(second, { outcome: 'unknown', reason: 'muster.no-result' });
      const suppressed = failed(third, { outcome: 'suppressed', reason: 'muster.suppression-list' });
      await record(
        a,
        doneOf(one, { failures: [failed(first), unknown, suppressed] }),
        doneOf(two, { rest: 'expired' }),
        doneOf(three, { rest: 'cancelled' }),
      );
      const sums = { batches: 3, succeeded: 1, failed: 1, unknown: 1, suppressed: 1, expired: 4, cancelled: 4 };
      expect(await totalsOf(subject, runId)).toEqual([{ step: 1, ...sums }]);
    });

    it('keeps the totals of two workers equal to a recount of the rows', async () => {
      const { runId, feedId, steps } = await startFedRun(subject, someBatches(10, 5));
      const [ofA, ofB] = [
        await a.flush({ results: [], claims: steps.slice(0, 6), begins: [] }),
        await claimAll(b, steps.slice(6)),
      ];
      const withTrouble = (step: ClaimedStep) => {
        const [first = '', second = '', third = ''] = usersOf(step.users);
        const failures = [failed(first), failed(third, { outcome: 'suppressed', reason: 'muster.suppression-list' })];
        const children = [childOf([second])];
        return step.batchNo % 2 === 0 ? doneOf(step, { failures, children }) : doneOf(step);
      };
      await Promise.all([record(a, ...ofA.claimed.map(withTrouble)), record(b, ...ofB.map(withTrouble))]);
      const due = await subject.rows.agenda(feedId);
      const children = due.map(({ batchNo, step }) => ({ feedId, batchNo, step }));
      await record(a, ...(await claimAll(a, children)).map((child) => doneOf(child)));
      const totals = await totalsOf(subject, runId);
      expect(totals).toEqual([{ ...nothing, step: 1, batches: 10, succeeded: 40, failed: 5, suppressed: 5 }]);
      await subject.runs.end(runId, (_, counted) => {
        expect(counted).toEqual([{ feedId, totals }]);
        return null;
      });
    });

    it('refuses by name a result that cannot be stored, and stores the others', async () => {
      const { runId, steps } = await startFedRun(subject, someBatches(8, 2));
      const { claimed } = await a.flush({ results: [], claims: steps.slice(0, 7), begins: [] });
      const records = claimed.map((step) => {
        const [first = ''] = usersOf(step.users);
        return doneOf(step, { failures: [failed(first, { detail: step.batchNo === 5 ? 'a \0 byte' : 'none left' })] });
      });
      const flushed = await a.flush({ results: records, claims: steps.slice(7), begins: [] });
      expect(flushed.refused.map(({ step }) => step)).toEqual([records[4]]);
      expect(flushed.refused[0]?.error).toBeInstanceOf(Error);
      expect(flushed.recorded).toHaveLength(6);
      expect(flushed.claimed).toHaveLength(1);
      expect(await totalsOf(subject, runId)).toEqual([{ ...nothing, step: 1, batches: 6, succeeded: 6, failed: 6 }]);
    });

    it('does nothing for an empty flush', async () => {
      expect(await a.flush({ results: [], claims: [], begins: [] })).toEqual({
        recorded: [],
        claimed: [],
        busy: [],
        contradicted: [],
        handedOn: [],
        children: [],
        created: [],
        timed: [],
        begun: [],
        refused: [],
      });
    });
  });

  describe(`waiting steps ${name}`, () => {
    subjectForEach();

    it('become free when due and not before, and the attempt counts', async () => {
      const { first } = await fedBatch();
      await record(a, waitingOf(await claimOne(a, first), { delayMs: 60_000 }));
      await subject.passTime(50_000);
      expect(await free(first)).toBeUndefined();
      await subject.passTime(10_001);
      expect(await free(first)).toMatchObject({ epoch: 2, attempts: 1, users: '"u1","u2","u3"' });
    });

    it('do not count an attempt that was never made', async () => {
      const { first } = await fedBatch();
      await record(a, waitingOf(await claimOne(a, first), { delayMs: 0, answered: false }));
      expect(await free(first)).toMatchObject({ epoch: 2, attempts: 0 });
    });

    it('show their cause until they are claimed again', async () => {
      const { runId, first } = await fedBatch();
      await record(a, waitingOf(await claimOne(a, first), { delayMs: 0, cause: 'rewards answers 401' }));
      const waiting = { runId, country: 'SG', step: 1, cause: 'rewards answers 401', held: false };
      expect(await subject.runs.waitingSteps([runId])).toEqual([waiting]);
      expect(await subject.rows.flow(first.feedId)).toMatchObject([{ waiting: 1 }]);
      await claimOne(b, first);
      expect(await subject.rows.flow(first.feedId)).toMatchObject([{ waiting: 0 }]);
      expect(await subject.runs.waitingSteps([runId])).toEqual([]);
      expect((await subject.reports.snapshot(runId))?.waits).toEqual([]);
    });

    it('count no users in the totals', async () => {
      const { runId, first } = await fedBatch();
      await record(a, waitingOf(await claimOne(a, first)));
      expect(await totalsOf(subject, runId)).toEqual([{ ...nothing, step: 1 }]);
    });
  });

  describe(`child batches ${name}`, () => {
    subjectForEach();
    /** Creates a batch of three users, whose u2 went to a child batch that is due in five seconds after one attempt. */
    async function splitBatch() {
      const batch = await fedBatch();
      const children = [childOf(['u2'], { delayMs: 5000 })];
      await record(a, doneOf(await claimOne(a, batch.first), { children }));
      return { ...batch, child: { ...batch.first, batchNo: firstChildBatchNo } };
    }

    it('wait after creation, with the attempts made so far', async () => {
      const { child } = await splitBatch();
      expect(await free(child)).toBeUndefined();
      await subject.passTime(5001);
      expect(await free(child)).toEqual({ ...child, ...fresh, waited: true, attempts: 1, users: '"u2"', size: 1 });
    });

    it('count in the totals only when they are recorded, and never as fed batches', async () => {
      const { runId, child } = await splitBatch();
      expect(await totalsOf(subject, runId)).toEqual([{ ...nothing, step: 1, batches: 1, succeeded: 2 }]);
      await subject.passTime(5001);
      await record(a, doneOf(await claimOne(a, child), { failures: [failed('u2')] }));
      expect(await totalsOf(subject, runId)).toEqual([{ ...nothing, step: 1, batches: 1, succeeded: 2, failed: 1 }]);
    });

    it('are returned with their numbers by the flush that creates them, but not by a repeat', async () => {
      const { feedId, first } = await fedBatch();
      const children = [childOf(['u1'], { claim: true }), childOf(['u2'], { delayMs: 5000 })];
      const result = doneOf(await claimOne(a, first), { children });
      const flush = { results: [result], claims: [], begins: [] };
      const { created } = await a.flush(flush);
      expect(created.map(({ child, batchNo }) => ({ child, batchNo }))).toEqual(
        children.map((child, index) => ({ child, batchNo: firstChildBatchNo + index })),
      );
      expect(created.map((each) => each.result)).toEqual([result, result]);
      expect(await free({ feedId, batchNo: firstChildBatchNo + 1, step: 1 })).toBeUndefined();
      const again = await a.flush(flush);
      expect(again.recorded).toEqual([result]);
      expect(again.created).toEqual([]);
    });

    it('get separate numbers, also several at once, and can be split again', async () => {
      const { feedId, steps } = await startFedRun(subject, someBatches(2, 4));
      const { claimed } = await a.flush({ results: [], claims: steps, begins: [] });
      const halves = claimed.map((step) => {
        const users = usersOf(step.users);
        const part = (from: number) => childOf(users.slice(from, from + 2));
        return doneOf(step, { children: [part(0), part(2)] });
      });
      await record(a, ...halves);
      const numbers = [0, 1, 2, 3].map((offset) => firstChildBatchNo + offset);
      const parts = await claimAll(
        b,
        numbers.map((batchNo) => ({ feedId, batchNo, step: 1 })),
      );
      expect(parts.flatMap((part) => usersOf(part.users)).sort()).toEqual(someBatches(1, 8)[0]);
      const [part] = parts;
      if (!part) throw new Error('four parts were free');
      const grandchild = childOf(usersOf(part.users).slice(0, 1), { attempts: 2 });
      await record(b, doneOf(part, { children: [grandchild] }));
      const youngest = (await subject.rows.agenda(feedId)).at(-1)?.batchNo ?? 0;
      expect(numbers).not.toContain(youngest);
      expect(await free({ feedId, batchNo: youngest, step: 1 })).toMatchObject({ attempts: 2, size: 1 });
    });
  });

  describe(`users lost in the chain ${name}`, () => {
    subjectForEach();

    it('include for parents the users that failed in earlier steps or went to a child', async () => {
      const { first } = await fedBatch();
      const children = [childOf(['u3'])];
      await record(a, doneOf(await claimOne(a, first), { failures: [failed('u1')], children }));
      expect(await a.lostUsers([{ ...first, step: 2 }, first])).toEqual([['u1', 'u3'], []]);
    });

    it('include for child batches only the users of that batch number', async () => {
      const { first } = await fedBatch();
      const children = [childOf(['u2', 'u3'])];
      await record(a, doneOf(await claimOne(a, first), { failures: [failed('u1')], children }));
      const child = { ...first, batchNo: firstChildBatchNo };
      await record(a, doneOf(await claimOne(a, child), { failures: [failed('u2')] }));
      expect(await a.lostUsers([{ ...child, step: 2 }])).toEqual([['u2']]);
    });

    it('accumulate over the steps, in the order of the references', async () => {
      const { first } = await fedBatch();
      await record(a, doneOf(await claimOne(a, first), { failures: [failed('"u\\1"')] }));
      const second = { ...first, step: 2 };
      await record(a, doneOf(await claimOne(a, second), { failures: [failed('🦄')] }));
      const third = { ...first, step: 3 };
      expect(await a.lostUsers([third, first, second])).toEqual([['"u\\1"', '🦄'], [], ['"u\\1"']]);
    });
  });
}

async function claimAll(ledger: StepLedger, refs: readonly StepRef[]): Promise<ClaimedStep[]> {
  const claims = refs.map(({ feedId, batchNo, step }) => ({ feedId, batchNo, step }));
  const { claimed } = await ledger.flush({ results: [], claims, begins: [] });
  if (claimed.length < refs.length) throw new Error('some of the steps were not free');
  return claimed.sort((x, y) => x.batchNo - y.batchNo);
}
