import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  backfillSchedule,
  createSchedule,
  listOccurrences,
  pauseSchedule,
  previewRecurrence,
  putGroup,
} from '../../sdk/generated/sdk.gen.ts';
import type { NewScheduleInput } from '../../sdk/generated/types.gen.ts';
import { startCallbackTrial, type CallbackTrial } from './support/callback-trial.ts';
import { lasting, until } from './support/until.ts';

describe('row 38: recurring schedules', () => {
  let trial: CallbackTrial;
  beforeEach(async () => {
    trial = await startCallbackTrial();
  });
  afterEach(() => trial.end());

  const target = () => ({ client: 'orders', url: trial.url('recurring/hook') });

  async function create(definition: Omit<NewScheduleInput, 'name' | 'target'>): Promise<string> {
    const body = { name: 'recurs', target: target(), ...definition };
    return (await createSchedule({ client: trial.client, body })).data.id;
  }

  it.each([
    ['a gap', '30 2 * * *', 'America/New_York', '2026-03-06T12:00:00Z', 4],
    ['an overlap', '30 1 * * *', 'America/New_York', '2025-10-31T12:00:00Z', 4],
    ['an overlap, following the clock', '*/30 1-3 * * *', 'Europe/Berlin', '2025-10-25T22:00:00Z', 8],
    ['a leap day', '0 9 29 2 *', 'Asia/Singapore', '2020-01-01T00:00:00Z', 2],
    ['a gap of half an hour', '15 2 * * *', 'Australia/Lord_Howe', '2025-10-03T12:00:00Z', 4],
  ])('fire exactly at the times of the preview, each once, over %s', async (_what, cron, zone, after, count) => {
    const definition = { cron, zone, from: after, catchUpSeconds: 0 };
    const { client } = trial;
    const preview = (await previewRecurrence({ client, body: { cron, zone, from: after, after, count } })).data;
    const promised = preview.fires.flatMap(({ at, mark }) => (at === null || mark === 'skipped' ? [] : [at]));
    const scheduleId = await create(definition);
    const backfill = { client, path: { id: scheduleId }, body: { from: after, until: promised.at(-1) ?? '' } };
    const { data: fired } = await backfillSchedule(backfill);
    const { data: again } = await backfillSchedule(backfill);
    await trial.awaitEnded();

    expect(promised.length).toBeGreaterThan(1);
    expect(fired.fired.map(({ scheduledFor }) => scheduledFor).toSorted()).toEqual(promised);
    expect(again).toMatchObject({ fired: [], alreadyFired: promised.length });
    const occurrences = promised.map((scheduledFor) => ({ scheduleId, group: '', scheduledFor }));
    const verdict = { rows: '38', scenario: `${cron} in ${zone}`, occurrences };
    expect(await trial.judgeCallbacks(verdict)).toEqual([]);
  });

  it('fire exactly once per second and group while schedulers are killed and frozen', async () => {
    for (const group of ['SG', 'ID', 'VN']) {
      await putGroup({ client: trial.client, path: { name: group }, body: { tags: ['rides'] } });
    }
    const scheduleId = await create({ everySeconds: 1, misfire: 'fire-all', groups: { tags: ['rides'] } });
    await trial.awaitCalls(9);
    await trial.kill('scheduler-1');
    await lasting(2000);
    trial.freeze('scheduler-2');
    await trial.restart('scheduler-1');
    const begun = trial.receiver.calls().length;
    await until('the other one fires', () => trial.receiver.calls().length > begun + 9);
    trial.thaw('scheduler-2');
    const thawed = trial.receiver.calls().length;
    await until('it goes on', () => trial.receiver.calls().length > thawed + 9);
    const [{ client }, path] = [trial, { id: scheduleId }];
    const { data: paused } = await pauseSchedule({ client, path, body: {} });
    await trial.awaitEnded();

    const decidedMs = Date.parse(paused.decidedUntil);
    const { items } = (await listOccurrences({ client, path, query: { limit: 1000 } })).data;
    const instants = items.filter(({ state, group }) => state === 'fired' && group === 'SG');
    const firstMs = Math.min(...instants.map(({ scheduledFor }) => Date.parse(scheduledFor)));
    const occurrences = [];
    for (let atMs = firstMs; atMs <= decidedMs; atMs += 1000) {
      const scheduledFor = new Date(atMs).toISOString();
      for (const group of ['SG', 'ID', 'VN']) occurrences.push({ scheduleId, group, scheduledFor });
    }
    expect(firstMs).toBeLessThanOrEqual(Date.parse(paused.createdAt) + 1000);
    const measured = { instants: occurrences.length / 3 };
    expect(await trial.judgeCallbacks({ rows: '34', scenario: 'each second', occurrences, measured })).toEqual([]);
  });
});
