import { describe, expect, it } from 'vitest';
import { doneOf } from '../../../test/support/conformance/execution-subject.ts';
import { createMemoryExecutionRows } from '../../../test/support/memory/execution-rows.ts';
import { passTime, passTimeUntil } from '../../../test/support/pass-time.ts';
import { createTriggerFixture, userIds } from '../../../test/support/trigger-fixture.ts';
import { createTrigger } from '../trigger.ts';
import type { SweptFeed } from '../ports/outbox-sweep.ts';

const stepTwice = [
  { action: 'award-reward', params: {} },
  { action: 'award-reward', params: {} },
];

async function fedRun(chain = stepTwice.slice(1)) {
  const world = createTriggerFixture();
  world.segmentation.users.set('SG', userIds(250));
  createTrigger(world.triggerDeps('a')).start();
  const { runId } = await world.startCampaign({ chain });
  await passTimeUntil(world.clock, () => world.feedRows()[0]?.complete === true);
  await passTime(world.clock, 0);
  const feedId = world.feedRows()[0]?.feedId ?? '';
  return { ...world, runId, feedId, rows: createMemoryExecutionRows({ database: world.database }) };
}

describe('a run with damaged totals', () => {
  it.each(['totals-drifted', 'totals-lost', 'fed-users-drifted'] as const)(
    'is repaired and ends (%s)',
    async (damage) => {
      const { clock, database, runId, feedId, rows, workOff } = await fedRun();
      await workOff();
      await rows.damage(feedId, damage);
      await passTimeUntil(clock, () => database.runs.get(runId)?.endedAt !== null);
      expect(database.runs.get(runId)).toMatchObject({ state: 'completed' });
      expect(database.runEvents.map(({ kind }) => kind)).toContain('repaired');
    },
  );

  it('gets no repair event if its totals prove to be right', async () => {
    const { clock, database, runId, workOff } = await fedRun();
    await passTime(clock, 60_000);
    await workOff();
    await passTimeUntil(clock, () => database.runs.get(runId)?.endedAt !== null);
    expect(database.runEvents.map(({ kind }) => kind)).not.toContain('repaired');
  });
});

describe('the batch rows of a run', () => {
  async function countedRun() {
    const world = createTriggerFixture();
    world.segmentation.users.set('SG', userIds(10_000));
    const deps = world.triggerDeps('a');
    const read: string[] = [];
    const reconcile = (feed: SweptFeed) => {
      read.push(feed.feedId);
      return deps.reconciliation.reconcile(feed);
    };
    createTrigger({ ...deps, reconciliation: { reconcile } }).start();
    await world.startCampaign({ chain: stepTwice });
    await passTimeUntil(world.clock, () => world.feedRows()[0]?.complete === true);
    await passTime(world.clock, 0);
    return { ...world, feedId: world.feedRows()[0]?.feedId ?? '', read };
  }

  it('are not read while its batches progress', async () => {
    const { clock, feedId, ledger, read } = await countedRun();
    for (let batchNo = 1; batchNo <= 20; batchNo++) {
      await passTime(clock, 10_000);
      const claims = [{ feedId, batchNo, step: 1 }];
      const { claimed } = await ledger.flush({ results: [], claims, begins: [] });
      await ledger.flush({ results: claimed.map((claim) => doneOf(claim)), claims: [], begins: [] });
    }
    expect(read).toEqual([]);
  });

  it('are read when the run makes no progress, and then at growing intervals', async () => {
    const { clock, read } = await countedRun();
    await passTime(clock, 40_000);
    expect(read).toHaveLength(1);
    await passTime(clock, 1_200_000);
    expect(read.length).toBeGreaterThan(3);
    expect(read.length).toBeLessThan(8);
  });
});

describe('a run whose messages and due steps were lost', () => {
  it('has its references published again and continues', async () => {
    const { clock, database, runId, feedId, rows, references, ledger } = await fedRun(stepTwice);
    await rows.damage(feedId, 'agenda-lost');
    const published = references('SG').length;
    await passTimeUntil(clock, () => references('SG').length > published);
    expect(references('SG').slice(published)).toMatchObject([{ feedId, step: 1, batchNos: [1, 2, 3] }]);
    expect(database.runs.get(runId)?.state).toBe('running');
    expect(
      (await ledger.flush({ results: [], claims: [{ feedId, batchNo: 1, step: 1 }], begins: [] })).claimed,
    ).toHaveLength(1);
  });
});
