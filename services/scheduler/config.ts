import { z } from 'zod';
import { commonEnvironment, readEnvironment } from '../../shared/runtime/environment.ts';

const schedulerEnvironment = commonEnvironment.pick({ DATABASE_URL: true }).extend({
  SCHEDULER_LEASE_MS: z.coerce.number().int().min(500).max(600_000).default(10_000),
  SCHEDULER_POLL_MS: z.coerce.number().int().min(10).max(60_000).default(200),
  MUSTER_REGION: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,31}$/, 'has to be 1 to 32 small letters, digits and -, a letter first')
    .default('local'),
});

export type SchedulerConfig = z.infer<typeof schedulerEnvironment>;

export function readConfig(environment: NodeJS.ProcessEnv): SchedulerConfig {
  return readEnvironment(schedulerEnvironment, environment);
}
