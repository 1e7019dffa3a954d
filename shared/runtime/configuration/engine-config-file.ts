import { z } from 'zod';
import { engineConfig, type EngineConfig } from '../../contracts/endpoints/engine-config.ts';
import { optionSourcesOf } from '../../domain/endpoint/option-sources.ts';
import { createEgressGuard, type EgressGuard } from '../egress/address-guard.ts';
import { readInstallationEgress } from './installation-egress.ts';
import { ConfigurationError, createProblems } from './configuration-error.ts';
import { readEnvironment } from './environment.ts';
import { quoted, readJsonFile } from './json-file.ts';
import { readSecret } from './secrets.ts';

export const pathEnvironment = z.object({
  MUSTER_CONFIG: z
    .string({ error: 'has to be the path of the engine’s file' })
    .describe('Path of [the engine’s file](../configuration.md#the-engines-file)'),
});

/**
 * Reads and checks the file of `MUSTER_CONFIG`.
 * @throws {ConfigurationError} that names the file, the field and the expected form
 */
export function readEngineConfig(environment: NodeJS.ProcessEnv): EngineConfig {
  const { MUSTER_CONFIG: path } = readEnvironment(pathEnvironment, environment);
  const config = readJsonFile('MUSTER_CONFIG', path, engineConfig);
  const lines = forbiddenUrls(config, createEgressGuard([readInstallationEgress(environment)]));
  if (lines.length === 0) return config;
  throw new ConfigurationError(lines.map((line) => `${path}: ${line}`));
}

/** Finds URLs that egress rules forbid, so that they are refused at start and not only at the first call. */
function forbiddenUrls({ segmentation, actionTypes }: EngineConfig, guard: EgressGuard): string[] {
  const urls = Object.entries(actionTypes).flatMap(([name, { url, statusUrl, previewUrl, paramsSchema }]) => [
    { field: `actionTypes.${name}.url`, url },
    { field: `actionTypes.${name}.statusUrl`, url: statusUrl },
    { field: `actionTypes.${name}.previewUrl`, url: previewUrl },
    ...optionSourcesOf(paramsSchema, url).map((source) => ({
      field: `actionTypes.${name}.paramsSchema${source.keyword.replaceAll('/', '.')}`,
      url: source.url.href,
    })),
  ]);
  return [{ field: 'segmentation.url', url: segmentation.url }, ...urls].flatMap(({ field, url }) => {
    const cause = url === undefined ? null : guard.whyNot(new URL(url));
    return cause === null ? [] : [`${field} ${quoted(url)} may not be called: ${cause}`];
  });
}

interface CalledService {
  authorizationEnv?: string | undefined;
}

/** Returns the `Authorization` header of a called service, from the variable that its configuration names. */
export function authorizationOf(
  service: CalledService,
  environment: NodeJS.ProcessEnv = process.env,
): string | undefined {
  if (service.authorizationEnv === undefined) return undefined;
  const value = readSecret(service.authorizationEnv, environment);
  if (value === undefined) {
    throw new ConfigurationError(`${service.authorizationEnv} is not set, and authorizationEnv names it`);
  }
  return value;
}

/** @throws {ConfigurationError} with a line for each missing secret of these services */
export function checkSecrets(services: readonly CalledService[], environment: NodeJS.ProcessEnv): void {
  const problems = createProblems();
  for (const service of services) problems.of(() => authorizationOf(service, environment));
  if (problems.found) throw problems.toError();
}
