import { hostname } from 'node:os';
import { v7 as uuidv7 } from 'uuid';
import type { EngineConfig } from '../../shared/contracts/engine-config.ts';
import { partitionOf } from '../../shared/domain/partitioning.ts';
import { topicNames, type Shard, type TopicNames } from '../../shared/domain/shard.ts';
import { createBatchEndpoint } from './http/batch-endpoint.ts';
import { createKafka } from '../../shared/kafka/connection.ts';
import { createConsumer } from '../../shared/kafka/consumer.ts';
import { createPublisher } from '../../shared/kafka/publisher.ts';
import { requiredTopics } from '../../shared/kafka/required-topics.ts';
import { createDeadLetters } from '../../shared/postgres/dead-letters.ts';
import { createFeedContexts } from './postgres/feed-contexts.ts';
import { createHotPathPool } from '../../shared/postgres/pool.ts';
import { createStepLedger } from '../../shared/postgres/step-ledger.ts';
import { readEngineConfig } from '../../shared/runtime/engine-config-file.ts';
import { ConfigurationError } from '../../shared/runtime/environment.ts';
import { serveHealth } from '../../shared/runtime/health.ts';
import { createLogger } from '../../shared/runtime/logger.ts';
import { isEntry, main } from '../../shared/runtime/main.ts';
import { runUntilSignal, type Service } from '../../shared/runtime/service.ts';
import { systemClock } from '../../shared/runtime/system-clock.ts';
import { readConfig, type WorkerConfig } from './config.ts';
import { createWorker } from './worker.ts';

/** One connection flushes, one looks things up. */
const maxConnections = 4;

export async function startWorker(environment: NodeJS.ProcessEnv): Promise<Service> {
  const config = readConfig(environment);
  const engine = readEngineConfig(config.MUSTER_CONFIG);
  const topics = topicNames(config.MUSTER_TOPIC_PREFIX);
  const shards = shardsOf(config, engine, topics);
  const logger = createLogger('worker', config.LOG_LEVEL);
  const owner = config.WORKER_ID ?? `worker@${hostname()}/${uuidv7()}`;

  const endpoint = createBatchEndpoint({ config: engine, environment });
  const pool = createHotPathPool({
    connectionString: config.DATABASE_URL,
    applicationName: 'muster-worker',
    max: maxConnections,
    logger,
  });
  const kafka = createKafka({ brokers: config.KAFKA_BROKERS, clientId: 'muster-worker', logger });
  const groupId = `${config.MUSTER_TOPIC_PREFIX}.worker`;
  const required = requiredTopics(engine, config.MUSTER_TOPIC_PREFIX).filter(({ topic }) => topic !== topics.fires);
  const publisher = createPublisher({ kafka, logger, topics: required, consumedBy: groupId });
  await publisher.connect();

  const worker = createWorker({
    consumer: createConsumer({
      kafka,
      groupId,
      topics: required.filter(({ topic }) => shards.has(topic)),
      sessionTimeoutMs: config.KAFKA_SESSION_TIMEOUT_MS,
      logger,
    }),
    publisher,
    ledger: createStepLedger({ pool, owner, slot: partitionOf(owner), leaseMs: config.WORKER_LEASE_MS }),
    contexts: createFeedContexts({ pool }),
    endpoint,
    deadLetters: createDeadLetters({ pool }),
    shards,
    topics,
    config: engine,
    leaseMs: config.WORKER_LEASE_MS,
    concurrency: config.WORKER_CONCURRENCY,
    clock: systemClock,
    random: () => Math.random(),
    logger,
  });
  await worker.start();
  const health =
    config.HEALTH_PORT === undefined
      ? undefined
      : await serveHealth(config.HEALTH_PORT, config.HEALTH_HOST, () => worker.ready());
  logger.info({ owner, topics: shards.size }, 'worker is running');

  async function close(): Promise<void> {
    await worker.close();
    health?.close();
    await Promise.all([publisher.close(), endpoint.close(), pool.end()]);
  }

  let closing: Promise<void> | undefined;
  return { ...worker, close: () => (closing ??= close()) };
}

/** The shards that this worker serves, by topic: those configured, less what its own environment leaves out. */
function shardsOf(config: WorkerConfig, engine: EngineConfig, topics: TopicNames): Map<string, Shard> {
  const actionTypes = chosen('WORKER_ACTION_TYPES', config.WORKER_ACTION_TYPES, Object.keys(engine.actionTypes));
  const countries = chosen('WORKER_COUNTRIES', config.WORKER_COUNTRIES, engine.countries);
  const shards = actionTypes.flatMap((actionType) => countries.map((country) => ({ actionType, country })));
  for (const actionType of actionTypes) {
    const timeoutMs = engine.actionTypes[actionType]?.timeoutMs ?? 0;
    if (config.WORKER_LEASE_MS < 2 * timeoutMs) {
      throw new ConfigurationError(
        `WORKER_LEASE_MS=${config.WORKER_LEASE_MS}: has to be at least twice the time-out of ${actionType}, ${timeoutMs} ms`,
      );
    }
  }
  return new Map(shards.map((shard) => [topics.shard(shard), shard]));
}

function chosen(variable: string, wanted: string[] | undefined, configured: readonly string[]): readonly string[] {
  const unknown = wanted?.find((name) => !configured.includes(name));
  if (unknown !== undefined) {
    throw new ConfigurationError(`${variable} names ${unknown}; the engine is configured for ${configured.join(', ')}`);
  }
  return wanted ?? configured;
}

if (isEntry(import.meta)) {
  await main(async () => {
    const { LOG_LEVEL, STOP_DEADLINE_MS } = readConfig(process.env);
    const worker = await startWorker(process.env);
    await runUntilSignal(worker, { logger: createLogger('worker', LOG_LEVEL), stopDeadlineMs: STOP_DEADLINE_MS });
  });
}
