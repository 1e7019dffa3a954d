import { z } from 'zod';
import type { EngineConfig } from '../../shared/contracts/endpoints/engine-config.ts';
import { regionPattern } from '../../shared/domain/endpoint/call-topics.ts';
import { createProblems } from '../../shared/runtime/configuration/configuration-error.ts';
import { readEngineConfig } from '../../shared/runtime/configuration/engine-config-file.ts';
import { commonEnvironment, readEnvironment } from '../../shared/runtime/configuration/environment.ts';
import { readKafkaSecurity, type KafkaSettings } from '../../shared/runtime/configuration/kafka-security.ts';
import { publicUrl } from '../../shared/runtime/configuration/public-address.ts';
import { quotaEnvironment } from '../../shared/runtime/configuration/quotas.ts';

/** 0 keeps for ever. */
const days = z.coerce.number().int().min(0).max(36_500);
/** The key of a job is known by its outcome for three days after its end. */
const keyDays = 3;

const schedulerEnvironment = commonEnvironment.extend({
  SCHEDULER_LEASE_MS: z.coerce.number().int().min(500).max(600_000).default(10_000),
  SCHEDULER_POLL_MS: z.coerce.number().int().min(10).max(60_000).default(200),
  JOBS_HISTORY_DAYS: days
    .refine((kept) => kept === 0 || kept >= keyDays, `has to be 0, or at least ${keyDays}: so long a key is known`)
    .default(30),
  JOBS_DEAD_DAYS: days.default(90),
  OCCURRENCES_HISTORY_DAYS: days.default(90),
  MUSTER_REGION: z
    .string()
    .regex(regionPattern, 'has to be 1 to 32 small letters, digits and -, a letter first')
    .default('local'),
  API_PUBLIC_URL: publicUrl,
  QUOTA_OPEN_RUNS: quotaEnvironment.shape.QUOTA_OPEN_RUNS,
});

export type SchedulerConfig = z.infer<typeof schedulerEnvironment> & { engine: EngineConfig; kafka: KafkaSettings };

export function readConfig(environment: NodeJS.ProcessEnv): SchedulerConfig {
  const problems = createProblems();
  const read = problems.of(() => readEnvironment(schedulerEnvironment, environment))?.value;
  const engine = problems.of(() => readEngineConfig(environment))?.value;
  const security = problems.of(() => readKafkaSecurity(environment))?.value;
  if (!read || !engine || problems.found) throw problems.toError();
  return { ...read, engine, kafka: { brokers: read.KAFKA_BROKERS, security } };
}
