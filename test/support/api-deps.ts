import { accessModule } from '../../services/api/access/access-module.ts';
import { actionTypesModule } from '../../services/api/action-types/action-types-module.ts';
import { approvalsModule } from '../../services/api/campaigns/approvals/approvals-module.ts';
import { audienceCountsModule } from '../../services/api/audiences/counts/counts-module.ts';
import { audiencesModule } from '../../services/api/audiences/lists/lists-module.ts';
import { campaignsModule } from '../../services/api/campaigns/campaigns-module.ts';
import { clientsModule } from '../../services/api/clients/clients-module.ts';
import { dryRunsModule } from '../../services/api/trials/dry-runs/dry-runs-module.ts';
import { frameModule, type ApiParts } from '../../services/api/frame/frame-module.ts';
import { jobsModule } from '../../services/api/jobs/jobs-module.ts';
import { namedAudiencesModule } from '../../services/api/audiences/named/named-module.ts';
import { receiptsModule } from '../../services/api/receipts/receipts-module.ts';
import { runsModule } from '../../services/api/runs/runs-module.ts';
import { savedAudiencesModule } from '../../services/api/audiences/saved/saved-module.ts';
import { schedulesModule } from '../../services/api/schedules/schedules-module.ts';
import { schedulerModule } from '../../services/api/installation/scheduler/scheduler-module.ts';
import { createShardFigures } from '../../services/api/installation/shards/postgres/shard-figures.ts';
import { createShardLook } from '../../services/api/installation/shards/shard-look.ts';
import { segmentsModule } from '../../services/api/audiences/segments/segments-module.ts';
import { shardsModule } from '../../services/api/installation/shards/shards-module.ts';
import { quietHoursModule } from '../../services/api/withheld/quiet-hours/quiet-hours-module.ts';
import { suppressionsModule } from '../../services/api/withheld/suppressions/suppressions-module.ts';
import { systemModule } from '../../services/api/installation/system/system-module.ts';
import { templatesModule } from '../../services/api/campaigns/templates/templates-module.ts';
import { testSendsModule } from '../../services/api/trials/test-sends/test-sends-module.ts';
import { troubleModule } from '../../services/api/trouble/trouble-module.ts';
import { webhooksModule } from '../../services/api/notifications/notifications-module.ts';
import { engineConfig } from '../../shared/contracts/endpoints/engine-config.ts';
import type { Quotas } from '../../shared/domain/quotas.ts';
import type { PartitionTraffic } from '../../shared/ports/group-look.ts';
import type { SegmentList, Segmentation } from '../../shared/ports/segmentation.ts';
import { createGuardReader } from '../../shared/postgres/registry/endpoint-guards.ts';
import { createSecretBox } from '../../shared/runtime/configuration/secret-box.ts';
import { createTargetTopics } from '../../shared/runtime/configuration/target-topics.ts';
import { readInstallationEgress } from '../../shared/runtime/configuration/installation-egress.ts';
import { usualQuotas } from '../../shared/runtime/configuration/quotas.ts';
import { createLogger } from '../../shared/runtime/logger.ts';
import { noMeter } from '../../shared/runtime/meter/no-meter.ts';
import { createPostgresRunRows } from './postgres-run-rows.ts';
import { createSettableClock } from './settable-clock.ts';

export type ApiDeps = ReturnType<typeof createApiDeps>;

/**
 * What the HTTP interface is made of in tests: the rooms' own modules over a database, and a clock that stands at the
 * first of January 2026. No brokers and no segmentation service are asked.
 */
export function createApiDeps(databaseUrl: string, onClose: ApiParts['onClose'], quotas: Quotas = usualQuotas) {
  const clock = createSettableClock();
  const logger = createLogger('api', 'silent');
  const environment = { MESSAGES_RECEIPTS_SECRET: receiptsSecret };
  const parts = frameModule(
    { ...configOf(databaseUrl), quotas },
    { clock, logger, meter: noMeter, environment, onClose },
  );
  const { pool, registry } = parts;
  const clients = clientsModule(parts);
  const traffic = new Map<string, readonly PartitionTraffic[]>();
  const group = { traffic, look: () => Promise.resolve(traffic.size === 0 ? null : traffic) };
  return {
    ...parts,
    ...accessModule(parts),
    ...campaignsModule(parts),
    ...approvalsModule(parts),
    ...templatesModule(parts),
    ...testSendsModule(parts),
    ...dryRunsModule(parts),
    ...runsModule(parts),
    ...audiencesModule(parts),
    ...segmentsModule(parts),
    ...audienceCountsModule(parts),
    ...savedAudiencesModule(parts),
    ...namedAudiencesModule(parts),
    ...receiptsModule(parts),
    ...shardsModule(parts, () => undefined),
    ...clients,
    ...actionTypesModule(parts),
    ...suppressionsModule(parts),
    ...quietHoursModule(parts),
    ...troubleModule(parts),
    ...schedulerModule(parts),
    ...jobsModule(parts, clients),
    ...schedulesModule(parts),
    ...webhooksModule(parts),
    ...systemModule(parts),
    segmentation: describingAnything,
    shardLook: createShardLook({
      registry,
      clock,
      topicPrefix: 'muster',
      figures: createShardFigures({ pool }),
      guards: createGuardReader({ pool }),
      group,
    }),
    /** What the brokers say of the workers' group, by topic; nothing while it is empty. */
    group,
    host: '127.0.0.1',
    port: 0,
    docs: 'public' as const,
    installation: { name: 'Tests', zone: 'Asia/Singapore' },
    ping: (): Promise<void> => Promise.resolve(),
    clock,
    /** Puts runs there. */
    rows: createPostgresRunRows({ pool }),
  };
}

function configOf(databaseUrl: string) {
  return {
    databaseUrl,
    kafka: undefined,
    topicPrefix: 'muster',
    engine: engineConfig.parse(engineFile),
    port: 0,
    host: '127.0.0.1',
    region: 'local',
    bootstrapApiKey: undefined,
    publicAddress: undefined,
    auth: { mode: 'keys', issuer: undefined } as const,
    docs: 'public' as const,
    installationName: 'Tests',
    zone: 'Asia/Singapore',
    currency: 'SGD',
    secretBox: createSecretBox([Buffer.alloc(32, 7)]),
    egress: readInstallationEgress({}),
    targetTopics: createTargetTopics(['shop.*', 'orders'], 'muster'),
    mail: { url: 'smtp://127.0.0.1', from: 'muster@example.com', domains: ['example.com'] },
  };
}

/** A segmentation service that knows every segment, and offers no list of them. */
const describingAnything: Pick<Segmentation, 'describe'> & SegmentList = {
  describe: (id, country) => Promise.resolve({ ok: true, value: { id, country, estimate: 1000, snapshot: 's1' } }),
  list: () =>
    Promise.resolve({ ok: false, failure: { kind: 'not-found', cause: 'HTTP 404', retryAfterMs: null } } as const),
};

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
