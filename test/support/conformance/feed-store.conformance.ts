import { beforeEach, describe, expect, it } from 'vitest';
import { segmentAlone, type FeedAudience } from '../../../shared/contracts/runs/feed-audience.ts';
import type { FedPages, OwnedFeed } from '../../../services/trigger/feed/feed-store.port.ts';
import {
  claimOne,
  createRun,
  doneOf,
  leaseMs,
  record,
  someBatches,
  someUsers,
  startRun,
  talliesOf,
  totalsOf,
  waitingOf,
  type ExecutionSubject,
  type MakeExecutionSubject,
} from './execution-subject.ts';

const severalSources: FeedAudience = {
  include: [
    { segment: 'riders', snapshot: 's1', estimate: 10 },
    { listId: '01890a5d-ac96-774b-bcce-b302099a8057', estimate: 20 },
  ],
  exclude: [
    {
      runId: '01890a5d-ac96-774b-bcce-b302099a8058',
      feedIds: ['01890a5d-ac96-774b-bcce-b302099a8059'],
      steps: 2,
      outcomes: ['succeeded', 'unknown'],
      step: 1,
      estimate: null,
    },
  ],
  holdOut: { percent: 2.5, seed: 'it\'s "december"' },
};

export function describeFeedStore(name: string, makeSubject: MakeExecutionSubject): void {
  let subject: ExecutionSubject;
  beforeEach(async () => {
    subject = await makeSubject();
  });

  /** A running run whose only feed is owned by trigger `t`. */
  async function ownedFeed(): Promise<{ runId: string; feed: OwnedFeed }> {
    const { runId, owned } = await startRun(subject);
    const [feed] = owned;
    if (!feed) throw new Error('the run has no feed');
    return { runId, feed };
  }

  function pagesOf({ feedId, token }: OwnedFeed, changes: Partial<FedPages> = {}): FedPages {
    const batches = [{ batchNo: 1, users: ['u1', 'u2'] }];
    return { feedId, token, batches, invalidUsers: [], cursor: 'u2', complete: false, staysStalled: false, ...changes };
  }

  async function claimAgain(owner = 't2'): Promise<OwnedFeed | undefined> {
    return (await subject.feeds.claim(owner, leaseMs, 10, 'all'))[0];
  }

  describe(`owning feeds ${name}`, () => {
    it('gives a feed with all that paging it needs', async () => {
      const { runId, feed } = await ownedFeed();
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

    it('gives a feed to one trigger, until its lease expires; then with a higher token', async () => {
      const { feed } = await ownedFeed();
      expect(await claimAgain('t')).toBeUndefined();
      expect(await claimAgain()).toBeUndefined();
      await subject.passTime(leaseMs + 1);
      expect(await claimAgain()).toMatchObject({ feedId: feed.feedId, token: 2 });
    });

    it('gives different feeds to triggers that ask at once', async () => {
      const { owned } = await startRun(subject, { countries: ['ID', 'SG', 'TH', 'VN'] });
      await subject.feeds.release('t', owned);
      const claims = await Promise.all(['x', 'y', 'z'].map((owner) => subject.feeds.claim(owner, leaseMs, 2, 'all')));
      const feedIds = claims.flat().map((feed) => feed.feedId);
      expect(new Set(feedIds).size).toBe(feedIds.length);
    });

    it('gives no more feeds than were asked for', async () => {
      const { owned } = await startRun(subject, { countries: ['ID', 'SG', 'TH'] });
      await subject.feeds.release('t', owned);
      expect(await subject.feeds.claim('x', leaseMs, 2, 'all')).toHaveLength(2);
    });

    it('gives those of the oldest runs first, or of the newest', async () => {
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

    it('gives feeds that never stalled first, or no others', async () => {
      const { owned } = await startRun(subject, { countries: ['ID', 'SG', 'TH'] });
      const [first, ...others] = owned.toSorted((a, b) => (a.feedId < b.feedId ? -1 : 1));
      if (!first) throw new Error('the run has no feed');
      await subject.feeds.stall(first.feedId, first.token, 'segmentation answers 503', 0);
      await subject.feeds.release('t', owned);

      const unstalled = await subject.feeds.claim('x', leaseMs, 3, 'never-stalled');
      expect(unstalled.map(({ feedId }) => feedId).toSorted()).toEqual(others.map(({ feedId }) => feedId));
      await subject.feeds.release('x', unstalled);
      expect(await subject.feeds.claim('y', leaseMs, 2, 'all')).toHaveLength(2);
      expect(await claimAgain('z')).toMatchObject({ feedId: first.feedId });
    });

    it('prolongs leases of feeds that are still ours', async () => {
      const { feed } = await ownedFeed();
      await subject.passTime(leaseMs - 5000);
      expect(await subject.feeds.renew('t', leaseMs, [feed])).toEqual([feed.feedId]);
      await subject.passTime(leaseMs - 5000);
      expect(await claimAgain()).toBeUndefined();
    });

    it('does not prolong what was taken over, nor what belongs to another', async () => {
      const { feed } = await ownedFeed();
      expect(await subject.feeds.renew('x', leaseMs, [feed])).toEqual([]);
      await subject.passTime(leaseMs + 1);
      await claimAgain();
      expect(await subject.feeds.renew('t', leaseMs, [feed])).toEqual([]);
    });

    it('neither prolongs nor gives feeds whose run has ended or passed its deadline', async () => {
      const { runId, feed } = await ownedFeed();
      await subject.passTime(31 * 86_400_000);
      expect(await subject.feeds.renew('t', leaseMs, [feed])).toEqual([]);
      expect(await claimAgain()).toBeUndefined();
      await subject.runs.finish(runId, 'expired', null);
      expect(await subject.feeds.renew('t', leaseMs, [feed])).toEqual([]);
    });

    it('gives a released feed at once', async () => {
      const { feed } = await ownedFeed();
      await subject.feeds.release('t', [feed]);
      expect(await claimAgain()).toMatchObject({ feedId: feed.feedId, token: 2 });
    });
  });

  describe(`a canary ${name}`, () => {
    async function withCanary() {
      const canary = { users: 5, then: 'pause' as const, maxFailedPercent: 2 };
      const { runId } = await createRun(subject, { canary });
      const audience = segmentAlone({ segment: 'all', snapshot: 's1', estimate: 100 });
      await subject.runs.begin(runId, [{ country: 'SG', audience, canaryUsers: 2 }]);
      const feed = (await claimAgain('t')) ?? expect.fail();
      return { runId, feed };
    }

    it('keeps a feed that has its first users from being claimed, held-out ones not counted', async () => {
      const { runId, feed } = await withCanary();
      expect(feed.canaryUsers).toBe(2);
      const first = pagesOf(feed, { batches: [{ batchNo: 1, users: ['u1'] }], cursor: 'u1' });
      await subject.feeds.writePages({ ...first, skipped: { excluded: 0, heldOut: 3 } });
      await subject.feeds.release('t', [feed]);
      const again = (await claimAgain()) ?? expect.fail();
      expect(again).toMatchObject({ fedUsers: 4, heldOutUsers: 3, canaryUsers: 2 });
      const second = pagesOf(again, { batches: [{ batchNo: 2, users: ['u2'] }], cursor: 'u2' });
      await subject.feeds.writePages(second);
      await subject.feeds.release(again === feed ? 't' : 'u', [again]);
      await subject.passTime(leaseMs + 1);
      expect(await claimAgain()).toBeUndefined();
      const [tally] = await subject.runs.tallies([runId]);
      expect(tally).toMatchObject({ canary: { maxFailedPercent: 2 }, feeds: [{ canaryUsers: 2, heldOutUsers: 3 }] });
    });

    it('is over once, and everybody is fed from then on', async () => {
      const { runId, feed } = await withCanary();
      await subject.feeds.writePages(pagesOf(feed));
      await subject.feeds.release('t', [feed]);
      expect(await subject.runs.endCanary(runId, 'none failed')).toBe(true);
      expect(await subject.runs.endCanary(runId, 'none failed')).toBe(false);
      expect(await subject.runs.pauseForCanary(runId, 'canary: too late')).toBe(false);
      expect(await claimAgain()).toMatchObject({ fedUsers: 2, canaryUsers: null });
      expect((await subject.runs.tallies([runId]))[0]).toMatchObject({ canary: null });
      expect(await subject.reports.snapshot(runId)).toMatchObject({ state: 'running', canary: 'over' });
    });

    it('that waits for a person feeds nobody', async () => {
      const { runId, feed } = await withCanary();
      await subject.feeds.release('t', [feed]);
      expect(await subject.runs.pauseForCanary(runId, 'canary: 2 users have ended')).toBe(true);
      expect(await subject.runs.endCanary(runId, 'none failed')).toBe(false);
      expect(await claimAgain()).toBeUndefined();
      const shown = { state: 'pausing', canary: 'waits', stateReason: 'canary: 2 users have ended' };
      expect(await subject.reports.snapshot(runId)).toMatchObject(shown);
    });

    it('is none of a run without one', async () => {
      const { runId } = await startRun(subject);
      expect(await subject.runs.pauseForCanary(runId, 'canary')).toBe(false);
      expect(await subject.runs.endCanary(runId, '')).toBe(false);
      expect(await subject.reports.snapshot(runId)).toMatchObject({ state: 'running', canary: null });
    });
  });

  describe(`feeding ${name}`, () => {
    it('takes as many users as the feed may have, and of more writes none', async () => {
      const { runId } = await createRun(subject);
      const audience = segmentAlone({ segment: 'all', snapshot: 's1', estimate: null });
      await subject.runs.begin(runId, [{ country: 'SG', audience, usersAtMost: 3 }]);
      const feed = (await claimAgain('t')) ?? expect.fail();
      expect(feed.usersAtMost).toBe(3);
      const held = { excluded: 0, heldOut: 1 };
      expect(await subject.feeds.writePages(pagesOf(feed, { skipped: held }))).toBe(true);
      const more = pagesOf(feed, { batches: [{ batchNo: 2, users: ['u3'] }], cursor: 'u3' });
      await expect(subject.feeds.writePages(more)).rejects.toThrow(/feeds_within_approval/);
      await subject.passTime(leaseMs + 1);
      expect(await claimAgain()).toMatchObject({ fedUsers: 3, cursor: 'u2', nextBatchNo: 2 });
    });

    it('writes batches and moves the cursor', async () => {
      const { feed } = await ownedFeed();
      expect(await subject.feeds.writePages(pagesOf(feed))).toBe(true);
      await subject.feeds.release('t', [feed]);
      expect(await claimAgain()).toMatchObject({ cursor: 'u2', nextBatchNo: 2 });
      const claimed = await claimOne(subject.ledgerOf('a'), { feedId: feed.feedId, batchNo: 1, step: 1 });
      expect(claimed.users).toBe('"u1","u2"');
    });

    it('writes nothing under a token that is no longer ours', async () => {
      const { runId, feed } = await ownedFeed();
      await subject.passTime(leaseMs + 1);
      await claimAgain();
      expect(
        await subject.feeds.writePages(
          pagesOf(feed, { invalidUsers: [{ user: '\\u0000', rule: 'control-character' }] }),
        ),
      ).toBe(false);
      expect((await tallyOf(runId)).feeds[0]).toMatchObject({ fedUsers: 0, fedBatches: 0, totals: [] });
    });

    it('writes nothing twice when the same pages come again because the answer was lost', async () => {
      const { runId, feed } = await ownedFeed();
      await subject.feeds.writePages(pagesOf(feed));
      expect(await subject.feeds.writePages(pagesOf(feed))).toBe(false);
      expect((await tallyOf(runId)).feeds[0]).toMatchObject({ fedUsers: 2, fedBatches: 1 });
    });

    it('counts users that can never be sent into the audience, as failed in step 1', async () => {
      const { runId, feed } = await ownedFeed();
      const invalidUsers = [
        { user: '', rule: 'empty' },
        { user: 'tab\\tand "quote"', rule: 'control-character' },
      ];
      await subject.feeds.writePages(pagesOf(feed, { invalidUsers, cursor: 'u\t', complete: true }));
      const totals = {
        step: 1,
        batches: 0,
        succeeded: 0,
        failed: 2,
        expired: 0,
        cancelled: 0,
        unknown: 0,
        suppressed: 0,
      };
      expect((await tallyOf(runId)).feeds[0]).toMatchObject({ fedUsers: 4, complete: true, totals: [totals] });
      await subject.runs.end(runId, (_, counted) => {
        expect(counted).toEqual([{ feedId: feed.feedId, totals: [totals] }]);
        return null;
      });
    });

    it('counts an invalid user once, however often it comes', async () => {
      const { runId, feed } = await ownedFeed();
      const page = pagesOf(feed, {
        batches: [],
        invalidUsers: [{ user: '\\u0000', rule: 'control-character' }],
        cursor: null,
      });
      await subject.feeds.writePages(page);
      await subject.feeds.writePages(page);
      expect((await tallyOf(runId)).feeds[0]).toMatchObject({ fedUsers: 1 });
      expect(await totalsOf(subject, runId)).toMatchObject([{ failed: 1 }]);
    });

    it('keeps a cursor of any content', async () => {
      const { feed } = await ownedFeed();
      const cursor = 'a\0b\n"\\ 🦄 \ud800';
      await subject.feeds.writePages(pagesOf(feed, { batches: [], cursor }));
      await subject.feeds.release('t', [feed]);
      expect(await claimAgain()).toMatchObject({ cursor });
    });

    it('never gives a complete feed again', async () => {
      const { feed } = await ownedFeed();
      await subject.feeds.writePages(pagesOf(feed, { complete: true }));
      await subject.feeds.release('t', [feed]);
      expect(await claimAgain()).toBeUndefined();
    });

    it('says which rule an invalid user breaks', async () => {
      const { runId, feed } = await ownedFeed();
      const invalidUsers = [{ user: '\\u0000', rule: 'control-character' }];
      await subject.feeds.writePages(pagesOf(feed, { invalidUsers }));
      const { items } = await subject.reports.failures(runId, {}, 10, null);
      expect(items).toMatchObject([
        { user: '\\u0000', reason: 'muster.invalid-user-id', detail: 'control-character', attempts: 0 },
      ]);
    });

    it('shows why a feed does not move on, and gives it to nobody before its pause is over', async () => {
      const { runId, feed } = await ownedFeed();
      await subject.feeds.stall(feed.feedId, feed.token, 'segmentation answers 503', 60_000);
      await subject.feeds.release('t', [feed]);
      expect((await tallyOf(runId)).feeds[0]?.stalled).toBe('segmentation answers 503');
      expect(await claimAgain()).toBeUndefined();
      await subject.passTime(60_001);
      expect(await claimAgain()).toMatchObject({ feedId: feed.feedId, stalls: 1 });
    });

    it('changes nothing for somebody who has lost the feed', async () => {
      const { runId, feed } = await ownedFeed();
      const { feedId, token } = feed;
      await subject.feeds.stall(feedId, token - 1, 'from a stale owner', 60_000);
      await subject.feeds.show(feedId, token - 1, 'from a stale owner');
      await subject.feeds.renewAudience(feedId, token - 1, severalSources);
      expect((await tallyOf(runId)).feeds[0]?.stalled).toBeNull();
      await subject.feeds.release('t', [feed]);
      expect(await claimAgain()).toMatchObject({ audience: feed.audience, stalls: 0 });
    });

    it('shows the cause until the feed has moved: what was fetched before it is no such move', async () => {
      const { runId, feed } = await ownedFeed();
      await subject.feeds.stall(feed.feedId, feed.token, 'a broken page', 0);
      await subject.feeds.writePages(pagesOf(feed, { staysStalled: true }));
      expect((await tallyOf(runId)).feeds[0]?.stalled).toBe('a broken page');
      const batches = [{ batchNo: 2, users: ['u3'] }];
      await subject.feeds.writePages(pagesOf(feed, { batches, cursor: 'u3' }));
      expect((await tallyOf(runId)).feeds[0]?.stalled).toBeNull();
      await subject.feeds.release('t', [feed]);
      expect(await claimAgain()).toMatchObject({ stalls: 0, fedUsers: 3 });
    });

    it('shows and takes back a cause that is none of the segment', async () => {
      const { runId, feed } = await ownedFeed();
      await subject.feeds.show(feed.feedId, feed.token, 'Kafka does not take messages');
      expect((await tallyOf(runId)).feeds[0]?.stalled).toBe('Kafka does not take messages');
      await subject.feeds.show(feed.feedId, feed.token, null);
      expect((await tallyOf(runId)).feeds[0]?.stalled).toBeNull();
      await subject.feeds.release('t', [feed]);
      expect(await claimAgain()).toMatchObject({ stalls: 0 });
    });

    it('goes on with a fresh snapshot', async () => {
      const { feed } = await ownedFeed();
      const fresh = segmentAlone({ segment: 'all', snapshot: 's2', estimate: 7 });
      await subject.feeds.renewAudience(feed.feedId, feed.token, fresh);
      await subject.feeds.release('t', [feed]);
      expect(await claimAgain()).toMatchObject({ audience: fresh });
      const { items } = await subject.control.events(feed.runId, 10, null);
      expect(items.at(-1)).toMatchObject({
        kind: 'snapshot-renewed',
        detail: { country: 'SG', segment: 'all', snapshot: 's2' },
      });
    });

    it('gives an audience of several sources as it was resolved when the run began', async () => {
      const { runId } = await createRun(subject);
      await subject.runs.begin(runId, [{ country: 'SG', audience: severalSources }]);
      expect(await claimAgain('t')).toMatchObject({ runId, audience: severalSources });
      expect((await subject.reports.snapshot(runId))?.countries).toMatchObject([{ estimate: 30 }]);
    });

    it('counts who is held out into the audience and who is excluded beside it, with batches or without', async () => {
      const { runId, feed } = await ownedFeed();
      const first = pagesOf(feed, { skipped: { excluded: 3, heldOut: 1 } });
      expect(await subject.feeds.writePages(first)).toBe(true);
      const second = pagesOf(feed, { batches: [], cursor: 'v', skipped: { excluded: 5000, heldOut: 500 } });
      expect(await subject.feeds.writePages(second)).toBe(true);
      expect((await tallyOf(runId)).feeds).toMatchObject([{ fedUsers: 503, heldOutUsers: 501, fedBatches: 1 }]);
      const counts = { fedUsers: 503, heldOutUsers: 501, excludedUsers: 5003 };
      expect((await subject.reports.snapshot(runId))?.countries).toMatchObject([counts]);
      await subject.feeds.release('t', [feed]);
      expect(await claimAgain()).toMatchObject({ cursor: 'v', fedUsers: 503, excludedUsers: 5003 });
    });

    it('tells how the batches of each feed flow through its chain', async () => {
      const { feed } = await ownedFeed();
      const batches = someBatches(3, 2).map((users, index) => ({ batchNo: index + 1, users }));
      await subject.feeds.writePages(pagesOf(feed, { batches, cursor: someUsers(6).at(-1) ?? null }));
      const ledger = subject.ledgerOf('a');
      const ref = (batchNo: number) => ({ feedId: feed.feedId, batchNo, step: 1 });
      await record(ledger, doneOf(await claimOne(ledger, ref(2))));
      await record(ledger, waitingOf(await claimOne(ledger, ref(3))));
      const flow = { done: 1, survived: 1, born: 0, waiting: 1 };
      const none = { done: 0, survived: 0, born: 0, waiting: 0 };
      expect(await subject.feeds.loads([feed.feedId])).toEqual([
        {
          feedId: feed.feedId,
          runId: feed.runId,
          country: 'SG',
          paceAllows: null,
          batchUsers: 100,
          chain: ['award-reward', 'send-message'],
          checks: [null, null],
          quietSteps: [],
          priority: 'normal',
          complete: false,
          held: false,
          fedBatches: 3,
          fromStep: 1,
          steps: [flow, none],
        },
      ]);
      await subject.holds.hold([{ feedId: feed.feedId, step: 2, cause: 'HTTP 404' }]);
      expect(await subject.feeds.loads([feed.feedId])).toMatchObject([{ held: true }]);
      expect(await subject.feeds.loads([])).toEqual([]);
    });
  });

  describe(`the feeds of running runs ${name}`, () => {
    it('are listed since an earlier listing, with what was not committed by then, or all of them', async () => {
      const { feed } = await ownedFeed();
      const all = async () => (await subject.feeds.listFeeds(null)).feedIds.toSorted();
      const sinceNow = async () => {
        const { until } = await subject.feeds.listFeeds(null);
        return (await subject.feeds.listFeeds(until)).feedIds.toSorted();
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

  describe(`the pace of a run ${name}`, () => {
    const allows = async () => (await loadsOfAll())[0]?.paceAllows;
    const take = async (runId: string, batches: number) =>
      (await subject.feeds.takePace([{ runId, batches }])).get(runId);
    const setPace = (runId: string, paceUsersPerSecond: number | null) =>
      subject.control.change(runId, () => ({ change: { settings: { paceUsersPerSecond }, events: [] } }));

    it('is none unless somebody sets one', async () => {
      const { runId } = await startRun(subject);
      expect(await allows()).toBeNull();
      expect(await take(runId, 5)).toBeUndefined();
    });

    it('allows one batch at first, and then as many as its time has made room for, at most those of a second', async () => {
      const { runId } = await startRun(subject, { paceUsersPerSecond: 1000 });
      expect(await allows()).toBe(100);
      expect(await take(runId, 5)).toBe(1);
      await subject.passTime(300);
      expect(await take(runId, 2)).toBe(2);
      await subject.passTime(60_000);
      expect(await allows()).toBe(1000);
      expect(await take(runId, 50)).toBe(10);
    });

    it('is counted in batches of the run, however large those are', async () => {
      const { runId } = await createRun(subject, { paceUsersPerSecond: 500 });
      const audience = segmentAlone({ segment: 'all', snapshot: 's1', estimate: null });
      await subject.runs.begin(runId, [{ country: 'SG', audience }], 250);
      expect(await allows()).toBe(250);
      expect(await take(runId, 5)).toBe(1);
      await subject.passTime(10_000);
      expect(await take(runId, 5)).toBe(2);
    });

    it('is one for all triggers, whoever asks first', async () => {
      const { runId } = await startRun(subject, { paceUsersPerSecond: 500 });
      await take(runId, 1);
      await subject.passTime(10_000);
      const sinceMs = performance.now();
      const taken = await Promise.all([take(runId, 4), take(runId, 4), take(runId, 4)]);
      // A database has a clock of its own: every 200 ms that the three of them took made room for one more.
      const more = Math.floor((performance.now() - sinceMs) / 200);
      const sum = taken.reduce<number>((all, batches) => all + (batches ?? 0), 0);
      expect(sum).toBeGreaterThanOrEqual(5);
      expect(sum).toBeLessThanOrEqual(5 + more);
    });

    it('lets a batch through now and then where it is less than one in a second', async () => {
      const { runId } = await startRun(subject, { paceUsersPerSecond: 10 });
      expect(await take(runId, 3)).toBe(1);
      await subject.passTime(5000);
      expect(await take(runId, 3)).toBe(0);
      await subject.passTime(5500);
      expect(await take(runId, 3)).toBe(1);
    });

    it('changes while the run goes on, and so does its priority', async () => {
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
    return subject.feeds.loads((await subject.feeds.listFeeds(null)).feedIds);
  }

  async function tallyOf(runId: string) {
    const tally = (await talliesOf(subject)).find((each) => each.runId === runId);
    if (!tally) throw new Error('the run is not running');
    return tally;
  }
}
