import { readFileSync } from 'node:fs';
import { ConfigurationError } from './configuration-error.ts';
import { maskedDatabaseUrl } from './database-url.ts';
import { decodeText } from './decode-text.ts';

/** Secret variables, besides those named in the engine's file: never printed, and each may come from a file. */
const secretVariables: ReadonlySet<string> = new Set([
  'DATABASE_URL',
  'CONNECTORS_API_KEY',
  'CONNECTORS_AUTHORIZATION',
  'CONNECTORS_SIGNING_SECRET',
  'MUSTER_OWNER_PASSWORD',
  'MUSTER_ENGINE_PASSWORD',
  'MUSTER_API_PASSWORD',
  'MUSTER_READER_PASSWORD',
  'MUSTER_SANDBOX_PASSWORD',
  'MUSTER_CONNECTORS_PASSWORD',
  'KAFKA_SASL_PASSWORD',
  'MUSTER_ANCHOR_SECRET',
  'MUSTER_ANCHOR_URL',
  'MUSTER_API_KEY',
  'MUSTER_BOOTSTRAP_API_KEY',
  'MUSTER_SECRETS_KEY',
  'OIDC_CLIENT_SECRET',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'SANDBOX_SIGNING_SECRET',
  'SMTP_URL',
]);

export function isSecret(variable: string): boolean {
  return secretVariables.has(variable);
}

/**
 * Returns the variable, or else the content of the file in `<variable>_FILE` without its final line break; undefined if
 * neither is set.
 * @throws {ConfigurationError} if both are set, or the file cannot be read
 */
export function readSecret(variable: string, environment: NodeJS.ProcessEnv): string | undefined {
  const value = environment[variable] ?? '';
  const fileVariable = `${variable}_FILE`;
  const file = environment[fileVariable] ?? '';
  if (file === '') return value === '' ? undefined : value;
  if (value !== '') throw new ConfigurationError(`${variable} and ${fileVariable} are both set: set one of them`);
  const content = readTextFile(fileVariable, file).replace(/\r?\n$/, '');
  if (content === '') throw new ConfigurationError(`${fileVariable}=${file}: the file is empty`);
  return content;
}

/** @throws {ConfigurationError} that names the variable and the file */
export function readTextFile(variable: string, file: string): string {
  try {
    return decodeText(readFileSync(file));
  } catch (error) {
    const why =
      error instanceof Error && 'code' in error && error.code === 'ENOENT' ? 'there is no such file' : String(error);
    throw new ConfigurationError(`${variable}=${file}: ${why}`, { cause: error });
  }
}

/** Formats a value for printing: a secret as its length, a database URL without its password, others as they are. */
export function displayValue(variable: string, value: string): string {
  if (!isSecret(variable)) return JSON.stringify(value);
  const address = variable === 'DATABASE_URL' ? maskedDatabaseUrl(value) : undefined;
  return address === undefined ? `a text of ${value.length} characters` : JSON.stringify(address);
}
