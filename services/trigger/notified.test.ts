import { describe, expect, it } from 'vitest';
import { passTime } from '../../test/support/pass-time.ts';
import { startTrigger } from '../../test/support/started-trigger.ts';
import { createTriggerFixture, userIds } from '../../test/support/trigger-fixture.ts';

/** Starts a trigger that receives notifications, and lets it be idle for a while. */
async function setUp() {
  const world = createTriggerFixture();
  const requested: string[] = [];
  const counted = <Port extends object>(port: Port): Port =>
    new Proxy(port, {
      get: (target, name) => {
        requested.push(String(name));
        const member: unknown = Reflect.get(target, name);
        return member;
      },
    });
  world.changes.restore();
  world.segmentation.users.set('SG', userIds(3));
  const trigger = startTrigger(world, 'a', ({ runStore, runHistory, feedStore }) => ({
    runStore: counted(runStore),
    runHistory: counted(runHistory),
    feedStore: counted(feedStore),
  }));
  await passTime(world.clock, 7100);
  requested.length = 0;
  const timesRequested = (question: string) => requested.filter((each) => each === question).length;
  return { ...world, world, trigger, request: requested, timesRequest: timesRequested };
}

describe('a trigger with notifications', () => {
  it('prepares a new run and feeds it at once', async () => {
    const { clock, changes, startCampaign, feedRows } = await setUp();
    await startCampaign();
    changes.announce('runs');
    await passTime(clock, 200);
    expect(feedRows()).toMatchObject([{ complete: true }]);
  });

  it('prepares a run within two seconds if its notification was lost', async () => {
    const { clock, startCampaign, feedRows } = await setUp();
    await startCampaign();
    await passTime(clock, 2200);
    expect(feedRows()).toMatchObject([{ complete: true }]);
  });

  it('claims a feed that another trigger releases at once, and within two seconds if the notification was lost', async () => {
    for (const isNotified of [true, false]) {
      const { clock, world, changes, segmentation, startCampaign, feedRows, trigger } = await setUp();
      segmentation.users.set('SG', userIds(100_000));
      const owner = () => feedRows()[0]?.owner;
      await startCampaign();
      changes.announce('runs');
      await passTime(clock, 300);
      expect(owner()).toBe('a');
      startTrigger(world, 'b');
      await passTime(clock, 300);
      await trigger.stopIntake();
      void trigger.finishWork();
      await passTime(clock, 0);
      if (isNotified) changes.announce('feeds');
      await passTime(clock, isNotified ? 100 : 2100);
      expect(owner()).toBe('b');
    }
  });

  it('ends a cancelled run within a second after a notification, and within five seconds if it was lost', async () => {
    for (const [isNotification, withinMs] of [
      [true, 1000],
      [false, 5000],
    ] as const) {
      const { clock, changes, startCampaign, runs, database } = await setUp();
      const { runId } = await startCampaign();
      const row = database.runs.get(runId);
      // The run was begun by another trigger, and is then cancelled.
      if (row) Object.assign(row, { state: 'cancelling' });
      if (isNotification) changes.announce('runs');
      await passTime(clock, withinMs + 100);
      expect(runs()).toMatchObject([{ state: 'cancelled' }]);
    }
  });

  it('makes few queries while no run is open', async () => {
    const { clock, request, timesRequest } = await setUp();
    await passTime(clock, 10_000);
    expect(timesRequest('isAnyOpen')).toBe(2);
    expect(timesRequest('toPrepare')).toBe(5);
    expect(timesRequest('claim')).toBe(5);
    expect(new Set(request)).toEqual(new Set(['isAnyOpen', 'toPrepare', 'claim']));
  });
});
