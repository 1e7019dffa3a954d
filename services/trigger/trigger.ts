import type { TopicNames } from '../../shared/domain/endpoint/shard.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { FeedStore } from './ports/feed-store.ts';
import type { OutboxSweep } from './ports/outbox-sweep.ts';
import type { StepEndings } from './ports/step-endings.ts';
import type { Meter } from '../../shared/ports/meter.ts';
import type { ChangeFeed } from '../../shared/ports/change-feed.ts';
import { noMeter } from '../../shared/runtime/meter/no-meter.ts';
import type { Leases } from '../../shared/ports/leases.ts';
import type { MessagePublisher, TopicAdmin, TopicBacklogs, TopicSpec } from '../../shared/ports/message-bus.ts';
import type { ShardStore } from '../../shared/ports/registry.ts';
import type { Reconciliation } from './ports/reconciliation.ts';
import type { Retention } from './ports/retention-store.ts';
import type { RunHistory } from './ports/run-history.ts';
import type { RunStore } from './ports/run-store.ts';
import type { RunApprovals } from './ports/run-approvals.ts';
import type { RegistryReader } from '../../shared/runtime/installation/registry-reader.ts';
import type { StoredAudiences } from '../../shared/ports/stored-audiences.ts';
import type { Segmentation } from '../../shared/ports/segmentation.ts';
import type { Tracing } from '../../shared/ports/tracing.ts';
import { createLeaseKeeper } from '../../shared/runtime/lease-keeper.ts';
import { createLoop, type Loop } from '../../shared/runtime/loop.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import type { Service } from '../../shared/runtime/process/service.ts';
import { createFeedAdmission } from './admit/feed-admission.ts';
import { createFeedPager } from './feed/feed-pager.ts';
import { createRunEnder } from './end/run-ender.ts';
import { createRunFinisher } from './end/run-finisher.ts';
import { createHistoryNoter } from './keep/note-history.ts';
import { createOpenRuns } from './standing/open-runs.ts';
import { createRunKeeper } from './keep/run-keeper.ts';
import { createShardPartitions } from './prepare/shard-partitions.ts';
import { createPageRequestLimiter } from './pages/page-requests.ts';
import { createFeedOwner } from './feed/feed-owner.ts';
import type { LetterPublisher, LetterReplays } from './ports/letter-replays.ts';
import { createLetterReplayer } from './sweep/letter-replayer.ts';
import { createRunReconciler } from './keep/run-reconciler.ts';
import { createRetention, type RetentionDays } from './retain/retention.ts';
import { createRetriedUsers } from './pages/retried-users.ts';
import { createRunPreparer } from './prepare/run-preparer.ts';
import { createTriggerFigures } from './report/trigger-figures.ts';
import { createThrottledWarn } from './report/throttled-warn.ts';

/**
 * Lease in milliseconds of the sweeper, the one trigger process that sweeps and ends runs. If that process dies,
 * another takes over within this time. The delay does little harm.
 */
const sweeperLeaseMs = 10_000;
const afterErrorMs = 1000;

export interface TriggerDeps {
  publisher: MessagePublisher;
  runStore: RunStore;
  runApprovals: RunApprovals;
  runHistory: RunHistory;
  feedStore: FeedStore;
  outboxSweep: OutboxSweep;
  stepEndings: StepEndings;
  letterReplays: LetterReplays;
  letterPublisher: LetterPublisher;
  reconciliation: Reconciliation;
  retention: Retention;
  retentionDays: RetentionDays;
  segmentation: Segmentation;
  storedAudiences: StoredAudiences;
  leases: Leases;
  topicAdmin: TopicAdmin;
  topicBacklogs: TopicBacklogs;
  topics: TopicNames;
  shards: ShardStore;
  /** Known action types and shards. This process updates them. */
  registry: Pick<RegistryReader, 'current' | 'refresh' | 'onChange'>;
  topicTerms: Omit<TopicSpec, 'topic'>;
  /** Name of this process. No other process has or had the same name. */
  owner: string;
  /** Number of users to request per page. */
  pageSize: number;
  concurrencyOf: (actionType: string) => number;
  feedLeaseMs: number;
  /** Time in milliseconds without progress after which a step with ready work may have lost references. */
  stallMs: number;
  changes: ChangeFeed;
  meter?: Meter;
  tracing?: Tracing | null | undefined;
  clock: Clock;
  /** Random number in [0, 1). */
  random: () => number;
  logger: Logger;
}

/** Prepares runs, feeds their audiences to the shards, sweeps up after crashes, and ends finished runs. */
export interface Trigger extends Service {
  start(): void;
}

export function createTrigger(deps: TriggerDeps): Trigger {
  const { runStore, feedStore, outboxSweep, publisher, segmentation, topics, feedLeaseMs } = deps;
  const { changes, clock, random, logger } = deps;
  const warn = createThrottledWarn({ clock, logger });
  const figures = createTriggerFigures({ meter: deps.meter ?? noMeter, feeds: () => feeds.pagers() });
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
      keeping.poke();
      ending.poke();
    },
  });
  const isSweeper = () => sweeper.held() !== null;
  const openRuns = createOpenRuns({ runStore, changes, clock });

  const limiter = createPageRequestLimiter({ clock });
  const feeds = createFeedOwner({
    owner: deps.owner,
    leaseMs: feedLeaseMs,
    feedStore,
    changes,
    createPager: (terms) =>
      createFeedPager({
        ...deps,
        ...terms,
        limiter,
        figures,
        warn,
        segmentation: terms.feed.hasStoredUsers
          ? createRetriedUsers({ feedId: terms.feed.feedId, feedStore })
          : segmentation,
        onNeedRoom: () => admission.poke(),
      }),
    clock,
    logger,
  });
  const admission = loopOf(
    'feed-admission',
    createFeedAdmission({ ...deps, pagers: () => feeds.pagers(), figures }).turn,
  );
  const preparation = createRunPreparer({
    runStore,
    runApprovals: deps.runApprovals,
    segmentation,
    storedAudiences: deps.storedAudiences,
    topicAdmin: deps.topicAdmin,
    topics,
    topicTerms: deps.topicTerms,
    shards: deps.shards,
    registry: deps.registry,
    onBegun: () => feeds.poke(),
    changes,
    clock,
    random,
    warn,
    logger,
  });
  const { runHistory, stepEndings, topicBacklogs, stallMs } = deps;
  const passDeps = { runStore, outboxSweep, stepEndings, publisher, topicBacklogs, topics };
  const noter = createHistoryNoter({ runHistory, isSweeper, clock, warn, logger });
  const { reconciliation } = deps;
  const reconciler = createRunReconciler({ reconciliation, isSweeper, figures, clock, warn, logger });
  const keeping = loopOf(
    'run-keeper',
    createRunKeeper({
      ...passDeps,
      isSweeper,
      openRuns,
      followers: [reconciler, noter],
      stallMs,
      feedLeaseMs,
      figures,
      clock,
      warn,
      logger,
    }).turn,
  );
  const noting = loopOf('run-history', noter.turn);
  const ending = loopOf(
    'run-ender',
    createRunEnder({
      runStore,
      finisher: createRunFinisher({ runStore, stepEndings, graceMs: feedLeaseMs, figures, logger }),
      isSweeper,
      openRuns,
      clock,
      warn,
    }).turn,
  );
  const reconciling = loopOf('run-reconciler', reconciler.turn);
  const retaining = loopOf(
    'retention',
    createRetention({ retention: deps.retention, days: deps.retentionDays, isSweeper, figures, clock, logger }),
  );
  const replaying = loopOf('letter-replayer', createLetterReplayer({ ...deps, isSweeper, warn }).turn);

  const topicKeeping = loopOf('shard-partitions', createShardPartitions(deps).turn);
  deps.registry.onChange(() => topicKeeping.poke());

  return {
    start: () => {
      isTakingIn = true;
      const loops = [keeping, noting, ending, reconciling, retaining, replaying, topicKeeping];
      const parts = [preparation, feeds, admission, sweeper, ...loops];
      for (const part of parts) part.start();
    },
    ready: () => isTakingIn,
    stopIntake: async () => {
      isTakingIn = false;
      const parts = [preparation, keeping, noting, ending, reconciling, retaining, replaying, topicKeeping];
      await Promise.all(parts.map((part) => part.stop()).concat(feeds.stopIntake()));
    },
    finishWork: async () => {
      await Promise.all([feeds.finish(), admission.stop(), sweeper.stop()]);
    },
    close: () => Promise.resolve(),
  };
}
