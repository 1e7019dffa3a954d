import { describe, expect, it } from 'vitest';
import { passTime } from '../../test/support/pass-time.ts';
import { createTriggerFixture, mortal, userIds } from '../../test/support/trigger-fixture.ts';
import { createTrigger } from './trigger.ts';

/** A run of 250 users in three batches whose references were published, or never were. */
async function setUp({ published }: { published: boolean }) {
  const world = createTriggerFixture();
  const { clock, segmentation, triggerDeps, startCampaign, references } = world;
  segmentation.users.set('SG', userIds(250));
  const deps = triggerDeps('a');
  // The one that dies between commit and publication reaches nobody from then on, and its leases are ended by hand.
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

describe('sweeping up after a crash', () => {
  it('publishes what was committed and never published, once the run stands still', async () => {
    const { clock, offers } = await setUp({ published: false });
    await passTime(clock, 4000);
    expect(offers()).toEqual([]);
    await passTime(clock, 3000);
    expect(offers()).toEqual(batches);
  });

  it('publishes it again only after a while', async () => {
    const { clock, offers } = await setUp({ published: true });
    await passTime(clock, 14_000);
    expect(offers()).toEqual(batches);
    await passTime(clock, 3000);
    expect(offers()).toEqual([...batches, ...batches]);
  });

  it('publishes nothing while the run moves, nor when it is over', async () => {
    const { clock, workOff, offers, runs } = await setUp({ published: true });
    for (let i = 0; i < 3; i++) {
      await passTime(clock, 4000);
      await workOff(1);
    }
    await passTime(clock, 60_000);
    expect(offers()).toEqual([]);
    expect(runs()).toMatchObject([{ state: 'completed' }]);
  });

  it('publishes steps whose worker has died, as soon as their lease has run out', async () => {
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

  it('publishes steps that wait at once when they are due again, however often', async () => {
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

  it('tries again when what it found could not be published', async () => {
    const { clock, bus, offers } = await setUp({ published: false });
    bus.failNextPublish('before');
    await passTime(clock, 9000);
    expect(offers()).toEqual(batches);
  });
});
