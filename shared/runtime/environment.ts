import { z } from 'zod';
import { ConfigurationError } from './configuration-error.ts';

/** Reads the variables that the shape names, and nothing else. An empty value counts as not set. */
export function readEnvironment<Shape extends z.ZodObject>(
  shape: Shape,
  environment: NodeJS.ProcessEnv = process.env,
): z.infer<Shape> {
  const named: Record<string, string> = {};
  for (const name of Object.keys(shape.shape)) {
    const value = environment[name];
    if (value !== undefined && value !== '') named[name] = value;
  }
  const parsed = shape.safeParse(named);
  if (parsed.success) return parsed.data;
  throw new ConfigurationError(parsed.error.issues.map((issue) => describeIssue(issue, named)));
}

function describeIssue(issue: z.core.$ZodIssue, named: Record<string, string>): string {
  const name = issue.path.join('.');
  const value = named[String(issue.path[0])];
  return `${name}${value === undefined ? ' is not set' : `=${JSON.stringify(value)}`}: ${issue.message}`;
}

/** Variables that more than one service reads. */
export const commonEnvironment = z.object({
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }),
  KAFKA_BROKERS: z.string().transform((list) => list.split(',').map((broker) => broker.trim())),
  MUSTER_TOPIC_PREFIX: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/)
    .default('muster'),
});

/** Variables of every process, whatever it serves. */
export const processEnvironment = z.object({
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  /** How long a stop may take before the process ends anyway. */
  STOP_DEADLINE_MS: z.coerce.number().int().min(100).max(600_000).default(25_000),
  /** Of `/healthz`, `/readyz` and `/metrics`; not served unless set. */
  HEALTH_PORT: z.coerce.number().int().min(0).max(65_535).optional(),
  HEALTH_HOST: z.string().default('127.0.0.1'),
});

export type ProcessSettings = z.infer<typeof processEnvironment>;
