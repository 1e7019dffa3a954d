import { callsTopic } from '../../shared/domain/endpoint/call-topics.ts';
import { totalsSlotOf } from '../../shared/domain/step/totals-slot.ts';
import type { ChangeFeed } from '../../shared/ports/change-feed.ts';
import { createKafka } from '../../shared/kafka/client/connection.ts';
import { createPublisher } from '../../shared/kafka/publisher/publisher.ts';
import { createClientSource } from '../../shared/postgres/registry/clients.ts';
import { createKeyAdvancer } from '../../shared/postgres/jobs/key-wakes.ts';
import { createLeases } from '../../shared/postgres/registry/leases.ts';
import { poolSizes } from '../../shared/postgres/connection/connections.ts';
import { createChangeFeed } from '../../shared/postgres/connection/change-feed.ts';
import { createHotPathPool, createPool } from '../../shared/postgres/connection/pool.ts';
import { createRegions } from '../../shared/postgres/registry/regions.ts';
import { noteSettings } from '../../shared/postgres/registry/service-settings.ts';
import { createProcessBeats } from '../../shared/postgres/registry/process-beats.ts';
import { requireWritable } from '../../shared/postgres/connection/right-server.ts';
import { takePart, untilDatabaseAnswers } from '../../shared/postgres/registry/take-part.ts';
import { createClientReader, type ClientReader } from '../../shared/runtime/installation/client-reader.ts';
import { dispatcherGroup, ownPublisher } from '../../shared/runtime/installation/installation-bus.ts';
import { defineProcess, isEntry, runProcess, type ProcessContext } from '../../shared/runtime/process/process.ts';
import { createRegionWatch } from '../../shared/runtime/installation/region-watch.ts';
import { systemClock } from '../../shared/runtime/system-clock.ts';
import { readConfig, type SchedulerConfig } from './config.ts';
import { createHistoryKeeper } from './keep-history.ts';
import { createJobOfferer, leaderLease, type JobOfferer } from './offer/job-offerer.ts';
import { createLedgerChecker } from './ledger-checker.ts';
import { createDispatchers } from './postgres/dispatchers.ts';
import { createDueJobs } from './postgres/due-jobs.ts';
import { createLedgerCheck } from './postgres/ledger-check.ts';
import { createDueReferences } from './postgres/due-references.ts';
import { createPartitionLeases } from './postgres/partition-leases.ts';
import { createJobHistory } from './postgres/job-history.ts';
import { createDueSchedules } from './postgres/due-schedules.ts';
import { createRecurring } from './recur/recurring.ts';
import { createScheduler } from './fire/scheduler.ts';
import { createKeySweeper } from './sweep-keys.ts';
import { createNotificationEvents } from './postgres/notification-events.ts';
import { createNotifier } from './notifications/notifier.ts';

/**
 * Time in milliseconds before an instant at which the scheduler begins to decide it. It suffices to decide and store
 * the fires of a few hundred schedules.
 */
const schedulesAheadMs = 200;

export const schedulerProcess = defineProcess('scheduler', readConfig, async (config, context) => {
  const { logger, meter, tracing, owner, addPart, onClose } = context;
  const database = { connectionString: config.DATABASE_URL, applicationName: 'muster-scheduler', logger, meter };
  const max = poolSizes.scheduler['muster-scheduler'];
  const pool = onClose(createPool({ ...database, max }), (opened) => opened.end());
  addPart('database', () => requireWritable(pool));
  const installationId = await takePart({ pool, clock: systemClock, logger });
  const beats = onClose(
    createProcessBeats({ pool, owner, service: 'scheduler', region: config.MUSTER_REGION, clock: systemClock, logger }),
    (opened) => opened.stop(),
  );
  beats.start();
  const { QUOTA_OPEN_RUNS } = config;
  await untilDatabaseAnswers({ clock: systemClock, logger }, () =>
    noteSettings(pool, 'scheduler', { QUOTA_OPEN_RUNS }),
  );
  const changes = onClose(
    createChangeFeed({
      connectionString: config.DATABASE_URL,
      applicationName: 'muster-scheduler',
      clock: systemClock,
      logger,
    }),
    (opened) => opened.stop(),
  );
  changes.start();
  const scheduler = createScheduler({
    leases: createLeases({ pool }),
    dueJobs: createDueJobs({ pool }),
    owner,
    leaseMs: config.SCHEDULER_LEASE_MS,
    pollMs: config.SCHEDULER_POLL_MS,
    changes,
    clock: systemClock,
    logger,
  });
  const recurring = createRecurring({
    leases: createLeases({ pool }),
    dueSchedules: createDueSchedules({
      pool,
      aheadMs: schedulesAheadMs,
      sleep: (ms) => systemClock.sleep(ms),
      quotas: { openRuns: QUOTA_OPEN_RUNS },
    }),
    region: config.MUSTER_REGION,
    keptDays: config.OCCURRENCES_HISTORY_DAYS,
    meter,
    tracing,
    owner,
    leaseMs: config.SCHEDULER_LEASE_MS,
    pollMs: config.SCHEDULER_POLL_MS,
    changes,
    clock: systemClock,
    logger,
  });
  const history = createHistoryKeeper({
    history: createJobHistory({ pool }),
    leases: createLeases({ pool }),
    terms: { historyDays: config.JOBS_HISTORY_DAYS, deadDays: config.JOBS_DEAD_DAYS },
    meter,
    owner,
    clock: systemClock,
    logger,
  });
  const clients = onClose(
    createClientReader({ clients: createClientSource({ pool }), changes, clock: systemClock, logger }),
    (reader) => reader.stop(),
  );
  await untilDatabaseAnswers({ clock: systemClock, logger }, () => clients.refresh());
  clients.start();
  const checker = onClose(
    createLedgerChecker({
      owner,
      clock: systemClock,
      logger,
      meter,
      ledger: createLedgerCheck({ pool }),
      nameOf: (clientId) => clients.current()?.byId.get(clientId)?.name,
      leases: createLeases({ pool }),
    }),
    (created) => created.stop(),
  );
  checker.start();
  const offerer = await startOfferer(config, context, { installationId, changes, clients });
  const address = config.API_PUBLIC_URL;
  const notifier = createNotifier({
    events: createNotificationEvents({ pool }),
    base: address ? address.origin + address.basePath : '',
    clients,
    changes,
    clock: systemClock,
    logger,
  });
  const parts = [scheduler, recurring, offerer];
  for (const part of parts) part.start();
  const keys = createKeyAdvancer({ pool, slot: totalsSlotOf(owner) });
  const keySweeper = createKeySweeper({ keys, clock: systemClock, logger });
  const loops = [history, notifier, keySweeper];
  for (const loop of loops) loop.start();
  return {
    ...scheduler,
    ready: () => scheduler.ready() && offerer.ready(),
    stopIntake: async () => {
      await Promise.all([...parts.map((part) => part.stopIntake()), ...loops.map((loop) => loop.stop())]);
    },
    finishWork: async () => {
      await Promise.all(parts.map((part) => part.finishWork()));
    },
  };
});

/**
 * Starts the offerer, which sends due jobs to dispatchers. Only the offerer waits for Kafka: runs start even if Kafka
 * is unavailable.
 */
async function startOfferer(
  config: SchedulerConfig,
  { logger, meter, owner, onClose }: ProcessContext,
  { installationId, changes, clients }: { installationId: string; changes: ChangeFeed; clients: ClientReader },
): Promise<JobOfferer> {
  const clock = systemClock;
  const { MUSTER_REGION: name, MUSTER_TOPIC_PREFIX: prefix, engine } = config;
  const database = { connectionString: config.DATABASE_URL, applicationName: 'muster-scheduler-jobs', logger, meter };
  // Reading due jobs, clients with a backlog, late jobs, the sweep and notifications need one connection each.
  const max = poolSizes.scheduler['muster-scheduler-jobs'];
  const pool = onClose(createHotPathPool({ ...database, max }), (opened) => opened.end());
  const region = onClose(
    createRegionWatch({ regions: createRegions({ pool }), name, changes, clock, logger }),
    (watch) => watch.stop(),
  );
  await untilDatabaseAnswers({ clock, logger }, () => region.start());

  const topic = callsTopic(prefix, name);
  logger.info({ owner, region: name, topic }, 'scheduler offers jobs');
  const groupId = dispatcherGroup(prefix, name, installationId);
  const kafka = createKafka({ ...config.kafka, clientId: owner, logger });
  const { partitionsPerShard: partitions, replicationFactor } = engine;
  const topics = [{ topic, partitions, replicationFactor }];
  const publisher = onClose(createPublisher({ kafka, logger, topics, consumedBy: groupId }), (opened) =>
    opened.close(),
  );
  publisher.connect().catch((error: unknown) => logger.warn({ err: error }, 'Kafka does not answer, jobs wait'));
  return createJobOfferer({
    due: createDueReferences({ pool }),
    partitions: createPartitionLeases({ pool, leader: leaderLease }),
    leases: createLeases({ pool }),
    publisher: ownPublisher(publisher, installationId),
    dispatchers: createDispatchers({ pool }),
    rateOf: (clientId) => clients.current()?.endpoints.get(clientId)?.terms.publishRatePerSecond,
    nameOf: (clientId) => clients.current()?.endpoints.get(clientId)?.name,
    region: () => region.current(),
    changes,
    topic,
    owner,
    leaseMs: config.SCHEDULER_LEASE_MS,
    clock,
    logger,
    meter,
  });
}

if (isEntry(import.meta)) await runProcess(schedulerProcess);
