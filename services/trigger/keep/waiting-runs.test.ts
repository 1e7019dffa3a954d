import { expect, it } from 'vitest';
import { passTime } from '../../../test/support/pass-time.ts';
import { createTriggerFixture, userIds } from '../../../test/support/trigger-fixture.ts';
import { createTrigger, type TriggerDeps } from '../trigger.ts';

const waitingRuns = 200;

/** Returns, by kind of query, how many runs each query reads once all 200 runs wait. */
async function requestedWithOthers(): Promise<Record<'tallies' | 'points' | 'troubles', number[]>> {
  const world = createTriggerFixture();
  const { clock, segmentation, startCampaign, feedRows, putAllBack } = world;
  const requested = { tallies: new Array<number>(), points: new Array<number>(), troubles: new Array<number>() };
  const deps: TriggerDeps = world.triggerDeps('a');
  const { runStore, runHistory } = deps;
  const counted: TriggerDeps = {
    ...deps,
    runStore: {
      ...runStore,
      tallies: (which) => {
        if (which !== 'over') requested.tallies.push(which.length);
        return runStore.tallies(which);
      },
    },
    runHistory: {
      notePoints: (points) => {
        requested.points.push(points.length);
        return runHistory.notePoints(points);
      },
      noteTroubles: (runIds) => {
        requested.troubles.push(runIds.length);
        return runHistory.noteTroubles(runIds);
      },
    },
  };
  createTrigger(counted).start();
  segmentation.users.set('SG', userIds(3));
  for (let run = 0; run < waitingRuns; run++) await startCampaign({ deadlineSeconds: 86_400 });
  while (feedRows().filter(({ complete }) => complete).length < waitingRuns) await passTime(clock, 1000);
  await putAllBack(36_000_000);
  await passTime(clock, 70_000);
  for (const counts of Object.values(requested)) counts.length = 0;
  await passTime(clock, 20_000);
  return requested;
}

it('the keeper, the reconciler and the history read 200 waiting runs in turn', async () => {
  const request = await requestedWithOthers();
  for (const counts of Object.values(request)) {
    expect(counts.length).toBeGreaterThan(15);
    expect(Math.max(...counts)).toBeLessThanOrEqual(waitingRuns / 2);
  }
});
