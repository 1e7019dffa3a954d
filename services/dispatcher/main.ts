import { callsTopic } from '../../shared/domain/endpoint/call-topics.ts';
import { totalsSlotOf } from '../../shared/domain/step/totals-slot.ts';
import { createGuardedSockets } from '../../shared/http-client/guarded-sockets.ts';
import { createHostNames } from '../../shared/http-client/host-names.ts';
import { createKafka } from '../../shared/kafka/client/connection.ts';
import { createBrokerCheck } from '../../shared/kafka/cluster/broker-check.ts';
import { createTopicWriter } from '../../shared/kafka/publisher/topic-writer.ts';
import { createConsumer } from '../../shared/kafka/consumer/consumer.ts';
import { createClientSource } from '../../shared/postgres/registry/clients.ts';
import { createLeases } from '../../shared/postgres/registry/leases.ts';
import { createDeadLetters } from '../../shared/postgres/registry/dead-letters.ts';
import { createJobNodes } from '../../shared/postgres/jobs/job-nodes.ts';
import { createKeyAdvancer } from '../../shared/postgres/jobs/key-wakes.ts';
import { poolSizes } from '../../shared/postgres/connection/connections.ts';
import { createChangeFeed } from '../../shared/postgres/connection/change-feed.ts';
import { createHotPathPool } from '../../shared/postgres/connection/pool.ts';
import { createRegions } from '../../shared/postgres/registry/regions.ts';
import { createProcessBeats } from '../../shared/postgres/registry/process-beats.ts';
import { requireWritable } from '../../shared/postgres/connection/right-server.ts';
import { takePart, untilDatabaseAnswers } from '../../shared/postgres/registry/take-part.ts';
import { createEgressGuard } from '../../shared/runtime/egress/address-guard.ts';
import { createClientReader } from '../../shared/runtime/installation/client-reader.ts';
import { exportConsumerStats } from '../../shared/runtime/meter/consumer-metrics.ts';
import { dispatcherGroup, ownConsumer } from '../../shared/runtime/installation/installation-bus.ts';
import { defineProcess, isEntry, runProcess } from '../../shared/runtime/process/process.ts';
import { createRegionWatch } from '../../shared/runtime/installation/region-watch.ts';
import { systemClock } from '../../shared/runtime/system-clock.ts';
import { createCallOpener } from './call/call-opener.ts';
import { createClientDirectory } from './client-directory.ts';
import { callsFetch, readConfig } from './config.ts';
import { createDispatcher } from './assemble-dispatcher.ts';
import { createHeartbeat } from './heartbeat.ts';
import { createCallbackEndpoint } from './http/callback-endpoint.ts';
import { chooseEndpoint } from './mail/choose-endpoint.ts';
import { createMailEndpoint } from './mail/mail-endpoint.ts';
import { createTopicEndpoint } from './topics/topic-endpoint.ts';
import { dispatcherMetrics } from './metrics.ts';
import { createCallLedger } from './postgres/call-ledger.ts';
import { createHostCircuits } from './postgres/host-circuits.ts';
import { createReportInviter } from './call/report-inviter.ts';
import { createNodeReporter } from './report-node.ts';

/** Upper bound on a token response in bytes. A signed token with many roles takes some kilobytes. */
const maxTokenBytes = 64 * 1024;

export const dispatcherProcess = defineProcess('dispatcher', readConfig, async (config, context) => {
  const { logger, meter, tracing, owner, addPart, onClose } = context;
  const { engine, MUSTER_REGION: region, DISPATCHER_LEASE_MS: leaseMs } = config;
  const clock = systemClock;

  const database = { connectionString: config.DATABASE_URL, applicationName: 'muster-dispatcher', logger, meter };
  // The flushes use one connection, the ordering keys one, and the reads of hosts, clients and the region share the
  // others.
  const max = poolSizes.dispatcher['muster-dispatcher'];
  const pool = onClose(createHotPathPool({ ...database, max }), (opened) => opened.end());
  addPart('database', () => requireWritable(pool));
  const kafka = createKafka({ ...config.kafka, clientId: owner, logger });
  const { brokers } = config.kafka;
  const brokerCheck = onClose(createBrokerCheck({ kafka, brokers }), (opened) => opened.close());
  addPart('kafka', brokerCheck.require);
  const installationId = await takePart({ pool, logger, clock });
  const beats = onClose(createProcessBeats({ pool, owner, service: 'dispatcher', region, clock, logger }), (opened) =>
    opened.stop(),
  );
  beats.start();
  const changes = onClose(createChangeFeed({ ...database, clock }), (opened) => opened.stop());
  changes.start();
  const regionWatch = onClose(
    createRegionWatch({ regions: createRegions({ pool }), name: region, changes, clock, logger }),
    (w) => w.stop(),
  );
  await untilDatabaseAnswers({ clock, logger }, () => regionWatch.start());
  const reader = onClose(
    createClientReader({ clients: createClientSource({ pool }), changes, clock, logger }),
    (opened) => opened.stop(),
  );
  await untilDatabaseAnswers({ clock, logger }, () => reader.refresh());
  reader.start();

  const topic = callsTopic(config.MUSTER_TOPIC_PREFIX, region);
  const { partitionsPerShard: partitions, replicationFactor } = engine;
  const consumer = createConsumer({
    kafka,
    logger,
    sessionTimeoutMs: config.KAFKA_SESSION_TIMEOUT_MS,
    groupId: dispatcherGroup(config.MUSTER_TOPIC_PREFIX, region, installationId),
    topics: [{ topic, partitions, replicationFactor }],
    fetch: callsFetch,
  });
  addPart('consumer', () => {
    const readiness = consumer.ready();
    if (!readiness.ok) throw new Error(readiness.cause ?? 'is not in its group');
  });
  exportConsumerStats(meter, () => consumer.stats());

  const names = createHostNames({ clock, servers: config.DISPATCHER_DNS_SERVERS });
  const own = { pool, owner, slot: totalsSlotOf(owner) };
  const heartbeat = createHeartbeat();
  const nodes = createJobNodes({ pool });
  const sentAgain = meter.counter(dispatcherMetrics.sentAgain).of({});
  const ways = { clock, names, installation: config.egress, onSentAgain: () => sentAgain.add() };
  const endpoint = onClose(createCallbackEndpoint(ways), (opened) => opened.close());
  const sockets = createGuardedSockets({ guard: createEgressGuard([config.egress]), names }, 'mail server');
  const mail = config.mail && createMailEndpoint({ settings: config.mail, sockets, clock });
  const writer = onClose(createTopicWriter({ kafka }), (opened) => opened.close());
  const topics = createTopicEndpoint({ writer, topics: config.targetTopics, clock });
  if (mail) onClose(mail, (opened) => opened.close());
  const tokenEndpoint = onClose(createCallbackEndpoint({ ...ways, keptBytes: maxTokenBytes }), (opened) =>
    opened.close(),
  );
  const dispatcher = createDispatcher({
    consumer: ownConsumer({ consumer, installationId, meter, clock, logger }),
    ledger: createCallLedger({ ...own, leaseMs, region: () => regionWatch.current() }),
    circuits: createHostCircuits(own),
    keys: createKeyAdvancer(own),
    clients: createClientDirectory({ reader, secretBox: config.secretBox, tokenEndpoint, clock, logger }),
    opener: createCallOpener({ secretBox: config.secretBox, clock, logger }),
    inviter: createReportInviter({ secretBox: config.secretBox, publicAddress: config.API_PUBLIC_URL }),
    endpoint: chooseEndpoint({ http: endpoint, topics, mail }),
    deadLetters: createDeadLetters({ pool }),
    nodes,
    leases: createLeases({ pool }),
    owner,
    heartbeat,
    leaseMs,
    concurrency: config.DISPATCHER_CONCURRENCY,
    changes,
    clock,
    random: () => Math.random(),
    logger,
    meter,
    tracing,
  });
  const reporter = onClose(
    createNodeReporter({ nodes, owner, region, dispatcher, heartbeat, clock, logger }),
    (opened) => opened.stop(),
  );
  // The dispatcher may claim jobs only while its heartbeats are stored, so the heartbeats begin first.
  reporter.start();
  await dispatcher.start();
  reporter.reportNow();
  logger.info({ owner, region, topic }, 'dispatcher takes jobs');
  return {
    ...dispatcher,
    stopIntake: async () => {
      const stopping = dispatcher.stopIntake();
      // Once schedulers receive this report, they send no more references to this dispatcher.
      reporter.reportNow();
      await stopping;
    },
  };
});

if (isEntry(import.meta)) await runProcess(dispatcherProcess);
