import { beforeEach, describe, expect, it } from 'vitest';
import { campaignDefinitionOf } from './run-rows.ts';
import {
  claimOne,
  doneOf,
  record,
  scheduledFor,
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

    async function someCampaign(deadlineSeconds = 30 * 86_400): Promise<string> {
      return (await subject.campaigns.create(campaignDefinitionOf({ deadlineSeconds }))).campaignId;
    }

    it('are created once for a campaign and a time, even by two triggers at once', async () => {
      const campaignId = await someCampaign();
      const fire = { campaignId, revision: 1, scheduledFor };
      const created = await Promise.all([subject.runs.create(fire), subject.runs.create(fire)]);
      expect(created.map((each) => each.created).sort()).toEqual([false, true]);
      expect(created[0].runId).toBe(created[1].runId);
    });

    it('cannot be created of a revision that does not exist', async () => {
      const campaignId = await someCampaign();
      await expect(subject.runs.create({ campaignId, revision: 9, scheduledFor })).rejects.toThrow('no revision 9');
    });

    it('wait to be prepared with what their campaign says', async () => {
      const campaignId = await someCampaign();
      const { runId } = await subject.runs.create({ campaignId, revision: 1, scheduledFor: new Date() });
      const definition = campaignDefinitionOf({ deadlineSeconds: 30 * 86_400 });
      expect(await subject.runs.toPrepare(10)).toEqual([{ runId, campaignId, definition, deadlinePassed: false }]);
    });

    it('count their deadline from the time they were meant for, however late the fire', async () => {
      const campaignId = await someCampaign(3600);
      await subject.runs.create({ campaignId, revision: 1, scheduledFor: new Date() });
      await subject.passTime(3_600_001);
      expect(await subject.runs.toPrepare(10)).toMatchObject([{ deadlinePassed: true }]);
    });

    it('begin once, with a feed for each country', async () => {
      const campaignId = await someCampaign();
      const { runId } = await subject.runs.create({ campaignId, revision: 1, scheduledFor: new Date() });
      expect(await subject.runs.begin(runId, [feedOf('ID'), feedOf('SG')])).toBe(true);
      expect(await subject.runs.begin(runId, [feedOf('ID'), feedOf('SG')])).toBe(false);
      expect(await subject.runs.toPrepare(10)).toEqual([]);
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
      const campaignId = await someCampaign();
      const { runId } = await subject.runs.create({ campaignId, revision: 1, scheduledFor });
      expect(await subject.runs.finish(runId, 'completed', null)).toBe(false);
      expect(await subject.runs.finish(runId, 'failed', 'no such segment')).toBe(true);
      expect(await subject.runs.toPrepare(10)).toEqual([]);
      expect(await subject.runs.begin(runId, [feedOf('SG')])).toBe(false);
    });
  });
}
