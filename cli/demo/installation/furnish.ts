import {
  createApiKey,
  createCampaign,
  createCampaignOfTemplate,
  createClient,
  createJob,
  createLogInLink,
  createAudience,
  createSchedule,
  createTemplate,
  createNotification,
  setQuietHours,
  startCampaign,
  suppressUsers,
} from '../../../sdk/generated/sdk.gen.ts';
import { createApiClient } from '../../api/api-client.ts';
import { demoCountries, demoSegment } from './demo-settings.ts';
import type { DemoInstallation } from './installation.ts';

export interface Furnished {
  /** One-time login link of another person who may approve. */
  approverLink: string;
}

type Client = ReturnType<typeof createApiClient>;
type Installation = Pick<DemoInstallation, 'apiUrl' | 'apiKey' | 'calledUrl'>;

const zone = 'Asia/Singapore';
const stalls: ['run.stalled'] = ['run.stalled'];
const approver = { name: 'Mei (approves)', owner: 'mei@example.com', role: 'approver' } as const;

/** Creates content for every page of the console, so that no page is empty. */
export async function furnish({ apiUrl, apiKey, calledUrl: sandboxUrl }: Installation): Promise<Furnished> {
  const client = createApiClient({ baseUrl: apiUrl, apiKey });
  const [{ secret }] = await Promise.all([
    addPeople(client),
    addTemplate(client),
    addRecurring(client),
    addRules(client),
    addCallbacks(client, sandboxUrl),
    addNotification(client, sandboxUrl),
  ]);
  const ofApprover = createApiClient({ baseUrl: apiUrl, apiKey: secret });
  return { approverLink: (await createLogInLink({ client: ofApprover })).data.url };
}

/** Creates API keys for two more people, a manager and an approver. Returns the key of the approver. */
async function addPeople(client: Client): Promise<{ secret: string }> {
  const manager = { name: 'Tom (campaigns)', owner: 'tom@example.com', role: 'manager' } as const;
  await createApiKey({ client, body: manager });
  return (await createApiKey({ client, body: approver })).data;
}

/** Creates a template, and a draft from it. */
async function addTemplate(client: Client): Promise<void> {
  const campaign = {
    countries: demoCountries,
    audience: { include: [{ segment: demoSegment }] },
    chain: [
      { action: 'award-reward', params: { rewardId: { $variable: 'reward' } }, unitsPerUser: 1 },
      { action: 'send-message', params: { template: 'congratulations' } },
    ],
  };
  const variables = { reward: { type: 'string', default: 'ride-5' } } as const;
  const template = { name: 'Payday top-up', variables, campaign };
  const { id } = (await createTemplate({ client, body: template })).data;
  await createCampaignOfTemplate({ client, path: { id }, body: { name: 'Payday top-up, December' } });
}

async function addRecurring(client: Client): Promise<void> {
  const countries = ['SG'];
  const audience = { include: [{ segment: demoSegment }] };
  await createAudience({ client, body: { name: 'Lapsed riders, SG', owner: 'growth', countries, audience } });
  const { id } = (
    await createCampaign({
      client,
      body: {
        name: 'Weekly points for riders',
        owner: 'growth',
        tags: ['weekly'],
        countries,
        audience,
        chain: [{ action: 'award-points', params: { points: 100 }, unitsPerUser: 100 }],
        schedule: { type: 'recurring', cron: '0 10 * * 1', zone },
      },
    })
  ).data;
  await startCampaign({ client, path: { id } });
}

async function addNotification(client: Client, sandboxUrl: string): Promise<void> {
  const body = { name: 'Operations', url: `${sandboxUrl}/channel`, kind: 'slack' as const, events: stalls };
  await createNotification({ client, body: { ...body, egress: egressTo(sandboxUrl) } });
}

/**
 * Creates rules for the action `award-points` only, so that rewards and messages that a person tries are never delayed
 * or suppressed.
 */
async function addRules(client: Client): Promise<void> {
  const then = 'wait' as const;
  const nights = { countries: ['ID'], from: '22:00', until: '07:00', actionType: 'award-points', then };
  await setQuietHours({ client, body: { rules: [nights] } });
  const users = ['id-000000007', 'vn-000000011'];
  await suppressUsers({ client, body: { actionType: 'award-points', users, note: 'asked to by phone' } });
}

/** Creates a team with recurring callbacks, one of them to an invalid address. */
async function addCallbacks(client: Client, sandboxUrl: string): Promise<void> {
  await createClient({ client, body: { name: 'billing', endpoint: { egress: egressTo(sandboxUrl) } } });
  const method = 'GET' as const;
  const [right, wrong] = [`${sandboxUrl}/readyz`, `${sandboxUrl}/no-such-path`];
  const nightly = {
    name: 'Close the day',
    target: { client: 'billing', url: right, method },
    cron: '30 2 * * *',
    zone,
  };
  const hourly = { name: 'Refresh prices', target: { client: 'billing', url: right, method }, everySeconds: 3600 };
  await Promise.all([
    createSchedule({ client, body: nightly }),
    createSchedule({ client, body: hourly }),
    ...[1, 2, 3].map((days) => {
      const delaySeconds = days * 86_400;
      return createJob({ client, body: { client: 'billing', url: right, method, delaySeconds, tags: ['invoice'] } });
    }),
    createJob({ client, body: { client: 'billing', url: right, method, tags: ['invoice'] } }),
    createJob({ client, body: { client: 'billing', url: wrong, method, tags: ['invoice'] } }),
  ]);
}

/** Returns egress rules for the sandbox only. */
function egressTo(sandboxUrl: string) {
  return { allow: [{ cidr: '127.0.0.0/8', port: Number(new URL(sandboxUrl).port) }] };
}
