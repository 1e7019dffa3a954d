import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { campaignDefinitionOf } from '../../../test/support/conformance/run-rows.ts';
import { createMemoryCampaignStore } from '../../../test/support/memory/campaign-store.ts';
import { createMemoryDueJobs } from '../../../test/support/memory/due-jobs.ts';
import type { DueJobs } from '../ports/due-jobs.ts';
import { createMemoryLeases } from '../../../test/support/memory/leases.ts';
import { createMemoryChangeFeed, type MemoryChangeFeed } from '../../../test/support/memory/change-feed.ts';
import { createMemoryDatabase } from '../../../test/support/memory/memory-database.ts';
import { passTime, settled } from '../../../test/support/pass-time.ts';
import { createSettableClock } from '../../../test/support/settable-clock.ts';
import { createScheduler } from './scheduler.ts';

const pollMs = 200;
const leaseMs = 9000;

function setUp() {
  const clock = createSettableClock();
  const database = createMemoryDatabase(clock);
  const campaigns = createMemoryCampaignStore({ database });
  const changes = createMemoryChangeFeed();
  const schedulerOf = (owner: string, dueJobs: DueJobs = createMemoryDueJobs({ database })) =>
    createScheduler({
      leases: createMemoryLeases({ database }),
      dueJobs,
      owner,
      leaseMs,
      pollMs,
      changes,
      clock,
      logger: pino({ level: 'silent' }),
    });

  async function startCampaign(dueInMs: number): Promise<string> {
    const { campaignId } = await campaigns.create(campaignDefinitionOf());
    await campaigns.start(campaignId, new Date(clock.nowMs() + dueInMs));
    return campaignId;
  }
  const runs = () => [...database.runs.values()];
  return { clock, database, changes, schedulerOf, startCampaign, runs };
}

describe('the scheduler', () => {
  it('fires a job when it is due, and not before', async () => {
    const { clock, schedulerOf, startCampaign, runs } = setUp();
    const scheduler = schedulerOf('a');
    const campaignId = await startCampaign(10_000);
    scheduler.start();
    await passTime(clock, 9999);
    expect(runs()).toEqual([]);
    await passTime(clock, 1);
    const scheduledFor = new Date('2026-01-01T00:00:10.000Z');
    expect(runs()).toMatchObject([{ campaignId, revision: 1, scheduledFor, state: 'preparing' }]);
    await scheduler.stopIntake();
  });

  it.each([
    ['at once after a notification', 0, (changes: MemoryChangeFeed) => changes.announce('run-starts')],
    ['within two seconds without a notification', 2000, () => undefined],
  ])('fires a job that is added while it waits for a later one %s', async (_, withinMs, tell) => {
    const { clock, changes, schedulerOf, startCampaign, runs } = setUp();
    const scheduler = schedulerOf('a');
    await startCampaign(3_600_000);
    scheduler.start();
    await passTime(clock, 1000);
    const campaignId = await startCampaign(0);
    tell(changes);
    await passTime(clock, withinMs);
    expect(runs()).toMatchObject([{ campaignId }]);
    await scheduler.stopIntake();
  });

  it('polls at its configured interval while notifications are not received', async () => {
    const { clock, changes, schedulerOf, startCampaign, runs } = setUp();
    const scheduler = schedulerOf('a');
    scheduler.start();
    await passTime(clock, 1000);
    changes.lose();
    await passTime(clock, 1000);
    await startCampaign(0);
    await passTime(clock, pollMs);
    expect(runs()).toHaveLength(1);
    await scheduler.stopIntake();
  });

  it('fires a backlog of 1,200 jobs without a pause', async () => {
    const { clock, schedulerOf, startCampaign, runs } = setUp();
    for (let i = 0; i < 1200; i++) await startCampaign(0);
    const scheduler = schedulerOf('a');
    scheduler.start();
    await passTime(clock, 0);
    expect(runs()).toHaveLength(1200);
    await scheduler.stopIntake();
  });

  it.each(['before', 'after'] as const)(
    'creates one run of a job if the transaction fails %s its commit',
    async (moment) => {
      const { clock, database, schedulerOf, startCampaign, runs } = setUp();
      const campaignId = await startCampaign(0);
      const scheduler = schedulerOf('a', brokenOnce(createMemoryDueJobs({ database }), moment));
      scheduler.start();
      await passTime(clock, 5000);
      expect(runs()).toMatchObject([{ campaignId }]);
      expect(database.jobs.size).toBe(0);
      await scheduler.stopIntake();
    },
  );

  it('deletes a job whose campaign revision does not exist, and continues with the others', async () => {
    const { clock, database, schedulerOf, startCampaign, runs } = setUp();
    const gone = await startCampaign(0);
    database.campaigns.delete(gone);
    const campaignId = await startCampaign(0);
    const scheduler = schedulerOf('a');
    scheduler.start();
    await passTime(clock, 1000);
    expect(runs()).toMatchObject([{ campaignId }]);
    expect(database.jobs.size).toBe(0);
    await scheduler.stopIntake();
  });

  it('leaves jobs to the holder of the lease, and fires them after the holder stops', async () => {
    const { clock, schedulerOf, startCampaign, runs } = setUp();
    const [first, second] = [schedulerOf('a'), schedulerOf('b')];
    first.start();
    await settled();
    second.start();
    await startCampaign(1000);
    await passTime(clock, 2000);
    expect(runs()).toHaveLength(1);
    await first.stopIntake();
    await first.finishWork();
    await startCampaign(0);
    await passTime(clock, leaseMs / 3 + pollMs);
    expect(runs()).toHaveLength(2);
    await second.stopIntake();
  });

  it('fires no job after it has stopped', async () => {
    const { clock, schedulerOf, startCampaign, runs } = setUp();
    const scheduler = schedulerOf('a');
    scheduler.start();
    await passTime(clock, 1000);
    await scheduler.stopIntake();
    await scheduler.stopIntake();
    await scheduler.finishWork();
    await startCampaign(0);
    await passTime(clock, 60_000);
    expect(runs()).toEqual([]);
    expect(scheduler.ready()).toBe(false);
  });
});

/** Returns due jobs whose first transaction fails before or after its commit. */
function brokenOnce(dueJobs: DueJobs, moment: 'before' | 'after'): DueJobs {
  let isBroken = true;
  return {
    fire: async (lease, limit) => {
      const breaks = isBroken;
      isBroken = false;
      if (breaks && moment === 'before') throw new Error('scripted failure');
      const fired = await dueJobs.fire(lease, limit);
      if (breaks) throw new Error('scripted failure');
      return fired;
    },
  };
}
