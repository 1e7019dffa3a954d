import { topicNames } from '../../shared/domain/shard.ts';
import { totalsSlotOf } from '../../shared/domain/totals-slot.ts';
import { requireBroker } from '../../shared/infrastructure/given-servers.ts';
import { createKafka } from '../../shared/kafka/connection.ts';
import { createConsumer } from '../../shared/kafka/consumer.ts';
import { createPublisher } from '../../shared/kafka/publisher.ts';
import { requiredTopics } from '../../shared/kafka/required-topics.ts';
import { createDeadLetters } from '../../shared/postgres/dead-letters.ts';
import { createHotPathPool } from '../../shared/postgres/pool.ts';
import { createStepHolds } from '../../shared/postgres/step-holds.ts';
import { createSettlements } from '../../shared/postgres/settlements.ts';
import { createStepLedger } from '../../shared/postgres/step-ledger.ts';
import { takePart } from '../../shared/postgres/take-part.ts';
import { ownConsumer, ownPublisher, workerGroup } from '../../shared/runtime/installation-bus.ts';
import { exportConsumerStats } from '../../shared/runtime/consumer-metrics.ts';
import { installationConfigOf } from '../../shared/runtime/installation-config.ts';
import { createLoop } from '../../shared/runtime/loop.ts';
import { defineProcess, isEntry, runProcess } from '../../shared/runtime/process.ts';
import { systemClock } from '../../shared/runtime/system-clock.ts';
import { readConfig } from './config.ts';
import { createBatchEndpoint } from './http/batch-endpoint.ts';
import { createFeedContexts } from './postgres/feed-contexts.ts';
import { createSettleByStatus } from './settle-by-status.ts';
import { createWorker } from './worker.ts';

/** One connection flushes, one looks things up. */
const maxConnections = 4;

export const workerProcess = defineProcess('worker', readConfig, async (config, context) => {
  const { logger, meter, environment, addPart, onClose } = context;
  const owner = config.workerId ?? context.owner;
  const topics = topicNames(config.topicPrefix);
  const shards = new Map(config.shards.map((shard) => [topics.shard(shard), shard]));

  const database = { connectionString: config.databaseUrl, applicationName: 'muster-worker', logger, meter };
  const pool = onClose(createHotPathPool({ ...database, max: maxConnections }), (opened) => opened.end());
  // A burst of garbage must not queue in front of flushes.
  const aside = { ...database, applicationName: 'muster-worker-dead-letters', max: 1 };
  const deadLetterPool = onClose(createHotPathPool(aside), (opened) => opened.end());
  addPart('database', async () => {
    await pool.query('select 1');
  });
  addPart('kafka', () => requireBroker(config.kafka.brokers));
  const file = installationConfigOf(config.engine);
  const installationId = await takePart({ pool, file, clock: systemClock, logger });
  const endpoint = onClose(createBatchEndpoint({ config: config.engine, environment, clock: systemClock }), (opened) =>
    opened.close(),
  );
  const kafka = createKafka({ ...config.kafka, clientId: 'muster-worker', logger });
  const groupId = workerGroup(config.topicPrefix, installationId);
  const required = requiredTopics(config.engine, config.topicPrefix);
  const connection = onClose(createPublisher({ kafka, logger, topics: required, consumedBy: groupId }), (opened) =>
    opened.close(),
  );
  await connection.connect();
  const publisher = ownPublisher(connection, installationId);
  const consumer = createConsumer({
    kafka,
    groupId,
    topics: required.filter(({ topic }) => shards.has(topic)),
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
    contexts: createFeedContexts({ pool }),
    endpoint,
    deadLetters: createDeadLetters({ pool: deadLetterPool }),
    shards,
    topics,
    config: config.engine,
    leaseMs: config.leaseMs,
    concurrency: config.concurrency,
    clock: systemClock,
    random: () => Math.random(),
    logger,
    meter,
  });
  const settling = createLoop({
    name: 'settle-by-status',
    turn: createSettleByStatus({
      settlements: createSettlements({ pool }),
      endpoint,
      actionTypes: config.engine.actionTypes,
      owner,
      random: () => Math.random(),
      logger,
    }),
    afterErrorMs: 10_000,
    clock: systemClock,
    logger,
  });
  onClose(settling, (loop) => loop.stop());
  await worker.start();
  settling.start();
  logger.info({ owner, topics: shards.size }, 'worker takes work');
  return worker;
});

if (isEntry(import.meta)) await runProcess(workerProcess);
