import { beforeEach, describe, expect, it } from 'vitest';
import type { CampaignRecord, CampaignStore } from '../../../services/api/campaigns/campaign-store.port.ts';
import { InvalidCursorError, type Page } from '../../../services/api/frame/page.port.ts';
import type { FailureFilter, RecordedFailure, RunReports } from '../../../services/api/runs/run-reports.port.ts';
import { campaignDefinitionOf, emptyTotals, type RunRows, type RunSeed } from './run-rows.ts';

export interface RunReportsSubject {
  campaigns: CampaignStore;
  reports: RunReports;
  rows: RunRows;
}

const nobody = '01938f1e-7c00-7000-8000-000000000001';
const planned = new Date('2026-11-21T09:00:00.123Z');

const unsettled = { suppressed: 0, settledSucceeded: 0, settledFailed: 0 };

export function describeRunReports(name: string, makeSubject: () => Promise<RunReportsSubject>): void {
  describe(`run reports: ${name}`, () => {
    let reports: RunReports;
    let rows: RunRows;
    let campaigns: CampaignStore;
    let campaign: CampaignRecord;
    let runsPlanned: number;
    beforeEach(async () => {
      ({ reports, rows, campaigns } = await makeSubject());
      campaign = await campaigns.create(campaignDefinitionOf({ name: 'Lapsed "riders" 🚲' }));
      runsPlanned = 0;
    });

    /** Adds a run of the campaign that is planned a minute after the previous one. */
    const addRun = (run: Partial<RunSeed> = {}) =>
      rows.addRun({
        campaignId: campaign.campaignId,
        revision: 1,
        scheduledFor: new Date(planned.getTime() + 60_000 * runsPlanned++),
        state: 'running',
        ...run,
      });

    describe('the list of runs', () => {
      it('contains the campaign, state and times of a run', async () => {
        const times = {
          scheduledFor: planned,
          startedAt: new Date(1_800_000_000_001),
          endedAt: new Date(1_800_000_000_999),
        };
        const since = { deadlineAt: new Date('2026-12-01T00:00:00.123Z'), stateSince: times.endedAt };
        const runId = await addRun({ ...times, ...since, state: 'failed', stateReason: 'no such segment' });
        expect((await reports.list({}, 10, null)).items).toEqual([
          {
            kind: 'live',
            stepModes: null,
            canary: null,
            ...times,
            ...since,
            settings: {
              priority: 'normal',
              paceUsersPerSecond: null,
              pauseAtFailedPercent: null,
              pauseAtFailedMinUsers: 1000,
            },
            runId,
            parentRunId: null,
            campaignId: campaign.campaignId,
            campaignName: 'Lapsed "riders" 🚲',
            revision: 1,
            state: 'failed',
            stateReason: 'no such segment',
            prices: null,
            variants: null,
            variantChoice: null,
            chain: ['award-reward', 'send-message'].map((action) => ({
              action,
              hasVariants: false,
              unitsPerUser: 0,
              receipts: false,
            })),
          },
        ]);
      });

      it('is paged newest first, and stays stable when runs are added', async () => {
        const runIds = [await addRun(), await addRun(), await addRun()];
        const first = await reports.list({}, 2, null);
        await addRun();
        const second = await reports.list({}, 2, first.next);
        expect([...first.items, ...second.items].map((header) => header.runId)).toEqual(runIds.reverse());
        expect(second.next).toBeNull();
      });

      it('is restricted to the requested campaign and state', async () => {
        const other = await campaigns.create(campaignDefinitionOf());
        const wanted = await addRun({ state: 'completed' });
        await addRun({ state: 'running' });
        await addRun({ campaignId: other.campaignId, state: 'completed' });
        const found = await reports.list({ campaignId: campaign.campaignId, state: 'completed' }, 10, null);
        expect(found.items.map((header) => header.runId)).toEqual([wanted]);
      });

      it('refuses a cursor that is not an id', async () => {
        await expect(reports.list({}, 10, 'nonsense')).rejects.toThrow(InvalidCursorError);
      });
    });

    describe('comparable runs', () => {
      const began = (minutes: number): Partial<RunSeed> => {
        const scheduledFor = new Date(planned.getTime() + minutes * 60_000);
        return {
          scheduledFor,
          startedAt: scheduledFor,
          endedAt: new Date(scheduledFor.getTime() + 1),
          state: 'completed',
        };
      };
      const found = async (runId: string, limit = 10) => {
        const headers = await reports.comparable(runId, limit);
        return headers.map((header) => header.runId);
      };

      it('are the earlier runs, newest first, then the later ones', async () => {
        const [third, first, own, second, fifth, fourth] = [
          await addRun(began(3)),
          await addRun(began(1)),
          await addRun(began(4)),
          await addRun(began(2)),
          await addRun(began(6)),
          await addRun(began(5)),
        ];
        expect(await found(own)).toEqual([third, second, first, fifth, fourth]);
        expect(await found(own, 2)).toEqual([third, second]);
        expect(await found(first)).toEqual([fifth, fourth, own, third, second]);
      });

      it('exclude active runs, runs that never began, retries and runs of another campaign', async () => {
        const other = await campaigns.create(campaignDefinitionOf());
        const before = await addRun(began(1));
        await addRun({ ...began(2), parentId: before });
        await rows.addRun({
          ...began(3),
          campaignId: other.campaignId,
          revision: 1,
          scheduledFor: planned,
          state: 'completed',
        });
        await addRun({ scheduledFor: began(4).scheduledFor ?? planned, startedAt: planned, state: 'running' });
        await addRun({ scheduledFor: began(5).scheduledFor ?? planned, endedAt: planned, state: 'failed' });
        const own = await addRun(began(6));
        expect(await found(own)).toEqual([before]);
        const child = await addRun({ ...began(7), parentId: own });
        expect(await found(child)).toEqual([own, before]);
        expect(await found(nobody)).toEqual([]);
      });
    });

    describe('the snapshot of a run', () => {
      it('is undefined for a run that does not exist', async () => {
        expect(await reports.snapshot(nobody)).toBeUndefined();
      });

      it('contains no countries while the run is prepared', async () => {
        const runId = await addRun({ state: 'preparing' });
        expect(await reports.snapshot(runId)).toMatchObject({
          state: 'preparing',
          countries: [],
          stalled: null,
          stalledBy: null,
          inFlight: 0,
        });
      });

      it('contains the figures, waits and failures of each variant', async () => {
        const variants = [
          { name: 'short', weight: 7500, params: {} },
          { name: 'long', weight: 2500, params: {} },
        ];
        const chain = [{ action: 'award-reward', params: {}, variants }];
        const { campaignId } = await campaigns.create(campaignDefinitionOf({ chain }));
        const runId = await addRun({ campaignId });
        const long = await rows.addFeed(runId, { country: 'SG', variant: 2, fedUsers: 25, heldOutUsers: 5 });
        const short = await rows.addFeed(runId, { country: 'SG', variant: 1, fedUsers: 75 });
        for (const [feedId, batches] of [
          [long, 1],
          [short, 3],
        ] as const)
          await rows.addHold(feedId, { step: 1, cause: 'HTTP 404', batches, ageMs: batches * 1000 });
        await rows.addFailure(long, { user: 'u1', step: 1 });
        const snapshot = await reports.snapshot(runId);
        expect(snapshot?.variants).toEqual([
          { name: 'short', weight: 7500 },
          { name: 'long', weight: 2500 },
        ]);
        expect(snapshot?.chain.map(({ hasVariants }) => hasVariants)).toEqual([true]);
        const ofFeeds = snapshot?.countries.map(({ variant, fedUsers, heldOutUsers }) => [
          variant,
          fedUsers,
          heldOutUsers,
        ]);
        expect(ofFeeds).toEqual([
          [1, 75, 0],
          [2, 25, 5],
        ]);
        expect(snapshot?.waits.map(({ country, cause, batches }) => [country, cause, batches])).toEqual([
          ['SG', 'HTTP 404', 4],
        ]);
        const failures = (await reports.failures(runId, {}, 10, null)).items;
        expect(failures.map(({ user, variant }) => [user, variant])).toEqual([['u1', 'long']]);
      });

      it('marks the users outside a canary after which a person chooses a variant', async () => {
        const variants = [
          { name: 'short', weight: 5000, params: {} },
          { name: 'long', weight: 5000, params: {} },
        ];
        const canary = { percent: 10, then: 'choose-variant' } as const;
        const chain = [{ action: 'award-reward', params: {}, variants }];
        const { campaignId } = await campaigns.create(campaignDefinitionOf({ chain, canary }));
        const runId = await addRun({ campaignId, canary: 'over' });
        await rows.addFeed(runId, { country: 'SG', variant: 1, fedUsers: 5 });
        await rows.addFeed(runId, { country: 'SG', variant: 2, fedUsers: 6 });
        await rows.addFeed(runId, { country: 'SG', variant: 2, canaryUsers: 0, fedUsers: 90 });
        const snapshot = await reports.snapshot(runId);
        expect(snapshot?.variantChoice).toEqual({ chosen: 'long' });
        expect(snapshot?.countries.map(({ fedUsers, isRemaining }) => [fedUsers, isRemaining]).toSorted()).toEqual([
          [5, false],
          [6, false],
          [90, true],
        ]);
      });

      it('contains each country with fed users and totals over all workers, in chain order', async () => {
        const runId = await addRun({ inFlight: 3 });
        const users = { estimate: 1200, fedUsers: 1000, heldOutUsers: 50, excludedUsers: 200 };
        const counted = { ...users, fedBatches: 10, complete: true };
        const sg = await rows.addFeed(runId, { country: 'SG', ...counted });
        await rows.addFeed(runId, { country: 'ID' });
        await rows.addTotals(sg, 0, { step: 2, batches: 1, succeeded: 90, waiting: 3 });
        await rows.addTotals(sg, 0, { step: 1, batches: 3, created: 2, succeeded: 290, failed: 10 });
        await rows.addTotals(sg, 7, { step: 2, waiting: -1 });
        await rows.addTotals(sg, 7, { step: 1, batches: 2, succeeded: 150, expired: 40, cancelled: 9, unknown: 1 });
        const snapshot = await reports.snapshot(runId);
        expect(snapshot).toMatchObject({ runId, inFlight: 3, waitingForRetry: 2, campaignName: 'Lapsed "riders" 🚲' });
        expect(snapshot?.asOf).toBeInstanceOf(Date);
        expect(snapshot?.countries).toEqual([
          {
            country: 'ID',
            variant: null,
            isRemaining: false,
            fromStep: 1,
            segment: 'all',
            estimate: null,
            fedUsers: 0,
            heldOutUsers: 0,
            excludedUsers: 0,
            sharedUsers: 0,
            fedBatches: 0,
            childBatches: 0,
            complete: false,
            totals: [],
            receipts: [],
          },
          {
            country: 'SG',
            variant: null,
            isRemaining: false,
            fromStep: 1,
            segment: 'all',
            ...counted,
            sharedUsers: 0,
            childBatches: 2,
            totals: [
              { step: 1, batches: 5, succeeded: 440, failed: 10, expired: 40, cancelled: 9, unknown: 1, ...unsettled },
              { ...emptyTotals, ...unsettled, step: 2, batches: 1, succeeded: 90 },
            ],
            receipts: [],
          },
        ]);
      });

      it('excludes other runs', async () => {
        const [runId, other] = [await addRun(), await addRun()];
        const feedId = await rows.addFeed(other, { country: 'SG', fedUsers: 100 });
        await rows.addTotals(feedId, 0, { step: 1, batches: 1, succeeded: 100 });
        expect((await reports.snapshot(runId))?.countries).toEqual([]);
      });

      it('names the cause of a stalled feed before the cause of a waiting step', async () => {
        const runId = await addRun({ waiting: 1, waitingCause: 'award-reward answers 401' });
        expect(await reports.snapshot(runId)).toMatchObject({
          stalled: 'award-reward answers 401',
          stalledBy: 'engine',
        });
        await rows.addFeed(runId, { country: 'SG', stalled: 'segmentation: 503' });
        expect(await reports.snapshot(runId)).toMatchObject({ stalled: 'segmentation: 503', stalledBy: 'audience' });
      });

      it('lists the causes that its parts wait for, oldest first, a held cause once', async () => {
        const runId = await addRun();
        const [sg, id] = [await rows.addFeed(runId, { country: 'SG' }), await rows.addFeed(runId, { country: 'ID' })];
        await rows.addHold(sg, { step: 2, cause: 'HTTP 404', batches: 2, ageMs: 60_000 });
        await rows.addCause(sg, { step: 2, cause: 'HTTP 404', batches: 2, ageMs: 90_000, quietMs: 1000 });
        await rows.addCause(id, { step: 1, cause: 'HTTP 500', batches: 7, ageMs: 300_000, quietMs: 110_000 });
        await rows.addCause(id, { step: 1, cause: 'HTTP 429', batches: 9, ageMs: 600_000, quietMs: 130_000 });
        await rows.addTotals(id, 1, { step: 1, waiting: 1 });
        await rows.addCause(id, { step: 2, cause: 'nobody waits for it', batches: 1, ageMs: 5000, quietMs: 1000 });
        const snapshot = await reports.snapshot(runId);
        const tried = { held: false, nextTryAt: null, blockedBy: null };
        const held = { held: true, nextTryAt: snapshot?.waits[1]?.nextTryAt, blockedBy: null };
        expect(held.nextTryAt).toBeInstanceOf(Date);
        expect(snapshot?.waits).toEqual([
          { step: 1, country: 'ID', cause: 'HTTP 500', batches: 7, since: snapshot?.waits[0]?.since, ...tried },
          { step: 2, country: 'SG', cause: 'HTTP 404', batches: 2, since: snapshot?.waits[1]?.since, ...held },
        ]);
        const agesMs = snapshot?.waits.map(({ since }) =>
          Math.round((snapshot.asOf.getTime() - since.getTime()) / 10_000),
        );
        expect(agesMs).toEqual([30, 6]);
        expect(snapshot).toMatchObject({ stalled: 'HTTP 500', stalledBy: 'step' });
      });

      it('lists no waits after the run has ended', async () => {
        const runId = await addRun({ state: 'expired', endedAt: planned, waitingCause: 'award-reward answers 401' });
        await rows.addFeed(runId, { country: 'SG', stalled: 'segmentation: 503' });
        await rows.addHold(await rows.addFeed(runId, { country: 'ID' }), {
          step: 1,
          cause: 'HTTP 404',
          batches: 1,
          ageMs: 0,
        });
        expect(await reports.snapshot(runId)).toMatchObject({ stalled: null, stalledBy: null, waits: [] });
      });
    });

    describe('failure groups', () => {
      it('are empty if no user failed', async () => {
        expect(await reports.failureGroups(await addRun())).toEqual([]);
      });

      it('count users by step, country, outcome and reason, most frequent first', async () => {
        const runId = await addRun();
        const sg = await rows.addFeed(runId, { country: 'SG' });
        const id = await rows.addFeed(runId, { country: 'ID' });
        await rows.addFailure(sg, { user: 'u1', step: 2, reason: 'no-address' });
        await rows.addFailure(sg, { user: 'u2', reason: 'fraud' });
        await rows.addFailure(sg, { user: 'u3', reason: 'out-of-stock' });
        await rows.addFailure(sg, { user: 'u4', reason: 'out-of-stock' });
        await rows.addFailure(sg, { user: 'u5', reason: 'out-of-stock', outcome: 'unknown' });
        await rows.addFailure(id, { user: 'u6', reason: 'out-of-stock' });
        const groups = await reports.failureGroups(runId);
        expect(groups.map((g) => [g.step, g.country, g.reason, g.outcome, g.users])).toEqual([
          [1, 'ID', 'out-of-stock', 'failed', 1],
          [1, 'SG', 'out-of-stock', 'failed', 2],
          [1, 'SG', 'fraud', 'failed', 1],
          [1, 'SG', 'out-of-stock', 'unknown', 1],
          [2, 'SG', 'no-address', 'failed', 1],
        ]);
      });

      it('contain at most five sample users, the earliest failures first', async () => {
        const runId = await addRun();
        const feedId = await rows.addFeed(runId, { country: 'SG' });
        for (let i = 0; i < 8; i++) await rows.addFailure(feedId, { user: `u${i}`, batchNo: 8 - i });
        expect(await reports.failureGroups(runId)).toMatchObject([
          { users: 8, sample: ['u0', 'u1', 'u2', 'u3', 'u4'] },
        ]);
      });
    });

    describe('the list of failures', () => {
      async function allPages(runId: string, limit: number, filter: FailureFilter = {}): Promise<RecordedFailure[]> {
        const all: RecordedFailure[] = [];
        let page: Page<RecordedFailure> = { items: [], next: null };
        do {
          page = await reports.failures(runId, filter, limit, page.next);
          all.push(...page.items);
        } while (page.next !== null);
        return all;
      }

      it('contains everything recorded about a user', async () => {
        const runId = await addRun();
        const feedId = await rows.addFeed(runId, { country: 'SG' });
        const failure = { batchNo: 17, step: 2, reason: 'no-address', detail: 'said "no" 🚫', attempts: 3 };
        await rows.addFailure(feedId, { ...failure, user: 'u1', outcome: 'unknown' });
        const { items } = await reports.failures(runId, {}, 10, null);
        expect(items).toEqual([
          { ...failure, user: 'u1', outcome: 'unknown', country: 'SG', variant: null, failedAt: items[0]?.failedAt },
        ]);
        expect(items[0]?.failedAt).toBeInstanceOf(Date);
      });

      it('is ordered by country, batch, step and user, whatever the page size', async () => {
        const runId = await addRun();
        const sg = await rows.addFeed(runId, { country: 'SG' });
        const id = await rows.addFeed(runId, { country: 'ID' });
        for (const [feedId, batchNo, step, user] of shuffledPlaces(sg, id))
          await rows.addFailure(feedId, { batchNo, step, user });
        const expected = ['ID', 'SG'].flatMap((country) =>
          [1, 2, 2 ** 30].flatMap((batchNo) =>
            [1, 2].flatMap((step) => usersInByteOrder.map((user) => ({ country, batchNo, step, user }))),
          ),
        );
        for (const limit of [1, 5, 36, 100]) expect(await allPages(runId, limit)).toMatchObject(expected);
      });

      it('excludes other runs', async () => {
        const [runId, other] = [await addRun(), await addRun()];
        await rows.addFailure(await rows.addFeed(other, { country: 'SG' }), { user: 'u1' });
        await rows.addFeed(runId, { country: 'SG' });
        expect(await allPages(runId, 10)).toEqual([]);
      });

      it('is restricted to the requested step, country and reason on every page', async () => {
        const runId = await addRun();
        const sg = await rows.addFeed(runId, { country: 'SG' });
        const id = await rows.addFeed(runId, { country: 'ID' });
        for (const user of ['u1', 'u2', 'u3']) {
          await rows.addFailure(sg, { user, step: 2, reason: 'no-address' });
          await rows.addFailure(sg, { user, step: 2, batchNo: 2, reason: 'blocked' });
          await rows.addFailure(sg, { user, step: 1, reason: 'no-address' });
          await rows.addFailure(id, { user, step: 2, reason: 'no-address' });
        }
        const found = await allPages(runId, 2, { step: 2, country: 'SG', reason: 'no-address' });
        expect(found.map((failure) => failure.user)).toEqual(['u1', 'u2', 'u3']);
        expect(await allPages(runId, 2, { country: 'ID' })).toHaveLength(3);
        expect(await allPages(runId, 2, { reason: `it's % odd` })).toEqual([]);
      });

      it('is restricted to a batch, and to a time range with an exclusive end', async () => {
        const runId = await addRun();
        const feedId = await rows.addFeed(runId, { country: 'SG' });
        for (const batchNo of [1, 2, 3]) {
          await rows.addFailure(feedId, { batchNo, user: `u${batchNo}a` });
          await rows.addFailure(feedId, { batchNo, user: `u${batchNo}b` });
        }
        expect((await allPages(runId, 1, { batch: 2 })).map(({ user }) => user)).toEqual(['u2a', 'u2b']);
        expect((await allPages(runId, 1, { q: 'u2' })).map(({ user }) => user)).toEqual(['u2a', 'u2b']);
        expect(await allPages(runId, 1, { q: '2a' })).toEqual([]);
        const all = await allPages(runId, 10);
        const times = all.map(({ failedAt }) => failedAt.getTime());
        const [first, last] = [new Date(Math.min(...times)), new Date(Math.max(...times) + 1)];
        expect(await allPages(runId, 2, { failedFrom: first, failedUntil: last })).toEqual(all);
        expect(await allPages(runId, 2, { failedFrom: last })).toEqual([]);
        expect(await allPages(runId, 2, { failedUntil: first })).toEqual([]);
      });

      it('neither repeats nor omits earlier rows if rows are written between two pages', async () => {
        const runId = await addRun();
        const feedId = await rows.addFeed(runId, { country: 'SG' });
        for (const batchNo of [2, 4, 6]) await rows.addFailure(feedId, { batchNo, user: `of batch ${batchNo}` });
        const first = await reports.failures(runId, {}, 2, null);
        await rows.addFailure(feedId, { batchNo: 1, user: 'before' });
        await rows.addFailure(feedId, { batchNo: 5, user: 'behind' });
        const second = await reports.failures(runId, {}, 2, first.next);
        expect(second.items.map((failure) => failure.user)).toEqual(['behind', 'of batch 6']);
      });

      it.each(['', 'nonsense', 'W10'])('refuses the cursor %j', async (cursor) => {
        await expect(reports.failures(await addRun(), {}, 10, cursor)).rejects.toThrow(InvalidCursorError);
      });
    });
  });
}

/** User ids in byte order, which is the order of segments. JavaScript and collations sort them differently. */
const usersInByteOrder = [' ', '"q"', 'B', '\\u0000', 'a', '\uff5e full width', '🚲 above it in bytes'];

function shuffledPlaces(...feedIds: string[]): [feed: string, batchNo: number, step: number, user: string][] {
  const places = feedIds.flatMap((feedId) =>
    [2 ** 30, 1, 2].flatMap((batchNo) =>
      [2, 1].flatMap((step) =>
        usersInByteOrder.map((user): [string, number, number, string] => [feedId, batchNo, step, user]),
      ),
    ),
  );
  return places.reverse();
}
