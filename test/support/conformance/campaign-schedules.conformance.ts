import { beforeEach, describe, expect, it } from 'vitest';
import type { CampaignStore } from '../../../services/api/campaigns/campaign-store.port.ts';
import type { ScheduleStore } from '../../../services/api/schedules/schedule-store.port.ts';
import type { DueJobs } from '../../../services/scheduler/ports/due-jobs.ts';
import type { DueSchedules } from '../../../services/scheduler/ports/due-schedules.ts';
import type { RecurrenceDefinition } from '../../../shared/contracts/schedules/recurrences.ts';
import type { RunState } from '../../../shared/domain/run/run-states.ts';
import type { Leases } from '../../../shared/ports/leases.ts';
import { campaignDefinitionOf } from './run-rows.ts';

export interface CampaignSchedulesSubject {
  campaigns: CampaignStore;
  schedules: ScheduleStore;
  due: DueSchedules;
  dueJobs: DueJobs;
  leases: Leases;
  /** Returns runs, oldest first. */
  runs(): Promise<{ runId: string; state: RunState; stateReason: string | null; scheduledForMs: number }[]>;
  /** Moves the run into the state: `running` with feeds, or `completed`. */
  move(runId: string, state: 'running' | 'completed'): Promise<void>;
  nowMs(): number;
  passTime(ms: number): Promise<void>;
}

const hourMs = 3_600_000;

const hourly: RecurrenceDefinition = {
  cron: '0 * * * *',
  zone: 'UTC',
  misfire: 'fire-once',
  catchUpSeconds: 3600,
  overlap: 'skip',
  spreadSeconds: 0,
};

export function describeCampaignSchedules(name: string, makeSubject: () => Promise<CampaignSchedulesSubject>): void {
  describe(`recurring campaigns: ${name}`, () => {
    let subject: CampaignSchedulesSubject;
    let startMs: number;
    beforeEach(async () => {
      subject = await makeSubject();
      startMs = subject.nowMs();
    });

    async function start(changes: Partial<RecurrenceDefinition> = {}) {
      const { campaignId } = await subject.campaigns.create(campaignDefinitionOf());
      const started = await subject.campaigns.startRecurring(campaignId, { ...hourly, ...changes });
      return { campaignId, scheduleId: started?.scheduleId ?? '' };
    }

    /** Passes time, fires due schedules, and turns the starts into runs. */
    async function pass(ms: number): Promise<void> {
      await subject.passTime(ms);
      await subject.due.recur({ region: 'local', owner: 'a' }, 100);
      const lease = await subject.leases.acquire('scheduler', 'a', 100 * hourMs);
      if (!lease) throw new Error('the lease was not free');
      await subject.dueJobs.fire(lease, 100);
    }

    const runs = async () => {
      const found = await subject.runs();
      return found.map(({ state, scheduledForMs }) => [(scheduledForMs - startMs) / hourMs, state]);
    };
    const newest = async () => {
      const found = (await subject.runs()).at(-1);
      if (!found) throw new Error('there is no run');
      return found;
    };

    it('get a run at each occurrence, and show when the next one begins', async () => {
      const { campaignId } = await start();
      expect(await subject.campaigns.get(campaignId)).toMatchObject({
        state: 'scheduled',
        nextRunAt: new Date(startMs + hourMs),
      });
      await pass(hourMs);
      await subject.move((await newest()).runId, 'completed');
      await pass(hourMs);
      expect(await runs()).toEqual([
        [1, 'completed'],
        [2, 'preparing'],
      ]);
      expect(await subject.campaigns.get(campaignId)).toMatchObject({ nextRunAt: new Date(startMs + 3 * hourMs) });
    });

    it('are started once, however often they are started', async () => {
      const { campaignId, scheduleId } = await start();
      const again = await subject.campaigns.startRecurring(campaignId, { ...hourly, cron: '30 * * * *' });
      expect(again).toMatchObject({ scheduleId, nextRunAt: new Date(startMs + hourMs) });
      expect((await subject.schedules.list({}, 10, null)).items).toMatchObject([
        { scheduleId, campaignId, clientId: null },
      ]);
    });

    it('skip an occurrence while their previous run is active', async () => {
      const { scheduleId } = await start();
      await pass(hourMs);
      await subject.move((await newest()).runId, 'running');
      await pass(hourMs);
      expect(await runs()).toEqual([[1, 'running']]);
      const { items } = await subject.schedules.occurrences(scheduleId, {}, 10, null);
      expect(items).toMatchObject([
        { state: 'skipped', cause: 'overlap' },
        { state: 'fired', runId: (await newest()).runId, jobId: null },
      ]);
    });

    it('pause and resume together with their schedule, including the current run', async () => {
      const { scheduleId } = await start();
      await pass(hourMs);
      const { runId } = await newest();
      await subject.move(runId, 'running');
      await subject.schedules.control(scheduleId, 'pause', 'holiday');
      expect(await newest()).toMatchObject({ state: 'pausing', stateReason: 'its schedule was paused' });
      await pass(5 * hourMs);
      expect(await runs()).toHaveLength(1);
      await subject.schedules.control(scheduleId, 'resume', null);
      expect(await newest()).toMatchObject({ state: 'running', stateReason: null });
    });

    it('are cancelled when their schedule is disabled, including starts without a run', async () => {
      const { campaignId, scheduleId } = await start({ overlap: 'allow' });
      await pass(hourMs);
      await subject.move((await newest()).runId, 'running');
      await subject.passTime(hourMs);
      await subject.due.recur({ region: 'local', owner: 'a' }, 100);
      await subject.schedules.control(scheduleId, 'disable', null);
      expect(await newest()).toMatchObject({ state: 'cancelling', stateReason: 'its schedule was disabled' });
      await pass(hourMs);
      expect(await runs()).toHaveLength(1);
      expect(await subject.campaigns.get(campaignId)).toMatchObject({ nextRunAt: null });
    });

    it('end with their schedule, and the rest of the last run is cancelled', async () => {
      const { scheduleId } = await start({ until: new Date(startMs + 1.5 * hourMs).toISOString() });
      await pass(hourMs);
      await subject.move((await newest()).runId, 'running');
      await pass(0.5 * hourMs);
      expect(await newest()).toMatchObject({
        state: 'cancelling',
        stateReason: 'the schedule that started it has ended',
      });
      expect(await subject.schedules.get(scheduleId)).toMatchObject({ state: 'ended' });
    });

    it('can be unscheduled until their first occurrence has fired', async () => {
      const first = await start();
      expect(await subject.campaigns.unschedule(first.campaignId)).toMatchObject({
        state: 'draft',
        scheduleId: null,
        nextRunAt: null,
      });
      const second = await start();
      await pass(hourMs);
      expect(await subject.campaigns.unschedule(second.campaignId)).toMatchObject({
        state: 'scheduled',
        scheduleId: second.scheduleId,
      });
      expect(await runs()).toHaveLength(1);
    });

    it('can be run manually, independently of their rhythm', async () => {
      const { scheduleId } = await start();
      await subject.schedules.fire(scheduleId, { kind: 'manual', atMs: null }, null);
      await pass(60_000);
      expect(await runs()).toEqual([[0, 'preparing']]);
    });
  });
}
