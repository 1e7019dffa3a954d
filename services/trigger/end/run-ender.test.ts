import { describe, expect, it } from 'vitest';
import { doneOf } from '../../../test/support/conformance/execution-subject.ts';
import { passTime } from '../../../test/support/pass-time.ts';
import { createTriggerFixture, userIds } from '../../../test/support/trigger-fixture.ts';
import { createTrigger, type TriggerDeps } from '../trigger.ts';

/** Creates a run of 300 users that is cancelled while a worker calls one of its batches. */
async function cancelledRun(change: (deps: TriggerDeps) => Partial<TriggerDeps>) {
  const world = createTriggerFixture();
  const { clock, segmentation, startCampaign, ledger, references, runs } = world;
  segmentation.users.set('SG', userIds(300));
  let isBroken = false;
  const deps = world.triggerDeps('a');
  const broken = change(deps);
  const trigger = createTrigger({
    ...deps,
    runStore: {
      ...deps.runStore,
      tallies: (which) => (isBroken && broken.runStore ? broken.runStore : deps.runStore).tallies(which),
    },
    topicBacklogs: {
      unhandled: (topics) =>
        (isBroken && broken.topicBacklogs ? broken.topicBacklogs : deps.topicBacklogs).unhandled(topics),
    },
  });
  trigger.start();
  await startCampaign();
  await passTime(clock, 1000);
  const [first] = references('SG');
  const claims = first ? [{ feedId: first.feedId, step: 1, batchNo: 1 }] : [];
  const { claimed } = await ledger.flush({ results: [], claims, begins: [] });
  isBroken = true;
  await passTime(clock, 1500);
  const [run] = runs();
  if (!run) throw new Error('there is no run');
  Object.assign(run, { state: 'cancelling' });
  await passTime(clock, 3000);
  expect(run.state).toBe('cancelling');
  await ledger.flush({ results: claimed.map((claim) => doneOf(claim)), claims: [], begins: [] });
  return { ...world, run };
}

describe('a cancelled run', () => {
  it('ends within five seconds of its last call although Kafka does not answer', async () => {
    const { clock, run } = await cancelledRun(() => ({
      topicBacklogs: { unhandled: () => new Promise(() => undefined) },
    }));
    await passTime(clock, 5000);
    expect(run.state).toBe('cancelled');
  });

  it('ends within five seconds of its last call although reading all runs takes many seconds', async () => {
    const { clock, run } = await cancelledRun(({ runStore, clock: time }) => ({
      runStore: {
        ...runStore,
        tallies: async (which) => {
          if (which !== 'over') await time.sleep(3000);
          return runStore.tallies(which);
        },
      },
    }));
    await passTime(clock, 5000);
    expect(run.state).toBe('cancelled');
  });

  it('ends within five seconds of its last call although reading the runs that are over is slow', async () => {
    const { clock, run } = await cancelledRun(({ runStore, clock: time }) => ({
      runStore: {
        ...runStore,
        tallies: async (which) => {
          await time.sleep(400);
          return runStore.tallies(which);
        },
      },
    }));
    await passTime(clock, 5000);
    expect(run.state).toBe('cancelled');
  });

  it('ends within 100 ms of the end of its only batch', async () => {
    const world = createTriggerFixture();
    const { clock, segmentation, startCampaign, runs } = world;
    const deps = world.triggerDeps('a');
    let endedAtMs = Infinity;
    const stepEndings: typeof deps.stepEndings = {
      ...deps.stepEndings,
      endOpen: async (...args) => {
        const ending = await deps.stepEndings.endOpen(...args);
        if (ending.ended > 0) endedAtMs = clock.monotonicMs();
        return ending;
      },
    };
    createTrigger({ ...deps, stepEndings }).start();
    segmentation.users.set('SG', userIds(1));
    await startCampaign();
    await passTime(clock, 1000);
    const [run] = runs();
    if (!run) throw new Error('there is no run');
    Object.assign(run, { state: 'cancelling' });
    for (let reads = 0; reads < 200 && run.state === 'cancelling'; reads++) await passTime(clock, 20);
    expect(run.state).toBe('cancelled');
    expect(clock.monotonicMs() - endedAtMs).toBeLessThanOrEqual(100);
  });

  it('waits for at most three statements of another, large run that is cancelled at the same time', async () => {
    const world = createTriggerFixture();
    const { clock, segmentation, startCampaign, runs, feedRows } = world;
    const deps = world.triggerDeps('a');
    let ofLarge = 0;
    const stepEndings: typeof deps.stepEndings = {
      ...deps.stepEndings,
      endOpen: async (feed, outcome, window) => {
        if (feedRows().find(({ feedId }) => feedId === feed.feedId)?.runId !== runs()[0]?.id)
          return deps.stepEndings.endOpen(feed, outcome, window);
        ofLarge++;
        return { ended: window.limit, passed: 0, next: window.from + window.limit };
      },
    };
    createTrigger({ ...deps, stepEndings }).start();
    segmentation.users.set('SG', userIds(300));
    await startCampaign();
    await passTime(clock, 1000);
    await startCampaign();
    await passTime(clock, 1000);
    const [large, small] = runs();
    if (!large || !small) throw new Error('there are two runs');
    Object.assign(large, { state: 'cancelling' });
    Object.assign(small, { state: 'cancelling' });
    for (let reads = 0; reads < 200 && small.state === 'cancelling'; reads++) await passTime(clock, 20);
    expect(small.state).toBe('cancelled');
    expect(ofLarge).toBeGreaterThan(0);
    expect(ofLarge).toBeLessThanOrEqual(3);
  });
});
