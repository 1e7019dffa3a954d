import { createApiParts } from '../../services/api/api-parts.ts';
import type { BaseParts } from '../../services/api/frame/parts.ts';
import { engineConfig } from '../../shared/contracts/endpoints/engine-config.ts';
import type { Quotas } from '../../shared/domain/quotas.ts';
import type { PartitionTraffic } from '../../shared/ports/group-reader.ts';
import type { SegmentList, Segmentation } from '../../shared/ports/segmentation.ts';
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
 * Parts of the API in tests: its own parts over a database, and a clock that shows 1 January 2026. No brokers and no
 * segmentation service are used.
 */
export function createApiDeps(databaseUrl: string, onClose: BaseParts['onClose'], quotas: Quotas = usualQuotas) {
  const clock = createSettableClock();
  const logger = createLogger('api', 'silent');
  const environment = { MESSAGES_RECEIPTS_SECRET: receiptsSecret };
  const traffic = new Map<string, readonly PartitionTraffic[]>();
  const group = { traffic, read: () => Promise.resolve(traffic.size === 0 ? null : traffic) };
  const context = { clock, logger, meter: noMeter, environment, onClose, installationId: () => undefined, group };
  const parts = createApiParts({ ...configOf(databaseUrl), quotas }, context);
  return {
    ...parts,
    segmentation: describingAnything,
    /** Topics of the workers' group according to the brokers; empty while the group has no members. */
    group,
    ping: (): Promise<void> => Promise.resolve(),
    clock,
    /** Creates runs for a test. */
    rows: createPostgresRunRows(parts),
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

/** Engine file of the tested installation. */
const engineFile = {
  countries: ['SG', 'ID', 'VN'],
  segmentation: { url: 'http://segments.test/v1' },
  actionTypes: {
    'award-reward': { url: 'http://rewards.test/v1', class: 'A', authorizationEnv: 'REWARDS_AUTHORIZATION' },
    'send-message': {
      url: 'http://messages.test/v1',
      class: 'B',
      receipts: true,
      receiptsSecretEnv: 'MESSAGES_RECEIPTS_SECRET',
    },
  },
};

/** Signing secret of receipts of `send-message`. */
export const receiptsSecret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

export const testApiKey = 'muster_the-key-of-the-tests';

export const authorized = { authorization: `Bearer ${testApiKey}` };

/** A valid body of a new campaign. */
export const someCampaign = {
  name: 'Lapsed riders, December',
  countries: ['SG', 'ID', 'VN'],
  audience: { include: [{ segment: 'lapsed-riders' }] },
  chain: [
    { action: 'award-reward', params: { rewardId: 'ride-5', units: 2 } },
    { action: 'send-message', params: { template: 'congratulations' } },
  ],
};
