import { topicNames } from '../../shared/domain/endpoint/shard.ts';
import { totalsSlotOf } from '../../shared/domain/step/totals-slot.ts';
import { createHostNames } from '../../shared/http-client/host-names.ts';
import { createKafka } from '../../shared/kafka/client/connection.ts';
import { createBrokerCheck } from '../../shared/kafka/cluster/broker-check.ts';
import { createConsumer } from '../../shared/kafka/consumer/consumer.ts';
import { createPublisher } from '../../shared/kafka/publisher/publisher.ts';
import { createDeadLetters } from '../../shared/postgres/registry/dead-letters.ts';
import { createEndpointGuards } from '../../shared/postgres/registry/endpoint-guards.ts';
import { poolSizes } from '../../shared/postgres/connection/connections.ts';
import { createChangeFeed } from '../../shared/postgres/connection/change-feed.ts';
import { createHotPathPool } from '../../shared/postgres/connection/pool.ts';
import { createRateShares } from '../../shared/postgres/registry/rate-shares.ts';
import { createRegistrySource } from '../../shared/postgres/registry/registry.ts';
import { noteSettings } from '../../shared/postgres/registry/service-settings.ts';
import { createProcessBeats } from '../../shared/postgres/registry/process-beats.ts';
import { createStepHolds } from '../../shared/postgres/ledger/step-holds.ts';
import { createSettlements } from '../../shared/postgres/ledger/settlements.ts';
import { createStepLedger } from '../../shared/postgres/ledger/step-ledger.ts';
import { requireWritable } from '../../shared/postgres/connection/right-server.ts';
import { takePart, untilDatabaseAnswers } from '../../shared/postgres/registry/take-part.ts';
import { ownConsumer, ownPublisher, workerGroup } from '../../shared/runtime/installation/installation-bus.ts';
import { exportConsumerStats } from '../../shared/runtime/meter/consumer-metrics.ts';
import { installationConfigOf } from '../../shared/runtime/installation/installation-config.ts';
import { createEgressGuard } from '../../shared/runtime/egress/address-guard.ts';
import { createLoop } from '../../shared/runtime/loop.ts';
import { defineProcess, isEntry, runProcess } from '../../shared/runtime/process/process.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import { createRegistryReader } from '../../shared/runtime/installation/registry-reader.ts';
import { topicsOf } from '../../shared/runtime/installation/shard-topics.ts';
import { systemClock } from '../../shared/runtime/system-clock.ts';
import { readConfig } from './config.ts';
import { createBatchEndpoint } from './endpoint/http/batch-endpoint.ts';
import { createUnstartedSteps } from './intake/postgres/unstarted-steps.ts';
import { callableTypes } from './intake/callable-types.ts';
import { createFeedContexts } from './claims/postgres/feed-contexts.ts';
import { createStatusSettler } from './call/status-settler.ts';
import { createShardReports } from './report/postgres/shard-reports.ts';
import { workerMetrics } from './report/metrics.ts';
import { createShardReporter } from './report/report-shards.ts';
import { servedOf, type Served } from './intake/served-shards.ts';
import { createWorker } from './assemble-worker.ts';

export const workerProcess = defineProcess('worker', readConfig, async (config, context) => {
  const { logger, meter, tracing, environment, addPart, onClose } = context;
  const owner = config.workerId ?? context.owner;
  const { engine } = config;
  const topicTerms = { prefix: config.topicPrefix, replicationFactor: engine.replicationFactor };

  const database = { connectionString: config.databaseUrl, applicationName: 'muster-worker', logger, meter };
  // One connection is for flushes, and one for reads.
  const max = poolSizes.worker['muster-worker'];
  const pool = onClose(createHotPathPool({ ...database, max }), (opened) => opened.end());
  // Dead letters have a pool of their own, so that many unreadable messages at once do not delay flushes.
  const deadLettersMax = poolSizes.worker['muster-worker-dead-letters'];
  const deadLetters = { ...database, applicationName: 'muster-worker-dead-letters', max: deadLettersMax };
  const deadLetterPool = onClose(createHotPathPool(deadLetters), (opened) => opened.end());
  addPart('database', () => requireWritable(pool));
  const kafka = createKafka({ ...config.kafka, clientId: owner, logger });
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
    createProcessBeats({
      pool,
      owner: context.owner,
      service: 'worker',
      region: config.region,
      clock: systemClock,
      logger,
    }),
    (opened) => opened.stop(),
  );
  beats.start();
  // The API reads the stored lease, to report how long a claimed batch may still be called.
  await untilDatabaseAnswers({ clock: systemClock, logger }, () =>
    noteSettings(pool, 'worker', { WORKER_LEASE_MS: config.leaseMs }),
  );
  const changes = onClose(createChangeFeed({ ...database, clock: systemClock }), (opened) => opened.stop());
  changes.start();
  const registry = onClose(
    createRegistryReader({ registry: createRegistrySource({ pool }), changes, clock: systemClock, logger }),
    (reader) => reader.stop(),
  );
  const first = await untilDatabaseAnswers({ clock: systemClock, logger }, () => registry.refresh());
  const toCallable = callableTypes({ environment, secretBox: config.secretBox, logger });
  const callable = toCallable(first);
  const served = servedOf(first, { ...config.scope, callable }, topicTerms);
  let servedNow = served;
  const egress = {
    guard: createEgressGuard([config.egress]),
    names: onClose(createHostNames({ clock: systemClock }), (names) => names.close()),
  };
  const sentAgain = meter.counter(workerMetrics.sentAgain);
  const endpoint = onClose(createBatchEndpoint({ types: callable, clock: systemClock, egress, sentAgain }), (opened) =>
    opened.close(),
  );
  const groupId = workerGroup(config.topicPrefix, installationId);
  const connection = onClose(
    createPublisher({ kafka, logger, topics: topicsOf(first.shards, topicTerms), consumedBy: groupId }),
    (opened) => opened.close(),
  );
  addPart('publisher', connection.requireAnswers);
  await connection.connect();
  const publisher = ownPublisher(connection, installationId);
  const consumer = createConsumer({
    kafka,
    groupId,
    topics: served.topics,
    sessionTimeoutMs: config.sessionTimeoutMs,
    logger,
  });

  addPart('consumer', () => {
    const readiness = consumer.ready();
    if (!readiness.ok) throw new Error(readiness.cause ?? 'is not in its group');
  });
  exportConsumerStats(meter, () => consumer.stats());

  const worker = createWorker({
    consumer: ownConsumer({ consumer, installationId, meter, clock: systemClock, logger }),
    publisher,
    ledger: createStepLedger({ pool, owner, slot: totalsSlotOf(owner), leaseMs: config.leaseMs }),
    holds: createStepHolds({ pool }),
    guards: createEndpointGuards({ pool, owner: context.owner }),
    rateShares: createRateShares({ pool, owner: context.owner }),
    contexts: createFeedContexts({ pool }),
    unstarted: createUnstartedSteps({ pool }),
    endpoint,
    deadLetters: createDeadLetters({ pool: deadLetterPool }),
    shards: served.shards,
    topics: topicNames(config.topicPrefix),
    config: served,
    quietHours: first.quietHours,
    leaseMs: config.leaseMs,
    concurrency: config.concurrency,
    clock: systemClock,
    random: () => Math.random(),
    logger,
    meter,
    tracing,
  });
  const settling = createLoop({
    name: 'status-settler',
    turn: createStatusSettler({
      settlements: createSettlements({ pool }),
      endpoint,
      actionTypes: () => servedNow.actionTypes,
      owner,
      random: () => Math.random(),
      logger,
    }).turn,
    afterErrorMs: 10_000,
    clock: systemClock,
    logger,
  });
  onClose(settling, (loop) => loop.stop());
  await worker.start();
  settling.start();
  registry.onChange((next) => {
    const nowCallable = toCallable(next);
    servedNow = servedOf(next, { ...config.scope, callable: nowCallable }, topicTerms);
    warnOfRefusals(servedNow, logger);
    endpoint.follow(nowCallable);
    connection.keep(topicsOf(next.shards, topicTerms));
    worker.follow(servedNow, next.quietHours);
  });
  warnOfRefusals(served, logger);
  registry.start();
  const reporter = onClose(
    createShardReporter({
      worker: owner,
      clock: systemClock,
      logger,
      reports: createShardReports({ pool }),
      levels: () => worker.levels(),
      refusals: () => servedNow.refusals,
    }),
    (opened) => opened.stop(),
  );
  reporter.start();
  logger.info({ owner, topics: served.shards.size }, 'worker takes work');
  return worker;
});

function warnOfRefusals({ refusals }: Served, logger: Logger): void {
  const causes = new Map(refusals.map(({ actionType, cause }) => [actionType, cause]));
  for (const [actionType, cause] of causes) logger.error({ actionType, cause }, 'an action type cannot be served');
}

if (isEntry(import.meta)) await runProcess(workerProcess);
