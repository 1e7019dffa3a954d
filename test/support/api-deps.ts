import type { Pool } from 'pg';
import { engineConfig } from '../../shared/contracts/endpoints/engine-config.ts';
import { openSecrets } from '../../shared/runtime/installation/action-type-secrets.ts';
import { digestOfApiKey } from '../../shared/runtime/installation/api-key-secret.ts';
import { createRegistryReader } from '../../shared/runtime/installation/registry-reader.ts';
import type { PartitionTraffic } from '../../shared/ports/group-look.ts';
import { createSecretBox } from '../../shared/runtime/configuration/secret-box.ts';
import { createShardLook } from '../../services/api/shards/shard-look.ts';
import { createReceiptSigners } from '../../services/api/receipts/receipt-signers.ts';
import { createCatalogueReader } from '../../services/api/frame/catalogue-reader.ts';
import { createLogger } from '../../shared/runtime/logger.ts';
import { createMemoryAudienceStore } from './memory/audience-store.ts';
import type { Segmentation } from '../../shared/ports/segmentation.ts';
import { createMemoryStoredAudiences } from './memory/stored-audiences.ts';
import { createMemoryApiKeys } from './memory/api-keys.ts';
import { createMemoryAuditLog } from './memory/audit-log.ts';
import { createMemoryBudgetStore } from './memory/budget-store.ts';
import { createMemoryCampaignLists } from './memory/campaign-lists.ts';
import { createMemoryCampaignStore } from './memory/campaign-store.ts';
import { createCallbackTables } from './memory/callback-tables.ts';
import { createMemoryDeadLetterStore } from './memory/dead-letters.ts';
import { createMemoryDatabase } from './memory/memory-database.ts';
import { createMemoryGuardReader } from './memory/endpoint-guards.ts';
import { createMemoryIdempotentRequests } from './memory/idempotent-requests.ts';
import {
  createMemoryActionTypeStore,
  createMemoryRegistrySource,
  createMemoryShardStore,
  seedMemoryRegistry,
} from './memory/registry.ts';
import { createMemoryShardFigures } from './memory/shard-figures.ts';
import { createMemoryQuarantinedSteps } from './memory/quarantined-steps.ts';
import { createMemoryReceiptStore } from './memory/receipt-store.ts';
import { createMemoryRetries } from './memory/retries.ts';
import { createMemoryRunControl } from './memory/run-control.ts';
import { createMemoryRunReports } from './memory/run-reports.ts';
import { createMemoryUserHistories } from './memory/user-histories.ts';
import { createMemoryRunRows } from './memory/run-rows.ts';
import { createMemorySessionStore } from './memory/session-store.ts';
import { createMemorySettlementRequests, createMemorySettlements } from './memory/settlements.ts';
import { createAccepting } from '../../services/api/jobs/accept/accepting.ts';
import { createJobChanger } from '../../services/api/jobs/change-jobs.ts';
import { createClientReader } from '../../shared/runtime/installation/client-reader.ts';
import { createMemoryClientSource, createMemoryClientStore } from './memory/clients.ts';
import { createMemoryJobIntake } from './memory/job-intake.ts';
import { createMemoryScheduleStore } from './memory/schedule-store.ts';
import { createSettableClock } from './settable-clock.ts';
import { createClientFigures } from '../../services/api/clients/postgres/client-figures.ts';
import { createClientLedgers } from '../../services/api/clients/postgres/client-ledgers.ts';
import { createDeadJobStore } from '../../services/api/jobs/postgres/dead-job-store.ts';
import { createJobChanges } from '../../services/api/jobs/postgres/job-changes.ts';
import { createJobStore } from '../../services/api/jobs/postgres/job-store.ts';
import { createSchedulerStatus } from '../../services/api/jobs/scheduler/postgres/scheduler-status.ts';
import { createPool } from '../../shared/postgres/connection/pool.ts';

/** Of stores that have no twin in memory, where a test asks them nothing. */
const noServer = createPool({
  connectionString: 'postgres://127.0.0.1:1/none',
  applicationName: 'a test',
  logger: createLogger('api', 'silent'),
});

/**
 * What the HTTP interface is made of in tests: stores in memory, a clock that stands at the first of January 2026, and
 * a key.
 * @param pool of stores that have no twin in memory
 */
export async function createApiDeps(pool: Pool = noServer) {
  const clock = createSettableClock();
  const database = createMemoryDatabase(clock);
  const tables = createCallbackTables(clock, database.scheduled);
  const apiKeys = createMemoryApiKeys({ database });
  const { key } = await apiKeys.add('a test', digestOfApiKey(testApiKey), 'operator');
  const config = engineConfig.parse(engineFile);
  seedMemoryRegistry(database, config);
  const secretBox = createSecretBox([Buffer.alloc(32, 7)]);
  const registry = createRegistryReader({
    registry: createMemoryRegistrySource({ database }),
    clock,
    logger: createLogger('api', 'silent'),
  });
  await registry.refresh();
  const logger = createLogger('api', 'silent');
  const clients = createClientReader({ clients: createMemoryClientSource({ database }), clock, logger });
  await clients.refresh();
  const jobStore = createJobStore({ pool, slot: 1 });
  const jobChanges = createJobChanges({ pool, slot: 1 });
  const traffic = new Map<string, readonly PartitionTraffic[]>();
  const group = { traffic, look: () => Promise.resolve(traffic.size === 0 ? null : traffic) };
  return {
    host: '127.0.0.1',
    port: 0,
    campaigns: createMemoryCampaignStore({ database }),
    campaignLists: createMemoryCampaignLists({ database }),
    budgets: createMemoryBudgetStore({ database }),
    reports: createMemoryRunReports({ database }),
    deadLetters: createMemoryDeadLetterStore({ database }),
    deadJobs: createDeadJobStore({ pool }),
    schedulerStatus: createSchedulerStatus({ pool }),
    quarantinedSteps: createMemoryQuarantinedSteps({ database }),
    settlements: createMemorySettlements({ database }),
    settlementRequests: createMemorySettlementRequests({ database }),
    histories: createMemoryUserHistories({ database }),
    retries: createMemoryRetries({ database }),
    receipts: createMemoryReceiptStore({ database }),
    signers: createReceiptSigners({
      registered: () => registry.current()?.actionTypes,
      openSecret: (type) => openSecrets(type, secretBox).receipts,
      environment: { MESSAGES_RECEIPTS_SECRET: receiptsSecret },
      logger: createLogger('api', 'silent'),
    }),
    control: createMemoryRunControl({ database }),
    audiences: createMemoryAudienceStore({ database }),
    storedAudiences: createMemoryStoredAudiences({ database }),
    segmentation: describingAnything,
    idempotency: createMemoryIdempotentRequests({ database }),
    audit: createMemoryAuditLog({ database }),
    apiKeys,
    sessions: createMemorySessionStore({ database }),
    installation: { name: 'Tests', zone: 'Asia/Singapore' },
    catalogue: createCatalogueReader(registry, config.countries),
    actionTypes: createMemoryActionTypeStore({ database }),
    clientStore: createMemoryClientStore({ database }),
    clientFigures: createClientFigures({ pool }),
    clientLedgers: createClientLedgers({ pool }),
    ...{ jobStore, jobChanges },
    jobChanger: createJobChanger({ changes: jobChanges, jobStore, clock, logger }),
    clients,
    secretBox,
    accepting: createAccepting({
      ...{ clients, clock, logger },
      intake: createMemoryJobIntake({ database }),
      figures: createClientFigures({ pool }),
      owner: 'a test',
    }),
    schedules: createMemoryScheduleStore({ database }),
    groups: createMemoryScheduleStore({ database }),
    shards: createMemoryShardStore({ database }),
    shardLook: createShardLook({
      ...{ registry, clock, topicPrefix: 'muster' },
      figures: createMemoryShardFigures({ database }),
      guards: createMemoryGuardReader({ database }),
      group,
    }),
    /** What the brokers say of the workers' group, by topic; null: nothing. */
    group,
    clock,
    logger,
    ping: (): Promise<unknown> => Promise.resolve(),
    /** Beyond what it is made of: what tests put runs there with. */
    rows: createMemoryRunRows({ database }),
    database,
    tables,
    key,
  };
}

/** Of the installation that is tested. */
const engineFile = {
  countries: ['SG', 'ID', 'VN'],
  segmentation: { url: 'http://segments.test/v1' },
  actionTypes: {
    'award-reward': { url: 'http://rewards.test/v1', class: 'A', authorizationEnv: 'REWARDS_AUTHORIZATION' },
    'send-message': {
      ...{ url: 'http://messages.test/v1', class: 'B' },
      ...{ receipts: true, receiptsSecretEnv: 'MESSAGES_RECEIPTS_SECRET' },
    },
  },
};

/** A segmentation service that knows every segment. */
const describingAnything: Pick<Segmentation, 'describe'> = {
  describe: (id, country) => Promise.resolve({ ok: true, value: { id, country, estimate: 1000, snapshot: 's1' } }),
};

/** What receipts of `send-message` are signed with. */
export const receiptsSecret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

export const testApiKey = 'muster_the-key-of-the-tests';

export const authorized = { authorization: `Bearer ${testApiKey}` };

/** A body that is accepted. */
export const someCampaign = {
  name: 'Lapsed riders, December',
  countries: ['SG', 'ID', 'VN'],
  audience: { include: [{ segment: 'lapsed-riders' }] },
  chain: [
    { action: 'award-reward', params: { rewardId: 'ride-5', units: 2 } },
    { action: 'send-message', params: { template: 'congratulations' } },
  ],
};
