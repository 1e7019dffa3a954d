import { z } from 'zod';
import { commonEnvironment, readEnvironment } from '../../shared/runtime/environment.ts';

const milliseconds = z.coerce.number().int().min(100).max(600_000);

const triggerEnvironment = commonEnvironment.extend({
  /** Path of the engine's configuration file. */
  MUSTER_CONFIG: z.string(),
  TRIGGER_FEED_LEASE_MS: milliseconds.default(15_000),
  TRIGGER_STALL_MS: milliseconds.default(5000),
  HEALTH_PORT: z.coerce.number().int().min(0).max(65_535).optional(),
  HEALTH_HOST: z.string().default('127.0.0.1'),
});

export type TriggerConfig = z.infer<typeof triggerEnvironment>;

export function readConfig(environment: NodeJS.ProcessEnv): TriggerConfig {
  return readEnvironment(triggerEnvironment, environment);
}
