import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { engineConfig, type EngineConfig } from '../contracts/engine-config.ts';
import { ConfigurationError, createProblems } from './configuration-error.ts';
import { readEnvironment } from './environment.ts';

const pathEnvironment = z.object({ MUSTER_CONFIG: z.string() });

/**
 * Reads and checks the file that `MUSTER_CONFIG` names.
 * @throws {ConfigurationError} that names the file, the field and what would be right
 */
export function readEngineConfig(environment: NodeJS.ProcessEnv): EngineConfig {
  const { MUSTER_CONFIG: path } = readEnvironment(pathEnvironment, environment);
  const parsed = engineConfig.safeParse(parseJson(path));
  if (parsed.success) return parsed.data;
  throw new ConfigurationError(
    parsed.error.issues.map((issue) => `${path}: ${issue.path.join('.')}: ${issue.message}`),
  );
}

function parseJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new ConfigurationError(`MUSTER_CONFIG=${path}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

interface CalledService {
  authorizationEnv?: string | undefined;
}

/** The `Authorization` header of a called service, from the variable its configuration names. */
export function authorizationOf(
  service: CalledService,
  environment: NodeJS.ProcessEnv = process.env,
): string | undefined {
  if (service.authorizationEnv === undefined) return undefined;
  const value = environment[service.authorizationEnv];
  if (value === undefined || value === '') {
    throw new ConfigurationError(`${service.authorizationEnv} is not set, and the engine's configuration asks for it`);
  }
  return value;
}

/** @throws {ConfigurationError} with a line for each secret that these services name and that is not there */
export function checkSecrets(services: readonly CalledService[], environment: NodeJS.ProcessEnv): void {
  const problems = createProblems();
  for (const service of services) problems.of(() => authorizationOf(service, environment));
  if (problems.found) throw problems.toError();
}
