import type { TopicNames } from '../../shared/domain/shard.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { DeadLetters } from '../../shared/ports/dead-letters.ts';
import type { FeedStore, OutboxSweep } from './ports/feed-store.ts';
import type { Leases } from '../../shared/ports/leases.ts';
import type { MessageConsumer, MessagePublisher } from '../../shared/ports/message-bus.ts';
import type { RunStore } from './ports/run-store.ts';
import type { Segmentation } from './ports/segmentation.ts';
import { createLeaseKeeper } from '../../shared/runtime/lease-keeper.ts';
import { createLoop, type Loop } from '../../shared/runtime/loop.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import type { Service } from '../../shared/runtime/service.ts';
import { createAdmitFeeds } from './admit-feeds.ts';
import { createFeedPager } from './feed-pager.ts';
import { createFinishRuns } from './finish-runs.ts';
import { createFeedOwner } from './feed-owner.ts';
import { createPrepareRuns } from './prepare-runs.ts';
import { createSweepLost } from './sweep-lost.ts';
import { createRunCreator } from './run-creator.ts';

/** One trigger of all sweeps and ends runs. It loses little by dying: the next one takes over within this time. */
const sweeperLeaseMs = 10_000;
const afterErrorMs = 1000;

export interface TriggerDeps {
  /** Subscribed to the fires topic. */
  consumer: MessageConsumer;
  publisher: MessagePublisher;
  runStore: RunStore;
  feedStore: FeedStore;
  outboxSweep: OutboxSweep;
  segmentation: Segmentation;
  deadLetters: DeadLetters;
  leases: Leases;
  topics: TopicNames;
  /** Tells this process apart from all others, those before it included. */
  owner: string;
  /** Users asked for per page. */
  pageSize: number;
  feedLeaseMs: number;
  stallMs: number;
  reofferMs: number;
  clock: Clock;
  /** In [0, 1). */
  random: () => number;
  logger: Logger;
}

/** Makes runs of fires, feeds their audiences to the shards, sweeps up after crashes and ends what is done. */
export interface Trigger extends Service {
  /** Resolves when the group of the fires topic has been joined. */
  start(): Promise<void>;
}

export function createTrigger(deps: TriggerDeps): Trigger {
  const { consumer, runStore, feedStore, outboxSweep, publisher, segmentation, topics, feedLeaseMs } = deps;
  const { clock, random, logger } = deps;
  let isTakingIn = false;

  const loopOf = (name: string, turn: (signal: AbortSignal) => Promise<number>): Loop =>
    createLoop({ name, turn, afterErrorMs, clock, logger });

  const sweeper = createLeaseKeeper({
    leases: deps.leases,
    name: 'sweeper',
    owner: deps.owner,
    ttlMs: sweeperLeaseMs,
    clock,
    logger,
    acquired: () => {
      sweeps.poke();
      keeping.poke();
    },
  });
  const isSweeper = () => sweeper.held() !== null;

  const feeds = createFeedOwner({
    owner: deps.owner,
    leaseMs: feedLeaseMs,
    feedStore,
    createPager: (terms) => createFeedPager({ ...deps, ...terms, onNeedRoom: () => admission.poke() }),
    clock,
    logger,
  });
  const admission = loopOf('admit-feeds', createAdmitFeeds({ feedStore, pagers: () => feeds.pagers(), clock }));
  const preparation = loopOf(
    'prepare-runs',
    createPrepareRuns({ runStore, segmentation, begun: () => feeds.poke(), clock, random, logger }),
  );
  const fires = createRunCreator({
    runStore,
    deadLetters: deps.deadLetters,
    settle: (record) => consumer.settle(record),
    created: () => preparation.poke(),
    clock,
    logger,
  });
  const { stallMs, reofferMs } = deps;
  const sweeps = loopOf(
    'sweep-lost',
    createSweepLost({ runStore, outboxSweep, publisher, topics, isSweeper, stallMs, reofferMs, clock, logger }),
  );
  const keeping = loopOf('finish-runs', createFinishRuns({ runStore, isSweeper, feedLeaseMs, clock, logger }));

  return {
    start: async () => {
      for (const part of [fires, preparation, feeds, admission, sweeper, sweeps, keeping]) part.start();
      await consumer.start(fires);
      isTakingIn = true;
    },
    ready: () => isTakingIn,
    stopIntake: async () => {
      isTakingIn = false;
      consumer.stopIntake();
      await Promise.all([fires.stop(), preparation.stop(), feeds.stopIntake(), sweeps.stop(), keeping.stop()]);
    },
    finishWork: async () => {
      await Promise.all([feeds.finish(), admission.stop(), sweeper.stop()]);
    },
    close: () => consumer.stop(),
    broken: consumer.crashed,
  };
}
