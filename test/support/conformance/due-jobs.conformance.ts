import { beforeEach, describe, expect, it } from 'vitest';
import type { CampaignStore } from '../../../services/api/campaigns/campaign-store.port.ts';
import type { DueJobs, Fired } from '../../../services/scheduler/ports/due-jobs.ts';
import type { RunStore } from '../../../services/trigger/ports/run-store.ts';
import type { HeldLease, Leases } from '../../../shared/ports/leases.ts';
import { campaignDefinitionOf } from './run-rows.ts';

export interface DueJobsSubject {
  campaigns: CampaignStore;
  leases: Leases;
  dueJobs: DueJobs;
  runs: Pick<RunStore, 'toPrepare'>;
  /** Adds a start that no campaign would create. */
  addJob(job: { campaignId: string; revision: number; dueAt: Date }): Promise<void>;
  /** Returns the time of the database's clock. */
  now(): Promise<Date>;
  /** Advances the database's clock for jobs and leases. */
  passTime(ms: number): Promise<void>;
}

const minuteMs = 60_000;

export function describeDueJobs(name: string, makeSubject: () => Promise<DueJobsSubject>): void {
  describe(`due jobs: ${name}`, () => {
    let subject: DueJobsSubject;
    let lease: HeldLease;
    beforeEach(async () => {
      subject = await makeSubject();
      lease = await acquire('a');
    });

    async function acquire(owner: string): Promise<HeldLease> {
      const held = await subject.leases.acquire('scheduler', owner, 60 * minuteMs);
      if (!held) throw new Error(`${owner} did not get the lease`);
      return held;
    }

    /**
     * Starts a campaign that is due this many milliseconds from now, in the past if negative, and at once if null.
     * Returns its id.
     */
    async function schedule(inMs: number | null): Promise<string> {
      const { campaignId } = await subject.campaigns.create(campaignDefinitionOf());
      const dueAt = inMs === null ? null : new Date((await subject.now()).getTime() + inMs);
      await subject.campaigns.start(campaignId, dueAt);
      return campaignId;
    }

    const fire = (limit = 100, held = lease) => subject.dueJobs.fire(held, limit);
    const campaignsOf = ({ runs }: Fired) => runs.map((run) => run.campaignId);

    it('turn into one run immediately if a campaign is started without a time', async () => {
      const campaignId = await schedule(null);
      const first = await fire();
      expect(first).toMatchObject({ leaseHeld: true, runs: [{ campaignId, isNew: true }], orphans: [] });
      expect(await fire()).toMatchObject({ leaseHeld: true, runs: [] });
      const waiting = await subject.runs.toPrepare(10, []);
      expect(waiting.map(({ runId }) => runId)).toEqual(first.runs.map(({ runId }) => runId));
    });

    it('never start before their due time, and return the time until the next one', async () => {
      await schedule(10 * minuteMs);
      const early = await fire();
      expect(early.runs).toEqual([]);
      expect(early.nextDueInMs).toBeGreaterThan(9 * minuteMs);
      expect(early.nextDueInMs).toBeLessThanOrEqual(10 * minuteMs);
      await subject.passTime(10 * minuteMs);
      expect((await fire()).runs).toHaveLength(1);
    });

    it('give null as the next due time if no job exists', async () => {
      expect(await fire()).toEqual({ leaseHeld: true, runs: [], orphans: [], nextDueInMs: null });
    });

    it('start in due order up to the limit, and report that more are due', async () => {
      const second = await schedule(-2 * minuteMs);
      const third = await schedule(-minuteMs);
      const first = await schedule(-3 * minuteMs);
      const some = await fire(2);
      expect(campaignsOf(some)).toEqual([first, second]);
      expect(some.nextDueInMs).toBe(0);
      expect(campaignsOf(await fire(2))).toEqual([third]);
    });

    it('start a campaign once per time, even if a second job exists for it', async () => {
      const campaignId = await schedule(null);
      const dueAt = (await subject.campaigns.get(campaignId))?.nextRunAt;
      const first = await fire();
      if (!dueAt) throw new Error('the campaign was not due');
      await subject.addJob({ campaignId, revision: 1, dueAt });
      expect(await fire()).toMatchObject({ runs: [{ runId: first.runs[0]?.runId, isNew: false }] });
      expect(await subject.runs.toPrepare(10, [])).toHaveLength(1);
    });

    it('are removed and reported if their campaign has no such revision', async () => {
      const campaignId = await schedule(null);
      await subject.addJob({ campaignId, revision: 9, dueAt: new Date((await subject.now()).getTime() - 1000) });
      const fired = await fire();
      expect(campaignsOf(fired)).toEqual([campaignId]);
      expect(fired.orphans).toMatchObject([{ campaignId, revision: 9 }]);
      expect(await fire()).toMatchObject({ runs: [], orphans: [] });
    });

    it('do not start under an expired lease', async () => {
      await schedule(null);
      await subject.passTime(60 * minuteMs);
      expect(await fire()).toEqual({ leaseHeld: false, runs: [], orphans: [], nextDueInMs: null });
    });

    it('start under the new lease and not under the lost one', async () => {
      await schedule(null);
      await subject.passTime(60 * minuteMs);
      const current = await acquire('b');
      expect((await fire(100, lease)).leaseHeld).toBe(false);
      expect((await fire(100, current)).runs).toHaveLength(1);
    });

    it('do not start under an old token of the same owner', async () => {
      await schedule(null);
      await subject.leases.release(lease);
      const current = await acquire('a');
      expect((await fire(100, lease)).leaseHeld).toBe(false);
      expect((await fire(100, current)).runs).toHaveLength(1);
    });

    it('exist once for a campaign that was started many times at once', async () => {
      const { campaignId } = await subject.campaigns.create(campaignDefinitionOf());
      await Promise.all(Array.from({ length: 6 }, () => subject.campaigns.start(campaignId, null)));
      expect(campaignsOf(await fire())).toEqual([campaignId]);
    });

    it('turn into an expired run if the start was missed for longer than the schedule allows', async () => {
      const late = new Date((await subject.now()).getTime() - 10 * minuteMs);
      const startLate = async (catchUpSeconds: number) => {
        const schedule = { type: 'at' as const, time: late.toISOString(), catchUpSeconds };
        const { campaignId } = await subject.campaigns.create(campaignDefinitionOf({ schedule }));
        await subject.campaigns.start(campaignId, late);
        await fire();
        return (await subject.campaigns.get(campaignId))?.latestRun?.state;
      };
      expect(await startLate(60)).toBe('expired');
      expect(await startLate(3600)).toBe('preparing');
      expect(await subject.runs.toPrepare(10, [])).toHaveLength(1);
    });

    it('have their deadline counted from the scheduled time, however late they start', async () => {
      const { deadlineSeconds } = campaignDefinitionOf();
      await schedule(-deadlineSeconds * 1000 - minuteMs);
      await fire();
      const [run] = await subject.runs.toPrepare(10, []);
      expect(run?.deadlineInMs).toBeLessThanOrEqual(-minuteMs);
      expect(run?.deadlineInMs).toBeGreaterThan(-2 * minuteMs);
    });
  });
}
