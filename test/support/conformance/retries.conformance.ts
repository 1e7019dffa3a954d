import { v7 as uuidv7 } from 'uuid';
import { beforeEach, describe, expect, it } from 'vitest';
import type { RetryFilter } from '../../../services/api/runs/retries.port.ts';
import type { OwnedFeed } from '../../../services/trigger/ports/feed-store.ts';
import type { StepLedger, UserFailure } from '../../../shared/ports/step-ledger.ts';
import {
  claimOne,
  doneOf,
  failed,
  leaseMs,
  record,
  startFedRun,
  talliesOf,
  type ExecutionSubject,
  type MakeExecutionSubject,
} from './execution-subject.ts';

/** Estimate of a feed's users. */
const ofUsers = (estimate: number) => ({ audience: { include: [{ estimate }] } });

const all: RetryFilter = { steps: null, countries: null, reasons: null };

/** Tests the retry of failed users in child runs, after the end of a run. */
export function describeRetries(name: string, makeSubject: MakeExecutionSubject): void {
  // In a block of its own: a hook of the whole file would empty the tables of other suites.
  describe(`retries ${name}`, () => {
    let subject: ExecutionSubject;
    let ledger: StepLedger;
    let runId: string;
    beforeEach(async () => {
      subject = await makeSubject();
      ledger = subject.ledgerOf('a');
      runId = await endedRun();
    });

    /**
     * Creates an ended run with two batches: u2 and u5 failed in step 1, u3 failed in step 2, and the outcome of u6 is
     * unknown.
     */
    async function endedRun(): Promise<string> {
      const fed = await startFedRun(subject, [
        ['u1', 'u2', 'u3'],
        ['u4', 'u5', 'u6'],
      ]);
      const { feedId } = fed;
      const unknown: UserFailure = { user: 'u6', outcome: 'unknown', reason: 'muster.no-result', detail: null };
      await finishStep(feedId, 1, 1, [failed('u2')]);
      await finishStep(feedId, 2, 1, [failed('u5', { reason: 'blocked' }), unknown]);
      await finishStep(feedId, 1, 2, [failed('u3')]);
      await finishStep(feedId, 2, 2, []);
      await subject.runs.finish(fed.runId, 'completed_with_failures', null);
      return fed.runId;
    }

    async function finishStep(feedId: string, batchNo: number, step: number, failures: UserFailure[]): Promise<void> {
      await record(ledger, doneOf(await claimOne(ledger, { feedId, batchNo, step }), { failures, restUsers: 3 }));
    }

    async function retry(filter: Partial<RetryFilter> = {}, of = runId): Promise<string> {
      const id = uuidv7();
      const verdict = await subject.retries.create({
        runId: id,
        parentRunId: of,
        filter: { ...all, ...filter },
        deadlineSeconds: null,
      });
      expect(verdict).toEqual({ kind: 'created' });
      return id;
    }

    /** Begins a child run. Returns its feeds in the order of their steps. */
    async function begin(childId: string): Promise<OwnedFeed[]> {
      await subject.runs.beginRetry(childId);
      const owned = await subject.feeds.claim('t', leaseMs, 100, 'all');
      return owned.filter((feed) => feed.runId === childId).sort((a, b) => a.fromStep - b.fromStep);
    }

    /** Feeds all users of a child run's feed, and records these failures; the others succeed. */
    async function serve({ feedId, token, fromStep }: OwnedFeed, failures: UserFailure[]): Promise<void> {
      const { users } = await subject.feeds.retriedUsers(feedId, null, 100);
      const batches = [{ batchNo: 1, users }];
      const page = { batches, invalidUsers: [], cursor: users.at(-1) ?? null, complete: true, staysStalled: false };
      await subject.feeds.writePages({ feedId, token, ...page });
      for (let step = fromStep; step <= 2; step++) {
        const claimed = await claimOne(ledger, { feedId, batchNo: 1, step });
        const own = step === fromStep ? failures : [];
        const left = users.length - failures.length;
        await record(ledger, doneOf(claimed, { failures: own, restUsers: left }));
        if (left === 0) return;
      }
    }

    const groups = (filter: Partial<RetryFilter> = {}, of = runId) => subject.retries.groups(of, { ...all, ...filter });

    it('count the users whose failures are current, by step, country and reason', async () => {
      expect(await groups()).toEqual([
        { step: 1, country: 'SG', reason: 'blocked', users: 1 },
        { step: 1, country: 'SG', reason: 'out-of-stock', users: 1 },
        { step: 2, country: 'SG', reason: 'out-of-stock', users: 1 },
      ]);
    });

    it.each([
      [{ steps: [2] }, [2]],
      [{ reasons: ['blocked'] }, [1]],
      [{ reasons: ['blocked'], steps: [2] }, []],
      [{ countries: ['SG'], steps: [1] }, [1, 1]],
      [{ countries: ['ID'] }, []],
    ])('are restricted to the requested filter: %j', async (filter, steps) => {
      expect((await groups(filter)).map(({ step }) => step)).toEqual(steps);
    });

    it('omit users with invalid ids', async () => {
      const { runId: other, feedId } = await startFedRun(subject, [['u1']]);
      const [feed] = await subject.feeds.claim('t2', leaseMs, 100, 'all');
      expect(feed).toBeUndefined();
      await record(
        ledger,
        doneOf(await claimOne(ledger, { feedId, batchNo: 1, step: 1 }), {
          failures: [failed('u1', { reason: 'muster.invalid-user-id' })],
        }),
      );
      expect(await groups({}, other)).toEqual([]);
    });

    it('are created as a child run that is due now, with the same definition', async () => {
      const childId = await retry();
      const [prepared, ...none] = await subject.runs.toPrepare(10, []);
      expect(none).toEqual([]);
      expect(prepared).toMatchObject({
        runId: childId,
        isRetry: true,
        definition: { name: 'Lapsed riders, December' },
      });
      expect(await subject.reports.snapshot(childId)).toMatchObject({ parentRunId: runId, state: 'preparing' });
      expect(await subject.reports.snapshot(runId)).toMatchObject({ parentRunId: null });
    });

    it('have their own deadline', async () => {
      await subject.passTime(86_400_000);
      await retry();
      const [prepared] = await subject.runs.toPrepare(10, []);
      expect(prepared?.deadlineInMs).toBeGreaterThan(29.9 * 86_400_000);
      await subject.runs.finish(prepared?.runId ?? '', 'failed', null);
      await subject.retries.create({ runId: uuidv7(), parentRunId: runId, filter: all, deadlineSeconds: 600 });
      const [short] = await subject.runs.toPrepare(10, []);
      expect(short?.deadlineInMs).toBeGreaterThan(590_000);
      expect(short?.deadlineInMs).toBeLessThanOrEqual(600_000);
    });

    it('do not replace the newest run of their campaign', async () => {
      const childId = await retry();
      const campaignId = (await subject.reports.snapshot(childId))?.campaignId ?? '';
      expect((await subject.campaigns.get(campaignId))?.latestRun?.runId).toBe(runId);
    });

    it('are created once for the same id', async () => {
      const childId = await retry();
      const again = { runId: childId, parentRunId: runId, filter: all, deadlineSeconds: null };
      expect(await subject.retries.create(again)).toEqual({ kind: 'created' });
      expect(await subject.runs.toPrepare(10, [])).toHaveLength(1);
    });

    it('are refused until the run and any other child run have ended', async () => {
      const { runId: running } = await startFedRun(subject, [['u1']]);
      const another = { runId: uuidv7(), filter: all, deadlineSeconds: null };
      expect(await subject.retries.create({ ...another, parentRunId: running })).toEqual({ kind: 'not-ended' });
      const childId = await retry();
      expect(await subject.retries.create({ ...another, parentRunId: runId })).toEqual({
        kind: 'running',
        runId: childId,
      });
      await subject.runs.finish(childId, 'failed', null);
      expect(await subject.retries.create({ ...another, parentRunId: runId })).toEqual({ kind: 'created' });
    });

    it('begin with one feed per failed step, with users in order', async () => {
      const feeds = await begin(await retry());
      expect(feeds).toMatchObject([
        { country: 'SG', fromStep: 1, hasStoredUsers: true, firstAction: 'award-reward', ...ofUsers(2), cursor: null },
        { country: 'SG', fromStep: 2, hasStoredUsers: true, firstAction: 'send-message', ...ofUsers(1) },
      ]);
      const users = await Promise.all(feeds.map(({ feedId }) => subject.feeds.retriedUsers(feedId, null, 100)));
      expect(users).toEqual([
        { users: ['u2', 'u5'], isLast: true },
        { users: ['u3'], isLast: true },
      ]);
    });

    it('return their users page by page', async () => {
      const [feed] = await begin(await retry());
      const page = (after: string | null) => subject.feeds.retriedUsers(feed?.feedId ?? '', after, 1);
      expect(await page(null)).toEqual({ users: ['u2'], isLast: false });
      expect(await page('u2')).toEqual({ users: ['u5'], isLast: true });
      expect(await page('u5')).toEqual({ users: [], isLast: true });
    });

    it('begin once, and not without users', async () => {
      const childId = await retry();
      expect(await subject.runs.beginRetry(childId)).toBe(3);
      expect(await subject.runs.beginRetry(childId)).toBeNull();
      await subject.runs.finish(childId, 'failed', null);
      const empty = await retry({ reasons: ['no-such-reason'] });
      expect(await subject.runs.beginRetry(empty)).toBe(0);
      expect(await subject.reports.snapshot(empty)).toMatchObject({ state: 'preparing', countries: [] });
    });

    it('retry only the requested users', async () => {
      const feeds = await begin(await retry({ reasons: ['blocked'] }));
      expect(feeds).toMatchObject([{ fromStep: 1, ...ofUsers(1) }]);
    });

    it('have batches that begin with the failed step', async () => {
      const [, second] = await begin(await retry({ steps: [1, 2] }));
      if (!second) throw new Error('there is no feed of the second step');
      const { feedId, token, runId: childId } = second;
      const page = { invalidUsers: [], cursor: 'u3', complete: true, staysStalled: false };
      await subject.feeds.writePages({ feedId, token, batches: [{ batchNo: 1, users: ['u3'] }], ...page });
      expect(
        (await ledger.flush({ results: [], claims: [{ feedId, batchNo: 1, step: 1 }], begins: [] })).claimed,
      ).toEqual([]);
      await subject.sweep.examine({ feedId, chainLength: 2 }, { from: 1, limit: 10, unrecorded: [1, 2] });
      const { offers } = await subject.sweep.due([{ feedId, chainLength: 2 }], 10, []);
      expect(offers).toEqual([{ feedId, batchNo: 1, step: 2, lost: [], remaining: 1 }]);
      await record(ledger, doneOf(await claimOne(ledger, { feedId, batchNo: 1, step: 2 })));
      const tally = (await talliesOf(subject)).find((each) => each.runId === childId);
      expect(tally?.feeds).toMatchObject([
        { fromStep: 1 },
        { fromStep: 2, fedUsers: 1, totals: [{ step: 2, succeeded: 1 }] },
      ]);
    });

    it('replace the failure in the parent run by the newest result', async () => {
      const childId = await retry();
      const [first, second] = await begin(childId);
      if (!first || !second) throw new Error('there are two feeds');
      await serve(first, [failed('u5', { reason: 'still-blocked' })]);
      await serve(second, []);
      await subject.runs.finish(childId, 'completed_with_failures', null);
      const stillBlocked = { step: 1, country: 'SG', reason: 'still-blocked', users: 1 };
      expect(await groups()).toEqual([stillBlocked]);
      expect(await groups({}, childId)).toEqual([stillBlocked]);
      expect(await subject.retries.sums(runId)).toEqual([{ runId: childId, retried: 3, recovered: 2, failedAgain: 1 }]);

      const grandchild = await retry({}, childId);
      expect(await subject.reports.snapshot(grandchild)).toMatchObject({ parentRunId: runId });
      const [last, ...none] = await begin(grandchild);
      if (!last || none.length > 0) throw new Error('there is one feed');
      expect(last).toMatchObject({ fromStep: 1, ...ofUsers(1) });
      await serve(last, []);
      await subject.runs.finish(grandchild, 'completed', null);
      expect(await groups()).toEqual([]);
    });

    it('leave failures in the parent run of users that they never fed', async () => {
      const childId = await retry();
      const [first] = await begin(childId);
      if (!first) throw new Error('there is a feed');
      const { feedId, token } = first;
      const page = { invalidUsers: [], cursor: 'u2', complete: false, staysStalled: false };
      await subject.feeds.writePages({ feedId, token, batches: [{ batchNo: 1, users: ['u2'] }], ...page });
      await subject.runs.finish(childId, 'expired', null);
      expect(await groups()).toMatchObject([
        { reason: 'blocked', users: 1 },
        { step: 2, users: 1 },
      ]);
    });
  });
}
