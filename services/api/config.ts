import { z } from 'zod';
import { commonEnvironment, readEnvironment } from '../../shared/runtime/environment.ts';

const apiEnvironment = commonEnvironment.pick({ DATABASE_URL: true, LOG_LEVEL: true, STOP_DEADLINE_MS: true }).extend({
  MUSTER_CONFIG: z.string({ error: 'has to be the path of the engine’s configuration file' }),
  API_PORT: z.coerce.number().int().min(0).max(65_535).default(8080),
  API_HOST: z.string().default('127.0.0.1'),
  MUSTER_BOOTSTRAP_API_KEY: z
    .string()
    .regex(/^[\x21-\x7e]{16,512}$/, 'has to be 16 to 512 visible ASCII characters')
    .optional(),
});

export interface ApiConfig {
  databaseUrl: string;
  engineConfigPath: string;
  /** 0: any free one. */
  port: number;
  host: string;
  /** A key that is accepted from the start. */
  bootstrapApiKey: string | undefined;
  logLevel: string;
  stopDeadlineMs: number;
}

export function readConfig(environment: NodeJS.ProcessEnv): ApiConfig {
  const read = readEnvironment(apiEnvironment, environment);
  return {
    databaseUrl: read.DATABASE_URL,
    engineConfigPath: read.MUSTER_CONFIG,
    port: read.API_PORT,
    host: read.API_HOST,
    bootstrapApiKey: read.MUSTER_BOOTSTRAP_API_KEY,
    logLevel: read.LOG_LEVEL,
    stopDeadlineMs: read.STOP_DEADLINE_MS,
  };
}
