import { z } from 'zod';
import { ConfigurationError, createProblems } from './configuration-error.ts';
import { plainWords, problemLine } from './plain-words.ts';
import { isSecret, readSecret, shownValue } from './secrets.ts';

/**
 * Reads the variables that the shape names, and nothing else. An empty value counts as not set; a secret may also be in
 * a file that `<name>_FILE` names.
 * @throws {ConfigurationError} with a line for each variable that is missing or wrong
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
  // That it has to be a text says nothing of what is not there.
  const message = value === undefined && issue.message === 'has to be a string' ? '' : issue.message;
  return problemLine(name, message, value === undefined ? undefined : shownValue(name, value));
}

const brokerPattern = /^(\[[0-9A-Fa-f:]+\]|[^\s:/@,]+):([1-9]\d{0,4})$/;

/** Variables that more than one service reads. */
export const commonEnvironment = z.object({
  DATABASE_URL: z.url({
    protocol: /^postgres(ql)?$/,
    error: 'has to be a URL such as postgres://user:password@host:5432/database',
  }),
  KAFKA_BROKERS: z
    .string({ error: 'has to be host:port, separated by commas' })
    .transform((list) => list.split(',').map((broker) => broker.trim()))
    .refine((brokers) => brokers.every((broker) => Number(brokerPattern.exec(broker)?.[2] ?? Infinity) <= 65_535), {
      error: 'has to be host:port, separated by commas, such as kafka-1:9092,kafka-2:9092',
    }),
  MUSTER_TOPIC_PREFIX: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/, 'has to be 1 to 64 letters, digits, _ and -')
    .default('muster'),
});

const port = z.coerce.number().int().min(0).max(65_535);

/** Variables of every process, whatever it serves. */
export const processEnvironment = z.object({
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  /** JSON unless a person watches the terminal. */
  LOG_FORMAT: z.enum(['json', 'pretty']).optional(),
  /** How long a stop may take before the process ends anyway. */
  STOP_DEADLINE_MS: z.coerce.number().int().min(100).max(600_000).default(25_000),
  /** Of `/healthz`, `/readyz` and `/metrics`; not served unless set. */
  HEALTH_PORT: port.optional(),
  HEALTH_HOST: z.string().default('127.0.0.1'),
});

export type ProcessSettings = z.infer<typeof processEnvironment>;
