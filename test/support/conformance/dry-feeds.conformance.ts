import { beforeEach, describe, expect, it } from 'vitest';
import { segmentAlone } from '../../../shared/contracts/runs/feed-audience.ts';
import type { FedPages, OwnedFeed } from '../../../services/trigger/ports/feed-store.ts';
import {
  createRun,
  leaseMs,
  startRun,
  talliesOf,
  type ExecutionSubject,
  type MakeExecutionSubject,
} from './execution-subject.ts';

const chain = [
  { action: 'award-reward', params: {}, unitsPerUser: 2 },
  { action: 'send-message', params: {} },
  { action: 'award-points', params: {} },
];
const audience = segmentAlone({ segment: 'all', snapshot: 's1', estimate: 100 });
const steps = [1, 2, 3];

export function describeDryFeeds(name: string, makeSubject: MakeExecutionSubject): void {
  let subject: ExecutionSubject;
  // Called in each block: a hook of the whole file would empty the tables of other suites.
  const subjectForEach = () =>
    beforeEach(async () => {
      subject = await makeSubject();
    });

  async function dryFeed(): Promise<{ runId: string; feed: OwnedFeed }> {
    const { runId } = await createRun(subject, { chain, budgets: [{ country: 'SG', units: 100 }] });
    await subject.makeDry(runId);
    await subject.runs.begin(runId, [{ country: 'SG', audience }]);
    const [feed = expect.fail()] = await subject.feeds.claim('t', leaseMs, 10, 'all');
    return { runId, feed };
  }

  function pagesOf({ feedId, token }: OwnedFeed, changes: Partial<FedPages> = {}): FedPages {
    const batches = [
      { batchNo: 1, users: ['u1', 'u2'] },
      { batchNo: 2, users: ['u3', 'u4', 'u5'] },
    ];
    const cursor = { cursor: 'u5', complete: true, staysStalled: false };
    return { feedId, token, batches, invalidUsers: [], sink: { shared: 0, country: 'SG' }, ...cursor, ...changes };
  }

  const allSteps = ({ feedId }: OwnedFeed) =>
    [1, 2].flatMap((batchNo) => steps.map((step) => ({ feedId, batchNo, step })));

  describe(`feeds of dry runs ${name}`, () => {
    subjectForEach();

    it('need no approval, cost nothing and are marked as dry', async () => {
      const { runId } = await createRun(subject, { chain, budgets: [{ country: 'SG', units: 100 }] });
      await subject.makeDry(runId);
      expect(await subject.runs.toPrepare(10, [])).toMatchObject([{ runId, isDry: true, isJudged: false }]);
      await subject.runs.begin(runId, [{ country: 'SG', audience }]);
      const [feed = expect.fail()] = await subject.feeds.claim('t', leaseMs, 10, 'all');
      expect(feed).toMatchObject({ runId, isDry: true });
      await subject.feeds.writePages(pagesOf(feed));
      expect(await subject.reports.snapshot(runId)).toMatchObject({
        kind: 'dry-run',
        budgets: [{ country: 'SG', used: 0, reserved: 0 }],
      });
    });

    it('have no batch that a worker could claim', async () => {
      const { feed } = await dryFeed();
      expect(await subject.feeds.writePages(pagesOf(feed))).toBe(true);
      const requested = { results: [], claims: allSteps(feed), begins: [] };
      expect((await subject.ledgerOf('a').flush(requested)).claimed).toEqual([]);
      await subject.passTime(10 * leaseMs);
      expect((await subject.ledgerOf('b').flush(requested)).claimed).toEqual([]);
      for (const ref of allSteps(feed)) expect(await subject.rows.step(ref)).toMatchObject({ state: 'done', epoch: 1 });
    });

    it('refuse a batch that is not ended when it is written', async () => {
      const { feed } = await dryFeed();
      await expect(subject.feeds.writePages(pagesOf(feed, { sink: undefined }))).rejects.toThrow(
        /feeds_dry_batches_have_ended/,
      );
      expect(await subject.rows.step({ feedId: feed.feedId, batchNo: 1, step: 1 })).toBeUndefined();
      expect(await subject.feeds.writePages(pagesOf(feed))).toBe(true);
    });

    it('are the only feeds whose batches are ended when they are written', async () => {
      const { owned } = await startRun(subject, { chain });
      const [feed = expect.fail()] = owned;
      expect(await subject.feeds.writePages(pagesOf(feed))).toBe(false);
      expect(await subject.feeds.writePages(pagesOf(feed, { sink: undefined }))).toBe(true);
      const claimed = await subject.ledgerOf('a').flush({ results: [], claims: allSteps(feed), begins: [] });
      expect(claimed.claimed).toHaveLength(2);
    });

    it('have the totals of a run in which every user succeeds, and leave nothing to sweep', async () => {
      const { runId, feed } = await dryFeed();
      await subject.feeds.writePages(pagesOf(feed, { skipped: { excluded: 2, heldOut: 1 } }));
      const [tally = expect.fail()] = await talliesOf(subject);
      const done = { batches: 2, succeeded: 5, failed: 0, suppressed: 0 };
      expect(tally.feeds).toMatchObject([
        { fedUsers: 6, heldOutUsers: 1, fedBatches: 2, totals: steps.map((step) => ({ step, ...done })) },
      ]);
      expect(tally.feeds[0]?.flow).toMatchObject(steps.map(() => ({ done: 2, survived: 2, created: 0, waiting: 0 })));
      const read = await subject.sweep.examine(
        { feedId: feed.feedId, chainLength: 3 },
        { from: 1, limit: 100, unrecorded: steps },
      );
      expect(read.running).toBe(0);
      expect(await subject.rows.agenda(feed.feedId)).toEqual([]);
      expect(await subject.reconciliation.reconcile({ feedId: feed.feedId, chainLength: 3 })).toEqual([]);
      const ended = await subject.runs.end(runId, (_, counted) => {
        expect(counted).toMatchObject([{ totals: steps.map((step) => ({ step, ...done })) }]);
        return { state: 'completed', reason: null };
      });
      expect(ended).toEqual({ state: 'completed', reason: null });
    });

    it('suppress the same users as a run, in the first step of each list', async () => {
      const { runId, feed } = await dryFeed();
      await subject.suppress('send-message', ['u1', 'u3', 'x'], 'asked for it');
      await subject.suppress('*', ['u4'], null);
      await subject.suppress('award-points', ['u3'], null);
      await subject.feeds.writePages(pagesOf(feed));
      const [tally = expect.fail()] = await talliesOf(subject);
      expect(tally.feeds[0]?.totals).toMatchObject([
        { step: 1, succeeded: 4, suppressed: 1 },
        { step: 2, succeeded: 2, suppressed: 2 },
        { step: 3, succeeded: 2, suppressed: 0 },
      ]);
      const { items } = await subject.reports.failures(runId, {}, 10, null);
      expect(items.map(({ user, step, outcome, detail }) => [user, step, outcome, detail])).toEqual([
        ['u1', 2, 'suppressed', 'on the suppression list of send-message: asked for it'],
        ['u4', 1, 'suppressed', 'on the suppression list of all action types'],
        ['u3', 2, 'suppressed', 'on the suppression list of send-message: asked for it'],
      ]);
      expect(await subject.reconciliation.reconcile({ feedId: feed.feedId, chainLength: 3 })).toEqual([]);
    });

    it('end a batch in the step in which no user is left', async () => {
      const { feed } = await dryFeed();
      await subject.suppress('send-message', ['u1', 'u2'], null);
      await subject.feeds.writePages(pagesOf(feed));
      const [tally = expect.fail()] = await talliesOf(subject);
      expect(tally.feeds[0]?.totals.map(({ batches }) => batches)).toEqual([2, 2, 1]);
      expect(tally.feeds[0]?.flow.map(({ done, survived }) => [done, survived])).toEqual([
        [2, 2],
        [2, 1],
        [1, 1],
      ]);
      expect((await subject.ledgerOf('a').flush({ results: [], claims: allSteps(feed), begins: [] })).claimed).toEqual(
        [],
      );
      expect(await subject.reconciliation.reconcile({ feedId: feed.feedId, chainLength: 3 })).toEqual([]);
    });

    it('use no capacity of a shard and are claimed after all others', async () => {
      const { feed } = await dryFeed();
      await subject.feeds.writePages(pagesOf(feed, { complete: false }));
      const { feedIds } = await subject.feeds.listFeeds(null, 0);
      expect(await subject.feeds.loads(feedIds)).toMatchObject([{ feedId: feed.feedId, chain: [], steps: [] }]);

      const live = await startRun(subject);
      await subject.feeds.release('t', [feed, ...live.owned]);
      const claimed = await subject.feeds.claim('x', leaseMs, 1, 'all', { first: 'newest' });
      expect(claimed).toMatchObject([{ runId: live.runId }]);
      expect(await subject.feeds.claim('y', leaseMs, 1, 'all', { withoutDry: true })).toEqual([]);
      expect(await subject.feeds.claim('z', leaseMs, 1, 'all')).toMatchObject([{ feedId: feed.feedId }]);
    });

    it('can be cancelled like any other feed', async () => {
      const { runId, feed } = await dryFeed();
      await subject.feeds.writePages(pagesOf(feed, { complete: false }));
      expect(await subject.runs.finish(runId, 'cancelled', null)).toBe(false);
      expect(await subject.runs.finish(runId, 'expired', null)).toBe(true);
      const more = pagesOf(feed, { batches: [{ batchNo: 3, users: ['u6'] }], cursor: 'u6' });
      expect(await subject.feeds.writePages(more)).toBe(false);
    });
  });
}
