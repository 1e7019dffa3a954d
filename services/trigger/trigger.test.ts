import { describe, expect, it } from 'vitest';
import { waitingOf } from '../../test/support/conformance/execution-subject.ts';
import { passTime, passTimeUntil } from '../../test/support/pass-time.ts';
import { createTriggerFixture, failureOf, userIds } from '../../test/support/trigger-fixture.ts';
import { segmentAlone } from '../../shared/contracts/runs/feed-audience.ts';
import { createTrigger, type TriggerDeps } from './trigger.ts';

function setUp(change: (deps: TriggerDeps) => Partial<TriggerDeps> = () => ({})) {
  const world = createTriggerFixture();
  const deps = world.triggerDeps('a');
  const trigger = createTrigger({ ...deps, ...change(deps) });
  trigger.start();
  return { ...world, trigger };
}

describe('the preparation of a run', () => {
  it('begins the run with one feed per country on the snapshots of the segmentation service', async () => {
    const { clock, segmentation, startCampaign, feedRows, runs } = setUp();
    segmentation.users.set('SG', userIds(3));
    await startCampaign({ countries: ['SG', 'ID'] });
    await passTime(clock, 500);
    expect(runs()).toMatchObject([{ state: 'running' }]);
    expect(feedRows()).toMatchObject([
      { country: 'SG', audience: segmentAlone({ segment: 'lapsed-riders', snapshot: 's1', estimate: 3 }) },
      { country: 'ID', audience: segmentAlone({ segment: 'lapsed-riders', snapshot: 's1', estimate: 0 }) },
    ]);
  });

  it('fails the run if the segment does not exist, with a cause that contains segment and country', async () => {
    const { clock, segmentation, startCampaign, runs } = setUp();
    segmentation.failure = failureOf('not-found');
    await startCampaign();
    await passTime(clock, 500);
    expect(runs()).toMatchObject([{ state: 'failed', stateReason: 'there is no segment "lapsed-riders" for SG' }]);
  });

  it('waits for an unavailable segmentation service for the time of Retry-After', async () => {
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

  it('expires the run with its cause if the deadline passes before the run begins', async () => {
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

describe('the ending of a run', () => {
  it('completes a run after all fed batches are done', async () => {
    const { clock, segmentation, startCampaign, workOff, runs } = setUp();
    segmentation.users.set('SG', userIds(250));
    await startCampaign();
    await passTime(clock, 2000);
    expect(runs()).toMatchObject([{ state: 'running' }]);
    await workOff();
    await passTime(clock, 2000);
    expect(runs()).toMatchObject([{ state: 'completed', stateReason: null }]);
  });

  it('completes a run without users', async () => {
    const { clock, startCampaign, runs } = setUp();
    await startCampaign();
    await passTime(clock, 3000);
    expect(runs()).toMatchObject([{ state: 'completed' }]);
  });

  it('does not complete a run whose totals differ from its rows', async () => {
    const { clock, segmentation, startCampaign, workOff, database, runs } = setUp();
    segmentation.users.set('SG', userIds(250));
    await startCampaign();
    await passTime(clock, 2000);
    await workOff();
    for (const step of database.steps.values()) step.restUsers -= 1;
    await passTime(clock, 60_000);
    expect(runs()).toMatchObject([{ state: 'running' }]);
  });

  it('expires a run with an incomplete feed after its deadline, when late writes have become impossible', async () => {
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

  it('expires a run with matching totals if no worker serves its shard', async () => {
    const { clock, segmentation, startCampaign, runs, feedRows, database } = setUp();
    segmentation.users.set('SG', userIds(250));
    await startCampaign({ deadlineSeconds: 120 });
    await passTime(clock, 140_000);
    expect(runs()).toMatchObject([
      { state: 'expired', stateReason: 'the deadline passed before 250 users could be served' },
    ]);
    expect(database.totals.get(`${feedRows()[0]?.feedId ?? ''}/1`)).toMatchObject({
      batches: 3,
      expired: 250,
      unknown: 0,
    });
  });

  it('expires a run with batches that wait beyond its deadline, and ends open calls as unknown', async () => {
    const { clock, segmentation, startCampaign, references, ledger, putAllBack, runs } = setUp();
    segmentation.users.set('SG', userIds(250));
    await startCampaign({ deadlineSeconds: 120 });
    await passTime(clock, 1000);
    const [ref] = references('SG').map(({ feedId }) => ({ feedId, step: 1, batchNo: 1 }));
    if (!ref) throw new Error('nothing was fed');
    const { claimed } = await ledger.flush({ results: [], claims: [ref], begins: [] });
    const open = claimed.map((step) => waitingOf(step, { delayMs: 3_600_000, open: true }));
    await ledger.flush({ results: open, claims: [], begins: [] });
    await putAllBack(3_600_000);
    await passTime(clock, 140_000);
    const [run] = runs();
    expect(run?.state).toBe('expired');
    expect(run?.stateReason).toBe(
      'the deadline passed before 150 users could be served; the outcome of 100 users is unknown',
    );
  });

  it('prevents writes of pages after the run has ended', async () => {
    let write: (() => Promise<boolean>) | undefined;
    const { clock, segmentation, startCampaign, runs, feedRows } = setUp((deps) => ({
      feedStore: {
        ...deps.feedStore,
        // The first write hangs until after the end of the run.
        writePages: (pages) => {
          write = () => deps.feedStore.writePages(pages);
          return new Promise(() => undefined);
        },
      },
    }));
    segmentation.users.set('SG', userIds(250));
    await startCampaign({ deadlineSeconds: 60 });
    await passTime(clock, 90_000);
    expect(runs()).toMatchObject([{ state: 'expired' }]);
    expect(await write?.()).toBe(false);
    expect(feedRows()).toMatchObject([{ fedUsers: 0 }]);
  });

  it('cancels unclaimed batches, and ends the run as cancelled', async () => {
    const { clock, segmentation, startCampaign, workOff, runs, database, feedRows } = setUp();
    segmentation.users.set('SG', userIds(250));
    const { runId } = await startCampaign();
    await passTime(clock, 1000);
    await workOff(1);
    const run = database.runs.get(runId);
    if (run) run.state = 'cancelling';
    await passTime(clock, 3000);
    expect(runs()).toMatchObject([{ state: 'cancelled', stateReason: null }]);
    expect(database.totals.get(`${feedRows()[0]?.feedId ?? ''}/1`)).toMatchObject({ succeeded: 100, cancelled: 150 });
  });

  it('keeps the numbers of claimed and waiting batches up to date', async () => {
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

  it('leaves sweeping and ending of runs to another trigger after it stops', async () => {
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
