import { z } from 'zod';
import { ConfigurationError, createProblems } from './configuration-error.ts';
import { readEnvironment } from './environment.ts';
import { readTextFile } from './secrets.ts';

const yesOrNo = z.enum(['true', 'false', '1', '0']).transform((text) => text === 'true' || text === '1');

export const kafkaSecurityEnvironment = z.object({
  KAFKA_TLS: yesOrNo
    .optional()
    .describe('`true` for TLS; the broker’s certificate is checked against the system’s authorities'),
  KAFKA_TLS_CA_FILE: z.string().optional().describe('PEM file with the trusted authorities instead; switches TLS on'),
  KAFKA_TLS_CERT_FILE: z.string().optional().describe('PEM file with the client’s certificate'),
  KAFKA_TLS_KEY_FILE: z
    .string()
    .optional()
    .describe('PEM file with the key of the client’s certificate; set both or neither'),
  KAFKA_SASL_MECHANISM: z.enum(['plain', 'scram-sha-256', 'scram-sha-512']).optional().describe('SASL mechanism'),
  KAFKA_SASL_USERNAME: z.string().optional().describe('SASL user name'),
  KAFKA_SASL_PASSWORD: z.string().optional().describe('SASL password; set all three or none'),
});

type Read = z.infer<typeof kafkaSecurityEnvironment>;

/** Settings for a cluster with TLS or authentication. Certificates and keys are PEM texts. */
interface Security {
  tls?: { ca?: string; cert?: string; key?: string };
  sasl?: { mechanism: NonNullable<Read['KAFKA_SASL_MECHANISM']>; username: string; password: string };
}

export interface KafkaSettings {
  brokers: readonly string[];
  security: Security | undefined;
}

/**
 * Reads `KAFKA_TLS…` and `KAFKA_SASL…`; undefined if none is set. A certificate file switches TLS on.
 * @throws {ConfigurationError} with every problem
 */
export function readKafkaSecurity(environment: NodeJS.ProcessEnv): Security | undefined {
  const read = readEnvironment(kafkaSecurityEnvironment, environment);
  const problems = createProblems();
  const tls = problems.of(() => readTls(read))?.value;
  const sasl = problems.of(() => readSasl(read))?.value;
  if (problems.found) throw problems.toError();
  if (!tls && !sasl) return undefined;
  return { ...(tls && { tls }), ...(sasl && { sasl }) };
}

function readTls(read: Read): Security['tls'] | undefined {
  const { KAFKA_TLS, KAFKA_TLS_CA_FILE: caFile, KAFKA_TLS_CERT_FILE: certFile, KAFKA_TLS_KEY_FILE: keyFile } = read;
  if (KAFKA_TLS === false && (caFile ?? certFile ?? keyFile) !== undefined) {
    throw new ConfigurationError('KAFKA_TLS is false, and files for it are named: set it to true, or leave them out');
  }
  if ((certFile === undefined) !== (keyFile === undefined)) {
    throw new ConfigurationError('KAFKA_TLS_CERT_FILE and KAFKA_TLS_KEY_FILE belong together: set both or neither');
  }
  if (KAFKA_TLS !== true && caFile === undefined && certFile === undefined) return undefined;
  const pem = (variable: string, file: string | undefined) =>
    file === undefined ? undefined : readPem(variable, file);
  const ca = pem('KAFKA_TLS_CA_FILE', caFile);
  const cert = pem('KAFKA_TLS_CERT_FILE', certFile);
  const key = pem('KAFKA_TLS_KEY_FILE', keyFile);
  return { ...(ca !== undefined && { ca }), ...(cert !== undefined && { cert }), ...(key !== undefined && { key }) };
}

function readPem(variable: string, file: string): string {
  const text = readTextFile(variable, file);
  if (!text.includes('-----BEGIN ')) throw new ConfigurationError(`${variable}=${file}: has to be a PEM file`);
  return text;
}

function readSasl(read: Read): Security['sasl'] | undefined {
  const { KAFKA_SASL_MECHANISM: mechanism, KAFKA_SASL_USERNAME: username, KAFKA_SASL_PASSWORD: password } = read;
  if (mechanism === undefined && username === undefined && password === undefined) return undefined;
  if (mechanism !== undefined && username !== undefined && password !== undefined)
    return { mechanism, username, password };
  throw new ConfigurationError(
    'KAFKA_SASL_MECHANISM, KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD (or KAFKA_SASL_PASSWORD_FILE) belong together: set all or none',
  );
}
