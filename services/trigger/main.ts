import { topicNames } from '../../shared/domain/shard.ts';
import { createKafka } from '../../shared/kafka/connection.ts';
import { createConsumer } from '../../shared/kafka/consumer.ts';
import { createPublisher } from '../../shared/kafka/publisher.ts';
import { createDeadLetters } from '../../shared/postgres/dead-letters.ts';
import { createLeases } from '../../shared/postgres/leases.ts';
import { createHotPathPool, createPool } from '../../shared/postgres/pool.ts';
import { defineProcess, isEntry, runProcess } from '../../shared/runtime/process.ts';
import { systemClock } from '../../shared/runtime/system-clock.ts';
import { readConfig } from './config.ts';
import { createSegmentation } from './http/segmentation-client.ts';
import { createFeedStore } from './postgres/feed-store.ts';
import { createOutboxSweep } from './postgres/outbox-sweep.ts';
import { createRunStore } from './postgres/run-store.ts';
import { createTrigger } from './trigger.ts';

export const triggerProcess = defineProcess('trigger', readConfig, async (config, context) => {
  const { logger, owner, environment, onClose } = context;
  const { engine } = config;
  const topics = topicNames(config.MUSTER_TOPIC_PREFIX);

  const database = { connectionString: config.DATABASE_URL, applicationName: 'muster-trigger', logger };
  const pool = onClose(createPool({ ...database, max: 4 }), (opened) => opened.end());
  // What reads and writes the tables of the execution path, whose plans must not be made while they are empty.
  const hotPool = onClose(createHotPathPool(database), (opened) => opened.end());
  const segmentation = onClose(createSegmentation({ config: engine, environment }), (opened) => opened.close());
  const kafka = createKafka({ ...config.kafka, clientId: 'muster-trigger', logger });
  const publisher = onClose(createPublisher({ kafka, logger }), (opened) => opened.close());
  await publisher.connect();

  const trigger = createTrigger({
    consumer: createConsumer({
      kafka,
      groupId: `${config.MUSTER_TOPIC_PREFIX}.trigger`,
      topics: [
        {
          topic: topics.fires,
          partitions: engine.partitionsPerShard,
          replicationFactor: engine.replicationFactor,
        },
      ],
      sessionTimeoutMs: config.KAFKA_SESSION_TIMEOUT_MS,
      logger,
    }),
    publisher,
    runStore: createRunStore({ pool: hotPool }),
    feedStore: createFeedStore({ pool: hotPool }),
    outboxSweep: createOutboxSweep({ pool: hotPool }),
    segmentation,
    deadLetters: createDeadLetters({ pool }),
    leases: createLeases({ pool }),
    topics,
    owner,
    pageSize: engine.segmentation.pageSize,
    feedLeaseMs: config.TRIGGER_FEED_LEASE_MS,
    stallMs: config.TRIGGER_STALL_MS,
    reofferMs: config.TRIGGER_REOFFER_MS,
    clock: systemClock,
    random: () => Math.random(),
    logger,
  });
  await trigger.start();
  return trigger;
});

if (isEntry(import.meta)) await runProcess(triggerProcess);
