import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { fireMessage } from '../../shared/contracts/messages.ts';
import { topicNames } from '../../shared/domain/shard.ts';
import { campaignDefinitionOf } from '../../test/support/conformance/run-rows.ts';
import { createMemoryCampaignStore } from '../../test/support/memory/campaign-store.ts';
import { createMemoryDueJobs } from '../../test/support/memory/due-jobs.ts';
import { createMemoryLeases } from '../../test/support/memory/leases.ts';
import { createMemoryBus } from '../../test/support/memory/memory-bus.ts';
import { createMemoryDatabase } from '../../test/support/memory/memory-database.ts';
import { passTime, settled } from '../../test/support/pass-time.ts';
import { createSettableClock } from '../../test/support/settable-clock.ts';
import { createScheduler } from './scheduler.ts';

const topics = topicNames('muster');
const pollMs = 200;
const leaseMs = 9000;

function setUp() {
  const clock = createSettableClock();
  const database = createMemoryDatabase(clock);
  const campaigns = createMemoryCampaignStore({ database });
  const bus = createMemoryBus({ topics: [topics.fires] });
  const schedulerOf = (owner: string) =>
    createScheduler({
      leases: createMemoryLeases({ database }),
      dueJobs: createMemoryDueJobs({ database }),
      publisher: bus.publisher(),
      topics,
      owner,
      leaseMs,
      pollMs,
      clock,
      logger: pino({ level: 'silent' }),
    });

  async function startCampaign(dueInMs: number): Promise<string> {
    const { campaignId } = await campaigns.create(campaignDefinitionOf());
    await campaigns.start(campaignId, new Date(clock.nowMs() + dueInMs));
    return campaignId;
  }
  const fires = () => bus.messages(topics.fires).map(({ value }) => fireMessage.parse(JSON.parse(value)));
  return { clock, bus, database, schedulerOf, startCampaign, fires };
}

describe('the scheduler', () => {
  it('fires a job when it is due, and not before', async () => {
    const { clock, schedulerOf, startCampaign, fires } = setUp();
    const scheduler = schedulerOf('a');
    const campaignId = await startCampaign(10_000);
    scheduler.start();
    await passTime(clock, 9999);
    expect(fires()).toEqual([]);
    await passTime(clock, 1);
    expect(fires()).toMatchObject([
      { kind: 'start-run', campaignId, revision: 1, scheduledFor: '2026-01-01T00:00:10.000Z' },
    ]);
    await scheduler.stopIntake();
  });

  it('notices a job that comes while it waits for a later one', async () => {
    const { clock, schedulerOf, startCampaign, fires } = setUp();
    const scheduler = schedulerOf('a');
    await startCampaign(3_600_000);
    scheduler.start();
    await passTime(clock, 1000);
    const campaignId = await startCampaign(0);
    await passTime(clock, pollMs);
    expect(fires()).toMatchObject([{ campaignId }]);
    await scheduler.stopIntake();
  });

  it('takes a backlog without a pause in between', async () => {
    const { clock, schedulerOf, startCampaign, fires } = setUp();
    for (let i = 0; i < 1200; i++) await startCampaign(0);
    const scheduler = schedulerOf('a');
    scheduler.start();
    await passTime(clock, 0);
    expect(fires()).toHaveLength(1200);
    await scheduler.stopIntake();
  });

  it.each(['before', 'after'] as const)(
    'fires a job again, under the same id, when its publication failed %s it was written',
    async (moment) => {
      const { clock, bus, schedulerOf, startCampaign, fires, database } = setUp();
      const campaignId = await startCampaign(0);
      const [job] = database.jobs.keys();
      bus.failNextPublish(moment);
      const scheduler = schedulerOf('a');
      scheduler.start();
      await passTime(clock, 5000);
      expect(fires().at(-1)).toMatchObject({ campaignId });
      expect(new Set(fires().map(({ fireId }) => fireId))).toEqual(new Set([job]));
      await scheduler.stopIntake();
    },
  );

  it('leaves the work to the one that holds the lease, and takes over when it stops', async () => {
    const { clock, schedulerOf, startCampaign, fires } = setUp();
    const [first, second] = [schedulerOf('a'), schedulerOf('b')];
    first.start();
    await settled();
    second.start();
    await startCampaign(1000);
    await passTime(clock, 2000);
    expect(fires()).toHaveLength(1);
    await first.stopIntake();
    await first.finishWork();
    await startCampaign(0);
    await passTime(clock, leaseMs / 3 + pollMs);
    expect(fires()).toHaveLength(2);
    await second.stopIntake();
  });

  it('fires nothing any more once it has stopped', async () => {
    const { clock, schedulerOf, startCampaign, fires } = setUp();
    const scheduler = schedulerOf('a');
    scheduler.start();
    await passTime(clock, 1000);
    await scheduler.stopIntake();
    await scheduler.stopIntake();
    await scheduler.finishWork();
    await startCampaign(0);
    await passTime(clock, 60_000);
    expect(fires()).toEqual([]);
    expect(scheduler.ready()).toBe(false);
  });
});
