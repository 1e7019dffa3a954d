import { beforeEach, describe, expect, it } from 'vitest';
import type { CampaignDefinition } from '../../../shared/contracts/campaigns/campaigns.ts';
import type {
  ClaimedStep,
  LedgerFlush,
  LedgerFlushed,
  StepRef,
  StepResult,
} from '../../../shared/ports/step-ledger.ts';
import {
  childOf,
  doneOf,
  failed,
  leaseMs,
  someBatches,
  someUsers,
  startFedRun,
  talliesOf,
  waitingOf,
  type ExecutionSubject,
  type MakeExecutionSubject,
} from './execution-subject.ts';

const costly: CampaignDefinition['chain'] = [
  { action: 'award-points', params: {}, unitsPerUser: 2 },
  { action: 'send-message', params: {} },
];

/**
 * Tests the budgets of a campaign in a country: units are reserved before a call and settled after it, and the budget
 * is never exceeded.
 */
export function describeBudgets(name: string, makeSubject: MakeExecutionSubject): void {
  describe(`budgets ${name}`, () => {
    const raised = { by: 'a test' };
    let subject: ExecutionSubject;
    beforeEach(async () => {
      subject = await makeSubject();
    });

    /** Creates a run with batches of ten users, who cost two units each in the first step. */
    async function fedRun(units: number, batches = 4, changes: Partial<CampaignDefinition> = {}) {
      const fed = await startFedRun(subject, someBatches(batches, 10), {
        chain: costly,
        budgets: [{ country: 'SG', units }],
        ...changes,
      });
      const [context] = await subject.contexts.load([fed.feedId]);
      if (!context) throw new Error('the feed has no context');
      const unitsPerUser = new Map([[fed.feedId, context.unitsPerUser ?? []]]);
      const flushAs = (worker: 'a' | 'b', flush: Partial<LedgerFlush>): Promise<LedgerFlushed> =>
        subject.ledgerOf(worker).flush({ results: [], claims: [], begins: [], unitsPerUser, ...flush });
      const claim = async (...claims: StepRef[]) => (await flushAs('a', { claims })).claimed;
      const claimAsB = async (...claims: StepRef[]) => (await flushAs('b', { claims })).claimed;
      const record = async (...results: StepResult[]) => (await flushAs('a', { results })).recorded;
      const figures = async () => {
        const [sg] = await subject.budgets.list(context.campaignId);
        return [sg?.used, sg?.reserved, sg?.waitingBatches];
      };
      return { ...fed, campaignId: context.campaignId, flushAs, claim, claimAsB, record, figures };
    }

    async function claimedOf(claim: (...claims: StepRef[]) => Promise<ClaimedStep[]>, ref: StepRef | undefined) {
      const [claimed] = ref ? await claim(ref) : [];
      if (!claimed) throw new Error('the step was not free');
      return claimed;
    }

    it('are part of the feed context of a country with a budget', async () => {
      const run = await startFedRun(subject, someBatches(1, 1), {
        countries: ['SG'],
        chain: costly,
        budgets: [{ country: 'SG', units: 1 }],
      });
      const free = await startFedRun(subject, someBatches(1, 1), {
        countries: ['ID'],
        chain: costly,
        budgets: [{ country: 'SG', units: 1 }],
      });
      const contexts = await subject.contexts.load([run.feedId, free.feedId]);
      expect(new Map(contexts.map(({ feedId, unitsPerUser }) => [feedId, unitsPerUser]))).toEqual(
        new Map([
          [run.feedId, [2, 0]],
          [free.feedId, null],
        ]),
      );
    });

    it('let workers claim whole batches while they suffice, and other steps wait', async () => {
      const { steps, claim, figures, flushAs, runId, feedId } = await fedRun(40);
      const claimed = await claim(...steps);
      expect(claimed.map(({ batchNo }) => batchNo).sort()).toEqual([1, 2]);
      expect(await figures()).toEqual([0, 40, 2]);
      const cause = 'budget: too few of the 40 units of SG are left';
      expect(await subject.runs.waitingSteps([runId])).toMatchObject([{ country: 'SG', step: 1, cause, held: false }]);
      expect((await flushAs('b', { claims: steps })).claimed).toEqual([]);
      const untouched = { state: 'waiting', open: false, attempts: 0 };
      expect(await subject.rows.step({ feedId, batchNo: 3, step: 1 })).toMatchObject(untouched);
    });

    it('count units of succeeded users as used, and free units of failed users', async () => {
      const { steps, claim, record, figures } = await fedRun(40);
      const [first, second] = await claim(...steps.slice(0, 2));
      if (!first || !second) throw new Error('the steps were free');
      await record(doneOf(first));
      expect(await figures()).toEqual([20, 20, 0]);
      await record(doneOf(second, { failures: [failed('u011'), failed('u012', { outcome: 'unknown', reason: 'x' })] }));
      expect(await figures()).toEqual([38, 0, 0]);
    });

    it('free the units of a step that is released after its call was certainly not applied', async () => {
      const { steps, claim, record, figures } = await fedRun(40);
      const step = await claimedOf(claim, steps[0]);
      await record(waitingOf(step, { open: false, answered: false }));
      expect(await figures()).toEqual([0, 0, 0]);
    });

    it('keep units reserved if the call of a released step may have been applied, so its next claim reserves no more', async () => {
      const { steps, claim, claimAsB, record, figures } = await fedRun(20);
      const step = await claimedOf(claim, steps[0]);
      await record(waitingOf(step, { open: true, delayMs: 1000, answered: false }));
      expect(await figures()).toEqual([0, 20, 0]);
      expect(await claim(...steps.slice(1, 2))).toEqual([]);
      await subject.passTime(1001);
      const again = await claimedOf(claimAsB, steps[0]);
      expect(again).toMatchObject({ open: true, epoch: 2 });
      expect(await figures()).toEqual([0, 20, 1]);
    });

    it('keep the reservation of a dead worker for the worker that takes over the step', async () => {
      const { steps, claim, claimAsB, record, figures, flushAs } = await fedRun(20);
      const lost = await claimedOf(claim, steps[0]);
      await subject.passTime(leaseMs + 1);
      const again = await claimedOf(claimAsB, steps[0]);
      expect(await figures()).toEqual([0, 20, 0]);
      // The worker that lost the step reports too late to return units.
      expect(await record(waitingOf(lost, { open: false }))).toEqual([]);
      expect(await figures()).toEqual([0, 20, 0]);
      await flushAs('b', { results: [doneOf(again)] });
      expect(await figures()).toEqual([20, 0, 0]);
    });

    it('move the reservation to a child batch whose call may have been applied', async () => {
      const { steps, claim, record, figures } = await fedRun(20);
      const step = await claimedOf(claim, steps[0]);
      const children = [
        childOf(['u001', 'u002'], { open: true, delayMs: 60_000 }),
        childOf(['u003', 'u004', 'u005'], { open: false, delayMs: 60_000 }),
        childOf(['u006'], { claim: true }),
      ];
      await record(doneOf(step, { children }));
      // Four users succeeded, so eight units are used. Six units are reserved: for two users whose call may have been
      // made, and one user who is claimed now. The other three get a reservation when they are due.
      expect(await figures()).toEqual([8, 6, 0]);
    });

    it('allow a claim for splitting if they suffice for some users of a batch, without a reservation', async () => {
      const { steps, claim, record, figures, feedId } = await fedRun(27);
      const claimed = await claim(...steps.slice(0, 2));
      const [whole, partly] = claimed.toSorted((a, b) => a.batchNo - b.batchNo);
      expect(whole).not.toHaveProperty('fits');
      expect(partly).toMatchObject({ batchNo: 2, fits: 3, open: false });
      expect(await figures()).toEqual([0, 20, 1]);
      if (!partly) throw new Error('the step was free');
      const [first, rest] = [childOf(someUsers(3, 11)), childOf(someUsers(7, 14), { delayMs: 5000 })];
      await record(doneOf(partly, { children: [first, rest] }));
      const [due] = (await subject.rows.agenda(feedId)).filter(
        ({ batchNo, inSeconds }) => batchNo > 2 && inSeconds === 0,
      );
      expect(await claim({ feedId, batchNo: due?.batchNo ?? 0, step: 1 })).toMatchObject([{ size: 3 }]);
      expect(await figures()).toEqual([0, 26, 0]);
    });

    it('record no call for a batch that was claimed for splitting by a worker that died', async () => {
      const { steps, claim, claimAsB, figures } = await fedRun(6);
      expect(await claimedOf(claim, steps[0])).toMatchObject({ fits: 3 });
      await subject.passTime(leaseMs + 1);
      expect(await claimedOf(claimAsB, steps[0])).toMatchObject({ fits: 3, open: false });
      await subject.passTime(leaseMs + 1);
      const feed = { feedId: steps[0]?.feedId ?? '', chainLength: 2 };
      await subject.endings.endOpen(feed, 'expired', { from: 1, limit: 100 });
      expect(await figures()).toEqual([0, 0, 0]);
    });

    it('are given to the smallest batches first, so that no batch waits for a larger one', async () => {
      const { feedId, steps, claim, record } = await fedRun(22);
      const first = await claimedOf(claim, steps[0]);
      await record(doneOf(first, { children: [childOf(['u001', 'u002'])] }));
      const [child] = (await subject.rows.agenda(feedId)).filter(({ batchNo }) => batchNo > 4);
      const claimed = await claim(...steps.slice(1), { feedId, batchNo: child?.batchNo ?? 0, step: 1 });
      expect(claimed.filter(({ fits }) => fits === undefined).map(({ size }) => size)).toEqual([2]);
    });

    it('are given to a cheaper step if they no longer suffice for one user of a more expensive step', async () => {
      const chain = costly.map((step, index) => ({ ...step, unitsPerUser: index === 0 ? 1 : 3 }));
      const { campaignId, feedId, steps, claim, record } = await fedRun(10, 2, { chain });
      const failures = someUsers(9, 2).map((user) => failed(user));
      await record(doneOf(await claimedOf(claim, steps[0]), { failures }));
      await subject.budgets.change(campaignId, [{ country: 'SG', units: 3 }], raised);
      const dearer = { feedId, batchNo: 1, step: 2 };
      // One user who costs three units, and ten users who cost one unit, with two units left.
      const [cheaper, ...others] = await claim(dearer, ...steps.slice(1));
      expect([cheaper, ...others]).toMatchObject([{ batchNo: 2, step: 1, fits: 2 }]);
      if (!cheaper) throw new Error('the step was free');
      await record(doneOf(cheaper, { children: [childOf(['u011']), childOf(someUsers(9, 12))] }));
      await subject.passTime(5001);
      const children = (await subject.rows.agenda(feedId)).filter(({ batchNo }) => batchNo > 2);
      const again = await claim(dearer, ...children.map(({ batchNo }) => ({ feedId, batchNo, step: 1 })));
      expect(again.map(({ step, size, fits }) => [step, size, fits]).sort()).toEqual([
        [1, 1, undefined],
        [1, 9, 1],
      ]);
    });

    it('are not used by steps without a price', async () => {
      const { steps, claim, record, figures, feedId } = await fedRun(20);
      await record(doneOf(await claimedOf(claim, steps[0])));
      expect(await claim({ feedId, batchNo: 1, step: 2 })).toHaveLength(1);
      expect(await figures()).toEqual([20, 0, 0]);
    });

    it('free the units of a step that ended without a call, but not those of a possible call', async () => {
      const { steps, claim, record, figures, feedId } = await fedRun(60);
      const [first, second] = await claim(...steps.slice(0, 2));
      if (!first || !second) throw new Error('the steps were free');
      await record(waitingOf(first, { open: true, delayMs: 60_000 }));
      await subject.passTime(leaseMs + 1);
      await record(waitingOf(second, { open: false, delayMs: 60_000 }));
      await subject.endings.endOpen({ feedId, chainLength: 2 }, 'expired', { from: 1, limit: 100 });
      expect(await figures()).toEqual([20, 0, 0]);
    });

    it('are shared by all runs of a campaign, and can be raised while runs are active', async () => {
      const { campaignId, steps, claim, figures } = await fedRun(20);
      await claim(...steps.slice(0, 2));
      await subject.budgets.change(
        campaignId,
        [
          { country: 'SG', units: 45 },
          { country: 'ID', units: 7 },
        ],
        raised,
      );
      expect((await subject.campaigns.get(campaignId))?.definition.budgets).toEqual([{ country: 'SG', units: 45 }]);
      await subject.passTime(5001);
      expect((await claim(...steps)).map(({ batchNo, fits }) => [batchNo, fits]).sort()).toEqual([
        [2, undefined],
        [3, 2],
      ]);
      expect(await figures()).toEqual([0, 40, 2]);
    });

    it('can be lowered below the spent amount, and then no batch is claimed', async () => {
      const { campaignId, steps, claim } = await fedRun(60);
      await claim(...steps.slice(0, 2));
      await subject.budgets.change(campaignId, [{ country: 'SG', units: 10 }], raised);
      expect(await claim(...steps.slice(2))).toEqual([]);
    });

    it('report for each waiting run the batches, the remaining units and the price of a user', async () => {
      const { runId, steps, claim } = await fedRun(21);
      await claim(...steps);
      expect(await subject.runs.shortages([runId])).toMatchObject([
        {
          runId,
          country: 'SG',
          left: 1,
          batches: 3,
          leastUnits: 2,
          budgetText: '21 units',
          leftText: '1',
          leastText: '2',
        },
      ]);
      expect(await talliesOf(subject)).toMatchObject([{ hasBudgets: true }]);
    });

    it('are part of the run snapshot, with no reservation after the run has ended', async () => {
      const { runId, steps, claim, record } = await fedRun(25);
      const [first] = await claim(...steps.slice(0, 1));
      if (!first) throw new Error('the step was free');
      await record(doneOf(first));
      await claim(...steps.slice(1, 3));
      const displayed = { country: 'SG', units: 25, used: 20, reserved: 0, money: null, waitingBatches: 2 };
      expect((await subject.reports.snapshot(runId))?.budgets).toEqual([displayed]);
      await subject.runs.finish(runId, 'expired', null);
      expect((await subject.reports.snapshot(runId))?.budgets).toEqual([{ ...displayed, waitingBatches: 0 }]);
    });

    it('leave no rows for campaigns without budgets', async () => {
      const { runId, steps } = await startFedRun(subject, someBatches(1, 10), { chain: costly });
      const ledger = subject.ledgerOf('a');
      expect((await ledger.flush({ results: [], claims: steps, begins: [] })).claimed).toHaveLength(1);
      expect(await talliesOf(subject)).toMatchObject([{ hasBudgets: false }]);
      expect(await subject.runs.shortages([runId])).toEqual([]);
      expect((await subject.reports.snapshot(runId))?.budgets).toEqual([]);
    });
  });
}
