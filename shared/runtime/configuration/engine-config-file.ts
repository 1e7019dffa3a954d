import { z } from 'zod';
import { engineConfig, type EngineConfig } from '../../contracts/endpoints/engine-config.ts';
import { optionSourcesOf } from '../../domain/endpoint/option-sources.ts';
import { createEgressGuard, type EgressGuard } from '../egress/address-guard.ts';
import { readInstallationEgress } from './installation-egress.ts';
import { ConfigurationError, createProblems } from './configuration-error.ts';
import { withoutPassword } from './database-url.ts';
import { readEnvironment } from './environment.ts';
import { plainWords, problemLine } from './plain-words.ts';
import { readSecret, readTextFile } from './secrets.ts';

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
  const parsed = engineConfig.safeParse(parseJson(path), { error: plainWords, reportInput: true });
  const lines = parsed.success
    ? forbiddenUrls(parsed.data, createEgressGuard([readInstallationEgress(environment)]))
    : parsed.error.issues.flatMap(linesOf);
  if (parsed.success && lines.length === 0) return parsed.data;
  throw new ConfigurationError(lines.map((line) => `${path}: ${line}`));
}

/** Finds URLs that egress rules forbid, so that they are refused at start and not only at the first call. */
function forbiddenUrls({ segmentation, actionTypes }: EngineConfig, guard: EgressGuard): string[] {
  const urls = Object.entries(actionTypes).flatMap(([name, { url, statusUrl, paramsSchema }]) => [
    { field: `actionTypes.${name}.url`, url },
    { field: `actionTypes.${name}.statusUrl`, url: statusUrl },
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

function linesOf(issue: z.core.$ZodIssue): string[] {
  const field = issue.path.join('.');
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => `${[...issue.path, key].join('.')} is not known here; ${issue.message}`);
  }
  if (issue.code === 'invalid_key')
    return [`${issue.path.slice(0, -1).join('.')} ${issue.message}, not ${quoted(issue.path.at(-1))}`];
  return [
    problemLine(
      field === '' ? 'the file' : field,
      issue.message,
      issue.input === undefined ? undefined : quoted(issue.input),
    ),
  ];
}

/** Returns a value for messages: short, and without passwords in URLs. */
function quoted(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'a list' : 'an object';
  const text = typeof value === 'string' && URL.canParse(value) ? withoutPassword(value) : value;
  const json = JSON.stringify(text);
  return json.length > 100 ? `${json.slice(0, 100)}…` : json;
}

function parseJson(path: string): unknown {
  const text = readTextFile('MUSTER_CONFIG', path);
  try {
    return JSON.parse(text);
  } catch (error) {
    // V8 quotes the text unchanged, with line breaks.
    const cause = String(error instanceof Error ? error.message : error).replaceAll(/\s+/g, ' ');
    throw new ConfigurationError(`MUSTER_CONFIG=${path}: is no JSON: ${cause}`, { cause: error });
  }
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
