import { hostname } from 'node:os';
import { v7 as uuidv7 } from 'uuid';
import { topicNames } from '../../shared/domain/shard.ts';
import { createKafka } from '../../shared/kafka/connection.ts';
import { createPublisher } from '../../shared/kafka/publisher.ts';
import { createDueJobs } from './postgres/due-jobs.ts';
import { createLeases } from '../../shared/postgres/leases.ts';
import { createPool } from '../../shared/postgres/pool.ts';
import { serveHealth } from '../../shared/runtime/health.ts';
import { createLogger } from '../../shared/runtime/logger.ts';
import { isEntry, main } from '../../shared/runtime/main.ts';
import { runUntilSignal, type Service } from '../../shared/runtime/service.ts';
import { systemClock } from '../../shared/runtime/system-clock.ts';
import { readConfig } from './config.ts';
import { createScheduler } from './scheduler.ts';

export async function startScheduler(environment: NodeJS.ProcessEnv): Promise<Service> {
  const config = readConfig(environment);
  const logger = createLogger('scheduler', config.LOG_LEVEL);
  const pool = createPool({
    connectionString: config.DATABASE_URL,
    applicationName: 'muster-scheduler',
    max: 4,
    logger,
  });
  const kafka = createKafka({ brokers: config.KAFKA_BROKERS, clientId: 'muster-scheduler', logger });
  const publisher = createPublisher({ kafka, logger, consumedBy: `${config.MUSTER_TOPIC_PREFIX}.trigger` });
  await publisher.connect();

  const scheduler = createScheduler({
    leases: createLeases({ pool }),
    dueJobs: createDueJobs({ pool }),
    publisher,
    topics: topicNames(config.MUSTER_TOPIC_PREFIX),
    owner: `scheduler@${hostname()}/${uuidv7()}`,
    leaseMs: config.SCHEDULER_LEASE_MS,
    pollMs: config.SCHEDULER_POLL_MS,
    clock: systemClock,
    logger,
  });
  scheduler.start();
  const health =
    config.HEALTH_PORT === undefined
      ? undefined
      : await serveHealth(config.HEALTH_PORT, config.HEALTH_HOST, () => scheduler.ready());
  logger.info('scheduler is running');

  async function close(): Promise<void> {
    await scheduler.close();
    health?.close();
    await Promise.all([publisher.close(), pool.end()]);
  }

  let closing: Promise<void> | undefined;
  return { ...scheduler, close: () => (closing ??= close()) };
}

if (isEntry(import.meta)) {
  await main(async () => {
    const { LOG_LEVEL, STOP_DEADLINE_MS } = readConfig(process.env);
    const scheduler = await startScheduler(process.env);
    await runUntilSignal(scheduler, {
      logger: createLogger('scheduler', LOG_LEVEL),
      stopDeadlineMs: STOP_DEADLINE_MS,
    });
  });
}
