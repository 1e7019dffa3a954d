import { z } from 'zod';
import type { EngineConfig } from '../../shared/contracts/endpoints/engine-config.ts';
import { createProblems, type Problems } from '../../shared/runtime/configuration/configuration-error.ts';
import { checkSecrets, readEngineConfig } from '../../shared/runtime/configuration/engine-config-file.ts';
import {
  commonEnvironment,
  kafkaSessionTimeout,
  readEnvironment,
  region,
} from '../../shared/runtime/configuration/environment.ts';
import { readKafkaSecurity, type KafkaSettings } from '../../shared/runtime/configuration/kafka-security.ts';
import type { RuleList } from '../../shared/runtime/egress/address-guard.ts';
import { readInstallationEgress } from '../../shared/runtime/configuration/installation-egress.ts';
import { readSecretBox, type SecretBox } from '../../shared/runtime/configuration/secret-box.ts';
import type { ServedScope } from './intake/served-shards.ts';

const list = z
  .string()
  .transform((text) => text.split(',').map((entry) => entry.trim()))
  .optional();

export const workerEnvironment = commonEnvironment.extend({
  KAFKA_SESSION_TIMEOUT_MS: kafkaSessionTimeout,
  MUSTER_REGION: region,
  WORKER_ID: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .meta({ description: 'Name of the worker in the rows that it claims', usual: 'generated' }),
  WORKER_LEASE_MS: z.coerce
    .number()
    .int()
    .min(1000)
    .max(600_000)
    .default(30_000)
    .describe(
      'Duration of a claim; at least twice the longest `timeoutMs` of the served action types. The worker does not serve action types with longer calls; if no worker does, waiting runs and `muster shards` report it',
    ),
  WORKER_CONCURRENCY: z.coerce
    .number()
    .int()
    .min(1)
    .max(5000)
    .default(200)
    .describe('Calls in flight over all action types; a sixteenth more for runs with few calls in flight'),
  WORKER_ACTION_TYPES: list.meta({
    description: 'Served action types, separated by commas: one deployment per group of shards',
    usual: 'all',
  }),
  WORKER_COUNTRIES: list.meta({ description: 'Served countries, separated by commas', usual: 'all' }),
});

type WorkerEnvironment = z.infer<typeof workerEnvironment>;

export interface WorkerConfig {
  databaseUrl: string;
  kafka: KafkaSettings;
  topicPrefix: string;
  engine: EngineConfig;
  /** Shards that this worker may serve. The environment and the countries in its file may exclude some. */
  scope: ServedScope;
  secretBox: SecretBox;
  egress: RuleList;
  sessionTimeoutMs: number;
  /** Region of the worker, which is only displayed. */
  region: string;
  /** Name of this worker in the rows that it claims. If undefined, a name is generated. */
  workerId: string | undefined;
  /** Duration of a claim in milliseconds. It must be at least twice the longest call. */
  leaseMs: number;
  /** Maximum number of calls in flight, over all action types. */
  concurrency: number;
}

export function readConfig(environment: NodeJS.ProcessEnv): WorkerConfig {
  const problems = createProblems();
  const read = problems.of(() => readEnvironment(workerEnvironment, environment))?.value;
  const engine = problems.of(() => readEngineConfig(environment))?.value;
  const security = problems.of(() => readKafkaSecurity(environment))?.value;
  const box = problems.of(() => readSecretBox(environment))?.value;
  const egress = problems.of(() => readInstallationEgress(environment))?.value;
  if (engine) problems.of(() => checkSecrets(Object.values(engine.actionTypes), environment));
  if (read && engine) checkScope(read, engine, problems);
  if (!read || !engine || !box || !egress || problems.found) throw problems.toError();
  return {
    databaseUrl: read.DATABASE_URL,
    kafka: { brokers: read.KAFKA_BROKERS, security },
    topicPrefix: read.MUSTER_TOPIC_PREFIX,
    engine,
    scope: {
      actionTypes: read.WORKER_ACTION_TYPES,
      countries: read.WORKER_COUNTRIES ?? engine.countries,
      leaseMs: read.WORKER_LEASE_MS,
    },
    secretBox: box,
    egress,
    sessionTimeoutMs: read.KAFKA_SESSION_TIMEOUT_MS,
    region: read.MUSTER_REGION,
    workerId: read.WORKER_ID,
    leaseMs: read.WORKER_LEASE_MS,
    concurrency: read.WORKER_CONCURRENCY,
  };
}

function checkScope(read: WorkerEnvironment, engine: EngineConfig, problems: Problems): void {
  const { countries } = engine;
  for (const unknown of read.WORKER_COUNTRIES?.filter((name) => !(countries?.includes(name) ?? true)) ?? []) {
    problems.add(`WORKER_COUNTRIES names ${unknown}; the engine is configured for ${countries?.join(', ') ?? ''}`);
  }
  for (const [actionType, { timeoutMs }] of Object.entries(engine.actionTypes)) {
    const isServed = read.WORKER_ACTION_TYPES?.includes(actionType) ?? true;
    if (isServed && read.WORKER_LEASE_MS < 2 * timeoutMs) {
      problems.add(
        `WORKER_LEASE_MS=${read.WORKER_LEASE_MS}: has to be at least twice the time-out of ${actionType}, ${timeoutMs} ms`,
      );
    }
  }
}
