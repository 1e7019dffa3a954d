import { topicNames } from '../../shared/domain/endpoint/shard.ts';
import { createKafka } from '../../shared/kafka/client/connection.ts';
import { createBrokerCheck } from '../../shared/kafka/cluster/broker-check.ts';
import { createPublisher } from '../../shared/kafka/publisher/publisher.ts';
import { createTopicAdmin } from '../../shared/kafka/cluster/topic-admin.ts';
import { createTopicBacklogs } from '../../shared/kafka/cluster/topic-backlogs.ts';
import { createLeases } from '../../shared/postgres/registry/leases.ts';
import { poolSizes } from '../../shared/postgres/connection/connections.ts';
import { createChangeFeed } from '../../shared/postgres/connection/change-feed.ts';
import { createHotPathPool, createPool } from '../../shared/postgres/connection/pool.ts';
import { createRegistrySource, createShardStore } from '../../shared/postgres/registry/registry.ts';
import { noteSettings } from '../../shared/postgres/registry/service-settings.ts';
import { createProcessBeats } from '../../shared/postgres/registry/process-beats.ts';
import { createStoredAudiences } from '../../shared/postgres/audiences/stored-audiences.ts';
import { requireWritable } from '../../shared/postgres/connection/right-server.ts';
import { takePart, untilDatabaseAnswers } from '../../shared/postgres/registry/take-part.ts';
import { createEgressGuard } from '../../shared/runtime/egress/address-guard.ts';
import { ownPublisher, workerGroup } from '../../shared/runtime/installation/installation-bus.ts';
import { installationConfigOf } from '../../shared/runtime/installation/installation-config.ts';
import { defineProcess, isEntry, runProcess } from '../../shared/runtime/process/process.ts';
import { readsSentAgain } from '../../shared/runtime/meter/reads-sent-again.ts';
import { createRegistryReader } from '../../shared/runtime/installation/registry-reader.ts';
import { topicsOf } from '../../shared/runtime/installation/shard-topics.ts';
import { systemClock } from '../../shared/runtime/system-clock.ts';
import { readConfig } from './config.ts';
import { createHostNames } from '../../shared/http-client/host-names.ts';
import { createSegmentation } from '../../shared/http-client/segmentation-client.ts';
import { createFeedStore } from './feed/postgres/feed-store.ts';
import { createOutboxSweep } from './sweep/postgres/outbox-sweep.ts';
import { createAudienceCounter } from './count/audience-counter.ts';
import { createCountStore } from './count/postgres/count-store.ts';
import { createLetterPublisher } from '../../shared/kafka/publisher/letter-publisher.ts';
import { createLetterReplays } from './sweep/postgres/letter-replays.ts';
import { createReconciliation } from './sweep/postgres/reconciliation.ts';
import { createRetentionStore } from './retain/postgres/retention.ts';
import { createRunHistory } from './keep/postgres/run-history.ts';
import { createRunApprovals } from './prepare/postgres/run-approvals.ts';
import { createRunStore } from './keep/postgres/run-store.ts';
import { createStepEndings } from './end/postgres/step-endings.ts';
import { segmentationConnections } from './pages/page-requests.ts';
import { createTrigger } from './trigger.ts';

export const triggerProcess = defineProcess('trigger', readConfig, async (config, context) => {
  const { logger, meter, tracing, owner, environment, addPart, onClose } = context;
  const { engine } = config;
  const topics = topicNames(config.MUSTER_TOPIC_PREFIX);

  const database = { connectionString: config.DATABASE_URL, applicationName: 'muster-trigger', logger, meter };
  const pool = onClose(createPool({ ...database, max: poolSizes.trigger['muster-trigger'] }), (opened) => opened.end());
  // Statements of the execution path have a pool of their own, because their plans must not be made while the tables
  // are empty.
  const feeds = { applicationName: 'muster-trigger-feeds', max: poolSizes.trigger['muster-trigger-feeds'] };
  const hotPool = onClose(createHotPathPool({ ...database, ...feeds }), (opened) => opened.end());
  addPart('database', () => requireWritable(pool));
  const kafka = createKafka({ ...config.kafka, clientId: 'muster-trigger', logger });
  const { brokers } = config.kafka;
  const brokerCheck = onClose(createBrokerCheck({ kafka, brokers }), (opened) => opened.close());
  addPart('kafka', brokerCheck.require);
  const installationId = await takePart({
    pool,
    logger,
    clock: systemClock,
    file: installationConfigOf(engine),
    seed: engine,
  });
  const beats = onClose(
    createProcessBeats({ pool, owner, service: 'trigger', region: config.MUSTER_REGION, clock: systemClock, logger }),
    (opened) => opened.stop(),
  );
  beats.start();
  // The API reads the same setting, to display when an uploaded list will be deleted.
  const { RETENTION_AUDIENCES_DAYS } = config;
  await untilDatabaseAnswers({ clock: systemClock, logger }, () =>
    noteSettings(pool, 'trigger', { RETENTION_AUDIENCES_DAYS }),
  );
  const changes = onClose(createChangeFeed({ ...database, clock: systemClock }), (opened) => opened.stop());
  changes.start();
  const registry = onClose(
    createRegistryReader({ registry: createRegistrySource({ pool }), changes, clock: systemClock, logger }),
    (reader) => reader.stop(),
  );
  const { replicationFactor } = engine;
  const topicTerms = { prefix: config.MUSTER_TOPIC_PREFIX, replicationFactor };
  const { shards } = await untilDatabaseAnswers({ clock: systemClock, logger }, () => registry.refresh());
  const egress = {
    guard: createEgressGuard([config.egress]),
    names: onClose(createHostNames({ clock: systemClock }), (names) => names.close()),
  };
  const segmentation = onClose(
    createSegmentation({
      config: engine,
      environment,
      egress,
      connections: segmentationConnections,
      onSentAgain: readsSentAgain(meter, 'segmentation'),
    }),
    (opened) => opened.close(),
  );
  const workers = workerGroup(config.MUSTER_TOPIC_PREFIX, installationId);
  const connection = onClose(
    createPublisher({
      kafka,
      logger,
      topics: topicsOf(shards, topicTerms),
      consumedBy: workers,
    }),
    (opened) => opened.close(),
  );
  const topicAdmin = onClose(createTopicAdmin({ kafka }), (opened) => opened.close());
  const topicBacklogs = onClose(createTopicBacklogs({ kafka, groupId: workers, logger }), (opened) => opened.close());
  addPart('publisher', connection.requireAnswers);
  await connection.connect();
  const publisher = ownPublisher(connection, installationId);

  const trigger = createTrigger({
    publisher,
    runStore: createRunStore({ pool: hotPool }),
    runApprovals: createRunApprovals({ pool }),
    runHistory: createRunHistory({ pool: hotPool }),
    feedStore: createFeedStore({ pool: hotPool }),
    outboxSweep: createOutboxSweep({ pool: hotPool }),
    stepEndings: createStepEndings({ pool: hotPool }),
    letterReplays: createLetterReplays({ pool }),
    letterPublisher: createLetterPublisher({ kafka }),
    reconciliation: createReconciliation({ pool: hotPool }),
    retention: createRetentionStore({ pool }),
    retentionDays: {
      users: config.RETENTION_USERS_DAYS,
      receipts: config.RETENTION_RECEIPTS_DAYS,
      steps: config.RETENTION_STEPS_DAYS,
      failures: config.RETENTION_FAILURES_DAYS,
      runs: config.RETENTION_RUNS_DAYS,
      audiences: RETENTION_AUDIENCES_DAYS,
    },
    segmentation,
    storedAudiences: createStoredAudiences({ pool: hotPool }),
    leases: createLeases({ pool }),
    topicAdmin,
    topicBacklogs,
    topics,
    shards: createShardStore({ pool }),
    registry,
    topicTerms: { partitions: engine.partitionsPerShard, replicationFactor },
    owner,
    pageSize: engine.segmentation.pageSize,
    concurrencyOf: (actionType) =>
      registry.current()?.actionTypes.find(({ name }) => name === actionType)?.config.concurrency ?? 0,
    feedLeaseMs: config.TRIGGER_FEED_LEASE_MS,
    stallMs: config.TRIGGER_STALL_MS,
    changes,
    meter,
    tracing,
    clock: systemClock,
    random: () => Math.random(),
    logger,
  });
  const counter = createAudienceCounter({
    counts: createCountStore({ pool }),
    segmentation,
    storedAudiences: createStoredAudiences({ pool: hotPool }),
    changes,
    owner,
    pageSize: engine.segmentation.pageSize,
    leaseMs: config.TRIGGER_FEED_LEASE_MS,
    clock: systemClock,
    random: () => Math.random(),
    logger,
  });
  registry.onChange((next) => connection.keep(topicsOf(next.shards, topicTerms)));
  registry.start();
  trigger.start();
  counter.start();
  return {
    ...trigger,
    stopIntake: async () => {
      await Promise.all([trigger.stopIntake(), counter.stop()]);
    },
  };
});

if (isEntry(import.meta)) await runProcess(triggerProcess);
