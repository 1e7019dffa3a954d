import { beforeEach, describe, expect, it } from 'vitest';
import type { CampaignStore } from '../../../services/api/campaigns/campaign-store.port.ts';
import type { RunReports } from '../../../services/api/runs/run-reports.port.ts';
import type { RunKind } from '../../../shared/domain/run/run-kinds.ts';
import type { Retention } from '../../../services/trigger/ports/retention-store.ts';
import { campaignDefinitionOf, type RunRows } from './run-rows.ts';

export interface RetentionSubject {
  campaigns: CampaignStore;
  reports: RunReports;
  rows: RunRows;
  retention: Retention;
  /** Adds a batch to the feed that is done in step 1. */
  addBatch(feedId: string): Promise<void>;
  /** Writes a progress point of the run. */
  addPoint(runId: string): Promise<void>;
  countPoints(): Promise<number>;
  /** Counts the rows of the feed. */
  count(feedId: string): Promise<{ users: number; steps: number; failures: number }>;
}

const dayMs = 86_400_000;

export function describeRetention(name: string, makeSubject: () => Promise<RetentionSubject>): void {
  describe(`retention ${name}`, () => {
    let subject: RetentionSubject;
    let campaignId: string;
    let runsPlanned = 0;
    beforeEach(async () => {
      subject = await makeSubject();
      ({ campaignId } = await subject.campaigns.create(campaignDefinitionOf()));
    });

    /** Adds a run that began and ended this many days ago, with one batch and one failure. */
    async function addRun(beganDaysAgo: number, endedDaysAgo: number | null, kind: RunKind = 'live') {
      const at = (daysAgo: number) => new Date(Date.now() - daysAgo * dayMs);
      const runId = await subject.rows.addRun({
        campaignId,
        revision: 1,
        kind,
        scheduledFor: new Date(at(beganDaysAgo).getTime() + runsPlanned++),
        state: endedDaysAgo === null ? 'running' : 'completed_with_failures',
        ...(endedDaysAgo === null ? {} : { endedAt: at(endedDaysAgo) }),
      });
      const feedId = await subject.rows.addFeed(runId, { country: 'SG', fedUsers: 2, createdAt: at(beganDaysAgo) });
      await subject.addBatch(feedId);
      await subject.rows.addFailure(feedId, { user: 'u1' });
      await subject.rows.addTotals(feedId, 0, { step: 1, batches: 1, succeeded: 1, failed: 1 });
      return { runId, feedId };
    }

    it('drops users first, then steps, then failures', async () => {
      const { runId, feedId } = await addRun(60, 59);
      expect(await subject.retention.dropWeeks('users', 14)).toEqual({ weeks: 1, heldUp: 0 });
      expect(await subject.count(feedId)).toEqual({ users: 0, steps: 1, failures: 1 });
      expect(await subject.retention.dropWeeks('steps', 30)).toEqual({ weeks: 1, heldUp: 0 });
      expect(await subject.count(feedId)).toEqual({ users: 0, steps: 0, failures: 1 });
      expect((await subject.reports.snapshot(runId))?.failuresKept).toBe(true);
      expect(await subject.retention.dropWeeks('failures', 50)).toEqual({ weeks: 1, heldUp: 0 });
      expect(await subject.count(feedId)).toEqual({ users: 0, steps: 0, failures: 0 });
      const snapshot = await subject.reports.snapshot(runId);
      expect(snapshot).toMatchObject({ failuresKept: false, countries: [{ totals: [{ succeeded: 1, failed: 1 }] }] });
      expect(await subject.reports.failureGroups(runId)).toMatchObject([{ users: 1, sample: ['u1'] }]);
      expect((await subject.reports.failures(runId, {}, 10, null)).items).toEqual([]);
    });

    it('keeps rows of a run that ended too recently, whenever the run began', async () => {
      const { feedId } = await addRun(60, 13);
      expect(await subject.retention.dropWeeks('users', 14)).toEqual({ weeks: 0, heldUp: 0 });
      expect(await subject.count(feedId)).toEqual({ users: 1, steps: 1, failures: 1 });
    });

    it('keeps a week that contains a run that has not ended', async () => {
      const [ended, going] = [await addRun(60, 50), await addRun(60, null)];
      for (const kind of ['users', 'steps', 'failures'] as const)
        expect(await subject.retention.dropWeeks(kind, 14)).toEqual({ weeks: 0, heldUp: 0 });
      expect(await subject.count(ended.feedId)).toEqual({ users: 1, steps: 1, failures: 1 });
      expect(await subject.count(going.feedId)).toEqual({ users: 1, steps: 1, failures: 1 });
    });

    it('keeps steps as long as the users of the same week', async () => {
      const { feedId } = await addRun(60, 50);
      expect(await subject.retention.dropWeeks('steps', 14)).toEqual({ weeks: 0, heldUp: 0 });
      expect(await subject.count(feedId)).toMatchObject({ users: 1, steps: 1 });
    });

    it('drops an old week and keeps the next one', async () => {
      const [old, young] = [await addRun(60, 59), await addRun(20, 19)];
      expect(await subject.retention.dropWeeks('users', 30)).toEqual({ weeks: 1, heldUp: 0 });
      expect((await subject.count(old.feedId)).users).toBe(0);
      expect((await subject.count(young.feedId)).users).toBe(1);
    });

    it('deletes old runs last, some at a time, and never a run that has not ended', async () => {
      const runs = [await addRun(500, 499), await addRun(450, 440), await addRun(500, null)];
      expect(await subject.retention.deleteRuns(400, 1)).toBe(1);
      expect(await subject.retention.deleteRuns(400, 10)).toBe(1);
      expect(await subject.retention.deleteRuns(400, 10)).toBe(0);
      const left = await Promise.all(runs.map(({ runId }) => subject.reports.snapshot(runId)));
      expect(left.map((snapshot) => snapshot !== undefined)).toEqual([false, false, true]);
    });

    it('deletes the rows of dry runs early and keeps their figures', async () => {
      const [old, young, live] = [
        await addRun(3, 2, 'dry-run'),
        await addRun(3, 0.5, 'dry-run'),
        await addRun(3, 2, 'live'),
      ];
      expect(await subject.retention.deleteDryRows(1, 100)).toBe(3);
      expect(await subject.retention.deleteDryRows(1, 100)).toBe(0);
      const all = { users: 1, steps: 1, failures: 1 };
      const counts = await Promise.all([old, young, live].map(({ feedId }) => subject.count(feedId)));
      expect(counts).toEqual([{ users: 0, steps: 0, failures: 0 }, all, all]);
      const kept = await Promise.all([old, young, live].map(({ runId }) => subject.reports.snapshot(runId)));
      expect(kept.map((snapshot) => snapshot?.failuresKept)).toEqual([false, true, true]);
      expect(kept[0]).toMatchObject({ kind: 'dry-run', countries: [{ totals: [{ succeeded: 1, failed: 1 }] }] });
    });

    it('deletes the progress points of a run together with the run', async () => {
      const [old, going] = [await addRun(500, 499), await addRun(500, null)];
      await subject.addPoint(old.runId);
      await subject.addPoint(going.runId);
      await subject.retention.deleteRuns(400, 10);
      expect(await subject.countPoints()).toBe(1);
    });

    it('creates the coming weeks once', async () => {
      await subject.retention.makeAhead();
      expect(await subject.retention.makeAhead()).toEqual({ weeks: 0, heldUp: 0 });
    });
  });
}
