import { beforeEach, describe, expect, it } from 'vitest';
import { usualTransactionMs } from '../../../services/trigger/keep/listing-times.ts';
import { segmentAlone } from '../../../shared/contracts/runs/feed-audience.ts';
import { leaseMs, startRun, type ExecutionSubject, type MakeExecutionSubject } from './execution-subject.ts';
import { claimAgain, ownedFeed } from './fed-feeds.ts';

/** Tests the ownership of feeds, and the list of feeds. */
export function describeFeedOwning(name: string, makeSubject: MakeExecutionSubject): void {
  let subject: ExecutionSubject;
  // Called in each block: a hook of the whole file would empty the tables of other suites.
  const subjectForEach = () =>
    beforeEach(async () => {
      subject = await makeSubject();
    });

  describe(`claiming feeds ${name}`, () => {
    subjectForEach();

    it('returns a feed with all fields that paging needs', async () => {
      const { runId, feed } = await ownedFeed(subject);
      const { deadlineInMs, ...rest } = feed;
      expect(rest).toEqual({
        feedId: feed.feedId,
        runId,
        country: 'SG',
        audience: segmentAlone({ segment: 'all', snapshot: 's1', estimate: null }),
        fedUsers: 0,
        excludedUsers: 0,
        usersAtMost: null,
        heldOutUsers: 0,
        canaryUsers: null,
        stalls: 0,
        cursor: null,
        nextBatchNo: 1,
        batchUsers: 100,
        token: 1,
        priority: 'normal',
        fromStep: 1,
        hasStoredUsers: false,
        isDry: false,
        firstAction: 'award-reward',
      });
      expect(deadlineInMs).toBeGreaterThan(29 * 86_400_000);
      expect(deadlineInMs).toBeLessThanOrEqual(30 * 86_400_000);
    });

    it('gives a feed to one trigger until its lease expires, then to another with a higher token', async () => {
      const { feed } = await ownedFeed(subject);
      expect(await claimAgain(subject, 't')).toBeUndefined();
      expect(await claimAgain(subject)).toBeUndefined();
      await subject.passTime(leaseMs + 1);
      expect(await claimAgain(subject)).toMatchObject({ feedId: feed.feedId, token: 2 });
    });

    it('gives different feeds to concurrent triggers', async () => {
      const { owned } = await startRun(subject, { countries: ['ID', 'SG', 'TH', 'VN'] });
      await subject.feeds.release('t', owned);
      const claims = await Promise.all(['x', 'y', 'z'].map((owner) => subject.feeds.claim(owner, leaseMs, 2, 'all')));
      const feedIds = claims.flat().map((feed) => feed.feedId);
      expect(new Set(feedIds).size).toBe(feedIds.length);
    });

    it('returns no more feeds than requested', async () => {
      const { owned } = await startRun(subject, { countries: ['ID', 'SG', 'TH'] });
      await subject.feeds.release('t', owned);
      expect(await subject.feeds.claim('x', leaseMs, 2, 'all')).toHaveLength(2);
    });

    it('returns feeds of the oldest runs first, or of the newest', async () => {
      const older = await startRun(subject);
      await subject.passTime(1000);
      const newer = await startRun(subject);
      await subject.feeds.release('t', [...older.owned, ...newer.owned]);
      const runsOf = async (first?: 'newest') => {
        const claimed = await subject.feeds.claim('x', leaseMs, 1, 'all', { first });
        await subject.feeds.release('x', claimed);
        return claimed.map(({ runId }) => runId);
      };
      expect(await runsOf()).toEqual([older.runId]);
      expect(await runsOf('newest')).toEqual([newer.runId]);
    });

    it('returns feeds that never stalled first, or only those', async () => {
      const { owned } = await startRun(subject, { countries: ['ID', 'SG', 'TH'] });
      const [first, ...others] = owned.toSorted((a, b) => (a.feedId < b.feedId ? -1 : 1));
      if (!first) throw new Error('the run has no feed');
      await subject.feeds.stall(first.feedId, first.token, 'segmentation answers 503', 0);
      await subject.feeds.release('t', owned);

      const unstalled = await subject.feeds.claim('x', leaseMs, 3, 'never-stalled');
      expect(unstalled.map(({ feedId }) => feedId).toSorted()).toEqual(others.map(({ feedId }) => feedId));
      await subject.feeds.release('x', unstalled);
      expect(await subject.feeds.claim('y', leaseMs, 2, 'all')).toHaveLength(2);
      expect(await claimAgain(subject, 'z')).toMatchObject({ feedId: first.feedId });
    });

    it('renews the leases of owned feeds', async () => {
      const { feed } = await ownedFeed(subject);
      await subject.passTime(leaseMs - 5000);
      expect(await subject.feeds.renew('t', leaseMs, [feed])).toEqual([feed.feedId]);
      await subject.passTime(leaseMs - 5000);
      expect(await claimAgain(subject)).toBeUndefined();
    });

    it('does not renew feeds that were taken over or belong to another trigger', async () => {
      const { feed } = await ownedFeed(subject);
      expect(await subject.feeds.renew('x', leaseMs, [feed])).toEqual([]);
      await subject.passTime(leaseMs + 1);
      await claimAgain(subject);
      expect(await subject.feeds.renew('t', leaseMs, [feed])).toEqual([]);
    });

    it('neither renews nor returns feeds whose run has ended or passed its deadline', async () => {
      const { runId, feed } = await ownedFeed(subject);
      await subject.passTime(31 * 86_400_000);
      expect(await subject.feeds.renew('t', leaseMs, [feed])).toEqual([]);
      expect(await claimAgain(subject)).toBeUndefined();
      await subject.runs.finish(runId, 'expired', null);
      expect(await subject.feeds.renew('t', leaseMs, [feed])).toEqual([]);
    });

    it('returns a released feed immediately', async () => {
      const { feed } = await ownedFeed(subject);
      await subject.feeds.release('t', [feed]);
      expect(await claimAgain(subject)).toMatchObject({ feedId: feed.feedId, token: 2 });
    });
  });

  describe(`the feeds of running runs ${name}`, () => {
    subjectForEach();

    it('are listed since an earlier listing including late commits, or completely', async () => {
      const { feed } = await ownedFeed(subject);
      const all = async () => (await subject.feeds.listFeeds(null, 0)).feedIds.toSorted();
      const sinceNow = async () => {
        const { until } = await subject.feeds.listFeeds(null, 0);
        return (await subject.feeds.listFeeds(until, usualTransactionMs)).feedIds.toSorted();
      };
      await subject.passTime(9000);
      const { runId, owned } = await startRun(subject);
      const later = owned.map(({ feedId }) => feedId);
      const both = [feed.feedId, ...later].toSorted();
      expect(await sinceNow()).toEqual(both);
      await subject.passTime(2000);
      expect(await sinceNow()).toEqual(later);
      await subject.passTime(20_000);
      expect(await sinceNow()).toEqual([]);
      expect(await all()).toEqual(both);
      await subject.control.change(runId, () => ({ change: { to: 'pausing', events: [] } }));
      expect(await all()).toEqual([feed.feedId]);
      await subject.control.change(runId, () => ({ change: { to: 'running', events: [] } }));
      expect(await sinceNow()).toEqual(later);
    });
  });
}
