import { describe, expect, it } from 'vitest';
import { passTime, passTimeUntil } from '../../test/support/pass-time.ts';
import { createTriggerFixture, failingOnce, failureOf, userIds } from '../../test/support/trigger-fixture.ts';
import { createTrigger, type TriggerDeps } from './trigger.ts';

async function setUp(change: (deps: TriggerDeps) => Partial<TriggerDeps> = () => ({})) {
  const world = createTriggerFixture();
  const deps = world.triggerDeps('a');
  const trigger = createTrigger({ ...deps, ...change(deps) });
  await trigger.start();
  return { ...world, trigger };
}

describe('taking fires', () => {
  it('makes one run of a fire that comes twice', async () => {
    const { clock, startCampaign, publishFire, runs } = await setUp();
    const fire = await startCampaign();
    await publishFire(fire);
    await passTime(clock, 100);
    expect(runs()).toMatchObject([{ campaignId: fire.campaignId, revision: fire.revision }]);
  });

  it('keeps a fire until the database takes it', async () => {
    const { clock, startCampaign, runs } = await setUp((deps) => ({
      runStore: failingOnce(deps.runStore, 'create'),
    }));
    await startCampaign();
    await passTime(clock, 100);
    expect(runs()).toEqual([]);
    await passTime(clock, 1000);
    expect(runs()).toHaveLength(1);
  });

  it('buries what is no fire, and a fire of a campaign that does not exist, and goes on', async () => {
    const { clock, startCampaign, publishFire, database, runs } = await setUp();
    await publishFire('garbage');
    const fire = await startCampaign();
    await publishFire({ ...fire, campaignId: fire.fireId });
    await passTime(clock, 100);
    expect([...database.deadLetters.values()].map(({ reason }) => reason)).toEqual([
      'not a fire',
      expect.stringContaining('has no revision'),
    ]);
    expect(runs()).toHaveLength(1);
  });

  it('settles what it has dealt with: another trigger of the group does not get it again', async () => {
    const { clock, startCampaign, trigger, triggerDeps, runs, database } = await setUp();
    await startCampaign();
    await passTime(clock, 100);
    await trigger.stopIntake();
    await trigger.finishWork();
    await trigger.close();
    database.runs.clear();
    await createTrigger(triggerDeps('b')).start();
    await passTime(clock, 1000);
    expect(runs()).toEqual([]);
  });
});

describe('preparing a run', () => {
  it('begins it with one feed per country, on the snapshots that the segmentation service names', async () => {
    const { clock, segmentation, startCampaign, feedRows, runs } = await setUp();
    segmentation.users.set('SG', userIds(3));
    await startCampaign({ countries: ['SG', 'ID'] });
    await passTime(clock, 0);
    expect(runs()).toMatchObject([{ state: 'running' }]);
    expect(feedRows()).toMatchObject([
      { country: 'SG', segment: 'lapsed-riders', snapshot: 's1', estimate: 3 },
      { country: 'ID', segment: 'lapsed-riders', snapshot: 's1', estimate: 0 },
    ]);
  });

  it('fails it when there is no such segment, with the segment and the country as the cause', async () => {
    const { clock, segmentation, startCampaign, runs } = await setUp();
    segmentation.failure = failureOf('not-found');
    await startCampaign();
    await passTime(clock, 0);
    expect(runs()).toMatchObject([{ state: 'failed', stateReason: 'there is no segment "lapsed-riders" for SG' }]);
  });

  it('waits for a segmentation service that is down, for as long as it asks for', async () => {
    const { clock, segmentation, startCampaign, runs } = await setUp();
    segmentation.failure = failureOf('unavailable', 20_000);
    await startCampaign();
    await passTime(clock, 100);
    segmentation.failure = null;
    await passTime(clock, 19_000);
    expect(runs()).toMatchObject([{ state: 'preparing' }]);
    await passTime(clock, 1500);
    expect(runs()).toMatchObject([{ state: 'running' }]);
  });

  it('expires it when its deadline passes first, and says what it waited for', async () => {
    const { clock, segmentation, startCampaign, runs } = await setUp();
    segmentation.failure = failureOf('unavailable');
    await startCampaign({ deadlineSeconds: 60 });
    await passTime(clock, 61_000);
    expect(runs()).toMatchObject([
      { state: 'expired', stateReason: 'the deadline passed before the run could begin; scripted unavailable' },
    ]);
  });
});

describe('ending a run', () => {
  it('completes it when all that was fed is done', async () => {
    const { clock, segmentation, startCampaign, workOff, runs } = await setUp();
    segmentation.users.set('SG', userIds(250));
    await startCampaign();
    await passTime(clock, 2000);
    expect(runs()).toMatchObject([{ state: 'running' }]);
    await workOff();
    await passTime(clock, 2000);
    expect(runs()).toMatchObject([{ state: 'completed', stateReason: null }]);
  });

  it('completes it without users too', async () => {
    const { clock, startCampaign, runs } = await setUp();
    await startCampaign();
    await passTime(clock, 3000);
    expect(runs()).toMatchObject([{ state: 'completed' }]);
  });

  it('does not end it while the sums do not agree with the rows', async () => {
    const { clock, segmentation, startCampaign, workOff, database, runs } = await setUp();
    segmentation.users.set('SG', userIds(250));
    await startCampaign();
    await passTime(clock, 2000);
    await workOff();
    for (const step of database.steps.values()) step.restUsers -= 1;
    await passTime(clock, 60_000);
    expect(runs()).toMatchObject([{ state: 'running' }]);
  });

  it('expires it when the deadline passes before its audience is fed, not before a late write could still come', async () => {
    const { clock, segmentation, startCampaign, workOff, runs } = await setUp();
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
    const { clock, segmentation, startCampaign, references, ledger, runs } = await setUp();
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
    const { clock, segmentation, startCampaign, workOff, trigger, triggerDeps, runs } = await setUp();
    segmentation.users.set('SG', userIds(250));
    await startCampaign();
    await passTime(clock, 1000);
    await trigger.stopIntake();
    await trigger.finishWork();
    await trigger.close();
    await createTrigger(triggerDeps('b')).start();
    await workOff();
    await passTime(clock, 2000);
    expect(runs()).toMatchObject([{ state: 'completed' }]);
  });
});
