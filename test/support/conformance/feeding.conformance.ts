import { beforeEach, describe, expect, it } from 'vitest';
import { segmentAlone, type FeedAudience } from '../../../shared/contracts/runs/feed-audience.ts';
import {
  claimOne,
  createRun,
  doneOf,
  leaseMs,
  record,
  someBatches,
  someUsers,
  talliesOf,
  totalsOf,
  waitingOf,
  type ExecutionSubject,
  type MakeExecutionSubject,
} from './execution-subject.ts';
import { claimAgain, ownedFeed, pagesOf } from './fed-feeds.ts';

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

/** Tests the writes of owners to their feeds. */
export function describeFeeding(name: string, makeSubject: MakeExecutionSubject): void {
  let subject: ExecutionSubject;
  // Called in each block: a hook of the whole file would empty the tables of other suites.
  const subjectForEach = () =>
    beforeEach(async () => {
      subject = await makeSubject();
    });

  describe(`feeding ${name}`, () => {
    subjectForEach();

    it('writes no users beyond the approved limit of the feed', async () => {
      const { runId } = await createRun(subject);
      const audience = segmentAlone({ segment: 'all', snapshot: 's1', estimate: null });
      await subject.runs.begin(runId, [{ country: 'SG', audience, usersAtMost: 3 }]);
      const feed = (await claimAgain(subject, 't')) ?? expect.fail();
      expect(feed.usersAtMost).toBe(3);
      const held = { excluded: 0, heldOut: 1 };
      expect(await subject.feeds.writePages(pagesOf(feed, { skipped: held }))).toBe(true);
      const more = pagesOf(feed, { batches: [{ batchNo: 2, users: ['u3'] }], cursor: 'u3' });
      await expect(subject.feeds.writePages(more)).rejects.toThrow(/feeds_within_approval/);
      await subject.passTime(leaseMs + 1);
      expect(await claimAgain(subject)).toMatchObject({ fedUsers: 3, cursor: 'u2', nextBatchNo: 2 });
    });

    it('writes batches and moves the cursor', async () => {
      const { feed } = await ownedFeed(subject);
      expect(await subject.feeds.writePages(pagesOf(feed))).toBe(true);
      await subject.feeds.release('t', [feed]);
      expect(await claimAgain(subject)).toMatchObject({ cursor: 'u2', nextBatchNo: 2 });
      const claimed = await claimOne(subject.ledgerOf('a'), { feedId: feed.feedId, batchNo: 1, step: 1 });
      expect(claimed.users).toBe('"u1","u2"');
    });

    it('writes nothing under an outdated token', async () => {
      const { runId, feed } = await ownedFeed(subject);
      await subject.passTime(leaseMs + 1);
      await claimAgain(subject);
      expect(
        await subject.feeds.writePages(
          pagesOf(feed, { invalidUsers: [{ user: '\\u0000', rule: 'control-character' }] }),
        ),
      ).toBe(false);
      expect((await tallyOf(runId)).feeds[0]).toMatchObject({ fedUsers: 0, fedBatches: 0, totals: [] });
    });

    it('writes repeated pages once, as after a lost response', async () => {
      const { runId, feed } = await ownedFeed(subject);
      await subject.feeds.writePages(pagesOf(feed));
      expect(await subject.feeds.writePages(pagesOf(feed))).toBe(false);
      expect((await tallyOf(runId)).feeds[0]).toMatchObject({ fedUsers: 2, fedBatches: 1 });
    });

    it('counts users with invalid ids in the audience, as failed in step 1', async () => {
      const { runId, feed } = await ownedFeed(subject);
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

    it('counts an invalid user once, however often it is fed', async () => {
      const { runId, feed } = await ownedFeed(subject);
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

    it('stores a cursor with any content', async () => {
      const { feed } = await ownedFeed(subject);
      const cursor = 'a\0b\n"\\ 🦄 \ud800';
      await subject.feeds.writePages(pagesOf(feed, { batches: [], cursor }));
      await subject.feeds.release('t', [feed]);
      expect(await claimAgain(subject)).toMatchObject({ cursor });
    });

    it('never returns a complete feed', async () => {
      const { feed } = await ownedFeed(subject);
      await subject.feeds.writePages(pagesOf(feed, { complete: true }));
      await subject.feeds.release('t', [feed]);
      expect(await claimAgain(subject)).toBeUndefined();
    });

    it('records which rule an invalid user id breaks', async () => {
      const { runId, feed } = await ownedFeed(subject);
      const invalidUsers = [{ user: '\\u0000', rule: 'control-character' }];
      await subject.feeds.writePages(pagesOf(feed, { invalidUsers }));
      const { items } = await subject.reports.failures(runId, {}, 10, null);
      expect(items).toMatchObject([
        { user: '\\u0000', reason: 'muster.invalid-user-id', detail: 'control-character', attempts: 0 },
      ]);
    });

    it('shows why a feed is stalled, and returns the feed to no trigger before its pause is over', async () => {
      const { runId, feed } = await ownedFeed(subject);
      await subject.feeds.stall(feed.feedId, feed.token, 'segmentation answers 503', 60_000);
      await subject.feeds.release('t', [feed]);
      expect((await tallyOf(runId)).feeds[0]?.stalled).toBe('segmentation answers 503');
      expect(await claimAgain(subject)).toBeUndefined();
      await subject.passTime(60_001);
      expect(await claimAgain(subject)).toMatchObject({ feedId: feed.feedId, stalls: 1 });
    });

    it('changes nothing for a trigger that lost the feed', async () => {
      const { runId, feed } = await ownedFeed(subject);
      const { feedId, token } = feed;
      await subject.feeds.stall(feedId, token - 1, 'from a stale owner', 60_000);
      await subject.feeds.show(feedId, token - 1, 'from a stale owner');
      await subject.feeds.renewAudience(feedId, token - 1, severalSources);
      expect((await tallyOf(runId)).feeds[0]?.stalled).toBeNull();
      await subject.feeds.release('t', [feed]);
      expect(await claimAgain(subject)).toMatchObject({ audience: feed.audience, stalls: 0 });
    });

    it('shows the cause of a stall until a newly fetched page is written', async () => {
      const { runId, feed } = await ownedFeed(subject);
      await subject.feeds.stall(feed.feedId, feed.token, 'a broken page', 0);
      await subject.feeds.writePages(pagesOf(feed, { staysStalled: true }));
      expect((await tallyOf(runId)).feeds[0]?.stalled).toBe('a broken page');
      const batches = [{ batchNo: 2, users: ['u3'] }];
      await subject.feeds.writePages(pagesOf(feed, { batches, cursor: 'u3' }));
      expect((await tallyOf(runId)).feeds[0]?.stalled).toBeNull();
      await subject.feeds.release('t', [feed]);
      expect(await claimAgain(subject)).toMatchObject({ stalls: 0, fedUsers: 3 });
    });

    it('shows and removes a cause that is not a fault of the segment', async () => {
      const { runId, feed } = await ownedFeed(subject);
      await subject.feeds.show(feed.feedId, feed.token, 'Kafka does not take messages');
      expect((await tallyOf(runId)).feeds[0]?.stalled).toBe('Kafka does not take messages');
      await subject.feeds.show(feed.feedId, feed.token, null);
      expect((await tallyOf(runId)).feeds[0]?.stalled).toBeNull();
      await subject.feeds.release('t', [feed]);
      expect(await claimAgain(subject)).toMatchObject({ stalls: 0 });
    });

    it('continues with a fresh snapshot', async () => {
      const { feed } = await ownedFeed(subject);
      const fresh = segmentAlone({ segment: 'all', snapshot: 's2', estimate: 7 });
      await subject.feeds.renewAudience(feed.feedId, feed.token, fresh);
      await subject.feeds.release('t', [feed]);
      expect(await claimAgain(subject)).toMatchObject({ audience: fresh });
      const { items } = await subject.control.events(feed.runId, 10, null);
      expect(items.at(-1)).toMatchObject({
        kind: 'snapshot-renewed',
        detail: { country: 'SG', segment: 'all', snapshot: 's2' },
      });
    });

    it('returns an audience of several sources as resolved at the beginning of the run', async () => {
      const { runId } = await createRun(subject);
      await subject.runs.begin(runId, [{ country: 'SG', audience: severalSources }]);
      expect(await claimAgain(subject, 't')).toMatchObject({ runId, audience: severalSources });
      expect((await subject.reports.snapshot(runId))?.countries).toMatchObject([{ estimate: 30 }]);
    });

    it('counts held-out users in the audience and excluded users beside it, with or without batches', async () => {
      const { runId, feed } = await ownedFeed(subject);
      const first = pagesOf(feed, { skipped: { excluded: 3, heldOut: 1 } });
      expect(await subject.feeds.writePages(first)).toBe(true);
      const second = pagesOf(feed, { batches: [], cursor: 'v', skipped: { excluded: 5000, heldOut: 500 } });
      expect(await subject.feeds.writePages(second)).toBe(true);
      expect((await tallyOf(runId)).feeds).toMatchObject([{ fedUsers: 503, heldOutUsers: 501, fedBatches: 1 }]);
      const counts = { fedUsers: 503, heldOutUsers: 501, excludedUsers: 5003 };
      expect((await subject.reports.snapshot(runId))?.countries).toMatchObject([counts]);
      await subject.feeds.release('t', [feed]);
      expect(await claimAgain(subject)).toMatchObject({ cursor: 'v', fedUsers: 503, excludedUsers: 5003 });
    });

    it('returns how many batches of each feed are in each step', async () => {
      const { feed } = await ownedFeed(subject);
      const batches = someBatches(3, 2).map((users, index) => ({ batchNo: index + 1, users }));
      await subject.feeds.writePages(pagesOf(feed, { batches, cursor: someUsers(6).at(-1) ?? null }));
      const ledger = subject.ledgerOf('a');
      const ref = (batchNo: number) => ({ feedId: feed.feedId, batchNo, step: 1 });
      await record(ledger, doneOf(await claimOne(ledger, ref(2))));
      await record(ledger, waitingOf(await claimOne(ledger, ref(3))));
      const flow = { done: 1, survived: 1, created: 0, waiting: 1 };
      const none = { done: 0, survived: 0, created: 0, waiting: 0 };
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
          share: 1,
          priority: 'normal',
          complete: false,
          held: false,
          fedBatches: 3,
          fromStep: 1,
          steps: [flow, none],
        },
      ]);
      await subject.holds.hold([{ feedId: feed.feedId, step: 2, kind: 'fault', cause: 'HTTP 404' }]);
      expect(await subject.feeds.loads([feed.feedId])).toMatchObject([{ held: true }]);
      expect(await subject.feeds.loads([])).toEqual([]);
    });
  });

  async function tallyOf(runId: string) {
    const tally = (await talliesOf(subject)).find((each) => each.runId === runId);
    if (!tally) throw new Error('the run is not running');
    return tally;
  }
}
