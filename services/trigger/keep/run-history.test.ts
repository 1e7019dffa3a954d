import { describe, expect, it } from 'vitest';
import { createMemoryStepHolds } from '../../../test/support/memory/step-holds.ts';
import { passTime, passTimeUntil } from '../../../test/support/pass-time.ts';
import { createTriggerFixture, failingOnce, userIds } from '../../../test/support/trigger-fixture.ts';
import { createTrigger } from '../trigger.ts';

/** Feeds a run of 250 users with two triggers, one of which sweeps. */
async function fedRun(change: (deps: Parameters<typeof createTrigger>[0]) => object = () => ({})) {
  const world = createTriggerFixture();
  world.segmentation.users.set('SG', userIds(250));
  for (const owner of ['a', 'b']) {
    const deps = world.triggerDeps(owner);
    createTrigger({ ...deps, ...change(deps) }).start();
  }
  const { runId } = await world.startCampaign();
  await passTimeUntil(world.clock, () => world.feedRows()[0]?.complete === true);
  await passTime(world.clock, 0);
  const points = () => [...world.database.runPoints.values()].map(({ slot, ended }) => [slot, ended]);
  const kinds = () => world.database.runEvents.map(({ kind }) => kind);
  return { ...world, runId, points, kinds };
}

describe('the history of a run', () => {
  it('gets a point every five seconds and a last one at the end', async () => {
    const { clock, database, runId, workOff, points } = await fedRun();
    await passTime(clock, 7000);
    await workOff(1);
    await passTime(clock, 9000);
    await workOff();
    await passTimeUntil(clock, () => database.runs.get(runId)?.endedAt !== null);
    await passTime(clock, 60_000);
    expect(points().slice(0, 3)).toEqual([
      [0, 0],
      [1, 0],
      [2, 100],
    ]);
    expect(points().at(-1)?.[1]).toBe(250);
    expect(points().length).toBeLessThanOrEqual(4);
  });

  it('gets one event when a step is held and one when it is released', async () => {
    const { clock, database, feedRows, kinds } = await fedRun();
    const holds = createMemoryStepHolds({ database });
    const feedId = feedRows()[0]?.feedId ?? '';
    await holds.hold([{ feedId, step: 1, kind: 'fault', cause: 'HTTP 404' }]);
    await passTime(clock, 30_000);
    await holds.lift({ feedId, step: 1 }, 'fault');
    await passTime(clock, 30_000);
    expect(kinds()).toEqual(['created', 'begun', 'step-held', 'step-released']);
  });

  it('does not delay the run if a point cannot be stored, and the next poll stores the point', async () => {
    const { clock, database, runId, workOff, points } = await fedRun(({ runHistory }) => ({
      runHistory: failingOnce(runHistory, 'notePoints'),
    }));
    await workOff();
    await passTimeUntil(clock, () => database.runs.get(runId)?.endedAt !== null);
    expect(database.runs.get(runId)?.state).toBe('completed');
    expect(points().at(-1)?.[1]).toBe(250);
  });
});
