import { beforeEach, describe, expect, it } from 'vitest';
import { quarantinedAfterLapses } from '../../../shared/postgres/ledger/ledger-codes.ts';
import { firstChildBatchNo } from '../../../shared/domain/step/batch.ts';
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
  waitingOf,
  type ExecutionSubject,
  type MakeExecutionSubject,
} from './execution-subject.ts';

/** Steps of one feed that one look offers at most. */
const limit = 100;
const everyStep = [1, 2];

export function describeOutboxSweep(name: string, makeSubject: MakeExecutionSubject): void {
  let subject: ExecutionSubject;
  let ledger: StepLedger;
  // Called in each block: a hook of the whole file would empty the tables of other suites.
  const subjectForEach = () =>
    beforeEach(async () => {
      subject = await makeSubject();
      ledger = subject.ledgerOf('a');
    });

  const feedOf = (feedId: string) => ({ feedId, chainLength: 2 });
  const due = (feedId: string, busy: { feedId: string; step: number }[] = []) =>
    subject.sweep.due([feedOf(feedId)], limit, busy);
  const offered = async (feedId: string, busy: { feedId: string; step: number }[] = []) =>
    (await due(feedId, busy)).offers.map(({ batchNo, step }) => [batchNo, step]);
  const read = (feedId: string, unrecorded: number[] = [], window = { from: 1, limit: 1000 }) =>
    subject.sweep.examine(feedOf(feedId), { ...window, unrecorded });

  async function claimAndFinish(ref: StepRef): Promise<void> {
    await record(ledger, doneOf(await claimOne(ledger, ref)));
  }

  describe(`the agenda ${name}`, () => {
    subjectForEach();

    it('returns for each feed when its first entry is due', async () => {
      const [{ feedId, steps }, other] = [
        await startFedRun(subject, [['u1'], ['u2']]),
        await startFedRun(subject, [['u3']]),
      ];
      const [first, second] = steps;
      if (!first || !second) throw new Error('the run has two steps');
      await record(ledger, waitingOf(await claimOne(ledger, first), { delayMs: 60_000 }));
      await record(ledger, waitingOf(await claimOne(ledger, second), { delayMs: 20_000 }));
      const due = await subject.sweep.nextDue([feedId, other.feedId]);
      expect([...due.keys()]).toEqual([feedId]);
      expect(Math.round((due.get(feedId) ?? 0) / 10_000)).toBe(2);
      expect([...(await subject.sweep.nextDue([feedId], 25_000)).keys()]).toEqual([feedId]);
      expect([...(await subject.sweep.nextDue([feedId], 15_000)).keys()]).toEqual([]);
      await subject.passTime(30_000);
      expect((await subject.sweep.nextDue([feedId])).get(feedId)).toBeLessThanOrEqual(0);
    });

    it('offers waiting steps once they are due, children included, with the users lost before', async () => {
      const { feedId, steps } = await startFedRun(subject, [['u1', 'u2'], ['u3']]);
      const { claimed } = await ledger.flush({ results: [], claims: steps, begins: [] });
      const [one, two] = claimed;
      if (!one || !two) throw new Error('two steps were free');
      await record(ledger, doneOf(one, { children: [childOf(['u2'], { delayMs: 5000 })] }), waitingOf(two));
      expect(await offered(feedId)).toEqual([]);
      await subject.passTime(5001);
      expect((await due(feedId)).offers).toEqual([
        { feedId, batchNo: 2, step: 1, lost: [], remaining: 1 },
        { feedId, batchNo: firstChildBatchNo, step: 1, lost: [], remaining: 1 },
      ]);
    });

    it('postpones an offered step by 10 s, then 20 s, and at last 10 min', async () => {
      const { feedId, steps } = await startFedRun(subject, [['u1']]);
      await record(ledger, waitingOf(await claimOne(ledger, steps[0] ?? fail()), { delayMs: 0 }));
      for (const pauseSeconds of [10, 20, 40, 80, 160, 320, 600, 600]) {
        expect(await offered(feedId)).toEqual([[1, 1]]);
        await subject.passTime(pauseSeconds * 1000 - 1000);
        expect(await offered(feedId)).toEqual([]);
        await subject.passTime(1001);
      }
    });

    it('starts again at the shortest pause for a step that was claimed and released in between', async () => {
      const { feedId, steps } = await startFedRun(subject, [['u1']]);
      const [ref] = steps;
      if (!ref) throw new Error('one batch was fed');
      for (let times = 0; times < 3; times++) {
        await record(ledger, waitingOf(await claimOne(ledger, ref), { delayMs: 1000 }));
        await subject.passTime(1001);
        expect(await offered(feedId)).toEqual([[1, 1]]);
      }
    });

    it('starts again at the shortest pause for a step claimed after its offer, even if its worker always dies', async () => {
      const { feedId, steps } = await startFedRun(subject, [['u1']]);
      const [ref] = steps;
      if (!ref) throw new Error('one batch was fed');
      await claimOne(ledger, ref);
      await subject.passTime(leaseMs + 1);
      await read(feedId);
      for (let times = 0; times < 5; times++) {
        expect(await offered(feedId)).toEqual([[1, 1]]);
        await claimOne(ledger, ref);
        await subject.passTime(Math.max(leaseMs, 10_000) + 1);
      }
      // From here on, no worker claims the step.
      expect(await offered(feedId)).toEqual([[1, 1]]);
      await subject.passTime(10_001);
      expect(await offered(feedId)).toEqual([[1, 1]]);
      await subject.passTime(19_000);
      expect(await offered(feedId)).toEqual([]);
    });

    it('offers no more of one feed than the limit, and other feeds have their own', async () => {
      const first = await startFedRun(subject, someBatches(5, 1));
      const second = await startFedRun(subject, someBatches(2, 1));
      const { claimed } = await ledger.flush({ results: [], claims: [...first.steps, ...second.steps], begins: [] });
      await record(ledger, ...claimed.map((step) => waitingOf(step, { delayMs: 0 })));
      const feeds = [feedOf(first.feedId), feedOf(second.feedId)];
      const byFeed = async () =>
        [...Map.groupBy((await subject.sweep.due(feeds, 2, [])).offers, ({ feedId }) => feedId)].map(
          ([feedId, refs]) => [feedId === first.feedId ? 'first' : 'second', refs.length],
        );
      expect((await byFeed()).toSorted()).toEqual([
        ['first', 2],
        ['second', 2],
      ]);
      expect((await subject.sweep.due(feeds, 2, [])).more).toEqual([first.feedId]);
      // Offered steps are postponed, so the next look offers the others.
      expect(await byFeed()).toEqual([['first', 1]]);
      expect((await subject.sweep.due(feeds, 2, [])).more).toEqual([]);
    });

    it('offers a claimed step only after its lease', async () => {
      const { feedId, steps } = await startFedRun(subject, [['u1']]);
      const [ref] = steps;
      if (!ref) throw new Error('one batch was fed');
      await record(ledger, waitingOf(await claimOne(ledger, ref), { delayMs: 0 }));
      await claimOne(ledger, ref);
      expect(await offered(feedId)).toEqual([]);
      await subject.passTime(leaseMs + 1);
      expect(await offered(feedId)).toEqual([[1, 1]]);
    });

    it('keeps a batch until it has passed the chain, then removes it', async () => {
      const { feedId, steps } = await startFedRun(subject, [['u1', 'u2']]);
      const [ref] = steps;
      if (!ref) throw new Error('one batch was fed');
      await record(ledger, waitingOf(await claimOne(ledger, ref), { delayMs: 0 }));
      await record(ledger, doneOf(await claimOne(ledger, ref), { failures: [failed('u2')] }));
      expect(await offered(feedId)).toEqual([]);
      expect((await subject.rows.agenda(feedId)).map(({ step }) => step)).toEqual([2]);
      // The worker has not published the next step.
      await subject.passTime(10_001);
      expect((await due(feedId)).offers).toEqual([{ feedId, batchNo: 1, step: 2, lost: ['u2'], remaining: 1 }]);
      await claimAndFinish({ ...ref, step: 2 });
      await subject.passTime(10_001);
      expect(await offered(feedId)).toEqual([]);
      expect(await subject.rows.agenda(feedId)).toEqual([]);
    });

    it('does not offer a step again while its topic is not consumed', async () => {
      const { feedId, steps } = await startFedRun(subject, [['u1']]);
      await record(ledger, waitingOf(await claimOne(ledger, steps[0] ?? fail()), { delayMs: 0 }));
      const busy = [{ feedId, step: 1 }];
      expect(await offered(feedId, busy)).toEqual([[1, 1]]);
      for (let i = 0; i < 5; i++) {
        await subject.passTime(60_000);
        expect(await offered(feedId, busy)).toEqual([]);
      }
      await subject.passTime(10_001);
      expect(await offered(feedId)).toEqual([[1, 1]]);
    });

    it('offers an unpublished step again after five seconds, as if it had not been offered', async () => {
      const { feedId, steps } = await startFedRun(subject, [['u1']]);
      await record(ledger, waitingOf(await claimOne(ledger, steps[0] ?? fail()), { delayMs: 0 }));
      for (let i = 0; i < 3; i++) {
        const { offers } = await due(feedId);
        expect(offers).toHaveLength(1);
        await subject.sweep.revertOffers(offers);
        await subject.passTime(5001);
      }
    });

    it('offers one batch of a held step when its try is due, and no other', async () => {
      const { feedId, steps } = await startFedRun(subject, someBatches(3, 1));
      const { claimed } = await ledger.flush({ results: [], claims: steps, begins: [] });
      await subject.holds.hold([{ feedId, step: 1, kind: 'fault', cause: 'HTTP 404' }]);
      await record(ledger, ...claimed.map((step) => waitingOf(step, { delayMs: 0 })));
      expect(await offered(feedId)).toEqual([]);
      await subject.passTime(30_001);
      expect(await offered(feedId)).toHaveLength(1);
      expect(await offered(feedId)).toEqual([]);
      await subject.holds.mayTry({ feedId, step: 1 }, 30_000);
      await subject.passTime(15_000);
      expect(await offered(feedId)).toEqual([]);
      await subject.holds.lift({ feedId, step: 1 }, 'fault');
      expect(await offered(feedId)).toHaveLength(3);
    });

    it('offers no batch of a faulty step before the quiet hours of that step end, and then offers one', async () => {
      const { feedId, steps } = await startFedRun(subject, someBatches(3, 1));
      const { claimed } = await ledger.flush({ results: [], claims: steps, begins: [] });
      await subject.holds.hold([
        { feedId, step: 1, kind: 'fault', cause: 'HTTP 404' },
        { feedId, step: 1, kind: 'quiet-hours', cause: 'quiet hours', endsInMs: 60_000 },
      ]);
      await record(ledger, ...claimed.map((step) => waitingOf(step, { delayMs: 0 })));
      await subject.passTime(45_000);
      expect(await offered(feedId)).toEqual([]);
      await subject.passTime(15_001);
      expect(await offered(feedId)).toHaveLength(1);
      expect(await offered(feedId)).toEqual([]);
    });

    it('reports a step whose leases expire repeatedly, and does not offer it', async () => {
      const { feedId, steps } = await startFedRun(subject, [['u1']]);
      const [ref] = steps;
      if (!ref) throw new Error('one batch was fed');
      for (let lapses = 0; lapses <= quarantinedAfterLapses; lapses++) {
        const { epoch } = await claimOne(ledger, ref);
        await ledger.flush({ results: [], claims: [], begins: [{ ...ref, epoch }] });
        await subject.passTime(leaseMs + 1);
      }
      await read(feedId);
      expect(await due(feedId)).toEqual({ offers: [], quarantined: [ref], more: [] });
    });
  });

  describe(`the sweep window above the mark ${name}`, () => {
    subjectForEach();

    it('adds a step of a dead worker to the agenda once its lease has expired', async () => {
      const { feedId, steps } = await startFedRun(subject, [['u1', 'u2']]);
      await claimOne(ledger, steps[0] ?? fail());
      expect(await read(feedId, everyStep)).toEqual({ running: 1, next: null });
      expect(await offered(feedId)).toEqual([]);
      await subject.passTime(leaseMs + 1);
      expect(await read(feedId)).toEqual({ running: 0, next: null });
      expect(await offered(feedId)).toEqual([[1, 1]]);
    });

    it('adds unclaimed steps to the agenda if requested, by step', async () => {
      const { feedId, steps } = await startFedRun(subject, [['u1', 'u2'], ['u3'], ['u4']]);
      await record(ledger, doneOf(await claimOne(ledger, steps[0] ?? fail()), { failures: [failed('u2')] }));
      await read(feedId);
      expect(await offered(feedId)).toEqual([]);
      await read(feedId, [2]);
      expect((await due(feedId)).offers).toEqual([{ feedId, batchNo: 1, step: 2, lost: ['u2'], remaining: 1 }]);
      await read(feedId, [1]);
      expect(await offered(feedId)).toEqual([
        [2, 1],
        [3, 1],
      ]);
    });

    it('skips batches without survivors, expired batches and batches after the last step', async () => {
      const { feedId, steps } = await startFedRun(subject, [['u1'], ['u2'], ['u3']]);
      const { claimed } = await ledger.flush({ results: [], claims: steps, begins: [] });
      const [one, two, three] = claimed;
      if (!one || !two || !three) throw new Error('three steps were free');
      await record(ledger, doneOf(one, { failures: [failed('u1')] }), doneOf(two, { rest: 'expired' }), doneOf(three));
      await claimAndFinish({ feedId, batchNo: 3, step: 2 });
      await read(feedId, everyStep);
      expect(await subject.rows.agenda(feedId)).toEqual([]);
    });

    it('moves the mark over batches that have ended or are on the agenda', async () => {
      const { feedId, steps } = await startFedRun(subject, someBatches(5, 1));
      const { claimed } = await ledger.flush({ results: [], claims: steps.slice(0, 4), begins: [] });
      const [one, two, three] = claimed;
      if (!one || !two || !three) throw new Error('the steps were free');
      await record(ledger, doneOf(one), waitingOf(two, { delayMs: 3_600_000 }), doneOf(three, { rest: 'expired' }));
      await claimAndFinish({ feedId, batchNo: 1, step: 2 });
      expect(await read(feedId)).toEqual({ running: 1, next: null });
      expect(await subject.rows.mark(feedId, 2)).toBe(4);
      // Two batches are left above the mark, and the window of one batch does not reach the end.
      expect(await read(feedId, [], { from: 1, limit: 1 })).toEqual({ running: 1, next: 5 });
    });

    it('continues where the last window ended, without losing the mark', async () => {
      const { feedId } = await startFedRun(subject, someBatches(5, 1));
      expect(await read(feedId, [], { from: 1, limit: 2 })).toEqual({ running: 0, next: 3 });
      expect(await read(feedId, [], { from: 3, limit: 2 })).toEqual({ running: 0, next: 5 });
      expect(await read(feedId, everyStep, { from: 5, limit: 2 })).toEqual({ running: 0, next: null });
      expect(await offered(feedId)).toEqual([[5, 1]]);
      expect(await subject.rows.mark(feedId, 2)).toBe(1);
    });
  });
}

function fail(): never {
  throw new Error('a batch was fed');
}
