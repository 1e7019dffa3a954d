import { z } from 'zod';
import type { EngineConfig } from '../../shared/contracts/endpoints/engine-config.ts';
import { createProblems } from '../../shared/runtime/configuration/configuration-error.ts';
import { readEngineConfig } from '../../shared/runtime/configuration/engine-config-file.ts';
import { commonEnvironment, readEnvironment, region } from '../../shared/runtime/configuration/environment.ts';
import { readKafkaSecurity, type KafkaSettings } from '../../shared/runtime/configuration/kafka-security.ts';
import { publicUrl } from '../../shared/runtime/configuration/public-address.ts';
import { quotaEnvironment } from '../../shared/runtime/configuration/quotas.ts';

/** Number of days; 0 means for ever. */
const days = z.coerce.number().int().min(0).max(36_500);
/** Days after the end of a job during which a request with its idempotency key still returns its outcome. */
const keyDays = 3;

export const schedulerEnvironment = commonEnvironment.extend({
  SCHEDULER_LEASE_MS: z.coerce
    .number()
    .int()
    .min(500)
    .max(600_000)
    .default(10_000)
    .describe('Duration of the leases on partitions, in ms'),
  SCHEDULER_POLL_MS: z.coerce
    .number()
    .int()
    .min(10)
    .max(60_000)
    .default(200)
    .describe('Interval in ms between polls for new jobs while notifications are unavailable'),
  JOBS_HISTORY_DAYS: days
    .refine((kept) => kept === 0 || kept >= keyDays, `has to be 0, or at least ${keyDays}: so long a key is known`)
    .default(30)
    .describe(
      'Days for which outcomes of callbacks are kept; 0: for ever; otherwise at least 3, because outcomes identify repeated keys',
    ),
  JOBS_DEAD_DAYS: days
    .default(90)
    .describe('Days for which dead jobs of clients without `deadJobsDays` are kept; 0: for ever'),
  OCCURRENCES_HISTORY_DAYS: days
    .default(90)
    .describe(
      'Days for which fired and skipped occurrences are kept; 0: for ever. Earlier occurrences cannot be backfilled',
    ),
  MUSTER_REGION: region,
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
