import { z } from 'zod';
import type { EngineConfig } from '../../shared/contracts/engine-config.ts';
import type { Shard } from '../../shared/domain/shard.ts';
import { createProblems, type Problems } from '../../shared/runtime/configuration-error.ts';
import { checkSecrets, readEngineConfig } from '../../shared/runtime/engine-config-file.ts';
import { commonEnvironment, readEnvironment } from '../../shared/runtime/environment.ts';
import { readKafkaSecurity, type KafkaSettings } from '../../shared/runtime/kafka-security.ts';

const list = z
  .string()
  .transform((text) => text.split(',').map((entry) => entry.trim()))
  .optional();

const workerEnvironment = commonEnvironment.extend({
  KAFKA_SESSION_TIMEOUT_MS: z.coerce.number().int().min(1000).max(300_000).default(10_000),
  WORKER_ID: z.string().min(1).max(200).optional(),
  WORKER_LEASE_MS: z.coerce.number().int().min(1000).max(600_000).default(30_000),
  WORKER_CONCURRENCY: z.coerce.number().int().min(1).max(5000).default(200),
  WORKER_ACTION_TYPES: list,
  WORKER_COUNTRIES: list,
});

type WorkerEnvironment = z.infer<typeof workerEnvironment>;

export interface WorkerConfig {
  databaseUrl: string;
  kafka: KafkaSettings;
  topicPrefix: string;
  engine: EngineConfig;
  /** What this worker serves: all shards that are configured, less what its own environment leaves out. */
  shards: readonly Shard[];
  sessionTimeoutMs: number;
  /** Stands in the rows that this worker claims; otherwise a name is made. */
  workerId: string | undefined;
  /** How long a claim lasts: at least twice the longest call. */
  leaseMs: number;
  /** Calls in flight over all action types. */
  concurrency: number;
}

export function readConfig(environment: NodeJS.ProcessEnv): WorkerConfig {
  const problems = createProblems();
  const read = problems.of(() => readEnvironment(workerEnvironment, environment))?.value;
  const engine = problems.of(() => readEngineConfig(environment))?.value;
  const security = problems.of(() => readKafkaSecurity(environment))?.value;
  if (engine) problems.of(() => checkSecrets(Object.values(engine.actionTypes), environment));
  const shards = read && engine ? shardsOf(read, engine, problems) : [];
  if (!read || !engine || problems.found) throw problems.toError();
  return {
    databaseUrl: read.DATABASE_URL,
    kafka: { brokers: read.KAFKA_BROKERS, security },
    topicPrefix: read.MUSTER_TOPIC_PREFIX,
    engine,
    shards,
    sessionTimeoutMs: read.KAFKA_SESSION_TIMEOUT_MS,
    workerId: read.WORKER_ID,
    leaseMs: read.WORKER_LEASE_MS,
    concurrency: read.WORKER_CONCURRENCY,
  };
}

function shardsOf(read: WorkerEnvironment, engine: EngineConfig, problems: Problems): Shard[] {
  const actionTypes = chosen(
    'WORKER_ACTION_TYPES',
    read.WORKER_ACTION_TYPES,
    Object.keys(engine.actionTypes),
    problems,
  );
  const countries = chosen('WORKER_COUNTRIES', read.WORKER_COUNTRIES, engine.countries, problems);
  for (const actionType of actionTypes) {
    const timeoutMs = engine.actionTypes[actionType]?.timeoutMs ?? 0;
    if (read.WORKER_LEASE_MS < 2 * timeoutMs) {
      problems.add(
        `WORKER_LEASE_MS=${read.WORKER_LEASE_MS}: has to be at least twice the time-out of ${actionType}, ${timeoutMs} ms`,
      );
    }
  }
  return actionTypes.flatMap((actionType) => countries.map((country) => ({ actionType, country })));
}

function chosen(
  variable: string,
  wanted: string[] | undefined,
  configured: readonly string[],
  problems: Problems,
): readonly string[] {
  for (const unknown of wanted?.filter((name) => !configured.includes(name)) ?? []) {
    problems.add(`${variable} names ${unknown}; the engine is configured for ${configured.join(', ')}`);
  }
  return wanted ?? configured;
}
