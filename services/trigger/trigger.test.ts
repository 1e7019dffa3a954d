import { describe, expect, it } from 'vitest';
import { passTime, passTimeUntil } from '../../test/support/pass-time.ts';
import { createTriggerFixture, failureOf, userIds } from '../../test/support/trigger-fixture.ts';
import { createTrigger, type TriggerDeps } from './trigger.ts';

function setUp(change: (deps: TriggerDeps) => Partial<TriggerDeps> = () => ({})) {
  const world = createTriggerFixture();
  const deps = world.triggerDeps('a');
  const trigger = createTrigger({ ...deps, ...change(deps) });
  trigger.start();
  return { ...world, trigger };
}

describe('preparing a run', () => {
  it('begins it with one feed per country, on the snapshots that the segmentation service names', async () => {
    const { clock, segmentation, startCampaign, feedRows, runs } = setUp();
    segmentation.users.set('SG', userIds(3));
    await startCampaign({ countries: ['SG', 'ID'] });
    await passTime(clock, 500);
    expect(runs()).toMatchObject([{ state: 'running' }]);
    expect(feedRows()).toMatchObject([
      { country: 'SG', segment: 'lapsed-riders', snapshot: 's1', estimate: 3 },
      { country: 'ID', segment: 'lapsed-riders', snapshot: 's1', estimate: 0 },
    ]);
  });

  it('fails it when there is no such segment, with the segment and the country as the cause', async () => {
    const { clock, segmentation, startCampaign, runs } = setUp();
    segmentation.failure = failureOf('not-found');
    await startCampaign();
    await passTime(clock, 500);
    expect(runs()).toMatchObject([{ state: 'failed', stateReason: 'there is no segment "lapsed-riders" for SG' }]);
  });

  it('waits for a segmentation service that is down, for as long as it asks for', async () => {
    const { clock, segmentation, startCampaign, runs } = setUp();
    segmentation.users.set('SG', userIds(3));
    segmentation.failure = failureOf('unavailable', 20_000);
    await startCampaign();
    await passTime(clock, 500);
    segmentation.failure = null;
    await passTime(clock, 19_000);
    expect(runs()).toMatchObject([{ state: 'preparing' }]);
    await passTime(clock, 1500);
    expect(runs()).toMatchObject([{ state: 'running' }]);
  });

  it('expires it when its deadline passes first, and says what it waited for', async () => {
    const { clock, segmentation, startCampaign, runs } = setUp();
    segmentation.failure = failureOf('unavailable');
    await startCampaign({ deadlineSeconds: 60 });
    await passTime(clock, 61_000);
    const [run] = runs();
    expect(run?.state).toBe('expired');
    expect(run?.stateReason).toMatch(
      /^the deadline passed before the run could begin; segment .* in SG: .*scripted unavailable/,
    );
  });
});

describe('ending a run', () => {
  it('completes it when all that was fed is done', async () => {
    const { clock, segmentation, startCampaign, workOff, runs } = setUp();
    segmentation.users.set('SG', userIds(250));
    await startCampaign();
    await passTime(clock, 2000);
    expect(runs()).toMatchObject([{ state: 'running' }]);
    await workOff();
    await passTime(clock, 2000);
    expect(runs()).toMatchObject([{ state: 'completed', stateReason: null }]);
  });

  it('completes it without users too', async () => {
    const { clock, startCampaign, runs } = setUp();
    await startCampaign();
    await passTime(clock, 3000);
    expect(runs()).toMatchObject([{ state: 'completed' }]);
  });

  it('does not end it while the sums do not agree with the rows', async () => {
    const { clock, segmentation, startCampaign, workOff, database, runs } = setUp();
    segmentation.users.set('SG', userIds(250));
    await startCampaign();
    await passTime(clock, 2000);
    await workOff();
    for (const step of database.steps.values()) step.restUsers -= 1;
    await passTime(clock, 60_000);
    expect(runs()).toMatchObject([{ state: 'running' }]);
  });

  it('expires it when the deadline passes before its audience is fed, not before a late write could still come', async () => {
    const { clock, segmentation, startCampaign, workOff, runs } = setUp();
    segmentation.users.set('SG', userIds(100_000));
    await startCampaign({ deadlineSeconds: 60 });
    await passTime(clock, 61_000);
    await workOff();
    await passTime(clock, 10_000);
    expect(runs()).toMatchObject([{ state: 'running' }]);
    await passTime(clock, 10_000);
    expect(runs()).toMatchObject([
      { state: 'expired', stateReason: 'the deadline passed before all of the audience was fed' },
    ]);
  });

  it('keeps figures of what is going on', async () => {
    const { clock, segmentation, startCampaign, references, ledger, runs } = setUp();
    segmentation.users.set('SG', userIds(250));
    await startCampaign();
    await passTimeUntil(clock, () => references('SG').length > 0);
    const claims = references('SG').flatMap(({ feedId, step, batchNos }) =>
      batchNos.map((batchNo) => ({ feedId, step, batchNo })),
    );
    await ledger.flush({ results: [], claims, begins: [] });
    await passTime(clock, 2000);
    expect(runs()).toMatchObject([{ inFlight: 3, waiting: 0 }]);
  });
});

describe('the trigger', () => {
  it('can be stopped before it was started, and twice', async () => {
    const trigger = createTrigger(createTriggerFixture().triggerDeps('a'));
    for (let times = 0; times < 2; times++) {
      await trigger.stopIntake();
      await trigger.finishWork();
      await trigger.close();
    }
    expect(trigger.ready()).toBe(false);
  });

  it('leaves sweeping and ending runs to another when it stops', async () => {
    const { clock, segmentation, startCampaign, workOff, trigger, triggerDeps, runs } = setUp();
    segmentation.users.set('SG', userIds(250));
    await startCampaign();
    await passTime(clock, 1000);
    await trigger.stopIntake();
    await trigger.finishWork();
    await trigger.close();
    createTrigger(triggerDeps('b')).start();
    await workOff();
    await passTime(clock, 2000);
    expect(runs()).toMatchObject([{ state: 'completed' }]);
  });
});
