import { beforeEach, describe, expect, it } from 'vitest';
import type { CampaignStore } from '../../../services/api/ports/campaign-store.ts';
import type { DueJob, DueJobs } from '../../../services/scheduler/ports/due-jobs.ts';
import type { HeldLease, Leases } from '../../../shared/ports/leases.ts';
import { campaignDefinitionOf } from './run-rows.ts';

export interface DueJobsSubject {
  campaigns: CampaignStore;
  leases: Leases;
  dueJobs: DueJobs;
  /** By the database's clock. */
  now(): Promise<Date>;
  /** Moves the database's clock on, as far as jobs and leases can tell. */
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

    /** Starts a campaign that is due so far from now (before now when negative); null: at once. Returns its id. */
    async function schedule(inMs: number | null): Promise<string> {
      const { campaignId } = await subject.campaigns.create(campaignDefinitionOf());
      const dueAt = inMs === null ? null : new Date((await subject.now()).getTime() + inMs);
      await subject.campaigns.start(campaignId, dueAt);
      return campaignId;
    }

    async function fire(limit = 100, held = lease) {
      const published: DueJob[] = [];
      const fired = await subject.dueJobs.fire(held, limit, (jobs) => {
        published.push(...jobs);
        return Promise.resolve();
      });
      return { ...fired, published };
    }

    it('fires a campaign that was started without a time at once, and only once', async () => {
      const campaignId = await schedule(null);
      const first = await fire();
      expect(first).toMatchObject({ leaseHeld: true, fired: 1, published: [{ campaignId, revision: 1 }] });
      expect(await fire()).toMatchObject({ leaseHeld: true, fired: 0, published: [] });
    });

    it('never fires a job before its due time, and says how long that is off', async () => {
      await schedule(10 * minuteMs);
      const early = await fire();
      expect(early.fired).toBe(0);
      expect(early.nextDueInMs).toBeGreaterThan(9 * minuteMs);
      expect(early.nextDueInMs).toBeLessThanOrEqual(10 * minuteMs);
      await subject.passTime(10 * minuteMs);
      expect((await fire()).fired).toBe(1);
    });

    it('knows of nothing that falls due when there are no jobs', async () => {
      expect(await fire()).toEqual({ leaseHeld: true, fired: 0, nextDueInMs: null, published: [] });
    });

    it('does not publish when nothing is due', async () => {
      const publish = () => Promise.reject(new Error('published nothing at all'));
      await schedule(minuteMs);
      expect(await subject.dueJobs.fire(lease, 100, publish)).toMatchObject({ leaseHeld: true, fired: 0 });
    });

    it('fires the jobs that waited longest first, no more than asked for, and tells that more are due', async () => {
      const second = await schedule(-2 * minuteMs);
      const third = await schedule(-minuteMs);
      const first = await schedule(-3 * minuteMs);
      const some = await fire(2);
      expect(some.published.map((job) => job.campaignId)).toEqual([first, second]);
      expect(some.nextDueInMs).toBe(0);
      expect((await fire(2)).published.map((job) => job.campaignId)).toEqual([third]);
    });

    it('keeps the jobs when publishing fails, and fires the very same ones again', async () => {
      await schedule(null);
      const attempted: DueJob[] = [];
      const failing = subject.dueJobs.fire(lease, 100, (jobs) => {
        attempted.push(...jobs);
        return Promise.reject(new Error('no broker'));
      });
      await expect(failing).rejects.toThrow('no broker');
      expect(attempted).toHaveLength(1);
      expect((await fire()).published).toEqual(attempted);
    });

    it('takes nothing under a lease that has expired', async () => {
      await schedule(null);
      await subject.passTime(60 * minuteMs);
      expect(await fire()).toEqual({ leaseHeld: false, fired: 0, nextDueInMs: null, published: [] });
    });

    it('lets the new holder fire and the overtaken one not', async () => {
      await schedule(null);
      await subject.passTime(60 * minuteMs);
      const current = await acquire('b');
      expect((await fire(100, lease)).leaseHeld).toBe(false);
      expect(await fire(100, current)).toMatchObject({ leaseHeld: true, fired: 1 });
    });

    it('takes nothing under an old token of the same owner', async () => {
      await schedule(null);
      await subject.leases.release(lease);
      const current = await acquire('a');
      expect((await fire(100, lease)).leaseHeld).toBe(false);
      expect((await fire(100, current)).fired).toBe(1);
    });

    it('has one job for a campaign that was started many times at once', async () => {
      const { campaignId } = await subject.campaigns.create(campaignDefinitionOf());
      await Promise.all(Array.from({ length: 6 }, () => subject.campaigns.start(campaignId, null)));
      expect((await fire()).published.map((job) => job.campaignId)).toEqual([campaignId]);
    });

    it('tells the due time as the campaign showed it, to the millisecond', async () => {
      const campaignId = await schedule(null);
      const shown = (await subject.campaigns.get(campaignId))?.nextRunAt;
      expect((await fire()).published[0]?.dueAt).toEqual(shown);
      expect((await subject.campaigns.get(campaignId))?.nextRunAt).toBeNull();
    });
  });
}
