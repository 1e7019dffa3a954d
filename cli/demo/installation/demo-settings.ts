import { engineConfig, type EngineConfig } from '../../../shared/contracts/endpoints/engine-config.ts';

export const demoCountries = ['SG', 'ID', 'VN'];

export const demoSegment = 'lapsed-riders';

/** Duration of the run in seconds that is pleasant to watch, with the default number of workers. */
const watchSeconds = 20;
const usualWorkers = 2;
const rewardLatencyMs = { from: 150, to: 350 };
const messageLatencyMs = { from: 100, to: 250 };

/** Sample campaign with two steps: two ride rewards, then a message of congratulation. */
export const demoCampaign = {
  name: 'Lapsed riders, December',
  countries: demoCountries,
  audience: { include: [{ segment: demoSegment }] },
  chain: [
    { action: 'award-reward', params: { rewardId: 'ride-5', units: 2 }, unitsPerUser: 2 },
    { action: 'send-message', params: { template: 'congratulations' } },
  ],
  schedule: { type: 'now' as const },
};

/** Returns the sandbox's settings: realistic latency, some failing users, rewards in database tables. */
export function sandboxSettings(users: number): Record<string, string> {
  return {
    SANDBOX_SEGMENTS: `${demoSegment}=${users}`,
    SANDBOX_SEGMENTS_MAX_LIMIT: '5000',
    SANDBOX_COUNTRIES: 'SG=40,ID=35,VN=25',
    SANDBOX_REWARDS_STORE: 'postgres',
    SANDBOX_REWARDS_LATENCY_MS: `${rewardLatencyMs.from}-${rewardLatencyMs.to}`,
    SANDBOX_REWARDS_FAILURE_SHARE: '0.02',
    SANDBOX_MESSAGES_LATENCY_MS: `${messageLatencyMs.from}-${messageLatencyMs.to}`,
    SANDBOX_MESSAGES_FAILURE_SHARE: '0.01',
    SANDBOX_RECEIPTS_UNDELIVERED_SHARE: '0.02',
  };
}

/** Name of the variable with the secret that signs receipts of messages. */
export const receiptsSecretEnv = 'DEMO_RECEIPTS_SECRET';

/**
 * Timeout of a call in milliseconds, longer than the slowest call of the demo: 0.35 s, and 1.5 s more while a country
 * is slow.
 */
const timeoutMs = 2500;

/** Settings that detect a killed process within seconds. The default lease of half a minute is too long to watch. */
export const engineSettings = { WORKER_LEASE_MS: String(2 * timeoutMs), KAFKA_SESSION_TIMEOUT_MS: '6000' };

/** Parameters of the sandbox's services, as in deploy/examples/engine.json. */
const paramsSchemas = {
  reward: {
    type: 'object',
    required: ['rewardId'],
    properties: {
      rewardId: {
        type: 'string',
        pattern: '^[A-Za-z0-9._-]{1,64}$',
        description: 'Of the rewards service',
        'x-options': '/rewards/v1/options',
      },
      units: { type: 'integer', minimum: 1, maximum: 100, description: 'For each user; 1 when absent' },
    },
    additionalProperties: false,
    examples: [{ rewardId: 'ride-5', units: 2 }],
  },
  points: {
    type: 'object',
    required: ['points'],
    properties: { points: { type: 'integer', minimum: 1, maximum: 1_000_000, description: 'For each user' } },
    additionalProperties: false,
    examples: [{ points: 100 }],
  },
  message: {
    type: 'object',
    required: ['template'],
    properties: {
      template: { type: 'string', minLength: 1, maxLength: 200, 'x-options': '/messages/v1/options' },
    },
    examples: [{ template: 'congratulations' }],
  },
};

export function demoEngineConfig(sandboxUrl: string, users: number): EngineConfig {
  const concurrency = callsInFlight(users);
  return engineConfig.parse({
    countries: demoCountries,
    segmentation: { url: `${sandboxUrl}/segmentation`, timeoutMs: 10_000, pageSize: 1000 },
    actionTypes: {
      'award-reward': {
        title: 'Give a reward',
        description: 'Puts a reward, such as a free ride, into the user’s account.',
        url: `${sandboxUrl}/rewards/v1/batches`,
        class: 'A',
        answerForm: 'full',
        understandsTest: true,
        timeoutMs,
        concurrency,
        price: '0.50',
        paramsSchema: paramsSchemas.reward,
      },
      'award-points': {
        title: 'Give points',
        description: 'Adds loyalty points to the user’s balance.',
        url: `${sandboxUrl}/points/v1/batches`,
        class: 'B',
        answerForm: 'full',
        understandsTest: true,
        timeoutMs,
        concurrency,
        price: '0.01',
        paramsSchema: paramsSchemas.points,
      },
      'send-message': {
        title: 'Send a message',
        description: 'Sends the user a message from a template.',
        url: `${sandboxUrl}/messages/v1/batches`,
        previewUrl: `${sandboxUrl}/messages/v1/preview`,
        class: 'B',
        answerForm: 'compact',
        timeoutMs,
        concurrency,
        paramsSchema: paramsSchemas.message,
        receipts: true,
        receiptsSecretEnv,
      },
    },
    replicationFactor: 1,
  });
}

/**
 * Returns the concurrent calls of one worker for one action type. With the default number of workers, the run then
 * takes about `watchSeconds`.
 */
function callsInFlight(users: number): number {
  const batches = users / 100;
  const meanLatencyMs = (rewardLatencyMs.from + rewardLatencyMs.to) / 2;
  const together = (batches * meanLatencyMs) / 1000 / watchSeconds;
  return Math.max(1, Math.min(100, Math.round(together / usualWorkers)));
}
