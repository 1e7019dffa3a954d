import { describe, expect, it } from 'vitest';
import type { Segmentation } from '../../../shared/ports/segmentation.ts';
import { passTime, passTimeUntil } from '../../../test/support/pass-time.ts';
import { createTriggerFixture, failureOf, userIds } from '../../../test/support/trigger-fixture.ts';
import { setUp, startTrigger } from '../../../test/support/started-trigger.ts';

describe('the limit of batches that are fed and not handled', () => {
  it('stops a feed at 300 unhandled batches without a worker', async () => {
    const { clock, startCampaign, feed } = setUp(userIds(100_000));
    await startCampaign();
    await passTime(clock, 60_000);
    const fedBatches = (feed()?.nextBatchNo ?? 1) - 1;
    expect(fedBatches).toBeGreaterThanOrEqual(300);
    expect(fedBatches).toBeLessThan(320);
  });

  it('lets a feed continue when batches are handled', async () => {
    const { clock, startCampaign, workOff, isFed, fedUsers } = setUp(userIds(100_000));
    await startCampaign();
    while (!isFed()) {
      await workOff();
      await passTime(clock, 100);
    }
    expect(fedUsers('SG')).toHaveLength(100_000);
  });

  it('feeds a small campaign at once while a large campaign waits for capacity', async () => {
    const { clock, segmentation, startCampaign, feedRows } = setUp(userIds(100_000));
    await startCampaign();
    await passTime(clock, 10_000);
    segmentation.users.set('SG', userIds(900));
    await startCampaign({ name: 'small' });
    await passTime(clock, 1000);
    expect(feedRows().map(({ complete }) => complete)).toEqual([false, true]);
  });

  it('feeds other campaigns beside a campaign whose batches all wait', async () => {
    const { clock, segmentation, startCampaign, putAllBack, workOff, feedRows } = setUp(userIds(60_000));
    await startCampaign();
    await passTime(clock, 10_000);
    await putAllBack(86_400_000);
    segmentation.users.set('SG', userIds(20_000));
    await startCampaign({ name: 'healthy' });
    // Workers handle the batches so slowly that the work of three seconds is fewer than 300 batches.
    for (let i = 0; i < 30; i++) {
      await workOff(10);
      await passTime(clock, 200);
    }
    const [stuck, healthy] = feedRows();
    expect(healthy).toMatchObject({ complete: true, fedUsers: 20_000 });
    expect((stuck?.nextBatchNo ?? 1) - 1).toBeLessThan(340);
  });

  it('stops the feed of a chain whose later step is too slow', async () => {
    const { clock, startCampaign, workOff, feed } = setUp(userIds(200_000));
    await startCampaign({ chain: ['award-reward', 'send-message'].map((action) => ({ action, params: {} })) });
    for (let i = 0; i < 40; i++) {
      await workOff();
      await passTime(clock, 250);
    }
    expect((feed()?.nextBatchNo ?? 1) - 1).toBeLessThan(640);
  });

  it('allows more than 300 batches within the first second of a fast shard', async () => {
    const { clock, startCampaign, feed, workOff } = setUp(userIds(200_000));
    await startCampaign();
    await passTimeUntil(clock, () => (feed()?.nextBatchNo ?? 0) > 300);
    for (let read = 0; read < 5; read++) {
      await workOff(50);
      await passTime(clock, 100);
    }
    // At 500 batches a second, the work of three seconds is 1,500 batches.
    expect((feed()?.nextBatchNo ?? 1) - 1 - 250).toBeGreaterThan(1200);
  });

  it('grants enough batches to last until the next poll if a poll takes more than a second', async () => {
    const { clock, startCampaign, feed, workOff } = setUp(userIds(200_000), ({ feedStore }) => ({
      feedStore: {
        ...feedStore,
        loads: async (feedIds) => {
          const loads = await feedStore.loads(feedIds);
          await clock.sleep(1200);
          return loads;
        },
      },
    }));
    await startCampaign({ deadlineSeconds: 86_400 });
    for (let tenths = 0; tenths < 120; tenths++) {
      await passTime(clock, 100);
      await workOff(40);
    }
    expect(feed()?.complete).toBe(true);
  });

  it('limits the users that it keeps in memory', async () => {
    const { clock, segmentation, startCampaign } = setUp(userIds(200_000));
    await startCampaign();
    await passTime(clock, 60_000);
    expect(segmentation.pagesRequested.length).toBeLessThanOrEqual(300 / 10 + 10 + 3);
  });
});

describe('a trigger beside a segmentation service that hangs', () => {
  const hangsForMs = 10_000;

  /**
   * The first pages of the segment `stuck` fail, so that all of its feeds stall. Later requests get no answer before
   * the time-out.
   */
  function setUpStuck() {
    const world = createTriggerFixture();
    const { clock, segmentation } = world;
    segmentation.users.set('SG', userIds(3));
    let fails = false;
    const page: Segmentation['page'] = async (request, signal) => {
      if (request.segment !== 'stuck') return segmentation.page(request, signal);
      if (!fails) await clock.sleep(hangsForMs, signal);
      return { ok: false, failure: failureOf('unavailable') };
    };
    startTrigger(world, 'a', (deps) => ({ segmentation: { ...deps.segmentation, page } }));
    const startStuck = async (runs: number, countries: number) => {
      const served = Array.from({ length: countries }, (_, i) => `C${i}`);
      const audience = { include: [{ segment: 'stuck' }] };
      for (let i = 0; i < runs; i++) await world.startCampaign({ audience, countries: served });
    };
    return { ...world, startStuck, failAtOnce: (on: boolean) => (fails = on) };
  }

  it.each([
    ['hang', false],
    ['fail at once', true],
  ])('feeds a new run within a second although the pages of 600 feeds %s', async (_what, failsThen) => {
    const { clock, startCampaign, startStuck, failAtOnce, fedUsers, feedRows } = setUpStuck();
    failAtOnce(true);
    await startStuck(20, 30);
    await passTimeUntil(clock, () => feedRows().filter(({ stalls }) => stalls > 0).length === 600);
    failAtOnce(failsThen);
    await passTime(clock, 5000);

    await startCampaign();
    await passTime(clock, 1000);
    expect(fedUsers('SG')).toEqual(userIds(3));
  });

  it.each([
    [1000, 500, 1],
    [10_000, 500, 1],
    [60_000, 500, 1],
    [1000, 60, 20],
  ])(
    'feeds a new run that begins %s ms after %s runs in %s countries whose first pages hang, within two seconds',
    async (leadMs, runs, countries) => {
      const { clock, startCampaign, startStuck, fedUsers } = setUpStuck();
      await startStuck(runs, countries);
      await passTime(clock, leadMs);

      await startCampaign();
      await passTime(clock, 2000);
      expect(fedUsers('SG')).toEqual(userIds(3));
    },
  );
});
