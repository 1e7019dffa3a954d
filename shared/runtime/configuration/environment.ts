import { z } from 'zod';
import { regionPattern } from '../../domain/endpoint/call-topics.ts';
import { ConfigurationError, createProblems } from './configuration-error.ts';
import { DatabaseUrlError, parseDatabaseUrl } from './database-url.ts';
import { plainWords, problemLine } from './plain-words.ts';
import { displayValue, isSecret, readSecret } from './secrets.ts';
import { tracingEnvironment } from './tracing-settings.ts';

/**
 * Reads the variables of the shape only. An empty value counts as not set; a secret may also be in the file that
 * `<name>_FILE` names.
 * @throws {ConfigurationError} with a line for each missing or invalid variable
 */
export function readEnvironment<Shape extends z.ZodObject>(
  shape: Shape,
  environment: NodeJS.ProcessEnv = process.env,
): z.infer<Shape> {
  const problems = createProblems();
  const named: Record<string, string> = {};
  for (const name of Object.keys(shape.shape)) {
    const read = problems.of(() => (isSecret(name) ? readSecret(name, environment) : environment[name]));
    if (read?.value !== undefined && read.value !== '') named[name] = read.value;
  }
  if (problems.found) throw problems.toError();
  const parsed = shape.safeParse(named, { error: plainWords });
  if (parsed.success) return parsed.data;
  throw new ConfigurationError(parsed.error.issues.map((issue) => describeIssue(issue, named)));
}

function describeIssue(issue: z.core.$ZodIssue, named: Record<string, string>): string {
  const name = String(issue.path[0]);
  const value = named[name];
  // For a missing value, "has to be a string" does not help.
  const message = value === undefined && issue.message === 'has to be a string' ? '' : issue.message;
  return problemLine(name, message, value === undefined ? undefined : displayValue(name, value));
}

const brokerPattern = /^(\[[0-9A-Fa-f:]+\]|[^\s:/@,]+):([1-9]\d{0,4})$/;

const databaseUrl = z
  .string({ error: 'has to be a URL such as postgres://user:password@host:5432/database' })
  .superRefine((url, context) => {
    try {
      parseDatabaseUrl(url);
    } catch (error) {
      if (!(error instanceof DatabaseUrlError)) throw error;
      context.addIssue({ code: 'custom', message: error.message });
    }
  });

/** Variables that more than one service reads. */
export const commonEnvironment = z.object({
  DATABASE_URL: databaseUrl.describe(
    'Address of Postgres; with several addresses, processes use the leader: `postgres://user:password@one:5432,two:5432/muster`. The URL also sets TLS: [TLS](../configuration.md#tls). `?target_session_attrs=` and `?pooler=session`: [Postgres](../postgres.md#what-stands-before-postgres)',
  ),
  KAFKA_BROKERS: z
    .string({ error: 'has to be host:port, separated by commas' })
    .transform((list) => list.split(',').map((broker) => broker.trim()))
    .refine((brokers) => brokers.every((broker) => Number(brokerPattern.exec(broker)?.[2] ?? Infinity) <= 65_535), {
      error: 'has to be host:port, separated by commas, such as kafka-1:9092,kafka-2:9092',
    })
    .describe('Kafka brokers. Without them, the API does not know the owners of partitions'),
  MUSTER_TOPIC_PREFIX: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/, 'has to be 1 to 64 letters, digits, _ and -')
    .default('muster')
    .describe(
      'Distinguishes installations on one cluster; the same for every process of an installation: topics ' +
        '`<prefix>.<action>.<country>` and `<prefix>.<region>.calls`, groups `<prefix>.worker.<installation>` and ' +
        '`<prefix>.dispatcher.<region>.<installation>`',
    ),
});

export const region = z
  .string()
  .regex(regionPattern, 'has to be 1 to 32 small letters, digits and -, a letter first')
  .default('local')
  .describe(
    'Region in which the process offers and calls jobs, and whose groups fire at once: [groups](../scheduler.md#groups). Occurrences that a person fires count in this region. Workers and triggers only report it',
  );

/** Consumer session timeout, in ms. */
export const kafkaSessionTimeout = z.coerce
  .number()
  .int()
  .min(1000)
  .max(300_000)
  .default(10_000)
  .describe('Time after which the group excludes a dead member');

const port = z.coerce.number().int().min(0).max(65_535);

export const processEnvironment = z.object({
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .describe('Minimum level of log lines on stderr'),
  LOG_FORMAT: z
    .enum(['json', 'pretty'])
    .optional()
    .meta({ description: 'Format of log lines', usual: '`pretty` on a terminal, else `json`' }),
  STOP_DEADLINE_MS: z.coerce
    .number()
    .int()
    .min(100)
    .max(600_000)
    .default(25_000)
    .describe('Maximum duration of a stop in ms; then the process ends in any case'),
  HEALTH_PORT: port.optional().meta({
    description: 'Port of `/healthz`, `/readyz` and `/metrics`: [operations](../operations.md)',
    usual: 'not served',
  }),
  HEALTH_HOST: z.string().default('127.0.0.1').describe('Address to listen on'),
  ...tracingEnvironment.shape,
});

export type ProcessSettings = z.infer<typeof processEnvironment>;
