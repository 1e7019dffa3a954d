import { beforeEach, describe, expect, it } from 'vitest';
import { campaignDefinitionOf } from './run-rows.ts';
import {
  claimOne,
  createRun,
  doneOf,
  record,
  startFedRun,
  startRun,
  type ExecutionSubject,
  type MakeExecutionSubject,
} from './execution-subject.ts';

const feedOf = (country: string) => ({ country, segment: 'all', snapshot: 's1', estimate: 1000 });

export function describeRunStore(name: string, makeSubject: MakeExecutionSubject): void {
  describe(`runs ${name}`, () => {
    let subject: ExecutionSubject;
    beforeEach(async () => {
      subject = await makeSubject();
    });

    it('wait to be prepared with what their campaign says', async () => {
      const { runId, campaignId } = await createRun(subject);
      const definition = campaignDefinitionOf({ countries: ['SG'], deadlineSeconds: 30 * 86_400 });
      const [run] = await subject.runs.toPrepare(10, []);
      expect(run).toMatchObject({ runId, campaignId, definition });
      expect(run?.deadlineInMs).toBeGreaterThan(29 * 86_400_000);
      expect(run?.deadlineInMs).toBeLessThanOrEqual(30 * 86_400_000);
    });

    it('wait to be prepared in turn: the oldest, the newest, the second oldest, but for those that are in hand', async () => {
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

    it('show why they cannot be prepared yet, until they begin', async () => {
      const { runId } = await createRun(subject);
      await subject.runs.wait(runId, 'segment "all" in SG: HTTP 503');
      expect(await waitingCauseOf(runId)).toBe('segment "all" in SG: HTTP 503');
      await subject.runs.begin(runId, [feedOf('SG')]);
      expect(await waitingCauseOf(runId)).toBeNull();
    });

    it('begin once, with a feed for each country', async () => {
      const { runId, campaignId } = await createRun(subject);
      expect(await subject.runs.begin(runId, [feedOf('ID'), feedOf('SG')])).toBe(true);
      expect(await subject.runs.begin(runId, [feedOf('ID'), feedOf('SG')])).toBe(false);
      expect(await subject.runs.toPrepare(10, [])).toEqual([]);
      const [tally] = await subject.runs.tallies();
      expect(tally).toMatchObject({ runId, campaignId, deadlinePassed: false });
      expect(tally?.chain.map((step) => step.action)).toEqual(['award-reward', 'send-message']);
      const unfed = { fedUsers: 0, fedBatches: 0, complete: false, stalled: null, totals: [] };
      expect(tally?.feeds.map(({ feedId: _, ...rest }) => rest)).toEqual([
        { country: 'ID', ...unfed },
        { country: 'SG', ...unfed },
      ]);
    });

    it('are told apart in the tallies, with what was fed and recorded', async () => {
      const first = await startFedRun(subject, [['u1', 'u2'], ['u3']]);
      await subject.passTime(1000);
      const second = await startRun(subject, { countries: ['ID', 'SG'] });
      const ledger = subject.ledgerOf('a');
      await record(ledger, doneOf(await claimOne(ledger, { feedId: first.feedId, batchNo: 1, step: 1 })));
      const tallies = await subject.runs.tallies();
      expect(tallies.map(({ runId, feeds }) => [runId, feeds.length])).toEqual([
        [first.runId, 1],
        [second.runId, 2],
      ]);
      const totals = [{ step: 1, batches: 1, succeeded: 2, failed: 0, expired: 0, cancelled: 0, unknown: 0 }];
      expect(tallies[0]?.feeds[0]).toMatchObject({ fedUsers: 3, fedBatches: 2, complete: true, totals });
    });

    it('show what is in flight', async () => {
      const { runId, feedId } = await startFedRun(subject, [['u1'], ['u2']]);
      const ledger = subject.ledgerOf('a');
      await record(ledger, doneOf(await claimOne(ledger, { feedId, batchNo: 1, step: 1 })));
      await claimOne(ledger, { feedId, batchNo: 2, step: 1 });
      expect(await subject.runs.observe(runId)).toEqual({ inFlight: 1, waiting: 0, waitingCause: null });
    });

    it('end once, and never change afterwards', async () => {
      const { runId } = await startRun(subject);
      expect(await subject.runs.finish(runId, 'completed', null)).toBe(true);
      expect(await subject.runs.finish(runId, 'failed', 'too late')).toBe(false);
      expect(await subject.runs.tallies()).toEqual([]);
    });

    it('cannot end as completed before they have begun, but can fail', async () => {
      const { runId } = await createRun(subject);
      expect(await subject.runs.finish(runId, 'completed', null)).toBe(false);
      expect(await subject.runs.finish(runId, 'failed', 'no such segment')).toBe(true);
      expect(await subject.runs.toPrepare(10, [])).toEqual([]);
      expect(await subject.runs.begin(runId, [feedOf('SG')])).toBe(false);
    });

    const waitingCauseOf = async (runId: string) => (await subject.reports.snapshot(runId))?.stalled;
  });
}
