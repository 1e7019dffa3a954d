import { beforeEach, describe, expect, it } from 'vitest';
import { segmentAlone } from '../../../shared/contracts/runs/feed-audience.ts';
import { createRun, leaseMs, startRun, type ExecutionSubject, type MakeExecutionSubject } from './execution-subject.ts';
import { claimAgain, pagesOf } from './fed-feeds.ts';

/** Tests the limits of feeds: their canary users, and the pace of their run. */
export function describeFeedLimits(name: string, makeSubject: MakeExecutionSubject): void {
  let subject: ExecutionSubject;
  // Called in each block: a hook of the whole file would empty the tables of other suites.
  const subjectForEach = () =>
    beforeEach(async () => {
      subject = await makeSubject();
    });

  describe(`a canary ${name}`, () => {
    subjectForEach();
    async function withCanary() {
      const canary = { users: 5, then: 'pause' as const, maxFailedPercent: 2 };
      const { runId } = await createRun(subject, { canary });
      const audience = segmentAlone({ segment: 'all', snapshot: 's1', estimate: 100 });
      await subject.runs.begin(runId, [{ country: 'SG', audience, canaryUsers: 2 }]);
      const feed = (await claimAgain(subject, 't')) ?? expect.fail();
      return { runId, feed };
    }

    it('prevents claims of a feed with enough users, without counting the hold-out', async () => {
      const { runId, feed } = await withCanary();
      expect(feed.canaryUsers).toBe(2);
      const first = pagesOf(feed, { batches: [{ batchNo: 1, users: ['u1'] }], cursor: 'u1' });
      await subject.feeds.writePages({ ...first, skipped: { excluded: 0, heldOut: 3 } });
      await subject.feeds.release('t', [feed]);
      const again = (await claimAgain(subject)) ?? expect.fail();
      expect(again).toMatchObject({ fedUsers: 4, heldOutUsers: 3, canaryUsers: 2 });
      const second = pagesOf(again, { batches: [{ batchNo: 2, users: ['u2'] }], cursor: 'u2' });
      await subject.feeds.writePages(second);
      await subject.feeds.release(again === feed ? 't' : 'u', [again]);
      await subject.passTime(leaseMs + 1);
      expect(await claimAgain(subject)).toBeUndefined();
      const [tally] = await subject.runs.tallies([runId]);
      expect(tally).toMatchObject({ canary: { maxFailedPercent: 2 }, feeds: [{ canaryUsers: 2, heldOutUsers: 3 }] });
    });

    it('ends once, and then all users are fed', async () => {
      const { runId, feed } = await withCanary();
      await subject.feeds.writePages(pagesOf(feed));
      await subject.feeds.release('t', [feed]);
      expect(await subject.runs.endCanary(runId, 'none failed')).toBe(true);
      expect(await subject.runs.endCanary(runId, 'none failed')).toBe(false);
      expect(await subject.runs.pauseForCanary(runId, 'canary: too late')).toBe(false);
      expect(await claimAgain(subject)).toMatchObject({ fedUsers: 2, canaryUsers: null });
      expect((await subject.runs.tallies([runId]))[0]).toMatchObject({ canary: null });
      expect(await subject.reports.snapshot(runId)).toMatchObject({ state: 'running', canary: 'over' });
      const { items } = await subject.control.events(runId, 10, null);
      expect(items).toContainEqual(
        expect.objectContaining({ kind: 'canary-passed', detail: { report: 'none failed' } }),
      );
    });

    it('feeds no users while it waits for a decision', async () => {
      const { runId, feed } = await withCanary();
      await subject.feeds.release('t', [feed]);
      expect(await subject.runs.pauseForCanary(runId, 'canary: 2 users have ended')).toBe(true);
      expect(await subject.runs.endCanary(runId, 'none failed')).toBe(false);
      expect(await claimAgain(subject)).toBeUndefined();
      const displayed = { state: 'pausing', canary: 'waits', stateReason: 'canary: 2 users have ended' };
      expect(await subject.reports.snapshot(runId)).toMatchObject(displayed);
    });

    it('given at the start of a campaign replaces the canary of the definition', async () => {
      const canary = { users: 3, then: 'pause' as const, maxFailedPercent: 7 };
      const { runId } = await createRun(subject, { canary: { users: 5, then: 'pause' } }, canary);
      expect(await subject.runs.toPrepare(10, [])).toMatchObject([{ runId, canary }]);
      const audience = segmentAlone({ segment: 'all', snapshot: 's1', estimate: 100 });
      await subject.runs.begin(runId, [{ country: 'SG', audience, canaryUsers: 3 }]);
      expect((await subject.runs.tallies([runId]))[0]).toMatchObject({ canary: { maxFailedPercent: 7 } });
    });

    it('does not exist for a run without one', async () => {
      const { runId } = await startRun(subject);
      expect(await subject.runs.pauseForCanary(runId, 'canary')).toBe(false);
      expect(await subject.runs.endCanary(runId, '')).toBe(false);
      expect(await subject.reports.snapshot(runId)).toMatchObject({ state: 'running', canary: null });
    });
  });

  describe(`the pace of a run ${name}`, () => {
    subjectForEach();
    const allows = async () => (await loadsOfAll())[0]?.paceAllows;
    const take = async (runId: string, batches: number) =>
      (await subject.feeds.takePace([{ runId, batches }])).get(runId);
    const setPace = (runId: string, paceUsersPerSecond: number | null) =>
      subject.control.change(runId, () => ({ change: { settings: { paceUsersPerSecond }, events: [] } }));

    it('is unlimited unless set', async () => {
      const { runId } = await startRun(subject);
      expect(await allows()).toBeNull();
      expect(await take(runId, 5)).toBeUndefined();
    });

    it('allows one batch at first, then batches for the elapsed time, at most those of one second', async () => {
      const { runId } = await startRun(subject, { paceUsersPerSecond: 1000 });
      expect(await allows()).toBe(100);
      expect(await take(runId, 5)).toBe(1);
      await subject.passTime(300);
      expect(await take(runId, 2)).toBe(2);
      await subject.passTime(60_000);
      expect(await allows()).toBe(1000);
      expect(await take(runId, 50)).toBe(10);
    });

    it('is counted in batches of the run, whatever their size', async () => {
      const { runId } = await createRun(subject, { paceUsersPerSecond: 500 });
      const audience = segmentAlone({ segment: 'all', snapshot: 's1', estimate: null });
      await subject.runs.begin(runId, [{ country: 'SG', audience }], 250);
      expect(await allows()).toBe(250);
      expect(await take(runId, 5)).toBe(1);
      await subject.passTime(10_000);
      expect(await take(runId, 5)).toBe(2);
    });

    it('is shared by all triggers', async () => {
      const { runId } = await startRun(subject, { paceUsersPerSecond: 500 });
      await take(runId, 1);
      await subject.passTime(10_000);
      const sinceMs = performance.now();
      const taken = await Promise.all([take(runId, 4), take(runId, 4), take(runId, 4)]);
      // The clock of the database continues: every 200 ms that the three calls took permit one more batch.
      const more = Math.floor((performance.now() - sinceMs) / 200);
      const sum = taken.reduce<number>((all, batches) => all + (batches ?? 0), 0);
      expect(sum).toBeGreaterThanOrEqual(5);
      expect(sum).toBeLessThanOrEqual(5 + more);
    });

    it('below one batch per second allows one batch after enough time', async () => {
      const { runId } = await startRun(subject, { paceUsersPerSecond: 10 });
      expect(await take(runId, 3)).toBe(1);
      await subject.passTime(5000);
      expect(await take(runId, 3)).toBe(0);
      await subject.passTime(5500);
      expect(await take(runId, 3)).toBe(1);
    });

    it('can change during the run, and so can the priority', async () => {
      const { runId } = await startRun(subject);
      await setPace(runId, 2000);
      expect(await allows()).toBe(100);
      await take(runId, 1);
      await subject.passTime(60_000);
      expect(await allows()).toBe(2000);
      await setPace(runId, 300);
      expect(await allows()).toBe(300);
      await setPace(runId, null);
      expect(await allows()).toBeNull();
      await subject.control.change(runId, () => ({ change: { settings: { priority: 'high' }, events: [] } }));
      expect(await loadsOfAll()).toMatchObject([{ priority: 'high' }]);
    });
  });

  async function loadsOfAll() {
    return subject.feeds.loads((await subject.feeds.listFeeds(null, 0)).feedIds);
  }
}
