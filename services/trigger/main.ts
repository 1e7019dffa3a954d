import { hostname } from 'node:os';
import { v7 as uuidv7 } from 'uuid';
import { topicNames } from '../../shared/domain/shard.ts';
import { createSegmentation } from './http/segmentation-client.ts';
import { createKafka } from '../../shared/kafka/connection.ts';
import { createPublisher } from '../../shared/kafka/publisher.ts';
import { createTopicAdmin } from '../../shared/kafka/topic-admin.ts';
import { createFeedStore } from './postgres/feed-store.ts';
import type { TopicBacklogs } from '../../shared/ports/message-bus.ts';
import { createLeases } from '../../shared/postgres/leases.ts';
import { createOutboxSweep } from './postgres/outbox-sweep.ts';
import { createHotPathPool, createPool } from '../../shared/postgres/pool.ts';
import { createRunStore } from './postgres/run-store.ts';
import { createStepEndings } from './postgres/step-endings.ts';
import { readEngineConfig } from '../../shared/runtime/engine-config-file.ts';
import { serveHealth } from '../../shared/runtime/health.ts';
import { createLogger } from '../../shared/runtime/logger.ts';
import { isEntry, main } from '../../shared/runtime/main.ts';
import { runUntilSignal, type Service } from '../../shared/runtime/service.ts';
import { systemClock } from '../../shared/runtime/system-clock.ts';
import { readConfig } from './config.ts';
import { createTrigger } from './trigger.ts';

/** Until Kafka is asked, lost references are looked for where nothing moves. */
const unknownBacklogs: TopicBacklogs = { unhandled: () => Promise.resolve(new Map()) };

export async function startTrigger(environment: NodeJS.ProcessEnv): Promise<Service> {
  const config = readConfig(environment);
  const engine = readEngineConfig(config.MUSTER_CONFIG);
  const topics = topicNames(config.MUSTER_TOPIC_PREFIX);
  const logger = createLogger('trigger', config.LOG_LEVEL);

  const segmentation = createSegmentation({ config: engine, environment });
  const database = { connectionString: config.DATABASE_URL, applicationName: 'muster-trigger', logger };
  const pool = createPool({ ...database, max: 4 });
  // What reads and writes the tables of the execution path, whose plans must not be made while they are empty.
  const hotPool = createHotPathPool(database);
  const kafka = createKafka({ brokers: config.KAFKA_BROKERS, clientId: 'muster-trigger', logger });
  const publisher = createPublisher({ kafka, logger });
  const topicAdmin = createTopicAdmin({ kafka });
  await publisher.connect();

  const trigger = createTrigger({
    publisher,
    runStore: createRunStore({ pool: hotPool }),
    feedStore: createFeedStore({ pool: hotPool }),
    outboxSweep: createOutboxSweep({ pool: hotPool }),
    stepEndings: createStepEndings({ pool: hotPool }),
    segmentation,
    leases: createLeases({ pool }),
    topicAdmin,
    topicBacklogs: unknownBacklogs,
    topics,
    topicTerms: { partitions: engine.partitionsPerShard, replicationFactor: engine.replicationFactor },
    owner: `trigger@${hostname()}/${uuidv7()}`,
    pageSize: engine.segmentation.pageSize,
    feedLeaseMs: config.TRIGGER_FEED_LEASE_MS,
    stallMs: config.TRIGGER_STALL_MS,
    clock: systemClock,
    random: () => Math.random(),
    logger,
  });
  trigger.start();
  const health =
    config.HEALTH_PORT === undefined
      ? undefined
      : await serveHealth(config.HEALTH_PORT, config.HEALTH_HOST, () => trigger.ready());
  logger.info('trigger is running');

  async function close(): Promise<void> {
    await trigger.close();
    health?.close();
    await Promise.all([publisher.close(), topicAdmin.close(), segmentation.close(), pool.end(), hotPool.end()]);
  }

  let closing: Promise<void> | undefined;
  return { ...trigger, close: () => (closing ??= close()) };
}

if (isEntry(import.meta)) {
  await main(async () => {
    const { LOG_LEVEL, STOP_DEADLINE_MS } = readConfig(process.env);
    const trigger = await startTrigger(process.env);
    await runUntilSignal(trigger, {
      logger: createLogger('trigger', LOG_LEVEL),
      stopDeadlineMs: STOP_DEADLINE_MS,
    });
  });
}
