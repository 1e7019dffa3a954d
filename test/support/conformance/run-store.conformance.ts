import { beforeEach, describe, expect, it } from 'vitest';
import { usualTransactionMs } from '../../../services/trigger/keep/listing-times.ts';
import { segmentAlone } from '../../../shared/contracts/runs/feed-audience.ts';
import { campaignDefinitionOf } from './run-rows.ts';
import {
  claimOne,
  createRun,
  doneOf,
  record,
  startFedRun,
  startRun,
  talliesOf,
  waitingOf,
  type ExecutionSubject,
  type MakeExecutionSubject,
} from './execution-subject.ts';

const oneStep = [{ action: 'award-reward', params: {} }];
const noFlow = { done: 0, survived: 0, created: 0, waiting: 0 };
const feedOf = (country: string) => ({
  country,
  audience: segmentAlone({ segment: 'all', snapshot: 's1', estimate: 1000 }),
});

export function describeRunStore(name: string, makeSubject: MakeExecutionSubject): void {
  describe(`runs ${name}`, () => {
    let subject: ExecutionSubject;
    beforeEach(async () => {
      subject = await makeSubject();
    });

    it('are returned for preparation with the definition of their campaign', async () => {
      const { runId, campaignId } = await createRun(subject);
      const definition = campaignDefinitionOf({ countries: ['SG'], deadlineSeconds: 30 * 86_400 });
      const [run] = await subject.runs.toPrepare(10, []);
      expect(run).toMatchObject({ runId, campaignId, definition });
      expect(run?.deadlineInMs).toBeGreaterThan(29 * 86_400_000);
      expect(run?.deadlineInMs).toBeLessThanOrEqual(30 * 86_400_000);
    });

    it('are returned for preparation in turn: oldest, newest, second oldest, without runs in preparation', async () => {
      const runIds: string[] = [];
      for (let i = 0; i < 5; i++) {
        runIds.push((await createRun(subject)).runId);
        await subject.passTime(1000);
      }
      const [first, second, third, fourth, fifth] = runIds;
      const seen = async (limit: number, inHand: string[]) =>
        (await subject.runs.toPrepare(limit, inHand)).map(({ runId }) => runId);
      expect(await seen(10, [])).toEqual([first, fifth, second, fourth, third]);
      expect(await seen(2, [first ?? '', fifth ?? ''])).toEqual([second, fourth]);
    });

    it('show why they cannot be prepared, until they begin', async () => {
      const { runId } = await createRun(subject);
      await subject.runs.wait(runId, 'segment "all" in SG: HTTP 503');
      expect(await waitingCauseOf(runId)).toBe('segment "all" in SG: HTTP 503');
      await subject.runs.begin(runId, [feedOf('SG')]);
      expect(await waitingCauseOf(runId)).toBeNull();
    });

    it('begin in each country at its own time, and count the deadline from the last country', async () => {
      const { runId } = await createRun(subject);
      const [before] = await subject.runs.toPrepare(10, []);
      const snapshot = await subject.reports.snapshot(runId);
      const startsAt = new Date((snapshot?.scheduledFor.getTime() ?? 0) + 3_600_000);
      await subject.runs.begin(runId, [feedOf('SG'), { ...feedOf('ID'), startsAt }]);
      const claim = async () => {
        const claimed = await subject.feeds.claim('t', 60_000, 10, 'all');
        return claimed.map(({ country }) => country);
      };
      expect(await claim()).toEqual(['SG']);
      const stalled = async () => (await talliesOf(subject))[0]?.feeds.find(({ country }) => country === 'ID')?.stalled;
      expect(await stalled()).toBe('it is not its time yet in this country');
      await subject.passTime((before?.deadlineInMs ?? 0) + 1800_000);
      expect((await talliesOf(subject))[0]?.overdueMs).toBeLessThan(0);
      expect(await claim()).toContain('ID');
    });

    it('begin once, with one feed per country', async () => {
      const { runId, campaignId } = await createRun(subject);
      expect(await subject.runs.begin(runId, [feedOf('ID'), feedOf('SG')])).toBe(true);
      expect(await subject.runs.begin(runId, [feedOf('ID'), feedOf('SG')])).toBe(false);
      expect(await subject.runs.toPrepare(10, [])).toEqual([]);
      const [tally] = await talliesOf(subject);
      expect(tally).toMatchObject({ runId, campaignId, state: 'running' });
      expect(tally?.chain.map((step) => step.action)).toEqual(['award-reward', 'send-message']);
      const unfed = {
        fedUsers: 0,
        heldOutUsers: 0,
        canaryUsers: null,
        fedBatches: 0,
        fromStep: 1,
        complete: false,
        stalled: null,
        totals: [],
        flow: [noFlow, noFlow],
      };
      expect(tally?.feeds.map(({ feedId: _, ...rest }) => rest)).toEqual([
        { country: 'ID', ...unfed },
        { country: 'SG', ...unfed },
      ]);
    });

    it('are tallied separately, with fed and recorded users', async () => {
      const first = await startFedRun(subject, [['u1', 'u2'], ['u3']]);
      await subject.passTime(1000);
      const second = await startRun(subject, { countries: ['ID', 'SG'] });
      const ledger = subject.ledgerOf('a');
      await record(ledger, doneOf(await claimOne(ledger, { feedId: first.feedId, batchNo: 1, step: 1 })));
      const tallies = await talliesOf(subject);
      expect(tallies.map(({ runId, feeds }) => [runId, feeds.length])).toEqual([
        [first.runId, 1],
        [second.runId, 2],
      ]);
      const totals = [
        { step: 1, batches: 1, succeeded: 2, failed: 0, expired: 0, cancelled: 0, unknown: 0, suppressed: 0 },
      ];
      expect(tallies[0]?.feeds[0]).toMatchObject({ fedUsers: 3, fedBatches: 2, complete: true, totals });
    });

    it('show their current activity until they end', async () => {
      const { runId } = await startRun(subject);
      await subject.runs.show([{ runId, inFlight: 3, waiting: 2, waitingCause: 'HTTP 503' }]);
      expect(await subject.reports.snapshot(runId)).toMatchObject({
        inFlight: 3,
        stalled: 'HTTP 503',
      });
      await subject.runs.finish(runId, 'failed', null);
      await subject.runs.show([{ runId, inFlight: 3, waiting: 2, waitingCause: 'HTTP 503' }]);
      expect(await subject.reports.snapshot(runId)).toMatchObject({ inFlight: 0, stalled: null });
    });

    it('show the activity of many runs in one call, each separately', async () => {
      const [one, other] = [await startRun(subject), await startRun(subject)];
      await subject.runs.show([
        { runId: one.runId, inFlight: 3, waiting: 2, waitingCause: 'HTTP 503, "late"' },
        { runId: other.runId, inFlight: 1, waiting: 0, waitingCause: null },
      ]);
      expect(await subject.reports.snapshot(one.runId)).toMatchObject({ inFlight: 3, stalled: 'HTTP 503, "late"' });
      expect(await subject.reports.snapshot(other.runId)).toMatchObject({ inFlight: 1, stalled: null });
    });

    it('are listed since an earlier listing including late commits, and by id', async () => {
      const { runId: early } = await startRun(subject);
      await subject.passTime(11_000);
      const { runId: late } = await startRun(subject);
      const idsSince = async (since: string | null) =>
        (await subject.runs.listRuns(since, usualTransactionMs)).runs.map(({ runId }) => runId);
      const { until } = await subject.runs.listRuns(null, 0);
      expect(await idsSince(null)).toEqual([early, late]);
      expect(await idsSince(until)).toEqual([late]);
      const reachedBack = await subject.runs.listRuns(until, 12_000);
      expect(reachedBack.runs.map(({ runId }) => runId)).toEqual([early, late]);
      expect((await subject.runs.tallies([early])).map(({ runId }) => runId)).toEqual([early]);
      await subject.passTime(1000);
      await subject.control.change(early, () => ({ change: { to: 'cancelling', events: [] } }));
      expect(await idsSince(until)).toEqual([late, early]);
      await subject.runs.finish(late, 'failed', null);
      expect(await idsSince(null)).toEqual([early]);
      expect(await subject.runs.tallies([late])).toEqual([]);
    });

    it('are listed with their feeds, the time of their state and the first due agenda entry', async () => {
      const { runId, steps } = await startFedRun(subject, [['u1'], ['u2']]);
      const listed = async () => (await subject.runs.listRuns(null, 0)).runs.find((run) => run.runId === runId);
      const before = await listed();
      expect(before).toMatchObject({ feeds: 1, dueInMs: null });
      const ledger = subject.ledgerOf('a');
      const [one, two] = (await ledger.flush({ results: [], claims: steps, begins: [] })).claimed;
      if (!one || !two) throw new Error('the steps were free');
      await record(ledger, waitingOf(one, { delayMs: 60_000 }));
      await record(ledger, waitingOf(two, { delayMs: 30_000 }));
      expect((await listed())?.since).toBe(before?.since);
      await subject.passTime(10_000);
      const dueInMs = (await listed())?.dueInMs;
      expect(dueInMs).toBeGreaterThan(0);
      expect(dueInMs).toBeLessThanOrEqual(20_000);
      await subject.control.change(runId, () => ({ change: { to: 'cancelling', events: [] } }));
      expect((await listed())?.since).not.toBe(before?.since);
    });

    it('report waiting steps, held ones first, without old causes', async () => {
      const { runId, feedId, steps } = await startFedRun(subject, [['u1'], ['u2']]);
      const ledger = subject.ledgerOf('a');
      const [one, two] = (await ledger.flush({ results: [], claims: steps, begins: [] })).claimed;
      if (!one || !two) throw new Error('the steps were free');
      await record(ledger, waitingOf(one, { cause: 'HTTP 503' }));
      const waiting = { runId, country: 'SG', step: 1 };
      expect(await subject.runs.waitingSteps([runId])).toEqual([{ ...waiting, cause: 'HTTP 503', held: false }]);
      await subject.holds.hold([{ feedId, step: 1, kind: 'fault', cause: 'HTTP 404' }]);
      expect(await subject.runs.waitingSteps([runId])).toEqual([{ ...waiting, cause: 'HTTP 404', held: true }]);
      await subject.holds.lift({ feedId, step: 1 }, 'fault');
      await subject.passTime(121_000);
      expect(await subject.runs.waitingSteps([runId])).toEqual([]);
    });

    it('no longer wait for an endpoint once its breaker has closed, even if batches still wait', async () => {
      const { runId, steps } = await startFedRun(subject, [['u1'], ['u2']], { chain: oneStep });
      const [first, second] = steps;
      if (!first || !second) throw new Error('there are two batches');
      const ledger = subject.ledgerOf('a');
      const shard = { actionType: 'award-reward', country: 'SG' };
      const cause = 'HTTP 503';
      const broken = { shard, cause: `award-reward in SG: ${cause}`, retryAfterMs: null, random: 0 };
      await record(ledger, waitingOf(await claimOne(ledger, first), { cause, delayMs: 60_000 }));
      await subject.guards.open(broken);
      await subject.passTime(1000);
      await subject.guards.takeProbe(shard, 5000);
      const displayed = async () => {
        const snapshot = await subject.reports.snapshot(runId);
        const waiting = await subject.runs.waitingSteps([runId]);
        return [waiting.map((step) => step.cause), snapshot?.waits.map((wait) => wait.cause), snapshot?.stalled];
      };
      expect(await displayed()).toEqual([[cause], [cause], cause]);
      await subject.guards.endProbe({ ...broken, answered: true });
      expect(await displayed()).toEqual([[], [], null]);
      expect((await subject.reports.snapshot(runId))?.waitingForRetry).toBe(1);
      await subject.passTime(1000);
      await record(ledger, waitingOf(await claimOne(ledger, second), { cause: 'HTTP 429' }));
      expect(await displayed()).toEqual([['HTTP 429'], ['HTTP 429'], 'HTTP 429']);
    });

    it('refuse all later writes when they end', async () => {
      const { runId, owned } = await startRun(subject);
      const [feed] = owned;
      if (!feed) throw new Error('the run has no feed');
      const ended = await subject.runs.end(runId, () => ({ state: 'expired', reason: null }));
      expect(ended).toEqual({ state: 'expired', reason: null });
      const batches = [{ batchNo: 1, users: ['u1'] }];
      const page = { batches, invalidUsers: [], cursor: 'u1', complete: false, staysStalled: false };
      expect(await subject.feeds.writePages({ feedId: feed.feedId, token: feed.token, ...page })).toBe(false);
      expect((await subject.reports.snapshot(runId))?.countries).toMatchObject([{ fedUsers: 0 }]);
    });

    it('continue if the counts do not allow them to end', async () => {
      const { runId } = await startRun(subject);
      expect(await subject.runs.end(runId, () => null)).toBeNull();
      expect(await talliesOf(subject)).toHaveLength(1);
    });

    it('end once and never change afterwards', async () => {
      const { runId } = await startRun(subject);
      expect(await subject.runs.finish(runId, 'completed', null)).toBe(true);
      expect(await subject.runs.finish(runId, 'failed', 'too late')).toBe(false);
      expect(await talliesOf(subject)).toEqual([]);
    });

    it('are pausing until no call is in flight', async () => {
      const { runId, steps } = await startFedRun(subject, [['u1'], ['u2']]);
      const ledger = subject.ledgerOf('a');
      const [first] = steps;
      if (!first) throw new Error('the run has batches');
      const claimed = await claimOne(ledger, first);
      expect(await subject.runs.pauseFor(runId, '12 % of 4,000 users failed in step 1, limit 5 %')).toBe(true);
      expect(await subject.runs.pauseFor(runId, 'again')).toBe(false);
      const underWay = { inFlight: [{ step: 1, country: 'SG', batches: 1, users: 1 }], ready: 1, waiting: 0 };
      const [pausing] = await subject.runs.pausing();
      expect(pausing).toMatchObject({ runId, underWay });
      expect(pausing?.forMs).toBeLessThan(60_000);
      await record(ledger, doneOf(claimed));
      expect(await subject.runs.pausing()).toMatchObject([{ underWay: { inFlight: [] } }]);
      expect(await subject.runs.settlePause(runId)).toBe(true);
      expect(await subject.runs.settlePause(runId)).toBe(false);
      expect(await subject.runs.pausing()).toEqual([]);
      expect(await subject.reports.snapshot(runId)).toMatchObject({
        state: 'paused',
        stateReason: '12 % of 4,000 users failed in step 1, limit 5 %',
      });
    });

    it('show since when they wait for the same cause', async () => {
      const { runId } = await startRun(subject);
      const show = (waitingCause: string | null) =>
        subject.runs.show([{ runId, inFlight: 0, waiting: 0, waitingCause }]);
      const since = async () => (await subject.reports.snapshot(runId))?.waitingSince;
      expect(await since()).toBeNull();
      await show('HTTP 503');
      const first = await since();
      expect(first).toBeInstanceOf(Date);
      await subject.passTime(1000);
      await show('HTTP 503');
      expect(await since()).toEqual(first);
      await show(null);
      expect(await since()).toBeNull();
    });

    it('cannot complete before they have begun, but can fail', async () => {
      const { runId } = await createRun(subject);
      expect(await subject.runs.finish(runId, 'completed', null)).toBe(false);
      expect(await subject.runs.finish(runId, 'failed', 'no such segment')).toBe(true);
      expect(await subject.runs.toPrepare(10, [])).toEqual([]);
      expect(await subject.runs.begin(runId, [feedOf('SG')])).toBe(false);
    });

    const waitingCauseOf = async (runId: string) => (await subject.reports.snapshot(runId))?.stalled;
  });
}
