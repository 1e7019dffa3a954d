import { z } from 'zod';
import { isZone } from '../../../shared/domain/recurrence/zone-spans.ts';
import type { Quotas } from '../../../shared/domain/quotas.ts';
import type { EngineConfig } from '../../../shared/contracts/endpoints/engine-config.ts';
import { createProblems } from '../../../shared/runtime/configuration/configuration-error.ts';
import { pathEnvironment, readEngineConfig } from '../../../shared/runtime/configuration/engine-config-file.ts';
import {
  commonEnvironment,
  processEnvironment,
  readEnvironment,
  region,
} from '../../../shared/runtime/configuration/environment.ts';
import {
  kafkaSecurityEnvironment,
  readKafkaSecurity,
  type KafkaSettings,
} from '../../../shared/runtime/configuration/kafka-security.ts';
import {
  authEnvironment,
  readAuthSettings,
  type AuthSettings,
} from '../../../shared/runtime/configuration/auth-settings.ts';
import type { RuleList } from '../../../shared/runtime/egress/address-guard.ts';
import {
  egressEnvironment,
  readInstallationEgress,
} from '../../../shared/runtime/configuration/installation-egress.ts';
import {
  readTargetTopics,
  targetTopicsEnvironment,
  type TargetTopics,
} from '../../../shared/runtime/configuration/target-topics.ts';
import {
  mailEnvironment,
  readMailSettings,
  type MailSettings,
} from '../../../shared/runtime/configuration/mail-settings.ts';
import { publicUrl, type PublicAddress } from '../../../shared/runtime/configuration/public-address.ts';
import { quotaEnvironment, quotasOf } from '../../../shared/runtime/configuration/quotas.ts';
import { readSecretBox, secretsEnvironment, type SecretBox } from '../../../shared/runtime/configuration/secret-box.ts';

export const apiEnvironment = commonEnvironment.pick({ DATABASE_URL: true, MUSTER_TOPIC_PREFIX: true }).extend({
  KAFKA_BROKERS: commonEnvironment.shape.KAFKA_BROKERS.optional(),
  API_PORT: z.coerce.number().int().min(0).max(65_535).default(8080).describe('Port of the API; 0 chooses a free port'),
  API_HOST: z.string().default('127.0.0.1').describe('Address to listen on'),
  MUSTER_REGION: region,
  API_PUBLIC_URL: publicUrl,
  API_DOCS: z
    .enum(['keyed', 'public'], "has to be 'keyed' or 'public'")
    .default('keyed')
    .describe(
      'Access to `/docs` and `/openapi.json`, which contain the countries and actions of this installation: `keyed` for callers with a key ' +
        'or a console session, `public` without authentication',
    ),
  MUSTER_INSTALLATION_NAME: z
    .string()
    .min(1)
    .max(60)
    .optional()
    .describe('Display name of the installation, such as `Production`, shown in the console'),
  MUSTER_ZONE: z
    .string()
    .refine(isZone, 'has to be an IANA time zone such as Asia/Singapore')
    .default(() => Intl.DateTimeFormat().resolvedOptions().timeZone)
    .meta({ description: 'Default time zone of the console', usual: 'time zone of the machine' }),
  MUSTER_CURRENCY: z
    .string()
    .regex(/^[A-Z]{3}$/, 'has to be three capital letters such as SGD')
    .optional()
    .describe('ISO 4217 currency of the prices of action types; the same for all API processes'),
  MUSTER_BOOTSTRAP_API_KEY: z
    .string()
    .regex(/^[\x21-\x7e]{16,512}$/, 'has to be 16 to 512 visible ASCII characters')
    .optional()
    .describe('API key with the role operator that is accepted from the start'),
  ...quotaEnvironment.shape,
});

/** Names of all variables that the API reads, except those that the configuration file of the engine lists. */
export const apiVariables: readonly string[] = [
  apiEnvironment,
  authEnvironment,
  processEnvironment,
  pathEnvironment,
  kafkaSecurityEnvironment,
  secretsEnvironment,
  egressEnvironment,
  targetTopicsEnvironment,
  mailEnvironment,
].flatMap(({ shape }) => Object.keys(shape));

export interface ApiConfig {
  databaseUrl: string;
  kafka: KafkaSettings | undefined;
  topicPrefix: string;
  engine: EngineConfig;
  /** TCP port; 0 chooses any free port. */
  port: number;
  host: string;
  /** Region in which schedules that are fired through the API are counted. */
  region: string;
  bootstrapApiKey: string | undefined;
  /** Public address, if it differs from the address on which the API listens. */
  publicAddress: PublicAddress | undefined;
  auth: AuthSettings;
  /** Readers of the OpenAPI document: everyone (`public`), or only callers with a key or a session (`keyed`). */
  docs: 'keyed' | 'public';
  /** Display name, such as `Production`. */
  installationName: string | undefined;
  /** IANA time zone in which the console shows times first. */
  zone: string;
  /** ISO 4217 code of the currency of prices; null if prices are not used. */
  currency: string | null;
  /** Encrypts secrets. Its functions throw if no key is configured. */
  secretBox: SecretBox;
  egress: RuleList;
  targetTopics: TargetTopics;
  /** Settings for sending email; undefined if no email is sent. */
  mail: MailSettings | undefined;
  quotas: Quotas;
}

export function readConfig(environment: NodeJS.ProcessEnv): ApiConfig {
  const problems = createProblems();
  const read = problems.of(() => readEnvironment(apiEnvironment, environment))?.value;
  const engine = problems.of(() => readEngineConfig(environment))?.value;
  const security = problems.of(() => readKafkaSecurity(environment));
  const box = problems.of(() => readSecretBox(environment));
  const egress = problems.of(() => readInstallationEgress(environment))?.value;
  const targetTopics = problems.of(() => readTargetTopics(environment))?.value;
  const mail = problems.of(() => readMailSettings(environment));
  const auth = problems.of(() => readAuthSettings(environment))?.value;
  if (!read || !engine || !security || !box || !egress || !targetTopics || !mail || !auth) throw problems.toError();
  return {
    databaseUrl: read.DATABASE_URL,
    kafka: read.KAFKA_BROKERS && { brokers: read.KAFKA_BROKERS, security: security.value },
    topicPrefix: read.MUSTER_TOPIC_PREFIX,
    engine,
    port: read.API_PORT,
    host: read.API_HOST,
    region: read.MUSTER_REGION,
    publicAddress: read.API_PUBLIC_URL,
    auth,
    docs: read.API_DOCS,
    installationName: read.MUSTER_INSTALLATION_NAME,
    zone: read.MUSTER_ZONE,
    currency: read.MUSTER_CURRENCY ?? null,
    bootstrapApiKey: read.MUSTER_BOOTSTRAP_API_KEY,
    secretBox: box.value,
    egress,
    targetTopics,
    mail: mail.value,
    quotas: quotasOf(read),
  };
}
