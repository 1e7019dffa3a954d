import { randomUUID } from 'node:crypto';
import { totalsSlotOf } from '../../shared/domain/step/totals-slot.ts';
import { createKafka } from '../../shared/kafka/client/connection.ts';
import { createGroupLook } from '../../shared/kafka/cluster/group-look.ts';
import { createApiKeys } from '../../shared/postgres/api-keys.ts';
import { createRegistrySource, createShardStore } from '../../shared/postgres/registry.ts';
import { createAcceptPool, createHotPathPool, createPool, createUploadPool } from '../../shared/postgres/pool.ts';
import { createClientSource } from '../../shared/postgres/clients.ts';
import { createJobIntake } from '../../shared/postgres/job-intake.ts';
import { createGuardReader } from '../../shared/postgres/endpoint-guards.ts';
import { createSettlements } from '../../shared/postgres/settlements.ts';
import { createSegmentation } from '../../shared/http-client/segmentation-client.ts';
import { createStoredAudiences } from '../../shared/postgres/stored-audiences.ts';
import { tryToTakePart } from '../../shared/postgres/take-part.ts';
import { digestOfApiKey } from '../../shared/runtime/installation/api-key-secret.ts';
import { openSecrets } from '../../shared/runtime/installation/action-type-secrets.ts';
import { workerGroup } from '../../shared/runtime/installation/installation-bus.ts';
import { installationConfigOf } from '../../shared/runtime/installation/installation-config.ts';
import { listening } from '../../shared/runtime/process/listening.ts';
import { createClientReader } from '../../shared/runtime/installation/client-reader.ts';
import { createLoop } from '../../shared/runtime/loop.ts';
import { defineProcess, isEntry, runProcess } from '../../shared/runtime/process/process.ts';
import { createRegistryReader } from '../../shared/runtime/installation/registry-reader.ts';
import { StartRefusedError } from '../../shared/runtime/process/start-refused.ts';
import { systemClock } from '../../shared/runtime/system-clock.ts';
import { createAccepting } from './jobs/accept/accepting.ts';
import { readConsolePages } from './console/console-pages.ts';
import { consoleFolder } from '../console/built-console.ts';
import { createApi } from './api.ts';
import { createCatalogueReader } from './frame/catalogue-reader.ts';
import { askableSegmentation } from './campaigns/askable-segmentation.ts';
import { createJobChanger } from './jobs/change-jobs.ts';
import { readConfig } from './config.ts';
import { createReceiptSigners } from './receipts/receipt-signers.ts';
import { createActionTypeStore } from './action-types/postgres/action-type-store.ts';
import { createAuditLog } from './access/postgres/audit-log.ts';
import { createAudienceStore } from './audiences/postgres/audience-store.ts';
import { createBudgetStore } from './runs/control/postgres/budget-store.ts';
import { createClientFigures } from './clients/postgres/client-figures.ts';
import { createClientLedgers } from './clients/postgres/client-ledgers.ts';
import { createClientStore } from './clients/postgres/client-store.ts';
import { createCampaignLists } from './campaigns/postgres/campaign-lists.ts';
import { createCampaignStore } from './campaigns/postgres/campaign-store.ts';
import { createDeadJobStore } from './jobs/postgres/dead-job-store.ts';
import { createDeadLetterStore } from './trouble/postgres/dead-letter-store.ts';
import { createJobChanges } from './jobs/postgres/job-changes.ts';
import { createJobStore } from './jobs/postgres/job-store.ts';
import { createIdempotentRequests } from './frame/postgres/idempotent-requests.ts';
import { createQuarantinedSteps } from './trouble/postgres/quarantined-steps.ts';
import { createReceiptBook } from './receipts/postgres/receipt-book.ts';
import { createRetries } from './runs/failures/postgres/retries.ts';
import { createRunControl } from './runs/control/postgres/run-control.ts';
import { createRunReports } from './runs/postgres/run-reports.ts';
import { createGroupStore } from './schedules/postgres/group-store.ts';
import { createScheduleStore } from './schedules/postgres/schedule-store.ts';
import { createSchedulerDesk } from './jobs/scheduler/postgres/scheduler-desk.ts';
import { createSessionStore } from './access/postgres/session-store.ts';
import { createSettlementRequests } from './trouble/postgres/settlement-requests.ts';
import { createShardFigures } from './shards/postgres/shard-figures.ts';
import { createShardLook } from './shards/shard-look.ts';
import { createUserHistories } from './runs/explain/postgres/user-histories.ts';

/** How often the API looks whether its database is as it has to be; that it was is believed for as long. */
const lookMs = 5_000;

/** Twice in each step of what is remembered of the lag. */
const shardLookMs = 15_000;

/** Questions to the segmentation service in flight, of all requests. */
const questionsAtOnce = 64;
/** One writes receipts, and lists of them are read beside it. */
const maxReceiptConnections = 3;
/** Three flushes at once, and what they look up. */
const acceptConnections = 4;
/** Lists uploaded at once to one process. */
const maxUploads = 4;

export const apiProcess = defineProcess('api', readConfig, async (config, context) => {
  const { logger, meter, environment, addPart, onClose } = context;
  const clock = systemClock;
  const pool = onClose(
    createPool({ connectionString: config.databaseUrl, applicationName: 'muster-api', logger, meter }),
    (opened) => opened.end(),
  );
  // Apart: an upload holds its connection for as long as its sender takes.
  const uploads = { connectionString: config.databaseUrl, applicationName: 'muster-api-uploads', max: maxUploads };
  const uploadPool = onClose(createUploadPool({ ...uploads, logger, meter }), (opened) => opened.end());
  // One statement at a time, which has to keep its plan.
  const receiptPool = onClose(
    createHotPathPool({
      ...{ connectionString: config.databaseUrl, applicationName: 'muster-api-receipts', max: maxReceiptConnections },
      ...{ logger, meter },
    }),
    (opened) => opened.end(),
  );
  const connections = { pages: 1, descriptions: questionsAtOnce };
  const segmentation = onClose(
    askableSegmentation(() => createSegmentation({ config: config.engine, environment, connections }), logger),
    (opened) => opened.close(),
  );
  const apiKeys = createApiKeys({ pool });
  const file = installationConfigOf(config.engine);

  // The API need not end when its database is not as it has to be: it says so, and serves when it is.
  let problem: Error | undefined = new Error('has not looked at its database yet');
  let installationId: string | undefined;
  let isKeyAdded = config.bootstrapApiKey === undefined;
  const look = async () => {
    try {
      installationId = await tryToTakePart({ pool, file, seed: config.engine, clock, logger });
      if (!isKeyAdded) await apiKeys.add('bootstrap', digestOfApiKey(config.bootstrapApiKey ?? ''), 'operator');
      isKeyAdded = true;
      problem = undefined;
      return lookMs;
    } catch (error) {
      problem = error instanceof Error ? error : new Error(String(error));
      throw problem;
    }
  };
  const looks = onClose(
    createLoop({ name: 'look-at-database', turn: look, afterErrorMs: 1000, clock, logger }),
    (loop) => loop.stop(),
  );
  const requireDatabase = async () => {
    if (problem) throw problem;
    await pool.query('select 1');
  };
  addPart('database', requireDatabase);
  const registry = onClose(
    createRegistryReader({ registry: createRegistrySource({ pool }), clock, logger }),
    (reader) => reader.stop(),
  );

  // Apart: its statements are few, always the same, and end soon.
  const accepts = { connectionString: config.databaseUrl, applicationName: 'muster-api-jobs', max: acceptConnections };
  const acceptPool = onClose(createAcceptPool({ ...accepts, logger, meter }), (opened) => opened.end());
  const clients = onClose(createClientReader({ clients: createClientSource({ pool }), clock, logger }), (reader) =>
    reader.stop(),
  );
  const owner = randomUUID();
  const clientFigures = createClientFigures({ pool });
  const slot = totalsSlotOf(`${owner}/changes`);
  const jobStore = createJobStore({ pool: acceptPool, slot });
  const jobChanges = createJobChanges({ pool: acceptPool, slot });
  const jobChanger = onClose(createJobChanger({ changes: jobChanges, jobStore, clock, logger }), (created) =>
    created.stop(),
  );
  const accepting = onClose(
    createAccepting({
      ...{ clients, clock, logger, meter },
      intake: createJobIntake({ pool: acceptPool }),
      figures: clientFigures,
      owner,
    }),
    (created) => created.stop(),
  );

  let group: ReturnType<typeof createGroupLook> | undefined;
  /** Whose group it is, the database says, which need not answer at the start. */
  const workers = (installation: string | undefined) => {
    const { kafka, topicPrefix } = config;
    if (!kafka || installation === undefined) return undefined;
    const groupId = workerGroup(topicPrefix, installation);
    const connection = () => createKafka({ ...kafka, clientId: 'muster-api', logger });
    return (group ??= onClose(createGroupLook({ kafka: connection(), groupId, logger }), (look) => look.close()));
  };
  const shardLook = createShardLook({
    ...{ registry, clock, topicPrefix: config.topicPrefix },
    figures: createShardFigures({ pool }),
    guards: createGuardReader({ pool }),
    group: { look: (topics) => workers(installationId)?.look(topics) ?? Promise.resolve(null) },
  });
  // So that the lag of the last minutes is known to whoever opens a page.
  const shardLooks = onClose(
    createLoop({
      name: 'look-at-shards',
      turn: () => shardLook.look().then(() => shardLookMs),
      afterErrorMs: shardLookMs,
      ...{ clock, logger },
    }),
    (loop) => loop.stop(),
  );
  const pages = await readConsolePages(consoleFolder);
  const api = onClose(
    await createApi({
      host: config.host,
      port: config.port,
      campaigns: createCampaignStore({ pool }),
      campaignLists: createCampaignLists({ pool }),
      budgets: createBudgetStore({ pool }),
      reports: createRunReports({ pool }),
      deadLetters: createDeadLetterStore({ pool }),
      deadJobs: createDeadJobStore({ pool }),
      schedulerDesk: createSchedulerDesk({ pool }),
      quarantinedSteps: createQuarantinedSteps({ pool }),
      settlements: createSettlements({ pool }),
      settlementRequests: createSettlementRequests({ pool }),
      histories: createUserHistories({ pool }),
      retries: createRetries({ pool }),
      receipts: createReceiptBook({ pool: receiptPool, slot: totalsSlotOf(randomUUID()) }),
      signers: createReceiptSigners({
        registered: () => registry.current()?.actionTypes,
        openSecret: (type) => openSecrets(type, config.secretBox).receipts,
        environment,
        logger,
      }),
      segmentation,
      storedAudiences: createStoredAudiences({ pool }),
      control: createRunControl({ pool }),
      audiences: createAudienceStore({ pool, uploadPool }),
      idempotency: createIdempotentRequests({ pool }),
      audit: createAuditLog({ pool }),
      apiKeys,
      sessions: createSessionStore({ pool }),
      installation: { name: config.installationName ?? null, zone: config.zone },
      publicAddress: config.publicAddress,
      pages,
      catalogue: createCatalogueReader(registry, config.engine.countries),
      actionTypes: createActionTypeStore({ pool }),
      secretBox: config.secretBox,
      clientStore: createClientStore({ pool }),
      clientFigures,
      clientLedgers: createClientLedgers({ pool }),
      ...{ jobStore, jobChanges, jobChanger },
      clients,
      schedules: createScheduleStore({ pool, region: config.region, owner: 'api' }),
      groups: createGroupStore({ pool }),
      accepting,
      shards: createShardStore({ pool }),
      shardLook,
      clock,
      logger,
      meter,
      ping: requireDatabase,
      refusal: () => (problem instanceof StartRefusedError ? problem : undefined),
    }),
    (created) => created.close(),
  );
  // Once before it listens: who starts on a good database finds it ready. What fails here is logged by the loop.
  await look().catch(() => undefined);
  looks.start();
  shardLooks.start();
  registry.start();
  clients.start();
  accepting.start();
  jobChanger.start();
  const { host, port, publicAddress } = config;
  const publicUrl = publicAddress && publicAddress.origin + publicAddress.basePath;
  const url = await listening({ variable: 'API_PORT', host, port }, () => api.start());
  logger.info({ url, console: pages ? `${publicUrl ?? url}/` : null, docs: `${url}/docs` }, 'api is listening');
  /** `http://host:port`, with the port that was really taken. */
  return { ...api, url };
});

if (isEntry(import.meta)) await runProcess(apiProcess);
