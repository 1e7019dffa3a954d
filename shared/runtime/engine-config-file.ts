import { readFileSync } from 'node:fs';
import { engineConfig, type EngineConfig } from '../contracts/engine-config.ts';
import { ConfigurationError } from './environment.ts';

/** Reads and checks the file that `MUSTER_CONFIG` names. Its errors name the file, the field and what would be right. */
export function readEngineConfig(path: string): EngineConfig {
  const parsed = engineConfig.safeParse(parseJson(path));
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ');
  throw new ConfigurationError(`${path}: ${problems}`);
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

/** The `Authorization` header of a called service, from the variable its configuration names. */
export function authorizationOf(
  service: { authorizationEnv?: string | undefined },
  environment: NodeJS.ProcessEnv = process.env,
): string | undefined {
  if (service.authorizationEnv === undefined) return undefined;
  const value = environment[service.authorizationEnv];
  if (value === undefined || value === '') {
    throw new ConfigurationError(`${service.authorizationEnv} is not set, and the engine's configuration asks for it`);
  }
  return value;
}
