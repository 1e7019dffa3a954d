import { describe, expect, it } from 'vitest';
import type { MessagePublisher } from '../../../shared/ports/message-bus.ts';
import { createMemoryStepHolds } from '../../../test/support/memory/step-holds.ts';
import { passTime } from '../../../test/support/pass-time.ts';
import { createTriggerFixture, mortal, userIds } from '../../../test/support/trigger-fixture.ts';
import { createTrigger } from '../trigger.ts';

/** Feeds a run of 250 users in three batches. If `published` is false, no references to them are published. */
async function setUp({ published }: { published: boolean }) {
  const world = createTriggerFixture();
  const { clock, segmentation, triggerDeps, startCampaign, references } = world;
  segmentation.users.set('SG', userIds(250));
  const deps = triggerDeps('a');
  // If nothing is published, the first trigger dies between commit and publication. The test ends its leases.
  const publisher = mortal(deps.publisher, () => !published);
  await startCampaign();
  createTrigger({ ...deps, publisher }).start();
  await passTime(clock, 200);
  if (!published) {
    world.database.leases.clear();
    createTrigger(triggerDeps('b')).start();
  }
  const publishedAtFirst = references('SG').length;
  const offers = () =>
    references('SG')
      .slice(publishedAtFirst)
      .flatMap(({ batchNos }) => batchNos);
  return { ...world, offers };
}

const batches = [1, 2, 3];

describe('the sweep after a crash', () => {
  it('publishes committed references that were never published, when the run makes no progress', async () => {
    const { clock, offers } = await setUp({ published: false });
    await passTime(clock, 4000);
    expect(offers()).toEqual([]);
    await passTime(clock, 3000);
    expect(offers()).toEqual(batches);
  });

  it('publishes references again only after a delay', async () => {
    const { clock, offers } = await setUp({ published: true });
    await passTime(clock, 14_000);
    expect(offers()).toEqual(batches);
    await passTime(clock, 3000);
    expect(offers()).toEqual([...batches, ...batches]);
  });

  it('publishes nothing while the run progresses or after it ended', async () => {
    const { clock, workOff, offers, runs } = await setUp({ published: true });
    for (let i = 0; i < 3; i++) {
      await passTime(clock, 4000);
      await workOff(1);
    }
    await passTime(clock, 60_000);
    expect(offers()).toEqual([]);
    expect(runs()).toMatchObject([{ state: 'completed' }]);
  });

  it('publishes steps of a killed worker as soon as their lease has ended', async () => {
    const { clock, references, ledger, offers } = await setUp({ published: true });
    const claims = references('SG').flatMap(({ feedId, step, batchNos }) =>
      batchNos.map((batchNo) => ({ feedId, step, batchNo })),
    );
    await ledger.flush({ results: [], claims, begins: [] });
    await passTime(clock, 29_000);
    expect(offers()).toEqual([]);
    await passTime(clock, 3000);
    expect(offers()).toEqual(batches);
  });

  it('publishes waiting steps at once each time they are due', async () => {
    const { clock, references, ledger, offers } = await setUp({ published: true });
    const [ref] = references('SG').flatMap(({ feedId, step, batchNos }) =>
      batchNos.map((batchNo) => ({ feedId, step, batchNo })),
    );
    if (!ref) throw new Error('nothing was fed');
    for (let attempt = 1; attempt <= 3; attempt++) {
      const { claimed } = await ledger.flush({ results: [], claims: [ref], begins: [] });
      const waiting = { state: 'waiting', delayMs: 500, open: false, answered: true, cause: null } as const;
      await ledger.flush({
        results: claimed.map(({ epoch }) => ({ ...ref, epoch, ...waiting })),
        claims: [],
        begins: [],
      });
      await passTime(clock, 1600);
      expect(offers()).toEqual(Array.from({ length: attempt }, () => ref.batchNo));
    }
  });

  it('publishes all due steps in one poll, even if a feed has more than 250 of them', async () => {
    const world = createTriggerFixture();
    const { clock, segmentation, triggerDeps, startCampaign, references, ledger } = world;
    segmentation.users.set('SG', userIds(90_000));
    createTrigger(triggerDeps('a')).start();
    await startCampaign();
    await passTime(clock, 60_000);
    const fed = references('SG').flatMap(({ feedId, step, batchNos }) =>
      batchNos.map((batchNo) => ({ feedId, step, batchNo })),
    );
    expect(fed.length).toBeGreaterThan(250);
    const { claimed } = await ledger.flush({ results: [], claims: fed, begins: [] });
    const waiting = { state: 'waiting', delayMs: 5000, open: false, answered: true, cause: null } as const;
    const results = claimed.map(({ feedId, step, batchNo, epoch }) => ({ feedId, step, batchNo, epoch, ...waiting }));
    await ledger.flush({ results, claims: [], begins: [] });
    const before = references('SG').length;
    const again = () =>
      references('SG')
        .slice(before)
        .flatMap(({ batchNos }) => batchNos);
    const own = new Set(results.map(({ batchNo }) => batchNo));
    await passTime(clock, 4500);
    expect(again().filter((batchNo) => own.has(batchNo))).toEqual([]);
    // In this time, exactly one scan takes place after the steps are due.
    await passTime(clock, 1450);
    expect(again().filter((batchNo) => own.has(batchNo))).toHaveLength(own.size);
  });

  it('publishes references again after a failed attempt', async () => {
    const { clock, bus, offers } = await setUp({ published: false });
    bus.failNextPublish('before');
    await passTime(clock, 14_000);
    expect(offers()).toEqual(batches);
  });

  it('publishes the same references at growing intervals while no worker claims them', async () => {
    const { clock, offers } = await setUp({ published: true });
    await passTime(clock, 600_000);
    const perBatch = offers().length / batches.length;
    expect(perBatch).toBeGreaterThan(3);
    expect(perBatch).toBeLessThan(9);
  });

  it('publishes nothing twice to a topic that no worker reads', async () => {
    const { clock, backlogs, offers } = await setUp({ published: true });
    backlogs.set('muster.award-reward.SG', 3);
    await passTime(clock, 1_800_000);
    expect(offers().length).toBeLessThanOrEqual(batches.length);
  });

  it('publishes lost references as soon as the topic is empty, before the run counts as making no progress', async () => {
    const { clock, backlogs, offers } = await setUp({ published: false });
    backlogs.set('muster.award-reward.SG', 0);
    await passTime(clock, 4500);
    expect(offers()).toEqual(batches);
  });

  it('publishes lost references of one country while another country progresses', async () => {
    const world = createTriggerFixture();
    const { clock, segmentation, triggerDeps, startCampaign, references, workOff } = world;
    segmentation.users.set('SG', userIds(250));
    segmentation.users.set('ID', userIds(100_000));
    const deps = triggerDeps('a');
    const publisher: MessagePublisher = {
      publish: (messages) => deps.publisher.publish(messages.filter(({ topic }) => !topic.endsWith('.SG') || isMended)),
    };
    let isMended = false;
    await startCampaign({ countries: ['SG', 'ID'] });
    createTrigger({ ...deps, publisher }).start();
    await passTime(clock, 1000);
    expect(references('SG')).toEqual([]);
    isMended = true;
    for (let i = 0; i < 10; i++) {
      await workOff(5);
      await passTime(clock, 1000);
    }
    expect(references('SG').flatMap(({ batchNos }) => batchNos)).toEqual(batches);
  });

  it('publishes to other topics of a run if one topic cannot be written', async () => {
    const world = createTriggerFixture();
    const { clock, segmentation, triggerDeps, startCampaign, references, runs } = world;
    segmentation.users.set('SG', userIds(250));
    segmentation.users.set('ID', userIds(250));
    const deps = triggerDeps('a');
    let isFeeding = true;
    const publisher: MessagePublisher = {
      publish: async (messages) => {
        if (isFeeding) return;
        if (messages.some(({ topic }) => topic.endsWith('.SG'))) throw new Error('no leader');
        await deps.publisher.publish(messages);
      },
    };
    await startCampaign({ countries: ['SG', 'ID'] });
    createTrigger({ ...deps, publisher }).start();
    await passTime(clock, 1000);
    isFeeding = false;
    await passTime(clock, 40_000);
    // Each step is offered with growing delays. Failed attempts at the other topic cause no further offers.
    const offered = references('ID').flatMap(({ batchNos }) => batchNos);
    expect(offered.length / batches.length).toBeGreaterThanOrEqual(2);
    expect(offered.length / batches.length).toBeLessThanOrEqual(3);
    expect(runs()[0]?.waitingCause).toBe('Kafka does not take messages of muster.award-reward.SG: no leader');
  });
});

describe('the waiting cause of a run', () => {
  it('is a missing worker if messages are not handled and nothing progresses for half a minute', async () => {
    const { clock, backlogs, runs, workOff } = await setUp({ published: true });
    backlogs.set('muster.award-reward.SG', 1);
    await passTime(clock, 25_000);
    expect(runs()[0]?.waitingCause).toBeNull();
    await passTime(clock, 10_000);
    expect(runs()[0]?.waitingCause).toBe(
      'step 1 award-reward in SG: no worker handles the messages on muster.award-reward.SG',
    );
    await workOff(1);
    await passTime(clock, 1500);
    expect(runs()[0]?.waitingCause).toBeNull();
  });

  it('is the reason for which workers refuse the shard', async () => {
    const { clock, backlogs, database, runs } = await setUp({ published: true });
    backlogs.set('muster.award-reward.SG', 1);
    const shard = { actionType: 'award-reward', country: 'SG' };
    database.shardRefusals.push(
      { ...shard, country: 'ID', cause: 'of another' },
      { ...shard, cause: 'its calls may take 10 s' },
    );
    await passTime(clock, 35_000);
    expect(runs()[0]?.waitingCause).toBe('step 1 award-reward in SG: no worker can serve it: its calls may take 10 s');
    database.shardRefusals.length = 0;
    await passTime(clock, 1500);
    expect(runs()[0]?.waitingCause).toBe(
      'step 1 award-reward in SG: no worker handles the messages on muster.award-reward.SG',
    );
  });

  it('is the cause of waiting batches', async () => {
    const { clock, putAllBack, runs } = await setUp({ published: true });
    await putAllBack(60_000);
    await passTime(clock, 1500);
    expect(runs()[0]).toMatchObject({ waiting: 3, waitingCause: 'step 1 award-reward in SG: HTTP 404' });
  });

  it('is the cause of a held step that a person must fix', async () => {
    const { clock, putAllBack, database, feedRows, runs } = await setUp({ published: true });
    await putAllBack(60_000);
    const holds = createMemoryStepHolds({ database });
    await holds.hold(feedRows().map(({ feedId }) => ({ feedId, step: 1, kind: 'fault', cause: 'HTTP 404' })));
    await passTime(clock, 1500);
    expect(runs()[0]?.waitingCause).toBe('step 1 award-reward in SG is held until somebody mends it: HTTP 404');
  });
});
