import { engineConfig } from '../../shared/contracts/engine-config.ts';
import { digestOfApiKey } from '../../shared/runtime/api-key-secret.ts';
import { createLogger } from '../../shared/runtime/logger.ts';
import { createMemoryAudienceStore } from './memory/audience-store.ts';
import { createMemoryApiKeys } from './memory/api-keys.ts';
import { createMemoryAuditLog } from './memory/audit-log.ts';
import { createMemoryCampaignStore } from './memory/campaign-store.ts';
import { createMemoryDatabase } from './memory/memory-database.ts';
import { createMemoryIdempotentRequests } from './memory/idempotent-requests.ts';
import { createMemoryRunControl } from './memory/run-control.ts';
import { createMemoryRunReports } from './memory/run-reports.ts';
import { createMemoryRunRows } from './memory/run-rows.ts';
import { createMemorySettlementRequests, createMemorySettlements } from './memory/settlements.ts';
import { createSettableClock } from './settable-clock.ts';

/** What the HTTP interface is made of in tests: stores in memory, a clock that stands at the first of January 2026, and a key. */
export async function createApiDeps() {
  const clock = createSettableClock();
  const database = createMemoryDatabase(clock);
  const apiKeys = createMemoryApiKeys({ database });
  const { key } = await apiKeys.add('a test', digestOfApiKey(testApiKey));
  return {
    host: '127.0.0.1',
    port: 0,
    campaigns: createMemoryCampaignStore({ database }),
    reports: createMemoryRunReports({ database }),
    settlements: createMemorySettlements({ database }),
    settlementRequests: createMemorySettlementRequests({ database }),
    control: createMemoryRunControl({ database }),
    audiences: createMemoryAudienceStore({ database }),
    idempotency: createMemoryIdempotentRequests({ database }),
    audit: createMemoryAuditLog({ database }),
    apiKeys,
    config: engineConfig.parse({
      countries: ['SG', 'ID', 'VN'],
      segmentation: { url: 'http://segments.test/hidden' },
      actionTypes: {
        'award-reward': {
          url: 'http://rewards.test/hidden',
          class: 'A',
          authorizationEnv: 'REWARDS_AUTHORIZATION',
        },
        'send-message': { url: 'http://messages.test/hidden', class: 'B' },
      },
    }),
    clock,
    logger: createLogger('api', 'silent'),
    ping: (): Promise<unknown> => Promise.resolve(),
    /** Beyond what it is made of: what tests put runs there with. */
    rows: createMemoryRunRows({ database }),
    database,
    key,
  };
}

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
