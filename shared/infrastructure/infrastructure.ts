import { z } from 'zod';
import { ConfigurationError, readEnvironment } from '../runtime/environment.ts';

/** A Kafka cluster and a PostgreSQL database to work with, and where they came from. */
export interface Infrastructure {
  kind: 'external' | 'containers' | 'local';
  /** One line for whoever started it, without secrets. */
  description: string;
  databaseUrl: string;
  /** `host:port` each. */
  brokers: string[];
  /** Ends what was started here; external servers are left alone. Safe to call twice. */
  stop(): Promise<void>;
}

export interface InfrastructureDeps {
  environment: NodeJS.ProcessEnv;
  /** Gets a line when something takes its time. */
  report: (line: string) => void;
}

const choice = z.object({
  INFRA: z.enum(['auto', 'external', 'containers', 'local']).default('auto'),
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }).optional(),
  KAFKA_BROKERS: z
    .string()
    .transform((list) => list.split(',').map((broker) => broker.trim()))
    .optional(),
});

/**
 * By `INFRA`: what DATABASE_URL and KAFKA_BROKERS name, containers, or local processes. `auto` takes the first of the three that is there.
 * Throws ConfigurationError with one line that says what is missing and how to get it.
 */
export async function startInfrastructure(deps: InfrastructureDeps): Promise<Infrastructure> {
  const chosen = readEnvironment(choice, deps.environment);
  const external = givenServers(chosen.DATABASE_URL, chosen.KAFKA_BROKERS);
  switch (chosen.INFRA) {
    case 'external':
      if (external === undefined) throw new ConfigurationError('INFRA=external: set DATABASE_URL and KAFKA_BROKERS');
      return external;
    case 'containers':
      return startInContainers(deps);
    case 'local':
      return startLocally(deps);
    case 'auto':
      return external ?? startLocally(deps);
  }
}

function givenServers(databaseUrl: string | undefined, brokers: string[] | undefined): Infrastructure | undefined {
  if (databaseUrl === undefined && brokers === undefined) return undefined;
  if (databaseUrl === undefined || brokers === undefined) {
    const [set, unset] =
      databaseUrl === undefined ? ['KAFKA_BROKERS', 'DATABASE_URL'] : ['DATABASE_URL', 'KAFKA_BROKERS'];
    throw new ConfigurationError(`${set} is set and ${unset} is not: set both, or neither to have them started here`);
  }
  return {
    kind: 'external',
    description: `the given Kafka at ${brokers.join(',')} and PostgreSQL at ${new URL(databaseUrl).host}`,
    databaseUrl,
    brokers,
    stop: () => Promise.resolve(),
  };
}

function startInContainers(_deps: InfrastructureDeps): Promise<Infrastructure> {
  throw new ConfigurationError(
    'INFRA=containers: no container runtime answers; start Docker or Podman, or set INFRA=local',
  );
}

/** Loaded when needed: who brings servers of their own need not wait for it. */
async function startLocally(deps: InfrastructureDeps): Promise<Infrastructure> {
  const { startLocalInfrastructure } = await import('./local.ts');
  return startLocalInfrastructure(deps);
}
