import type { KeyObject } from 'node:crypto';
import { z } from 'zod';
import { webhookKeyOf, webhookSecretForm } from '../../shared/domain/endpoint/standard-webhooks.ts';
import { ConfigurationError } from '../../shared/runtime/configuration/configuration-error.ts';
import { commonEnvironment, readEnvironment } from '../../shared/runtime/configuration/environment.ts';
import type { ServiceName } from './wire/chance.ts';
import { faultRules, type FaultRules } from './faults/fault-rules.ts';
import { maxPageUsers } from './segmentation-service.ts';
import type { CountryWeight, SegmentSpec } from './segments.ts';

const share = z.coerce.number().min(0).max(1).default(0);
const latency = z
  .string()
  .regex(/^\d{1,6}(-\d{1,6})?$/, 'has to be milliseconds, such as 20 or 20-60')
  .default('0')
  .transform((text) => {
    const [fromMs = 0, toMs = fromMs] = text.split('-').map(Number);
    return { fromMs, toMs };
  });
const form = z.enum(['full', 'compact']);
const memory = z.enum(['users', 'keys', 'outcomes', 'none']);
const rules = z
  .string()
  .default('{}')
  .transform((text, context) => {
    const parsed = faultRules.safeParse(parseJson(text));
    if (parsed.success) return parsed.data;
    context.addIssue(parsed.error.issues.map(({ path, message }) => `/${path.join('/')}: ${message}`).join('; '));
    return z.NEVER;
  });

const segmentPattern = /^([^=,]+)=(\d{1,9})(?::(plain|odd))?$/;
const countryWeightPattern = /^([A-Z]{2})=([1-9]\d{0,8})$/;

const sandboxEnvironment = z.object({
  SANDBOX_PORT: z.coerce.number().int().min(0).max(65_535).default(7070),
  SANDBOX_HOST: z.string().default('127.0.0.1'),
  SANDBOX_SEGMENTS: list(segmentPattern, 'name=size or name=size:odd', 'lapsed-riders=125000,odd-riders=3000:odd'),
  /** Limit that pages of users announce; absent: they announce none. */
  SANDBOX_SEGMENTS_MAX_LIMIT: z.coerce.number().int().min(1).max(maxPageUsers).optional(),
  SANDBOX_COUNTRIES: list(countryWeightPattern, 'SG=40', 'SG=40,ID=35,VN=25'),
  SANDBOX_SALT: z.string().default('sandbox'),
  SANDBOX_LEDGER: z.string().optional(),
  /** URL for receipts of messages; absent: no receipts. */
  SANDBOX_RECEIPTS_URL: z.url({ protocol: /^https?$/, error: 'has to be an http:// or https:// URL' }).optional(),
  SANDBOX_RECEIPTS_SECRET: z
    .string()
    .transform((secret, context) => {
      const key = webhookKeyOf(secret);
      if (!key) context.addIssue(`has to be ${webhookSecretForm}`);
      return key;
    })
    .optional(),
  SANDBOX_RECEIPTS_DELAY_MS: z.coerce.number().int().min(0).max(600_000).default(200),
  SANDBOX_RECEIPTS_UNDELIVERED_SHARE: share,
  /** Standard Webhooks secret: calls and queries without its signature are refused. */
  SANDBOX_SIGNING_SECRET: z
    .string()
    .transform((secret, context) => {
      const key = webhookKeyOf(secret);
      if (!key) context.addIssue(`is no ${webhookSecretForm}`);
      return key;
    })
    .optional(),
  SANDBOX_REWARDS_STORE: z.enum(['postgres', 'memory']).default('memory'),
  SANDBOX_REWARDS_QUERIES: z.enum(['per-batch', 'per-user']).default('per-batch'),
  DATABASE_URL: commonEnvironment.shape.DATABASE_URL.optional(),
  /** Rules as for `POST /control`, as JSON. */
  SANDBOX_FAULTS: rules,

  SANDBOX_REWARDS_FORM: form.default('full'),
  SANDBOX_REWARDS_MEMORY: memory.default('users'),
  SANDBOX_REWARDS_LATENCY_MS: latency,
  SANDBOX_REWARDS_FAILURE_SHARE: share,
  SANDBOX_REWARDS_RETRYABLE_SHARE: share,
  SANDBOX_REWARDS_BUSY_SHARE: share,
  SANDBOX_REWARDS_NO_ANSWER_SHARE: share,
  SANDBOX_REWARDS_SERVER_ERROR_SHARE: share,

  SANDBOX_POINTS_FORM: form.default('full'),
  SANDBOX_POINTS_MEMORY: memory.default('keys'),
  SANDBOX_POINTS_LATENCY_MS: latency,
  SANDBOX_POINTS_FAILURE_SHARE: share,
  SANDBOX_POINTS_RETRYABLE_SHARE: share,
  SANDBOX_POINTS_BUSY_SHARE: share,
  SANDBOX_POINTS_NO_ANSWER_SHARE: share,
  SANDBOX_POINTS_SERVER_ERROR_SHARE: share,

  SANDBOX_MESSAGES_FORM: form.default('compact'),
  SANDBOX_MESSAGES_MEMORY: memory.default('keys'),
  SANDBOX_MESSAGES_LATENCY_MS: latency,
  SANDBOX_MESSAGES_FAILURE_SHARE: share,
  SANDBOX_MESSAGES_RETRYABLE_SHARE: share,
  SANDBOX_MESSAGES_BUSY_SHARE: share,
  SANDBOX_MESSAGES_NO_ANSWER_SHARE: share,
  SANDBOX_MESSAGES_SERVER_ERROR_SHARE: share,

  SANDBOX_CHECKS_FORM: form.default('full'),
  /** A check is answered anew each time, so it stores nothing. */
  SANDBOX_CHECKS_MEMORY: z.literal('none').default('none'),
  SANDBOX_CHECKS_LATENCY_MS: latency,
  SANDBOX_CHECKS_FAILURE_SHARE: share,
  SANDBOX_CHECKS_RETRYABLE_SHARE: share,
  SANDBOX_CHECKS_BUSY_SHARE: share,
  SANDBOX_CHECKS_NO_ANSWER_SHARE: share,
  SANDBOX_CHECKS_SERVER_ERROR_SHARE: share,
});

type SandboxEnvironment = z.infer<typeof sandboxEnvironment>;

/** Behaviour of one batch service. Shares are of users or of calls, 0 to 1. */
export interface ServiceSettings {
  form: 'full' | 'compact';
  /**
   * Results that the service remembers, by contract class: results by user (A), answers by request key (B), outcomes
   * for status queries (C), or nothing (D).
   */
  memory: 'users' | 'keys' | 'outcomes' | 'none';
  latency: { fromMs: number; toMs: number };
  failureShare: number;
  retryableShare: number;
  busyShare: number;
  noAnswerShare: number;
  serverErrorShare: number;
}

export interface SandboxConfig {
  port: number;
  host: string;
  segments: SegmentSpec[];
  /** Limit that pages of users announce; undefined if they announce none. */
  maxLimit: number | undefined;
  countries: CountryWeight[];
  salt: string;
  ledgerPath: string | undefined;
  /** Settings of receipts; undefined if no receipts are sent. */
  receipts: { url: string; key: KeyObject; delayMs: number; undeliveredShare: number } | undefined;
  /** Key of the callers' signatures; undefined if calls need no signature. */
  signingKey: KeyObject | undefined;
  /** URL of the database of rewards; undefined if rewards are kept in memory. */
  rewardsDatabase: string | undefined;
  /** Statements of the rewards store in Postgres: per batch or per user. Ignored by the store in memory. */
  rewardsQueries: 'per-batch' | 'per-user';
  services: Record<ServiceName, ServiceSettings>;
  faults: FaultRules;
}

export function readConfig(environment: NodeJS.ProcessEnv): SandboxConfig {
  const read = readEnvironment(sandboxEnvironment, environment);
  if (read.SANDBOX_REWARDS_STORE === 'postgres' && read.DATABASE_URL === undefined) {
    throw new ConfigurationError('SANDBOX_REWARDS_STORE=postgres: DATABASE_URL is not set');
  }
  if (read.SANDBOX_REWARDS_STORE === 'postgres' && read.SANDBOX_REWARDS_MEMORY !== 'users') {
    throw new ConfigurationError(
      'SANDBOX_REWARDS_STORE=postgres: it remembers users, SANDBOX_REWARDS_MEMORY says otherwise',
    );
  }
  if (read.SANDBOX_REWARDS_STORE !== 'postgres' && read.SANDBOX_REWARDS_QUERIES !== 'per-batch') {
    throw new ConfigurationError(
      `SANDBOX_REWARDS_QUERIES=${read.SANDBOX_REWARDS_QUERIES}: there are queries with SANDBOX_REWARDS_STORE=postgres only`,
    );
  }
  return {
    receipts: receiptsOf(read),
    port: read.SANDBOX_PORT,
    host: read.SANDBOX_HOST,
    segments: read.SANDBOX_SEGMENTS.map(([id = '', size, ids]) => ({
      id,
      size: Number(size),
      ids: ids === 'odd' ? 'odd' : 'plain',
    })),
    maxLimit: read.SANDBOX_SEGMENTS_MAX_LIMIT,
    countries: read.SANDBOX_COUNTRIES.map(([country = '', weight]) => ({ country, weight: Number(weight) })),
    salt: read.SANDBOX_SALT,
    ledgerPath: read.SANDBOX_LEDGER,
    signingKey: read.SANDBOX_SIGNING_SECRET,
    rewardsDatabase: read.SANDBOX_REWARDS_STORE === 'postgres' ? read.DATABASE_URL : undefined,
    rewardsQueries: read.SANDBOX_REWARDS_QUERIES,
    services: {
      rewards: settingsOf(read, 'REWARDS'),
      points: settingsOf(read, 'POINTS'),
      messages: settingsOf(read, 'MESSAGES'),
      checks: settingsOf(read, 'CHECKS'),
    },
    faults: read.SANDBOX_FAULTS,
  };
}

function receiptsOf(read: SandboxEnvironment): SandboxConfig['receipts'] {
  const { SANDBOX_RECEIPTS_URL: url, SANDBOX_RECEIPTS_SECRET: key } = read;
  if (url === undefined) return undefined;
  if (key === undefined) throw new ConfigurationError('SANDBOX_RECEIPTS_URL: SANDBOX_RECEIPTS_SECRET is not set');
  const delayMs = read.SANDBOX_RECEIPTS_DELAY_MS;
  return { url, key, delayMs, undeliveredShare: read.SANDBOX_RECEIPTS_UNDELIVERED_SHARE };
}

function settingsOf(read: SandboxEnvironment, name: Uppercase<ServiceName>): ServiceSettings {
  return {
    form: read[`SANDBOX_${name}_FORM`],
    memory: read[`SANDBOX_${name}_MEMORY`],
    latency: read[`SANDBOX_${name}_LATENCY_MS`],
    failureShare: read[`SANDBOX_${name}_FAILURE_SHARE`],
    retryableShare: read[`SANDBOX_${name}_RETRYABLE_SHARE`],
    busyShare: read[`SANDBOX_${name}_BUSY_SHARE`],
    noAnswerShare: read[`SANDBOX_${name}_NO_ANSWER_SHARE`],
    serverErrorShare: read[`SANDBOX_${name}_SERVER_ERROR_SHARE`],
  };
}

/** Parses entries separated by commas, each into the groups of the pattern. */
function list(pattern: RegExp, example: string, otherwise: string) {
  return z
    .string()
    .default(otherwise)
    .transform((text, context) =>
      text.split(',').map((entry) => {
        const groups = pattern.exec(entry.trim());
        if (!groups) context.addIssue(`${JSON.stringify(entry)} has to look like ${example}`);
        return groups?.slice(1) ?? [];
      }),
    );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
