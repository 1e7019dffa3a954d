import { pino } from 'pino';
import { createScheduler } from '../../services/scheduler/fire/scheduler.ts';
import type { FeedStore } from '../../services/trigger/ports/feed-store.ts';
import type { OutboxSweep } from '../../services/trigger/ports/outbox-sweep.ts';
import type { RunStore } from '../../services/trigger/ports/run-store.ts';
import type { Segmentation } from '../../shared/ports/segmentation.ts';
import type { StoredAudiences } from '../../shared/ports/stored-audiences.ts';
import type { StepEndings } from '../../services/trigger/ports/step-endings.ts';
import { createTrigger } from '../../services/trigger/trigger.ts';
import type { BatchEndpoint } from '../../services/worker/endpoint/batch-endpoint.port.ts';
import { createWorker } from '../../services/worker/assemble-worker.ts';
import type { EngineConfig } from '../../shared/contracts/endpoints/engine-config.ts';
import type { Shard, TopicNames } from '../../shared/domain/endpoint/shard.ts';
import type { QuietRule } from '../../shared/domain/run/quiet-hours.ts';
import {
  type Lane,
  type LaneReceiver,
  type MessageConsumer,
  type OutgoingMessage,
  PublishError,
} from '../../shared/ports/message-bus.ts';
import { createRegistryReader } from '../../shared/runtime/installation/registry-reader.ts';
import type { FeedContexts } from '../../shared/ports/feed-contexts.ts';
import type { StepLedger } from '../../shared/ports/step-ledger.ts';
import {
  createMemoryDeadLetters,
  createMemoryLetterPublisher,
  createMemoryLetterReplays,
} from '../support/memory/dead-letters.ts';
import { createMemoryEndpointGuards } from '../support/memory/endpoint-guards.ts';
import { createMemoryDueJobs } from '../support/memory/due-jobs.ts';
import { createMemoryUnstartedSteps } from '../support/memory/unstarted-steps.ts';
import { createMemoryFeedContexts } from '../support/memory/feed-contexts.ts';
import { createMemoryFeedStore } from '../support/memory/feed-store.ts';
import { createMemoryLeases } from '../support/memory/leases.ts';
import type { MemoryBus, MemoryConsumer } from '../support/memory/memory-bus-interface.ts';
import type { MemoryDatabase } from '../support/memory/memory-database.ts';
import { createMemoryChangeFeed } from '../support/memory/change-feed.ts';
import { createMemoryOutboxSweep } from '../support/memory/outbox-sweep.ts';
import { createMemoryRateShares } from '../support/memory/rate-shares.ts';
import { createMemoryRegistrySource, createMemoryShardStore } from '../support/memory/registry.ts';
import { createMemoryReconciliation } from '../support/memory/reconciliation.ts';
import { createMemoryRetention } from '../support/memory/retention.ts';
import type { Retention } from '../../services/trigger/ports/retention-store.ts';
import { createMemoryRunApprovals } from '../support/memory/run-approvals.ts';
import { createMemoryRunHistory } from '../support/memory/run-history.ts';
import { createMemoryRunStore } from '../support/memory/run-store.ts';
import { createMemoryStepEndings } from '../support/memory/step-endings.ts';
import { createMemoryStepHolds } from '../support/memory/step-holds.ts';
import { createMemoryStoredAudiences } from '../support/memory/stored-audiences.ts';
import { createMemoryStepLedger } from '../support/memory/step-ledger.ts';
import { withoutHandOn, withoutTimedSteps } from '../support/worker-fixture.ts';
import type { ProcessFaults } from './process-faults.ts';
import type { ScriptedEndpoint } from './scripted-endpoint.ts';

export type ProcessName = 'scheduler' | 'trigger' | 'worker';

/** Protections that a negative control removes, so that the checker must detect their absence. */
export interface Weakening {
  endpoint?: (endpoint: BatchEndpoint) => BatchEndpoint;
  ledger?: (ledger: StepLedger, database: MemoryDatabase) => StepLedger;
  outboxSweep?: (sweep: OutboxSweep, database: MemoryDatabase) => OutboxSweep;
  feedStore?: (store: FeedStore, database: MemoryDatabase) => FeedStore;
  runStore?: (store: RunStore, database: MemoryDatabase) => RunStore;
  contexts?: (contexts: FeedContexts) => FeedContexts;
  stepEndings?: (endings: StepEndings, database: MemoryDatabase) => StepEndings;
  segmentation?: (segmentation: Segmentation) => Segmentation;
  storedAudiences?: (stored: StoredAudiences) => StoredAudiences;
}

/** Parts that all processes of a world share. */
export interface Surroundings {
  database: MemoryDatabase;
  bus: MemoryBus;
  topics: TopicNames;
  /** Shards by topic. */
  shards: ReadonlyMap<string, Shard>;
  config: EngineConfig;
  endpoint: ScriptedEndpoint;
  quietHours: readonly QuietRule[];
  segmentation: Segmentation;
  /** In [0, 1). */
  random: () => number;
  weakening: Weakening;
}

/** Membership of a process in the group of workers. */
export interface Membership {
  /** Expels the process, because the group has waited long enough. */
  expel(): void;
  /** Lets the process learn that it was expelled. */
  rejoin(): void;
}

export const workerGroup = 'sim.worker';
const leaseMs = 5000;
const logger = pino({ level: 'silent' });

/** Starts a process whose ports all pass through its faults. Returns null if the process is in no group. */
export function startProcess(
  name: ProcessName,
  owner: string,
  faults: ProcessFaults,
  surroundings: Surroundings,
): Membership | null {
  const { bus, topics, database, random } = surroundings;
  // The feed reports no changes, so only regular looks find them. Otherwise the walks of a seed would change.
  const changes = createMemoryChangeFeed();
  changes.lose();
  const shared = {
    owner,
    topics,
    logger,
    random,
    leaseMs,
    clock: faults.wrapClock(database.clock),
    publisher: faults.wrap(bus.publisher(), publishFault),
    leases: faults.wrap(createMemoryLeases({ database })),
    changes,
  };
  if (name === 'worker') return startWorker(shared, faults, surroundings);
  if (name === 'trigger') startTrigger(shared, faults, surroundings);
  else createScheduler({ ...shared, dueJobs: faults.wrap(createMemoryDueJobs({ database })), pollMs: 1000 }).start();
  return null;
}

type SharedDeps = Pick<
  Parameters<typeof createTrigger>[0],
  'owner' | 'topics' | 'logger' | 'random' | 'clock' | 'publisher' | 'leases' | 'changes'
>;

function startTrigger(
  shared: SharedDeps,
  faults: ProcessFaults,
  { database, bus, segmentation, weakening }: Surroundings,
) {
  const runStore = createMemoryRunStore({ database });
  const feedStore = createMemoryFeedStore({ database });
  const sweep = createMemoryOutboxSweep({ database });
  const endings = createMemoryStepEndings({ database });
  const stored = createMemoryStoredAudiences({ database });
  createTrigger({
    ...shared,
    runStore: faults.wrap(weakening.runStore?.(runStore, database) ?? runStore),
    // Only people use approvals. They get no fate, because otherwise the walks of a seed would change.
    runApprovals: createMemoryRunApprovals(),
    runHistory: createMemoryRunHistory({ database }),
    feedStore: faults.wrap(weakening.feedStore?.(feedStore, database) ?? feedStore),
    outboxSweep: faults.wrap(weakening.outboxSweep?.(sweep, database) ?? sweep),
    stepEndings: faults.wrap(weakening.stepEndings?.(endings, database) ?? endings),
    // These ports always answer.
    segmentation: faults.wrap(weakening.segmentation?.(segmentation) ?? segmentation, null),
    storedAudiences: faults.wrap(weakening.storedAudiences?.(stored) ?? stored),
    topicBacklogs: faults.wrap(bus.backlogs(workerGroup), null),
    letterReplays: faults.wrap(createMemoryLetterReplays({ database })),
    letterPublisher: faults.wrap(createMemoryLetterPublisher({ publisher: bus.publisher() })),
    reconciliation: faults.wrap(createMemoryReconciliation({ database })),
    retention: keepingReceipts(faults.wrap(createMemoryRetention({ database }))),
    retentionDays: { users: 14, receipts: 7, steps: 30, failures: 90, runs: 400, audiences: 30 },
    topicAdmin: faults.wrap(bus.admin),
    shards: faults.wrap(createMemoryShardStore({ database })),
    registry: createRegistryReader({
      registry: faults.wrap(createMemoryRegistrySource({ database })),
      changes: shared.changes,
      clock: shared.clock,
      logger,
    }),
    topicTerms: { partitions: 2, replicationFactor: 1 },
    pageSize: 100,
    concurrencyOf: () => 4,
    feedLeaseMs: leaseMs,
    stallMs: 5000,
  }).start();
}

function startWorker(shared: SharedDeps, faults: ProcessFaults, surroundings: Surroundings): Membership {
  const { database, bus, shards, config, weakening } = surroundings;
  const member = createMember(bus.consumer(workerGroup, [...shards.keys()]), faults);
  const handing = createMemoryStepLedger({ database, owner: shared.owner, leaseMs });
  // Half of the workers pass no steps on in memory, as in a large installation, and half time no steps.
  const timing = shared.random() < 0.5 ? handing : withoutTimedSteps(handing);
  const ledger = shared.random() < 0.5 ? timing : withoutHandOn(timing);
  const contexts = createMemoryFeedContexts({ database });
  const endpoint = surroundings.endpoint.calledBy(faults);
  const worker = createWorker({
    ...shared,
    consumer: faults.wrap(member.consumer),
    ledger: faults.wrap(weakening.ledger?.(ledger, database) ?? ledger),
    holds: faults.wrap(createMemoryStepHolds({ database })),
    guards: faults.wrap(createMemoryEndpointGuards({ database, owner: shared.owner })),
    rateShares: faults.wrap(createMemoryRateShares({ database, owner: shared.owner })),
    contexts: faults.wrap(weakening.contexts?.(contexts) ?? contexts),
    // A look writes nothing, so a death during a look equals a death before the next flush, which walks try at each
    // call.
    unstarted: createMemoryUnstartedSteps({ database }),
    endpoint: faults.wrap(weakening.endpoint?.(endpoint) ?? endpoint, null),
    deadLetters: faults.wrap(createMemoryDeadLetters({ database })),
    shards,
    config,
    quietHours: surroundings.quietHours,
    leaseMs,
    concurrency: 4,
  });
  // A process that cannot join its group ends.
  worker.start().catch(() => {
    faults.kill();
  });
  return member;
}

/**
 * Members of the group. Messages wait while their process is frozen. If the process was expelled, it joins again and
 * learns that its lanes are gone.
 */
function createMember(consumer: MemoryConsumer, faults: ProcessFaults): Membership & { consumer: MessageConsumer } {
  const lanes = new Set<Lane>();
  let receiver: LaneReceiver | undefined;
  let isExpelled = false;

  function guarded(inner: LaneReceiver): LaneReceiver {
    return {
      deliver: (lane, messages) => {
        lanes.add(lane);
        faults.whenAlive(() => {
          inner.deliver(lane, messages);
        });
      },
      revoke: (lane) => {
        lanes.delete(lane);
        faults.whenAlive(() => {
          inner.revoke(lane);
        });
      },
      isCrowded: () => inner.isCrowded(),
    };
  }

  return {
    consumer: {
      ...consumer,
      start: (inner) => {
        receiver = guarded(inner);
        return consumer.start(receiver);
      },
    },
    expel: () => {
      // Frozen before it had joined: the group does not know it, and it joins once, when it is thawed.
      if (!receiver) return;
      isExpelled = true;
      consumer.crash();
    },
    rejoin: () => {
      if (!isExpelled || !receiver) return;
      isExpelled = false;
      for (const lane of [...lanes]) receiver.revoke(lane);
      void consumer.start(receiver);
    },
  };
}

function publishFault(what: string, [messages]: readonly unknown[]): PublishError {
  const isMessage = (entry: unknown): entry is OutgoingMessage =>
    typeof entry === 'object' && entry !== null && 'topic' in entry;
  const named = Array.isArray(messages) ? messages.filter(isMessage).map(({ topic }) => topic) : [];
  return new PublishError(`injected: ${what}`, [...new Set(named)]);
}

/** No receipts arrive in the simulation, so their retention gets no faults. */
function keepingReceipts(retention: Retention): Retention {
  return {
    ...retention,
    closeReceipts: () => Promise.resolve(0),
    countReceipts: () => Promise.resolve({ runs: 0, failed: [] }),
    dropWeeks: (kind, days) =>
      kind === 'receipts' ? Promise.resolve({ weeks: 0, heldUp: 0 }) : retention.dropWeeks(kind, days),
    deleteStrays: (kind, days, limit) =>
      kind === 'receipts' ? Promise.resolve(0) : retention.deleteStrays(kind, days, limit),
  };
}
