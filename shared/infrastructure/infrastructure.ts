import { z } from 'zod';
import { ConfigurationError } from '../runtime/configuration/configuration-error.ts';
import { readEnvironment } from '../runtime/configuration/environment.ts';
import { readGivenServers, useGivenServers, type GivenServers } from './given-servers.ts';
import { containersLeftOut, loadContainers } from './load-containers.ts';
import type { RunningServers } from './running-servers.ts';

export interface Infrastructure extends RunningServers {
  kind: 'external' | 'containers' | 'local';
}

export interface InfrastructureDeps {
  environment: NodeJS.ProcessEnv;
  /** Receives a line when a step takes long. */
  report: (line: string) => void;
  /** Settings for a local PostgreSQL only. */
  postgresSettings?: Readonly<Record<string, string | number>>;
}

export const infraEnvironment = z.object({
  INFRA: z
    .enum(['auto', 'external', 'containers', 'local'])
    .default('auto')
    .describe('Servers of the demo, of `up` and of the tests: [infrastructure](../infrastructure.md)'),
});

/**
 * Starts servers as `INFRA` requests: the servers of DATABASE_URL and KAFKA_BROKERS, containers, or local processes.
 * `auto` takes the first of the three that is available. Throws a ConfigurationError with one line on what is missing
 * and how to get it.
 */
export async function startInfrastructure(deps: InfrastructureDeps): Promise<Infrastructure> {
  const wanted = readRequest(deps.environment);
  switch (wanted.kind) {
    case 'external':
      return { kind: 'external', ...(await useGivenServers(wanted.given)) };
    case 'containers':
      if (!(await loadContainers())) throw new ConfigurationError(`INFRA=containers: ${containersLeftOut}`);
      return (await inContainers(deps)) ?? noRuntime();
    case 'local':
      return locally(deps);
    case 'auto':
      return (await inContainers(deps)) ?? locally(deps);
  }
}

export type InfrastructureRequest =
  { kind: 'external'; given: GivenServers } | { kind: 'containers' | 'local' | 'auto' };

/** Returns the servers that the environment requests; `auto`: containers or local, whichever is possible. */
export function readRequest(environment: NodeJS.ProcessEnv): InfrastructureRequest {
  const { INFRA } = readEnvironment(infraEnvironment, environment);
  if (INFRA === 'containers' || INFRA === 'local') return { kind: INFRA };
  const given = readGivenServers(environment);
  if (given !== undefined) return { kind: 'external', given };
  if (INFRA === 'external') throw new ConfigurationError('INFRA=external: set DATABASE_URL and KAFKA_BROKERS');
  return { kind: 'auto' };
}

// The modules for containers and for local servers are loaded on demand, so that callers with given servers need not
// wait for them.

async function inContainers({ report }: InfrastructureDeps): Promise<Infrastructure | undefined> {
  const containers = await loadContainers();
  const runtime = await containers?.findContainerRuntime();
  return containers && runtime && { kind: 'containers', ...(await containers.startContainers(runtime, report)) };
}

async function locally(deps: InfrastructureDeps): Promise<Infrastructure> {
  const { startLocalInfrastructure } = await import('./local.ts');
  return { kind: 'local', ...(await startLocalInfrastructure(deps)) };
}

function noRuntime(): never {
  throw new ConfigurationError(
    'INFRA=containers: no container runtime answers: start Docker or Podman, or set INFRA=local',
  );
}
