import { z } from 'zod';
import { commonEnvironment, readEnvironment } from '../../shared/runtime/environment.ts';

const list = z
  .string()
  .transform((text) => text.split(',').map((entry) => entry.trim()))
  .optional();

const workerEnvironment = commonEnvironment.extend({
  MUSTER_CONFIG: z.string(),
  KAFKA_SESSION_TIMEOUT_MS: z.coerce.number().int().min(1000).max(300_000).default(10_000),
  /** Stands in the rows that this worker claims. */
  WORKER_ID: z.string().min(1).max(200).optional(),
  /** How long a claim lasts. Has to be longer than the longest call. */
  WORKER_LEASE_MS: z.coerce.number().int().min(1000).max(600_000).default(30_000),
  /** Calls in flight over all action types. */
  WORKER_CONCURRENCY: z.coerce.number().int().min(1).max(5000).default(200),
  /** One deployment per group of shards: only these, separated by commas. */
  WORKER_ACTION_TYPES: list,
  WORKER_COUNTRIES: list,
  HEALTH_PORT: z.coerce.number().int().min(1).max(65_535).optional(),
  HEALTH_HOST: z.string().default('127.0.0.1'),
});

export type WorkerConfig = z.infer<typeof workerEnvironment>;

export function readConfig(environment: NodeJS.ProcessEnv): WorkerConfig {
  return readEnvironment(workerEnvironment, environment);
}
